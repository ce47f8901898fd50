/* boot_blocks_test.cpp - a boot image from datagrams, as clients send them and as nobody should. */
#include "tests/support/amount.h"

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
#include "sim/load/boot_blocks.h"
}

namespace
{

using bytes = std::vector<uint8_t>;

void put(bytes &to, uint32_t word)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        to.push_back(static_cast<uint8_t>(word >> shift));
    }
}

bytes message(uint32_t opcode, uint32_t one = 0, uint32_t three = 0, const bytes &data = {})
{
    bytes made = {0, 1};
    for (const uint32_t word : {opcode, one, 0u, three}) {
        put(made, word);
    }
    made.insert(made.end(), data.begin(), data.end());
    return made;
}

bytes start(uint32_t blocks)
{
    return message(1, 0, blocks - 1);
}

/* The bytes of a block in the order of its words on the wire. */
bytes swapped(const bytes &data)
{
    bytes made(data.size());
    for (size_t i = 0; i < data.size(); i++) {
        made[i] = data[i ^ 3];
    }
    return made;
}

bytes block(uint32_t number, const bytes &data, uint32_t words = 256)
{
    return message(3, (words - 1) << 8 | number, 0, swapped(data));
}

const bytes CONTROL = message(5, 1);

bytes image_of(size_t count)
{
    bytes image(count);
    for (size_t i = 0; i < count; i++) {
        image[i] = static_cast<uint8_t>(i * 31 + i / 256);
    }
    return image;
}

bytes part(const bytes &image, size_t number, size_t size = 1024)
{
    const size_t first = number * size;
    const size_t end = std::min(first + size, image.size());
    return {image.begin() + static_cast<long>(first), image.begin() + static_cast<long>(end)};
}

class BootBlocks : public testing::Test
{
  protected:
    boot_event take(const bytes &datagram)
    {
        /* of its own size, so that sanitizers see a byte read too far */
        const std::unique_ptr<uint8_t[]> copy(new uint8_t[datagram.size()]);
        std::copy(datagram.begin(), datagram.end(), copy.get());
        return boot_blocks_take(boot_.get(), copy.get(), datagram.size());
    }

    /* The datagram has no effect but to be counted. */
    void refuses(boot_refusal why, const bytes &datagram)
    {
        boot_blocks before = *boot_;
        EXPECT_EQ(take(datagram), BOOT_NOTHING);
        before.refused[why]++;
        EXPECT_EQ(memcmp(&before, boot_.get(), sizeof before), 0) << boot_refusal_text(why);
    }

    void boots(const bytes &image)
    {
        const auto blocks = static_cast<uint32_t>((image.size() + 1023) / 1024);
        EXPECT_EQ(take(start(blocks)), BOOT_RESET);
        for (uint32_t i = 0; i < blocks; i++) {
            EXPECT_EQ(take(block(i, part(image, i))), BOOT_NOTHING);
        }
        EXPECT_EQ(take(CONTROL), BOOT_START);
        EXPECT_EQ(boot_->image_bytes, image.size());
        EXPECT_EQ(memcmp(boot_->image, image.data(), image.size()), 0);
    }

    std::unique_ptr<boot_blocks> boot_{new boot_blocks()};
};

TEST_F(BootBlocks, CollectAnImageWhoseLastBlockIsShort)
{
    boots(image_of(29868)); /* as long as SC&MP 4 */
    EXPECT_EQ(boot_blocks_refused(boot_.get()), 0u);
    for (size_t i = 29868; i < BOOT_IMAGE_BYTES; i++) {
        ASSERT_EQ(boot_->image[i], 0) << i;
    }
}

TEST_F(BootBlocks, TakeImagesOfOneBlockAndOfAll)
{
    boots(image_of(512));
    boots(image_of(32768));
    EXPECT_EQ(boot_blocks_refused(boot_.get()), 0u);
}

TEST_F(BootBlocks, TakeBlocksInAnyOrderAndAgain)
{
    const bytes image = image_of(3 * 1024);
    EXPECT_EQ(take(start(3)), BOOT_RESET);
    for (const uint32_t i : {2u, 0u, 2u, 1u}) {
        EXPECT_EQ(take(block(i, part(image, i))), BOOT_NOTHING);
    }
    EXPECT_EQ(take(CONTROL), BOOT_START);
    EXPECT_EQ(memcmp(boot_->image, image.data(), image.size()), 0);
    EXPECT_EQ(boot_blocks_refused(boot_.get()), 0u);
}

TEST_F(BootBlocks, TakeBlocksOfAnotherSize)
{
    const bytes image = image_of(4 * 64);
    EXPECT_EQ(take(start(4)), BOOT_RESET);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(take(block(i, part(image, i, 64), 16)), BOOT_NOTHING);
    }
    EXPECT_EQ(take(CONTROL), BOOT_START);
    EXPECT_EQ(boot_->image_bytes, 256u);
    EXPECT_EQ(memcmp(boot_->image, image.data(), image.size()), 0);
}

/* A client that has lost a block begins anew: the ROM ignores its start, and takes what it lacks.
 */
TEST_F(BootBlocks, ARetryFillsTheGap)
{
    const bytes image = image_of(3 * 1024);
    EXPECT_EQ(take(start(3)), BOOT_RESET);
    EXPECT_EQ(take(block(0, part(image, 0))), BOOT_NOTHING);
    EXPECT_EQ(take(block(2, part(image, 2))), BOOT_NOTHING);
    refuses(BOOT_REFUSAL_INCOMPLETE, CONTROL);
    refuses(BOOT_REFUSAL_REPEATED, start(3));
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT_EQ(take(block(i, part(image, i))), BOOT_NOTHING);
    }
    EXPECT_EQ(take(CONTROL), BOOT_START);
}

/* A client that dies does not keep others from booting. */
TEST_F(BootBlocks, AStartOfAnotherSizeBeginsAnew)
{
    EXPECT_EQ(take(start(30)), BOOT_RESET);
    EXPECT_EQ(take(block(0, bytes(1024, 0xff))), BOOT_NOTHING);
    EXPECT_EQ(take(block(29, bytes(64, 0xff))), BOOT_NOTHING);
    boots(image_of(1100));
    EXPECT_EQ(boot_->image[1100], 0);
}

TEST_F(BootBlocks, ABoardIsBootedAgainAtAnyTime)
{
    boots(image_of(2000));
    refuses(BOOT_REFUSAL_ORDER, CONTROL);
    refuses(BOOT_REFUSAL_ORDER, block(0, bytes(1024)));
    boots(image_of(2000));
}

TEST_F(BootBlocks, WhatIsWrongIsRefusedAndCounted)
{
    const bytes data(1024, 7);
    refuses(BOOT_REFUSAL_ORDER, block(0, data));
    refuses(BOOT_REFUSAL_ORDER, CONTROL);
    refuses(BOOT_REFUSAL_BLOCKS, start(33));
    refuses(BOOT_REFUSAL_BLOCKS, start(256));
    refuses(BOOT_REFUSAL_TARGET, message(1, 1, 2));
    for (const uint32_t opcode : {0u, 2u, 4u, 6u, 0x41u, 0x10001u, 0xffffffffu}) {
        refuses(BOOT_REFUSAL_OPCODE, message(opcode));
    }
    bytes other = start(3);
    other[1] = 2;
    refuses(BOOT_REFUSAL_VERSION, other);
    other[0] = 1;
    other[1] = 1;
    refuses(BOOT_REFUSAL_VERSION, other);
    other = start(3);
    other.pop_back();
    refuses(BOOT_REFUSAL_SIZE, other);
    refuses(BOOT_REFUSAL_SIZE, {});
    EXPECT_EQ(take(start(3)), BOOT_RESET);
    refuses(BOOT_REFUSAL_NUMBER, block(3, data));
    refuses(BOOT_REFUSAL_NUMBER, block(255, data));
    refuses(BOOT_REFUSAL_SIZE, block(0, bytes(1028)));
    refuses(BOOT_REFUSAL_SIZE, message(3, 255 << 8, 0, bytes(1022)));
    refuses(BOOT_REFUSAL_WORDS, block(1, bytes(1020))); /* cut short */
    EXPECT_EQ(take(block(0, data)), BOOT_NOTHING);
    refuses(BOOT_REFUSAL_WORDS, block(1, bytes(64), 16));
    refuses(BOOT_REFUSAL_INCOMPLETE, CONTROL);
    refuses(BOOT_REFUSAL_COMMAND, message(5, 0));
    EXPECT_EQ(boot_blocks_refused(boot_.get()), 24u);
    for (unsigned i = 0; i < BOOT_REFUSALS; i++) {
        EXPECT_GT(boot_->refused[i] + (i == BOOT_REFUSAL_REPEATED), 0u)
            << boot_refusal_text(static_cast<boot_refusal>(i));
    }
}

/* Random datagrams, and good ones with bytes changed or cut off. */
TEST_F(BootBlocks, NoDatagramDoesHarm)
{
    struct {
        uint64_t before = 0x5555555555555555;
        boot_blocks boot = {};
        uint64_t behind = 0xaaaaaaaaaaaaaaaa;
    } guarded;
    std::mt19937 random(38);
    const bytes image = image_of(5000);
    uint64_t nothing = 0;
    uint64_t events = 0;
    const uint64_t count = amount("SPINNSIM_BOOT_DATAGRAMS", 100000);
    for (uint64_t i = 0; i < count; i++) {
        bytes datagram;
        switch (random() % 4) {
        case 0:
            datagram.resize(random() % 1500);
            for (uint8_t &byte : datagram) {
                byte = static_cast<uint8_t>(random());
            }
            break;
        case 1:
            datagram = start(1 + random() % 40);
            break;
        case 2:
            datagram = block(random() % 40, part(image, random() % 5), 1 + random() % 256);
            break;
        default:
            datagram = message(5, random() % 2);
            break;
        }
        if (random() % 2 == 0 && !datagram.empty()) {
            datagram[random() % std::min<size_t>(datagram.size(), 20)] =
                static_cast<uint8_t>(random());
        }
        if (random() % 8 == 0) {
            datagram.resize(random() % 2000);
        }
        const std::unique_ptr<uint8_t[]> copy(new uint8_t[datagram.size()]);
        std::copy(datagram.begin(), datagram.end(), copy.get());
        const boot_event event = boot_blocks_take(&guarded.boot, copy.get(), datagram.size());
        nothing += event == BOOT_NOTHING;
        events += event != BOOT_NOTHING;
        ASSERT_LE(guarded.boot.blocks, 32u);
        ASSERT_LE(guarded.boot.image_bytes, static_cast<uint32_t>(BOOT_IMAGE_BYTES));
        ASSERT_TRUE(guarded.boot.blocks == 32 || guarded.boot.present >> guarded.boot.blocks == 0);
    }
    EXPECT_EQ(guarded.before, 0x5555555555555555u);
    EXPECT_EQ(guarded.behind, 0xaaaaaaaaaaaaaaaau);
    EXPECT_GT(events, count / 100);
    EXPECT_GT(boot_blocks_refused(&guarded.boot), count / 2);
    EXPECT_LE(boot_blocks_refused(&guarded.boot), nothing);
    *boot_ = guarded.boot;
    if (boot_->filling && boot_->blocks == 6) { /* else the start of as many would be ignored */
        EXPECT_EQ(take(start(7)), BOOT_RESET);
    }
    boots(image_of(6000));
}

} // namespace
