/* The communications controller: registers, packets made and taken apart, flags and interrupts. */
extern "C" {
#include "models/chip/comms_ctrl.h"
}

#include <gtest/gtest.h>

namespace
{

enum : uint32_t {
    TCR = 0x00,
    TDR = 0x04,
    TKR = 0x08,
    RSR = 0x0c,
    RDR = 0x10,
    RKR = 0x14,
    SAR = 0x18,
    TSTR = 0x1c
};

/* TCR */
constexpr uint32_t EMPTY = 1u << 31;
constexpr uint32_t FULL = 1u << 30;
constexpr uint32_t OVERRUN = 1u << 29;
constexpr uint32_t NOT_FULL = 1u << 28;

/* RSR */
constexpr uint32_t WAITING = 1u << 31;
constexpr uint32_t PARITY = 1u << 30;
constexpr uint32_t FRAMING = 1u << 29;
constexpr uint32_t GOOD = 1u << 28;

/* Interrupts when nothing happens: empty (11) and not full (23). */
constexpr uint32_t IDLE = 1u << 11 | 1u << 23;

class Comms : public testing::Test
{
  protected:
    Comms()
    {
        comms_ctrl_reset(&comms_);
    }

    uint32_t read(uint32_t offset)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(comms_ctrl_read32(&comms_, offset, &value), REGISTER_OK) << offset;
        return value;
    }

    /* Returns whether the write has sent a packet. */
    bool write(uint32_t offset, uint32_t value)
    {
        bool sent = true;
        EXPECT_EQ(comms_ctrl_write32(&comms_, offset, value, &sent), REGISTER_OK) << offset;
        return sent;
    }

    /* Sends a packet of that control byte and lets the fabric have it. */
    comms_packet sent(uint32_t control, uint32_t key)
    {
        write(TCR, control << 16);
        EXPECT_TRUE(write(TKR, key));
        const comms_packet *packet = comms_ctrl_outgoing(&comms_);
        EXPECT_NE(packet, nullptr);
        const comms_packet copy = packet == nullptr ? comms_packet{} : *packet;
        comms_ctrl_taken(&comms_);
        return copy;
    }

    comms_ctrl comms_ = {};
};

unsigned ones(const comms_packet &packet)
{
    const uint32_t payload = (packet.control & 2) != 0 ? packet.payload : 0;
    return static_cast<unsigned>(__builtin_popcount(packet.control) +
                                 __builtin_popcount(packet.key) +
                                 __builtin_popcount(packet.source) + __builtin_popcount(payload));
}

/* ---- registers ---- */

TEST_F(Comms, HasItsResetValues)
{
    EXPECT_EQ(read(TCR), 0x90000000u);
    EXPECT_EQ(read(TDR), 0u);
    EXPECT_EQ(read(RSR), 0u);
    EXPECT_EQ(read(RDR), 0u);
    EXPECT_EQ(read(RKR), 0u);
    EXPECT_EQ(read(SAR), 0x07000000u);
    EXPECT_EQ(read(TSTR), 0u);
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), IDLE);
    EXPECT_EQ(comms_ctrl_outgoing(&comms_), nullptr);
    EXPECT_TRUE(comms_ctrl_can_receive(&comms_));
}

TEST_F(Comms, KeepsTheBitsThatExist)
{
    write(TCR, 0xffffffff);
    EXPECT_EQ(read(TCR), 0x90ff0000u) << "sticky bits are not set by a write";
    write(TCR, 0);
    EXPECT_EQ(read(TCR), 0x90000000u);
    write(TDR, 0xffffffff);
    EXPECT_EQ(read(TDR), 0xffffffffu);
    write(SAR, 0xffffffff);
    EXPECT_EQ(read(SAR), 0x0700ffffu);
    write(RSR, 0xffffffff);
    EXPECT_EQ(read(RSR), 0u);
    write(RDR, 0xffffffff);
    EXPECT_EQ(read(RDR), 0u);
    write(RKR, 0xffffffff);
    EXPECT_EQ(read(RKR), 0u);
}

TEST_F(Comms, KeepsTheTestBitButReportsThatItIsNotModelled)
{
    bool sent = true;
    EXPECT_EQ(comms_ctrl_write32(&comms_, TSTR, 0xffffffff, &sent), REGISTER_UNMODELLED);
    EXPECT_FALSE(sent);
    EXPECT_EQ(read(TSTR), 1u);
    write(TSTR, 0xfffffffe);
    EXPECT_EQ(read(TSTR), 0u);
}

TEST_F(Comms, AnswersToNothingElse)
{
    uint32_t value = 1;
    bool sent = true;
    for (const uint32_t offset : {1u, 2u, 3u, 0x0au, 0x15u}) {
        EXPECT_EQ(comms_ctrl_read32(&comms_, offset, &value), REGISTER_BUS_ERROR) << offset;
        EXPECT_EQ(comms_ctrl_write32(&comms_, offset, 1, &sent), REGISTER_BUS_ERROR) << offset;
    }
    EXPECT_EQ(comms_ctrl_read32(&comms_, 0x20, &value), REGISTER_UNMODELLED);
    EXPECT_EQ(comms_ctrl_write32(&comms_, 0x20, 1, &sent), REGISTER_UNMODELLED);
    EXPECT_EQ(comms_ctrl_read32(&comms_, TKR, &value), REGISTER_UNMODELLED) << "write only";
    EXPECT_EQ(value, 0u);
    EXPECT_FALSE(sent);
}

TEST_F(Comms, AResetLeavesTheCountersOnly)
{
    sent(0x00, 1);
    write(SAR, 0x00001234);
    write(TDR, 5);
    write(TKR, 2);
    const comms_packet packet = {};
    EXPECT_TRUE(comms_ctrl_receive(&comms_, &packet, COMMS_PARITY_ERROR));
    comms_ctrl_reset(&comms_);
    EXPECT_EQ(read(TCR), 0x90000000u);
    EXPECT_EQ(read(RSR), 0u);
    EXPECT_EQ(read(SAR), 0x07000000u);
    EXPECT_EQ(read(TDR), 0u);
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), IDLE);
    EXPECT_EQ(comms_.counters.sent_multicast, 2u);
    EXPECT_EQ(comms_.counters.received_bad, 1u);
}

/* ---- sending ---- */

TEST_F(Comms, AWriteOfTheKeySendsThePacket)
{
    EXPECT_FALSE(write(TCR, 0));
    EXPECT_FALSE(write(SAR, 0x03001234));
    EXPECT_TRUE(write(TKR, 0x89abcdef));
    const comms_packet *packet = comms_ctrl_outgoing(&comms_);
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(packet->key, 0x89abcdefu);
    EXPECT_EQ(packet->payload, 0u);
    EXPECT_EQ(packet->control, 1u) << "20 ones, so the parity bit is set";
    EXPECT_EQ(packet->route, 3u);
    EXPECT_EQ(packet->source, 0u) << "no point-to-point packet";
    EXPECT_EQ(comms_packet_type(packet), COMMS_MULTICAST);
    comms_ctrl_taken(&comms_);
    EXPECT_EQ(comms_ctrl_outgoing(&comms_), nullptr);
}

TEST_F(Comms, OnlyAPayloadWrittenSinceTheLastKeyIsSent)
{
    write(TDR, 0x11112222);
    comms_packet packet = sent(0x00, 1);
    EXPECT_TRUE(comms_packet_has_payload(&packet)) << "though the control byte does not say so";
    EXPECT_EQ(packet.payload, 0x11112222u);
    EXPECT_EQ(packet.control, 3u) << "1 + 1 + 8 ones, so the parity bit is set";
    packet = sent(0x02, 1);
    EXPECT_FALSE(comms_packet_has_payload(&packet)) << "though the control byte says so";
    EXPECT_EQ(packet.payload, 0u);
    EXPECT_EQ(packet.control, 0u);
    EXPECT_EQ(read(TDR), 0x11112222u);
}

TEST_F(Comms, ALostPacketTakesItsPayloadWithIt)
{
    write(TKR, 1);
    write(TDR, 7);
    EXPECT_FALSE(write(TKR, 2));
    comms_ctrl_taken(&comms_);
    const comms_packet packet = sent(0, 3);
    EXPECT_EQ(packet.key, 3u);
    EXPECT_FALSE(comms_packet_has_payload(&packet));
}

TEST_F(Comms, APointToPointPacketHasItsSequenceAndSource)
{
    write(SAR, 0x07000a0b);
    const comms_packet packet = sent(0x7c, 0xfffd0102); /* sequence 1, bits above it set */
    EXPECT_EQ(comms_packet_type(&packet), COMMS_POINT_TO_POINT);
    EXPECT_EQ(packet.key, 0x0102u);
    EXPECT_EQ(packet.source, 0x0a0bu);
    EXPECT_EQ(packet.control >> 4 & 3, 1u) << "from the key, not from the control byte";
    EXPECT_EQ(packet.control >> 2 & 3, 3u) << "the time stamp stays as it was written";
    EXPECT_EQ(packet.route, 7u);
}

TEST_F(Comms, OtherTypesKeepTheirControlBits)
{
    for (const uint32_t control : {0x30u, 0x3cu, 0xa0u, 0x94u, 0xf8u}) {
        const comms_packet packet = sent(control, 0x30000);
        EXPECT_EQ(packet.control & 0xfcu, control);
        EXPECT_EQ(packet.key, 0x30000u);
        EXPECT_EQ(packet.source, 0u);
    }
}

TEST_F(Comms, TheWholePacketHasAnOddNumberOfOnes)
{
    for (uint32_t i = 0; i < 256; i++) {
        write(SAR, i * 0x0101);
        if (i % 3 == 0) {
            write(TDR, i * 0x01010101);
        }
        EXPECT_EQ(ones(sent(i, i * 0x10305)) % 2, 1u) << i;
    }
}

TEST_F(Comms, IsFullUntilThePacketIsTaken)
{
    write(TKR, 1);
    EXPECT_EQ(read(TCR), FULL);
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), 1u << 9);
    comms_ctrl_taken(&comms_);
    EXPECT_EQ(read(TCR), EMPTY | NOT_FULL | FULL) << "the full bit stays";
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), IDLE | 1u << 9);
    write(TCR, FULL);
    EXPECT_EQ(read(TCR), EMPTY | NOT_FULL | FULL) << "a 1 does not clear it";
    write(TCR, 0);
    EXPECT_EQ(read(TCR), EMPTY | NOT_FULL);
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), IDLE);
}

TEST_F(Comms, TheFullBitComesBackAtOnceWhileItIsTrue)
{
    write(TKR, 1);
    write(TCR, 0);
    EXPECT_EQ(read(TCR), FULL);
    comms_ctrl_taken(&comms_);
    EXPECT_EQ(read(TCR), EMPTY | NOT_FULL | FULL);
}

TEST_F(Comms, AKeyWrittenTooEarlyIsLost)
{
    write(TKR, 1);
    EXPECT_FALSE(write(TKR, 2));
    EXPECT_EQ(comms_ctrl_outgoing(&comms_)->key, 1u);
    EXPECT_EQ(read(TCR), FULL | OVERRUN);
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), 1u << 9 | 1u << 10);
    EXPECT_EQ(comms_.counters.lost_by_overrun, 1u);
    EXPECT_EQ(comms_.counters.sent_multicast, 1u);
    write(TCR, OVERRUN);
    EXPECT_EQ(read(TCR), FULL | OVERRUN);
    write(TCR, FULL);
    EXPECT_EQ(read(TCR), FULL) << "only the overrun bit was written 0";
    comms_ctrl_taken(&comms_);
    EXPECT_TRUE(write(TKR, 3));
    EXPECT_EQ(read(TCR), FULL) << "one after the other is no overrun";
}

/* ---- receiving ---- */

TEST_F(Comms, APacketWaitsUntilItsKeyIsRead)
{
    const comms_packet packet = {0x12345678, 0x9abcdef0, 0, 0x02, 4};
    EXPECT_TRUE(comms_ctrl_receive(&comms_, &packet, COMMS_NO_ERROR));
    EXPECT_FALSE(comms_ctrl_can_receive(&comms_));
    EXPECT_EQ(read(RSR), WAITING | GOOD | 4u << 24 | 0x02u << 16 | 1) << "13 + 1 + 19 ones";
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), IDLE | 1u << 6 | 1u << 24);
    EXPECT_EQ(read(RDR), 0x9abcdef0u);
    EXPECT_EQ(read(RDR), 0x9abcdef0u) << "reading the payload takes nothing away";
    EXPECT_FALSE(comms_ctrl_can_receive(&comms_));
    EXPECT_EQ(read(RKR), 0x12345678u);
    EXPECT_EQ(read(RSR), 0u);
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), IDLE);
    EXPECT_TRUE(comms_ctrl_can_receive(&comms_));
}

TEST_F(Comms, ASecondPacketStaysOutside)
{
    const comms_packet first = {1, 0, 0, 0x00, 0};
    const comms_packet second = {2, 0, 0, 0xc0, 5};
    EXPECT_TRUE(comms_ctrl_receive(&comms_, &first, COMMS_NO_ERROR));
    EXPECT_FALSE(comms_ctrl_receive(&comms_, &second, COMMS_PARITY_ERROR));
    EXPECT_EQ(read(RSR), WAITING | GOOD | 1);
    EXPECT_EQ(comms_.counters.received_bad, 0u);
    EXPECT_EQ(read(RKR), 1u);
    EXPECT_TRUE(comms_ctrl_receive(&comms_, &second, COMMS_NO_ERROR));
    EXPECT_EQ(read(RKR), 2u);
}

TEST_F(Comms, EachTypeHasItsBitSourceAndCounters)
{
    for (uint32_t type = 0; type < 4; type++) {
        const comms_packet packet = {0xff, 0, 0x00ff, static_cast<uint8_t>(type << 6), 7};
        EXPECT_TRUE(comms_ctrl_receive(&comms_, &packet, COMMS_NO_ERROR));
        EXPECT_EQ(read(RSR) & 0xf, 1u << type);
        EXPECT_EQ(comms_ctrl_interrupts(&comms_), IDLE | 1u << 6 | 1u << (24 + type));
        read(RKR);
        for (uint32_t i = 0; i <= type; i++) {
            sent(type << 6, 0);
        }
        write(TCR, 0);
    }
    EXPECT_EQ(comms_.counters.sent_multicast, 1u);
    EXPECT_EQ(comms_.counters.sent_point_to_point, 2u);
    EXPECT_EQ(comms_.counters.sent_nearest_neighbour, 3u);
    EXPECT_EQ(comms_.counters.sent_fixed_route, 4u);
    EXPECT_EQ(comms_.counters.received_multicast, 1u);
    EXPECT_EQ(comms_.counters.received_point_to_point, 1u);
    EXPECT_EQ(comms_.counters.received_nearest_neighbour, 1u);
    EXPECT_EQ(comms_.counters.received_fixed_route, 1u);
}

TEST_F(Comms, APointToPointKeyIsSequenceAndSource)
{
    const comms_packet packet = {0x0102, 0, 0xa0b0, 0x60, 2};
    EXPECT_TRUE(comms_ctrl_receive(&comms_, &packet, COMMS_NO_ERROR));
    EXPECT_EQ(read(RKR), 0x2a0b0u);
}

TEST_F(Comms, WhatOneSendsAnotherReads)
{
    comms_ctrl other = {};
    comms_ctrl_reset(&other);
    write(SAR, 0x0700c0de);
    write(TDR, 0x55);
    const comms_packet packet = sent(0x40, 0x30201);
    EXPECT_TRUE(comms_ctrl_receive(&other, &packet, COMMS_NO_ERROR));
    uint32_t value = 0;
    EXPECT_EQ(comms_ctrl_read32(&other, RSR, &value), REGISTER_OK);
    EXPECT_EQ(value, WAITING | GOOD | 7u << 24 | static_cast<uint32_t>(packet.control) << 16 | 2);
    EXPECT_EQ(comms_ctrl_read32(&other, RKR, &value), REGISTER_OK);
    EXPECT_EQ(value, 0x3c0deu);
}

TEST_F(Comms, AParityErrorIsStickyAndThePacketIsNotGood)
{
    const comms_packet packet = {1, 0, 0, 0x00, 1};
    EXPECT_TRUE(comms_ctrl_receive(&comms_, &packet, COMMS_PARITY_ERROR));
    EXPECT_EQ(read(RSR), WAITING | PARITY | 1u << 24 | 1u << 16) << "and its parity is wrong";
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), IDLE | 1u << 6 | 1u << 7);
    EXPECT_EQ(read(RKR), 1u);
    EXPECT_EQ(read(RSR), PARITY);
    write(RSR, PARITY);
    EXPECT_EQ(read(RSR), PARITY);
    write(RSR, FRAMING);
    EXPECT_EQ(read(RSR), 0u);
    EXPECT_EQ(comms_.counters.received_bad, 1u);
    EXPECT_EQ(comms_.counters.received_multicast, 0u);
    EXPECT_TRUE(comms_ctrl_receive(&comms_, &packet, COMMS_NO_ERROR));
    EXPECT_EQ(read(RSR), WAITING | GOOD | 1u << 24 | 1) << "the next one is good";
}

TEST_F(Comms, AFramingErrorHasItsOwnBit)
{
    const comms_packet packet = {1, 0, 0, 0x80, 1};
    EXPECT_TRUE(comms_ctrl_receive(&comms_, &packet, COMMS_FRAMING_ERROR));
    EXPECT_EQ(read(RSR), WAITING | FRAMING | 1u << 24 | 0x81u << 16);
    EXPECT_EQ(comms_ctrl_interrupts(&comms_), IDLE | 1u << 6 | 1u << 8);
    write(RSR, FRAMING);
    EXPECT_NE(read(RSR) & FRAMING, 0u);
    write(RSR, PARITY);
    EXPECT_EQ(read(RSR), WAITING | 1u << 24 | 0x81u << 16)
        << "the packet waits on, as bad as it was";
}

TEST_F(Comms, CountersHaveNames)
{
    size_t count = 0;
    const counter_info *info = comms_counter_info(&count);
    ASSERT_EQ(count, 11u);
    EXPECT_STREQ(info[0].name, "sent_multicast");
    EXPECT_STREQ(info[9].name, "lost_by_overrun");
}

} // namespace
