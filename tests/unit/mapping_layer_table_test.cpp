/* The layer table byte by byte, as programs read it, and as a C source. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

namespace
{

const std::string SMALL =
    "name: small\n"
    "variant: modern\n"
    "input: {channels: 1, height: 9, width: 7}\n"
    "formats: {weight_fraction: 12, activation_fraction: 10, input_shift: 2}\n"
    "layers:\n"
    "  - {name: first-layer, type: conv2d, maps: 3, kernel: 3, activation: relu}\n"
    "  - {name: p, type: max_pool2d, size: 2, stride: 1}\n"
    "  - {name: out, type: dense, units: 5, activation: softmax}\n";

/* Little-endian, whatever the host. */
class byte_writer
{
  public:
    void number(uint64_t value, unsigned size)
    {
        for (unsigned i = 0; i < size; i++) {
            bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
        }
    }
    void word(uint32_t value)
    {
        number(value, 4);
    }
    void name(const std::string &text)
    {
        for (size_t i = 0; i < 16; i++) {
            bytes.push_back(i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
        }
    }
    /* kind, activation, last, kernel, stride, padding, three fractions, three unused */
    void settings(const std::vector<uint8_t> &values)
    {
        bytes.insert(bytes.end(), values.begin(), values.end());
        bytes.insert(bytes.end(), 3, 0);
    }
    void shape(uint16_t channels, uint16_t height, uint16_t width)
    {
        for (const uint16_t side : {channels, height, width, uint16_t{0}}) {
            number(side, 2);
        }
    }

    byte_string bytes;
};

TEST(LayerTable, IsTheseBytes)
{
    const test_network network(SMALL);
    byte_writer b;
    b.word(0x314e4e53); /* "SNN1" */
    b.word(1);
    b.word(52 + 3 * 60);
    b.word(3);
    /* 27 weights on 14 words, 3 biases on 2; 360 weights and 5 biases */
    b.word(56 + 8 + 720 + 12);
    /* 63 pixels on 32 words, the maximum with 3 x 6 x 4 values; 3 x 7 x 5 on 53 words */
    b.word(144 + 212);
    b.word(5);
    b.word(63);
    b.word(2);
    b.name("small");

    b.name("first-layer");
    b.settings({1, 1, 0, 3, 1, 0, 12, 10, 10});
    b.shape(1, 9, 7);
    b.shape(3, 7, 5);
    for (const uint32_t offset : {0u, 56u, 0u, 144u}) {
        b.word(offset);
    }
    b.name("p");
    b.settings({2, 0, 0, 2, 1, 0, 12, 10, 10});
    b.shape(3, 7, 5);
    b.shape(3, 6, 4);
    for (const uint32_t offset : {64u, 64u, 144u, 0u}) {
        b.word(offset);
    }
    b.name("out");
    b.settings({3, 0, 1, 0, 1, 0, 12, 10, 10});
    b.shape(3, 6, 4);
    b.shape(5, 1, 1);
    for (const uint32_t offset : {64u, 64u + 720, 0u, 144u}) {
        b.word(offset);
    }
    const auto *bytes = reinterpret_cast<const uint8_t *>(network.table);
    EXPECT_EQ(byte_string(bytes, bytes + network.table->bytes), b.bytes);
}

} // namespace
