/* Packets' helpers, and the two tables of a router against plain searches. */
extern "C" {
#include "models/network/mc_table.h"
#include "models/network/p2p_table.h"
#include "models/network/packet.h"
}

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace
{

struct entry {
    uint32_t route, key, mask;
};

int search(const std::vector<entry> &entries, uint32_t key)
{
    for (size_t i = 0; i < entries.size(); i++) {
        if ((key & entries[i].mask) == entries[i].key) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

class Table : public testing::Test
{
  protected:
    Table() : table_(std::make_unique<mc_table>())
    {
    }

    void set(unsigned i, uint32_t key, uint32_t mask)
    {
        mc_table_write_key(table_.get(), i, key);
        mc_table_write_mask(table_.get(), i, mask);
    }

    int lookup(uint32_t key)
    {
        return mc_table_lookup(table_.get(), key);
    }

    std::unique_ptr<mc_table> table_;
};

TEST_F(Table, IsEmptyAfterReset)
{
    for (const uint32_t key : {0u, 1u, 0x80000000u, 0xffffffffu}) {
        EXPECT_EQ(lookup(key), MC_TABLE_MISS) << key;
    }
}

TEST_F(Table, LowestMatchWins)
{
    set(1023, 0, 0);
    EXPECT_EQ(lookup(0x12345678), 1023);
    set(64, 0x12000000, 0xff000000);
    EXPECT_EQ(lookup(0x12345678), 64);
    EXPECT_EQ(lookup(0x13345678), 1023);
    set(63, 0x00000678, 0x00000fff);
    EXPECT_EQ(lookup(0x12345678), 63);
    EXPECT_EQ(lookup(0x12345679), 64);
    set(0, 0x12345678, 0xffffffff);
    EXPECT_EQ(lookup(0x12345678), 0);
}

TEST_F(Table, KeyBitUnderAClearMaskBitNeverMatches)
{
    for (unsigned bit = 0; bit < 32; bit++) {
        const uint32_t one = 1u << bit;
        set(5, one, ~one);
        EXPECT_EQ(lookup(one), MC_TABLE_MISS) << bit;
        EXPECT_EQ(lookup(0), MC_TABLE_MISS) << bit;
        set(5, one, one);
        EXPECT_EQ(lookup(0xffffffff), 5) << bit;
        EXPECT_EQ(lookup(~one), MC_TABLE_MISS) << bit;
    }
}

TEST_F(Table, RouteHas24Bits)
{
    mc_table_write_route(table_.get(), 9, 0xff000000);
    EXPECT_EQ(table_->route[9], 0u);
    mc_table_write_route(table_.get(), 9, 0xffffffff);
    EXPECT_EQ(table_->route[9], 0xffffffu);
}

/* Few bits differ, so that many entries overlap; some can never match. */
TEST_F(Table, AgreesWithASearchThroughRewrites)
{
    std::mt19937 random(3);
    std::vector<entry> entries(MC_TABLE_ENTRIES, {0, 0xffffffff, 0});
    unsigned hits = 0;
    for (unsigned step = 0; step < 200000; step++) {
        if (step < 2000 || step % 3 == 0) {
            const unsigned i = static_cast<unsigned>(random()) % MC_TABLE_ENTRIES;
            const uint32_t mask = 0xfff000ff | static_cast<uint32_t>(random());
            const uint32_t value = static_cast<uint32_t>(random()) & 0x10110003;
            const uint32_t key = step % 16 == 0 ? value : value & mask;
            if (step % 5 != 0) {
                mc_table_write_key(table_.get(), i, key);
                entries[i].key = key;
            }
            if (step % 7 != 0) {
                mc_table_write_mask(table_.get(), i, mask);
                entries[i].mask = mask;
            }
        }
        const uint32_t key = static_cast<uint32_t>(random()) & 0x10110003;
        const int expected = search(entries, key);
        ASSERT_EQ(lookup(key), expected) << "step " << step << " key " << key;
        hits += expected >= 0;
    }
    EXPECT_GT(hits, 20000u);
    EXPECT_LT(hits, 200000u);
}

TEST(PointToPoint, ThreeBitsADestination)
{
    auto table = std::make_unique<p2p_table>();
    EXPECT_EQ(p2p_table_read(table.get(), 8191), 0x00db6db6u);
    EXPECT_EQ(p2p_table_lookup(table.get(), 0), 6u);
    EXPECT_EQ(p2p_table_lookup(table.get(), 0xffff), 6u);
    p2p_table_write(table.get(), 8191, 0xff000000 | 076543210);
    EXPECT_EQ(p2p_table_read(table.get(), 8191), 076543210u);
    for (unsigned i = 0; i < 8; i++) {
        EXPECT_EQ(p2p_table_lookup(table.get(), static_cast<uint16_t>(0xfff8 + i)), i);
    }
    EXPECT_EQ(p2p_table_lookup(table.get(), 0xfff7), 6u);
}

TEST(Packet, TypeAndFields)
{
    packet packet = {};
    packet.control = 0x3e;
    EXPECT_EQ(packet_type(&packet), PACKET_MC);
    EXPECT_EQ(packet_emergency(&packet), PACKET_REVERTING);
    EXPECT_EQ(packet_time_phase(&packet), 3u);
    EXPECT_TRUE(packet_has_payload(&packet));
    EXPECT_EQ(packet_bits(&packet), 72u);
    packet.control = 0x24;
    EXPECT_EQ(packet_emergency(&packet), PACKET_DIVERTED);
    EXPECT_EQ(packet_time_phase(&packet), 1u);
    EXPECT_FALSE(packet_has_payload(&packet));
    EXPECT_EQ(packet_bits(&packet), 40u);
    packet.control = 0x70; /* its sequence code is not an emergency */
    EXPECT_EQ(packet_type(&packet), PACKET_P2P);
    EXPECT_EQ(packet_emergency(&packet), PACKET_NORMAL);
    packet.control = 0x98;
    EXPECT_EQ(packet_type(&packet), PACKET_NN);
    EXPECT_EQ(packet_nn_route(&packet), 6u);
    EXPECT_FALSE(packet_has_time_phase(&packet));
    packet.control = 0xd0;
    EXPECT_EQ(packet_type(&packet), PACKET_FR);
    EXPECT_EQ(packet_emergency(&packet), PACKET_DIVERTED_SHARED);
    for (unsigned arrival = 0; arrival < 8; arrival++) {
        packet.arrival = static_cast<uint8_t>(arrival);
        EXPECT_EQ(packet_is_local(&packet), arrival >= 6) << arrival;
    }
}

TEST(Packet, WordOnALinkHasBothIdentifiersOfPointToPoint)
{
    packet packet = {};
    packet.key = 0xaaaa1234;
    packet.p2p_source = 0x5678;
    EXPECT_EQ(packet_word(&packet), 0xaaaa1234u);
    packet.control = PACKET_CONTROL_P2P;
    EXPECT_EQ(packet_word(&packet), 0x56781234u);
}

TEST(Packet, ParityMakesTheWholeOdd)
{
    packet packet = {};
    packet_seal(&packet);
    EXPECT_EQ(packet.control, 1);
    packet.key = 0x10;
    packet_seal(&packet);
    EXPECT_EQ(packet.control, 0);
    packet.payload = 1; /* absent: not counted */
    packet_seal(&packet);
    EXPECT_EQ(packet.control, 0);
    packet.control = PACKET_CONTROL_PAYLOAD; /* with the payload's and the key's: three ones */
    packet_seal(&packet);
    EXPECT_EQ(packet.control, 2);
    packet.payload = 3;
    packet_seal(&packet);
    EXPECT_EQ(packet.control, 3);
}

} // namespace
