/* SHA-256 against the examples of FIPS 180-4 and its predecessor, and cut in every way. */
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/data/sha256.h"
#include "sim/data/sha256_compress.h"
}

#include <gtest/gtest.h>

namespace
{

std::string hash_text(const std::string &text)
{
    return sha256_of(text.data(), text.size());
}

/* By the CPU's instructions or by plain C, whatever sha256_init() has chosen. */
std::string hash_by(bool instructions, const void *bytes, size_t size)
{
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    char text[SHA256_HEX_CHARS];
    sha256_init(&hash);
    hash.by_instructions = instructions;
    sha256_update(&hash, bytes, size);
    sha256_final(&hash, digest);
    sha256_hex(digest, text);
    return text;
}

byte_string numbered_bytes(size_t count)
{
    byte_string bytes(count);
    for (size_t i = 0; i < count; i++) {
        bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
    }
    return bytes;
}

std::string hash_in_pieces(const byte_string &bytes, size_t piece)
{
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    char text[SHA256_HEX_CHARS];
    sha256_init(&hash);
    for (size_t at = 0; at < bytes.size(); at += piece) {
        sha256_update(&hash, bytes.data() + at, std::min(piece, bytes.size() - at));
    }
    sha256_final(&hash, digest);
    sha256_hex(digest, text);
    return text;
}

TEST(Sha256, AgreesWithThePublishedExamples)
{
    EXPECT_EQ(hash_text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hash_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hash_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hash_text("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnop"
                        "jklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    EXPECT_EQ(hash_text(std::string(1000000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Around the places where the padding needs another block. */
TEST(Sha256, PadsEveryLengthOfTheLastBlock)
{
    EXPECT_EQ(hash_text(std::string(55, 'a')),
              "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    EXPECT_EQ(hash_text(std::string(56, 'a')),
              "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    EXPECT_EQ(hash_text(std::string(63, 'a')),
              "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
    EXPECT_EQ(hash_text(std::string(64, 'a')),
              "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(Sha256, DoesNotDependOnHowTheBytesArriveInPieces)
{
    const byte_string bytes = numbered_bytes(1000);
    const std::string whole = sha256_of(bytes.data(), bytes.size());
    for (size_t piece = 1; piece <= 200; piece++) {
        EXPECT_EQ(hash_in_pieces(bytes, piece), whole) << piece;
    }
}

TEST(Sha256, PlainCodeAgreesWithThePublishedExamples)
{
    const std::string two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    const std::string million(1000000, 'a');
    EXPECT_EQ(hash_by(false, "abc", 3),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hash_by(false, two_blocks.data(), two_blocks.size()),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hash_by(false, million.data(), million.size()),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TheCpusInstructionsComeToTheSameAtEveryLength)
{
    if (!sha256_x86_available()) {
        GTEST_SKIP() << "this CPU has no SHA instructions of x86";
    }
    const byte_string bytes = numbered_bytes(5 * SHA256_BLOCK_BYTES + 4);
    for (size_t size = 0; size <= 5 * SHA256_BLOCK_BYTES; size++) {
        const uint8_t *from = bytes.data() + size % 4; /* odd addresses too */
        EXPECT_EQ(hash_by(true, from, size), hash_by(false, from, size)) << size;
    }
    const byte_string page = numbered_bytes(4096);
    EXPECT_EQ(hash_by(true, page.data(), page.size()), hash_by(false, page.data(), page.size()));
}

TEST(Sha256, TheInstructionsAreChosenWhereTheCpuHasThem)
{
    struct sha256 hash;
    sha256_init(&hash);
    EXPECT_EQ(hash.by_instructions, sha256_x86_available());
}

TEST(Sha256, TakesNothingFromNowhere)
{
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    char text[SHA256_HEX_CHARS];
    sha256_init(&hash);
    sha256_update(&hash, nullptr, 0);
    sha256_final(&hash, digest);
    sha256_hex(digest, text);
    EXPECT_EQ(std::string(text), hash_text(""));
}

} // namespace
