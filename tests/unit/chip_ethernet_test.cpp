/* The Ethernet controller: every register, RAMs in both byte orders, the receive ring and its
 * descriptors, filters, interrupts, the PHY's management interface, and frames on the wire. */
extern "C" {
#include "models/chip/ethernet.h"
#include "models/chip/vic.h"
}

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace
{

enum : uint32_t {
    TX = 0x0000,
    RX = 0x4000,
    DESCRIPTORS = 0x8000,
    CONTROL = 0xc000,
    STATUS = 0xc004,
    TX_LEN = 0xc008,
    TX_CMD = 0xc00c,
    RX_CMD = 0xc010,
    MAC_LO = 0xc014,
    MAC_HI = 0xc018,
    PHY_CTRL = 0xc01c,
    INT_CLR = 0xc020,
    RX_BUF_RP = 0xc024,
    RX_BUF_WP = 0xc028,
    RX_DESC_RP = 0xc02c,
    RX_DESC_WP = 0xc030
};

constexpr uint32_t SCAMP = 0x45b; /* bytes in order, broadcast, unicast, receiver, transmitter */
constexpr uint32_t ROM = 0x7b;    /* bytes of words reversed; multicast, too */
constexpr uint32_t TX_LINE = 1u << VIC_SOURCE_ETHERNET_TX;
constexpr uint32_t RX_LINE = 1u << VIC_SOURCE_ETHERNET_RX;
constexpr uint32_t PHY_LINE = 1u << VIC_SOURCE_ETHERNET_PHY;
constexpr uint64_t NEVER = UINT64_MAX;

using bytes = std::vector<uint8_t>;

const bytes OWN = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
const bytes OTHER = {0x02, 0x11, 0x22, 0x33, 0x44, 0x56};
const bytes BROADCAST(6, 0xff);
const bytes MULTICAST = {0x01, 0x00, 0x5e, 0x00, 0x00, 0x01};

bytes frame_to(const bytes &address, size_t count, uint8_t seed = 1)
{
    bytes frame(count);
    for (size_t i = 0; i < count; i++) {
        frame[i] = static_cast<uint8_t>(seed + 7 * i);
    }
    std::copy(address.begin(), address.end(), frame.begin());
    return frame;
}

class Ethernet : public testing::Test
{
  protected:
    Ethernet() : ethernet_(new ethernet())
    {
        ethernet_reset(ethernet_.get());
    }

    uint32_t read(uint32_t offset, unsigned size = 4)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(ethernet_read(ethernet_.get(), offset, size, &value), REGISTER_OK) << offset;
        return value;
    }

    void write(uint32_t offset, uint32_t value, uint64_t now_ps = 0, unsigned size = 4)
    {
        EXPECT_EQ(ethernet_write(ethernet_.get(), offset, size, value, now_ps), REGISTER_OK)
            << offset;
    }

    void set_up(uint32_t control = SCAMP)
    {
        write(MAC_LO, 0x22334455);
        write(MAC_HI, 0x0211);
        write(CONTROL, control);
    }

    /* A frame of the host that arrives at once. */
    void receive(const bytes &frame)
    {
        ASSERT_GT(ethernet_room(ethernet_.get()), 0u);
        ethernet_send(ethernet_.get(), frame.data(), static_cast<uint32_t>(frame.size()), 0);
        ASSERT_NE(ethernet_next_ps(ethernet_.get()), NEVER);
        EXPECT_FALSE(ethernet_event(ethernet_.get()));
    }

    unsigned unread()
    {
        return read(STATUS) >> 1 & 63;
    }

    /* The current frame as a program reads it. */
    bytes current()
    {
        bytes frame(read(DESCRIPTORS + 4 * (read(RX_DESC_RP) & 63)));
        const uint32_t first = RX + (read(RX_BUF_RP) & 0xfff);
        for (size_t i = 0; i < frame.size(); i++) {
            frame[i] = static_cast<uint8_t>(read(first + static_cast<uint32_t>(i), 1));
        }
        return frame;
    }

    uint32_t lines()
    {
        return ethernet_lines(ethernet_.get());
    }

    /* ---- management interface, as SC&MP moves its bits ---- */

    void shift_out(uint32_t word, unsigned count)
    {
        const uint32_t held = read(PHY_CTRL) & ~0x14u;
        for (; count > 0; count--, word <<= 1) {
            const uint32_t out = held | (word >> 31) << 2;
            write(PHY_CTRL, out);
            write(PHY_CTRL, out | 0x10);
            write(PHY_CTRL, out);
        }
    }

    void write_phy(unsigned number, uint32_t value, uint32_t head = 0x50020000)
    {
        write(PHY_CTRL, 9);
        shift_out(UINT32_MAX, 32);
        shift_out(head | number << 18 | value, 32);
        write(PHY_CTRL, 1);
    }

    uint32_t read_phy(unsigned number, uint32_t head = 0x60000000, unsigned ones = 32)
    {
        uint32_t value = 0;
        write(PHY_CTRL, 9);
        shift_out(UINT32_MAX, ones);
        shift_out(head | number << 18, 14);
        write(PHY_CTRL, 1);
        shift_out(0, 2);
        for (unsigned i = 0; i < 16; i++) {
            value = value << 1 | (read(PHY_CTRL) >> 1 & 1);
            write(PHY_CTRL, 0x11);
            write(PHY_CTRL, 1);
        }
        return value;
    }

    std::unique_ptr<ethernet> ethernet_;
};

/* ---- registers ---- */

TEST_F(Ethernet, RegistersAfterReset)
{
    EXPECT_EQ(read(CONTROL), 0x78u);
    for (uint32_t offset = STATUS; offset <= RX_DESC_WP; offset += 4) {
        EXPECT_EQ(read(offset), offset == PHY_CTRL ? 2u : 0u) << offset; /* data in is pulled up */
    }
    EXPECT_EQ(lines(), 0u);
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), NEVER);
}

TEST_F(Ethernet, RegistersKeepTheirBits)
{
    write(CONTROL, UINT32_MAX);
    EXPECT_EQ(read(CONTROL), 0x5ffu);
    write(TX_LEN, UINT32_MAX);
    EXPECT_EQ(read(TX_LEN), 0x7ffu);
    write(MAC_LO, 0x89abcdef);
    EXPECT_EQ(read(MAC_LO), 0x89abcdefu);
    EXPECT_EQ(read(MAC_LO + 1, 1), 0xcdu);
    EXPECT_EQ(read(MAC_LO + 2, 2), 0x89abu);
    write(MAC_HI, UINT32_MAX);
    EXPECT_EQ(read(MAC_HI), 0xffffu);
    write(PHY_CTRL, 0xffffffe1);
    EXPECT_EQ(read(PHY_CTRL), 0x23u);
    for (const uint32_t offset : {STATUS, RX_BUF_RP, RX_BUF_WP, RX_DESC_RP, RX_DESC_WP}) {
        write(offset, UINT32_MAX);
        EXPECT_EQ(read(offset), 0u) << offset;
    }
}

TEST_F(Ethernet, WhatIsNotThereIsUnmodelled)
{
    uint32_t value;
    for (const uint32_t offset : {0xc034u, 0xc03cu, 0x5800u, 0x80c0u, TX + 0u}) {
        EXPECT_EQ(ethernet_read(ethernet_.get(), offset, 4, &value), REGISTER_UNMODELLED);
        EXPECT_EQ(value, 0u);
    }
    for (const uint32_t offset : {0xc034u, 0x0600u, RX + 0u, DESCRIPTORS + 0u}) {
        EXPECT_EQ(ethernet_write(ethernet_.get(), offset, 4, 1, 0), REGISTER_UNMODELLED);
    }
    EXPECT_EQ(ethernet_write(ethernet_.get(), CONTROL, 1, 1, 0), REGISTER_UNMODELLED);
    EXPECT_EQ(read(CONTROL), 0x78u);
}

/* ---- sending ---- */

TEST_F(Ethernet, AFrameTakesItsTimeOnTheWire)
{
    set_up();
    const bytes frame = frame_to(BROADCAST, 100);
    for (uint32_t i = 0; i < 100; i += 4) {
        uint32_t word;
        memcpy(&word, &frame[i], 4);
        write(TX + i, word);
    }
    write(TX_LEN, 100);
    write(TX_CMD, 0, 1000);
    EXPECT_EQ(read(STATUS) & 1, 1u);
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), 1000u + 5120000 + 100 * 80000);
    write(TX, 0); /* too late */
    EXPECT_TRUE(ethernet_event(ethernet_.get()));
    EXPECT_EQ(ethernet_->out.bytes, 100u);
    EXPECT_EQ(memcmp(ethernet_->out.data, frame.data(), 100), 0);
    EXPECT_EQ(read(STATUS) & 1, 0u);
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), NEVER);
    EXPECT_EQ(ethernet_->counters.frames_sent, 1u);
    EXPECT_EQ(ethernet_->counters.bytes_sent, 100u);
    EXPECT_EQ(lines(), TX_LINE);
    write(INT_CLR, 0x10);
    EXPECT_EQ(lines(), TX_LINE);
    write(INT_CLR, 1);
    EXPECT_EQ(lines(), 0u);
}

TEST_F(Ethernet, ACommandDuringAFrameIsLost)
{
    set_up();
    write(TX_LEN, 60);
    write(TX_CMD, 0, 0);
    write(TX_CMD, 0, 1000);
    EXPECT_TRUE(ethernet_event(ethernet_.get()));
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), NEVER);
    write(TX_CMD, 0, 20000000);
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), 20000000u + 5120000 + 60 * 80000);
}

TEST_F(Ethernet, NothingIsSentWhileTheTransmitterIsOff)
{
    set_up(SCAMP & ~1u);
    write(TX_LEN, 60);
    write(TX_CMD, 0);
    EXPECT_EQ(read(STATUS) & 1, 0u);
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), NEVER);
}

TEST_F(Ethernet, LengthsOutsideTheStandardAreUnmodelled)
{
    set_up();
    for (const uint32_t length : {0u, 59u, 1515u, 2047u}) {
        write(TX_LEN, length);
        EXPECT_EQ(ethernet_write(ethernet_.get(), TX_CMD, 4, 0, 0), REGISTER_UNMODELLED);
        EXPECT_EQ(ethernet_next_ps(ethernet_.get()), NEVER);
    }
    for (const uint32_t length : {60u, 1514u}) {
        write(TX_LEN, length);
        write(TX_CMD, 0);
        EXPECT_TRUE(ethernet_event(ethernet_.get()));
        EXPECT_EQ(ethernet_->out.bytes, length);
    }
}

TEST_F(Ethernet, TheTransmitRamTakesBytesHalvesAndWords)
{
    set_up();
    write(TX, 0x04030201);
    write(TX + 4, 0x05, 0, 1);
    write(TX + 5, 0x06, 0, 1);
    write(TX + 6, 0x0807, 0, 2);
    write(TX + 0x5fc, 0, 0, 4);
    write(TX_LEN, 60);
    write(TX_CMD, 0);
    const uint8_t expected[] = {1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(memcmp(ethernet_->out.data, expected, sizeof expected), 0);
}

TEST_F(Ethernet, WithoutBytesInOrderTheFirstByteIsTheHighestOfItsWord)
{
    set_up(ROM);
    write(TX, 0x01020304);
    write(TX + 4, 0x05060708);
    write(TX_LEN, 60);
    write(TX_CMD, 0);
    const uint8_t expected[] = {1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(memcmp(ethernet_->out.data, expected, sizeof expected), 0);
    EXPECT_TRUE(ethernet_event(ethernet_.get()));
    receive(frame_to(OWN, 61));
    EXPECT_EQ(read(RX), 0x02112233u);
    EXPECT_EQ(read(RX, 1), 0x33u);
    EXPECT_EQ(read(RX + 60) >> 24, static_cast<uint8_t>(1 + 7 * 60) + 0u); /* byte 60 */
}

TEST_F(Ethernet, LoopbackBringsTheFrameBack)
{
    set_up(SCAMP | 4);
    const bytes frame = frame_to(OWN, 60);
    for (uint32_t i = 0; i < 60; i++) {
        write(TX + i, frame[i], 0, 1);
    }
    write(TX_LEN, 60);
    write(TX_CMD, 0);
    EXPECT_FALSE(ethernet_event(ethernet_.get()));
    EXPECT_EQ(unread(), 1u);
    EXPECT_EQ(current(), frame);
    EXPECT_EQ(lines(), TX_LINE | RX_LINE);
    EXPECT_EQ(ethernet_->counters.frames_sent, 0u);
}

/* ---- receiving ---- */

TEST_F(Ethernet, AFrameOfTheHostArrivesWhenItIsThrough)
{
    set_up();
    const bytes frame = frame_to(OWN, 101);
    ethernet_send(ethernet_.get(), frame.data(), 101, 5000);
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), 5000u + 5120000 + 101 * 80000);
    EXPECT_EQ(unread(), 0u);
    EXPECT_EQ(lines(), 0u);
    EXPECT_FALSE(ethernet_event(ethernet_.get()));
    EXPECT_EQ(unread(), 1u);
    EXPECT_EQ(lines(), RX_LINE);
    EXPECT_EQ(current(), frame);
    EXPECT_EQ(read(DESCRIPTORS), 101u);
    EXPECT_EQ(read(RX_BUF_WP), 104u); /* frames begin at words */
    EXPECT_EQ(read(RX_DESC_WP), 1u);
    EXPECT_EQ(read(RX_BUF_RP), 0u);
    write(RX_CMD, 0);
    EXPECT_EQ(read(RX_BUF_RP), 104u);
    EXPECT_EQ(read(RX_DESC_RP), 1u);
    EXPECT_EQ(unread(), 0u);
    EXPECT_EQ(lines(), RX_LINE); /* until it is cleared */
    write(INT_CLR, 1);
    EXPECT_EQ(lines(), RX_LINE);
    write(INT_CLR, 0x10);
    EXPECT_EQ(lines(), 0u);
    write(RX_CMD, 0); /* there is none */
    EXPECT_EQ(read(RX_BUF_RP), 104u);
    EXPECT_EQ(read(RX_DESC_RP), 1u);
    EXPECT_EQ(ethernet_->counters.frames_received, 1u);
    EXPECT_EQ(ethernet_->counters.bytes_received, 101u);
}

TEST_F(Ethernet, TheInterruptComesAgainForEachLaterFrame)
{
    set_up();
    receive(frame_to(OWN, 60));
    write(INT_CLR, 0x10);
    EXPECT_EQ(unread(), 1u);
    EXPECT_EQ(lines(), 0u);
    receive(frame_to(OWN, 60));
    EXPECT_EQ(unread(), 2u);
    EXPECT_EQ(lines(), RX_LINE);
}

TEST_F(Ethernet, FramesOfTheHostFollowEachOtherOnTheWire)
{
    set_up();
    const bytes frame = frame_to(OWN, 60);
    const uint64_t time_ps = 5120000 + 60 * 80000;
    for (unsigned i = 0; i < 16; i++) {
        EXPECT_EQ(ethernet_room(ethernet_.get()), 16 - i);
        ethernet_send(ethernet_.get(), frame.data(), 60, 7);
    }
    EXPECT_EQ(ethernet_room(ethernet_.get()), 0u);
    for (unsigned i = 0; i < 16; i++) {
        EXPECT_EQ(ethernet_next_ps(ethernet_.get()), 7 + (i + 1) * time_ps);
        EXPECT_FALSE(ethernet_event(ethernet_.get()));
    }
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), NEVER);
    EXPECT_EQ(ethernet_room(ethernet_.get()), 16u);
    EXPECT_EQ(unread(), 16u);
    ethernet_send(ethernet_.get(), frame.data(), 60, 1000000000); /* the wire is free again */
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), 1000000000 + time_ps);
}

TEST_F(Ethernet, AShortFrameOfTheHostIsFilledUp)
{
    set_up();
    const bytes frame = frame_to(OWN, 20);
    ethernet_send(ethernet_.get(), frame.data(), 20, 0);
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), 5120000u + 60 * 80000);
    EXPECT_FALSE(ethernet_event(ethernet_.get()));
    bytes filled = frame;
    filled.resize(60, 0);
    EXPECT_EQ(current(), filled);
}

TEST_F(Ethernet, SendingAndReceivingShareNoWire)
{
    set_up();
    write(TX_LEN, 1514);
    write(TX_CMD, 0, 0);
    const bytes frame = frame_to(OWN, 60);
    ethernet_send(ethernet_.get(), frame.data(), 60, 0);
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), 5120000u + 60 * 80000);
    EXPECT_FALSE(ethernet_event(ethernet_.get()));
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), 5120000u + 1514 * 80000);
    EXPECT_TRUE(ethernet_event(ethernet_.get()));
}

TEST_F(Ethernet, FramesWrapAndTheRamRepeats)
{
    set_up();
    for (unsigned round = 0; round < 30; round++) {
        const bytes frame = frame_to(OWN, 1001 + round, static_cast<uint8_t>(round));
        receive(frame);
        EXPECT_EQ(current(), frame) << round; /* read straight on, beyond the end */
        write(RX_CMD, 0);
    }
    EXPECT_EQ(unread(), 0u);
    EXPECT_EQ(read(RX_BUF_RP), read(RX_BUF_WP));
    EXPECT_EQ(read(RX_DESC_RP), 30u);
    EXPECT_EQ(read(RX + 0xc00), read(RX));
    EXPECT_EQ(read(RX + 0x17fc), read(RX + 0xbfc));
}

TEST_F(Ethernet, RolloverBitsChangeAtEachWrap)
{
    set_up();
    for (unsigned i = 0; i < 48; i++) {
        receive(frame_to(OWN, 64));
        write(RX_CMD, 0);
        EXPECT_EQ(read(RX_BUF_RP), i < 47 ? 64 * (i + 1) : 0x1000u);
        EXPECT_EQ(read(RX_DESC_RP), i < 47 ? i + 1 : 0x40u);
    }
    for (unsigned i = 0; i < 48; i++) {
        receive(frame_to(OWN, 64));
    }
    EXPECT_EQ(read(RX_BUF_WP), 0u);
    EXPECT_EQ(read(RX_DESC_WP), 0u);
    EXPECT_EQ(read(RX_BUF_RP), 0x1000u);
    EXPECT_EQ(unread(), 48u);
}

TEST_F(Ethernet, AFrameWithoutRoomIsLostAndCounted)
{
    set_up();
    receive(frame_to(OWN, 1514));
    receive(frame_to(OWN, 1514)); /* 2 x 1516 of 3072 bytes */
    receive(frame_to(OWN, 61));   /* 40 are left */
    EXPECT_EQ(unread(), 2u);
    EXPECT_EQ(read(STATUS) >> 16, 1u);
    EXPECT_EQ(ethernet_->counters.frames_lost, 1u);
    write(RX_CMD, 0);
    receive(frame_to(OWN, 1514));
    EXPECT_EQ(unread(), 2u);
    write(CONTROL, SCAMP | 0x200);
    EXPECT_EQ(read(STATUS) >> 16, 0u);
    EXPECT_EQ(read(CONTROL), SCAMP);
    EXPECT_EQ(ethernet_->counters.frames_lost, 1u);
}

TEST_F(Ethernet, ARingThatIsExactlyFullTakesNothing)
{
    set_up();
    for (unsigned i = 0; i < 3; i++) {
        receive(frame_to(OWN, 1024));
    }
    receive(frame_to(OWN, 60));
    EXPECT_EQ(unread(), 3u);
    EXPECT_EQ(read(STATUS) >> 16, 1u);
    EXPECT_EQ(read(RX_BUF_WP), 0x1000u);
}

TEST_F(Ethernet, FortyEightFramesAreTheMost)
{
    set_up();
    for (unsigned i = 0; i < 49; i++) {
        receive(frame_to(OWN, 60));
    }
    EXPECT_EQ(unread(), 48u);
    EXPECT_EQ(read(STATUS) >> 16, 1u);
    write(RX_CMD, 0);
    receive(frame_to(OWN, 60));
    EXPECT_EQ(unread(), 48u);
    EXPECT_EQ(read(STATUS) >> 16, 1u);
}

TEST_F(Ethernet, TheDroppedCountStaysAtItsMost)
{
    set_up();
    for (unsigned i = 0; i < 3; i++) {
        receive(frame_to(OWN, 1024));
    }
    ethernet_->dropped = 0xfffe;
    receive(frame_to(OWN, 60));
    receive(frame_to(OWN, 60));
    EXPECT_EQ(read(STATUS) >> 16, 0xffffu);
    EXPECT_EQ(unread(), 3u);
}

/* ---- filters ---- */

struct filter {
    const char *name;
    uint32_t control;
    bool own, other, broadcast, multicast;
};

TEST_F(Ethernet, FiltersLetInWhatTheirBitsSay)
{
    const filter filters[] = {
        {"off", 0x4f8, false, false, false, false},
        {"none", 0x402, false, false, false, false},
        {"unicast", 0x412, true, false, false, false},
        {"multicast", 0x422, false, false, false, true},
        {"broadcast", 0x442, false, false, true, false},
        {"all", 0x482, true, true, true, true},
        {"SC&MP", SCAMP, true, false, true, false},
        {"ROM", ROM, true, false, true, true},
    };
    for (const filter &filter : filters) {
        uint64_t refused = ethernet_->counters.frames_filtered;
        set_up(filter.control);
        for (const auto &[address, let_in] :
             {std::make_pair(OWN, filter.own), std::make_pair(OTHER, filter.other),
              std::make_pair(BROADCAST, filter.broadcast),
              std::make_pair(MULTICAST, filter.multicast)}) {
            receive(frame_to(address, 60));
            EXPECT_EQ(unread(), let_in ? 1u : 0u) << filter.name;
            refused += let_in ? 0 : 1;
            EXPECT_EQ(ethernet_->counters.frames_filtered, refused) << filter.name;
            write(RX_CMD, 0);
        }
        EXPECT_EQ(read(STATUS) >> 16, 0u); /* they are not dropped frames */
    }
}

/* ---- the PHY ---- */

TEST_F(Ethernet, ThePhyTellsThatTheLinkIsUp)
{
    write(PHY_CTRL, 1);
    EXPECT_EQ(read_phy(0), 0x3100u);
    EXPECT_EQ(read_phy(1), 0x782du);
    EXPECT_EQ(read_phy(2), 0x0007u);
    EXPECT_EQ(read_phy(4), 0x01e1u);
    EXPECT_EQ(read_phy(6), 0u);
}

TEST_F(Ethernet, PhyRegistersKeepWhatIsWritten)
{
    write(PHY_CTRL, 1);
    write_phy(0, 0x7180, 0x50000000); /* as the boot ROM tests it */
    EXPECT_EQ(read_phy(0), 0x7180u);
    write_phy(0, 0x1200);
    EXPECT_EQ(read_phy(0), 0x1000u); /* the restart clears itself */
    write_phy(4, 0x0101);
    EXPECT_EQ(read_phy(4), 0x0101u);
    write_phy(1, 0);
    EXPECT_EQ(read_phy(1), 0x782du);
    write_phy(0, 0x8000);
    EXPECT_EQ(read_phy(0), 0x3100u);
    EXPECT_EQ(read_phy(4), 0x01e1u);
}

TEST_F(Ethernet, MessagesToOtherPhysAndWrongOnesAreIgnored)
{
    write(PHY_CTRL, 1);
    EXPECT_EQ(read_phy(1, 0x60800000), 0xffffu); /* PHY 1 */
    EXPECT_EQ(read_phy(1, 0x60000000, 31), 0xffffu);
    write_phy(4, 0, 0x50820000);
    EXPECT_EQ(read_phy(4), 0x01e1u);
    shift_out(0, 40);
    EXPECT_EQ(read_phy(1), 0x782du);
}

TEST_F(Ethernet, APhyInResetDoesNotAnswer)
{
    write(PHY_CTRL, 1);
    write_phy(4, 0x0101);
    write(PHY_CTRL, 0);
    shift_out(UINT32_MAX, 32);
    EXPECT_EQ(read(PHY_CTRL) & 2, 2u);
    write(PHY_CTRL, 1);
    EXPECT_EQ(read_phy(4), 0x01e1u);
}

TEST_F(Ethernet, ThePhysInterruptIsInvertedUnlessToldOtherwise)
{
    write(PHY_CTRL, 1);
    write_phy(30, 0x40);
    EXPECT_EQ(lines(), 0u);
    write(PHY_CTRL, 0x21);
    EXPECT_EQ(lines(), PHY_LINE);
    write(PHY_CTRL, 1);
    write_phy(0, 0x1200); /* negotiates, and is done */
    EXPECT_EQ(lines(), PHY_LINE);
    write(PHY_CTRL, 0x21);
    EXPECT_EQ(lines(), 0u);
    write(PHY_CTRL, 1);
    EXPECT_EQ(read_phy(29), 0x40u); /* reading clears it */
    EXPECT_EQ(lines(), 0u);
    EXPECT_EQ(read_phy(29), 0u);
}

/* ---- reset ---- */

TEST_F(Ethernet, AResetLosesTheFrameThatIsSentAndKeepsThoseOfTheHost)
{
    set_up();
    receive(frame_to(OWN, 60));
    write(TX_LEN, 60);
    write(TX_CMD, 0);
    const bytes frame = frame_to(OWN, 100);
    ethernet_send(ethernet_.get(), frame.data(), 100, 0);
    ethernet_reset(ethernet_.get());
    EXPECT_EQ(read(CONTROL), 0x78u);
    EXPECT_EQ(unread(), 0u);
    EXPECT_EQ(lines(), 0u);
    EXPECT_EQ(ethernet_next_ps(ethernet_.get()), 5120000u + 100 * 80000);
    EXPECT_FALSE(ethernet_event(ethernet_.get()));
    EXPECT_EQ(ethernet_->counters.frames_filtered, 1u); /* the receiver is off */
    EXPECT_EQ(ethernet_->counters.frames_sent, 0u);
}

TEST_F(Ethernet, ACopyOfTheStateGoesOnLikeTheOriginal)
{
    set_up();
    receive(frame_to(OWN, 333));
    const bytes frame = frame_to(BROADCAST, 444);
    ethernet_send(ethernet_.get(), frame.data(), 444, 99);
    std::unique_ptr<ethernet> copy(new ethernet(*ethernet_));
    ethernet_event(ethernet_.get());
    ethernet_event(copy.get());
    EXPECT_EQ(memcmp(copy.get(), ethernet_.get(), sizeof *copy), 0);
    EXPECT_EQ(unread(), 2u);
}

} // namespace
