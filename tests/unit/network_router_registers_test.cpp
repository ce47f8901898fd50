/* The router's registers: reset values, what is kept of a write, what a read clears, counters. */
#include "tests/unit/network_router_fixture.h"

#include <array>
#include <random>
#include <string>

namespace
{

constexpr unsigned LOCAL = 7;

struct row {
    const char *name;
    uint32_t offset, reset;
    const char *access;
};

#define REG(name, offset, reset, access, help) {#name, offset, reset, #access},
const row ROWS[] = {
#include "models/network/router_regs.def"
};
#undef REG

class RouterRegisters : public RouterFixture
{
  protected:
    RouterRegisters()
    {
        const router_config config = router_->config;
        *router_ = {};
        router_init(router_.get(), &config);
    }

    /* Written with all ones, then all zeros. */
    void expect_kept(uint32_t offset, uint32_t ones)
    {
        write(offset, 0xffffffff);
        EXPECT_EQ(read(offset), ones) << offset;
        write(offset, 0);
        EXPECT_EQ(read(offset), 0u) << offset;
    }

    void refuse(uint32_t offset)
    {
        uint32_t value = 1;
        EXPECT_EQ(router_read32(router_.get(), offset, 0, &value), REGISTER_BUS_ERROR) << offset;
        EXPECT_EQ(value, 0u);
    }

    uint32_t counted(unsigned i)
    {
        return read(COUNTER_WORD + 4 * i);
    }

    /* Sends 64 packets, random but the same for each `seed`, and adds what the 16 counters show. */
    void send_and_count(unsigned seed, uint32_t *counts)
    {
        std::mt19937 packets(seed);
        for (unsigned i = 0; i < 64; i++) {
            const unsigned control = static_cast<unsigned>(packets()) & 0xd2;
            const unsigned arrivals[] = {1, 2, LOCAL};
            const packet sent = make(control, 0x77 + packets() % 2, arrivals[packets() % 3]);
            const uint32_t free_outputs = packets() % 2 != 0 ? ALL_FREE : 1;
            if (!route(sent, free_outputs)) {
                ASSERT_TRUE(step(next(), free_outputs));
            }
        }
        for (unsigned i = 0; i < 16; i++) {
            counts[i] += counted(i);
        }
    }
};

TEST_F(RouterRegisters, ResetValues)
{
    for (const row &row : ROWS) {
        if (std::string(row.access) != "W") {
            EXPECT_EQ(read(row.offset), row.reset) << row.name;
        }
    }
    EXPECT_EQ(read(P2P_WORD + 4 * 8191), 0xdb6db6u);
    EXPECT_EQ(read(MC_ROUTE + 4 * 1023), 0u);
}

TEST_F(RouterRegisters, WhatIsKeptOfAWrite)
{
    expect_kept(R0, 0xffff1fff);
    expect_kept(DIAGNOSTICS, 0xffff);
    expect_kept(TIMING, 7);
    expect_kept(DIVERSION, 0xfff);
    expect_kept(FIXED_ROUTE, 0xfcffffff);
    expect_kept(TEST_KEY, 0xffffffff);
    for (unsigned i = 0; i < 16; i++) {
        expect_kept(FILTER + 4 * i, 0x41fffdff);
        expect_kept(COUNTER_WORD + 4 * i, 0xffffffff);
    }
    for (const unsigned i : {0u, 1u, 1022u, 1023u}) {
        expect_kept(MC_ROUTE + 4 * i, 0xffffff);
    }
    for (const unsigned i : {0u, 1u, 8190u, 8191u}) {
        expect_kept(P2P_WORD + 4 * i, 0xffffff);
    }
}

TEST_F(RouterRegisters, ReadOnlyOnesIgnoreWrites)
{
    for (const row &row : ROWS) {
        const std::string access = row.access;
        if (access == "R" || access == "RC") {
            write(row.offset, 0xffffffff);
            EXPECT_EQ(read(row.offset), row.reset) << row.name;
        }
    }
}

TEST_F(RouterRegisters, KeysAndMasksCannotBeRead)
{
    for (const uint32_t table : {MC_KEY, MC_MASK}) {
        refuse(table);
        refuse(table + 4 * 1023);
    }
}

TEST_F(RouterRegisters, PartsOfWordsAndGaps)
{
    for (unsigned part = 1; part < 4; part++) {
        refuse(part);
        EXPECT_EQ(router_write32(router_.get(), MC_KEY + part, 1, 0), REGISTER_BUS_ERROR);
    }
    uint32_t value = 1;
    for (const uint32_t offset : {0x88u, 0x1fcu, 0x240u, 0x2fcu, 0x340u, 0xefcu, 0xf08u, 0x3ffcu,
                                  0x5000u, 0x7ffcu, 0x9000u, 0xbffcu, 0xd000u, 0xfffcu, 0x18000u}) {
        EXPECT_EQ(router_read32(router_.get(), offset, 0, &value), REGISTER_UNMODELLED) << offset;
        EXPECT_EQ(value, 0u);
        EXPECT_EQ(router_write32(router_.get(), offset, 1, 0), REGISTER_UNMODELLED) << offset;
    }
}

TEST_F(RouterRegisters, TablesAreWrittenByWord)
{
    entry(0, 1, 0x10, 0xff);
    entry(1023, 2, 0x20, 0xff);
    EXPECT_EQ(read(MC_ROUTE + 4 * 1023), 2u);
    write(TEST_KEY, 0x120);
    EXPECT_EQ(read(TEST_RESULT), 1023u << 1);
    write(TEST_KEY, 0x110);
    EXPECT_EQ(read(TEST_RESULT), 0u);
    write(TEST_KEY, 0x130);
    EXPECT_EQ(read(TEST_RESULT), 1u);
}

TEST_F(RouterRegisters, WaitBytes)
{
    const std::array<std::array<unsigned, 2>, 18> known = {{{0x00, 0},
                                                            {0x01, 1},
                                                            {0x0f, 15},
                                                            {0x10, 16},
                                                            {0x1f, 46},
                                                            {0x20, 48},
                                                            {0x2f, 108},
                                                            {0x30, 112},
                                                            {0x3f, 232},
                                                            {0x40, 240},
                                                            {0x4f, 480},
                                                            {0x50, 512},
                                                            {0x5f, 992},
                                                            {0x60, 1024},
                                                            {0x80, 4096},
                                                            {0xf0, 524288},
                                                            {0xfe, 983040},
                                                            {0x2e, 104}}};
    for (const auto &pair : known) {
        EXPECT_EQ(router_wait_cycles(pair[0]), pair[1]) << std::hex << pair[0];
    }
    EXPECT_EQ(router_wait_cycles(0xff), UINT64_MAX);
    for (unsigned wait = 1; wait < 256; wait++) {
        EXPECT_GT(router_wait_cycles(wait), router_wait_cycles(wait - 1)) << wait;
    }
}

TEST_F(RouterRegisters, CycleCounterRunsWhileEnabled)
{
    EXPECT_EQ(read(R13, 100 * CYCLE), 0u);
    write(TIMING, 1, 100 * CYCLE);
    EXPECT_EQ(read(R13, 100 * CYCLE), 0u);
    EXPECT_EQ(read(R13, 101 * CYCLE - 1), 0u);
    EXPECT_EQ(read(R13, 101 * CYCLE), 1u);
    write(TIMING, 0, 110 * CYCLE);
    EXPECT_EQ(read(R13, 120 * CYCLE), 10u);
    write(TIMING, 1, 200 * CYCLE);
    EXPECT_EQ(read(R13, 205 * CYCLE), 15u);
    write(TIMING, 0x20001, 206 * CYCLE); /* resets r14 only */
    EXPECT_EQ(read(R13, 206 * CYCLE), 16u);
    write(TIMING, 0x10001, 207 * CYCLE);
    EXPECT_EQ(read(R13, 208 * CYCLE), 1u);
    EXPECT_EQ(read(R13, (UINT64_C(0x100000000) + 207) * CYCLE), 0u); /* wraps */
}

TEST_F(RouterRegisters, DelaysAreCounted)
{
    write(R0, 0x001f0201); /* wait1: exponent 1, 46 clocks */
    write(TIMING, 6);
    entry(0, 1, 0x77, 0xffffffff);
    const unsigned delays[] = {0, 0, 1, 2, 3, 29, 30, 31, 32, 45};
    for (const unsigned delay : delays) {
        ASSERT_EQ(route(make(0, 0x77, 3), delay == 0 ? 1 : 0), delay == 0);
        if (delay != 0) {
            ASSERT_TRUE(step(router_->tried_cycle * CYCLE + delay * CYCLE, 1));
        }
    }
    EXPECT_FALSE(route(make(0, 0x77, 3), 0)); /* dumped: in the cycles only */
    ASSERT_TRUE(step(next(), 0));
    ASSERT_TRUE(route(make(0, 0x78, LOCAL))); /* dropped at once: likewise */
    EXPECT_EQ(read(R14), 10u + 173u + 47u + 1u);
    EXPECT_EQ(read(R15), 2u);
    const unsigned bins[16] = {3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4};
    for (unsigned i = 0; i < 16; i++) {
        EXPECT_EQ(read(HISTOGRAM + 4 * i), bins[i]) << i;
    }
    write(TIMING, 0x20000); /* not enabled any more */
    ASSERT_TRUE(route(make(0, 0x77, 3)));
    EXPECT_EQ(read(R14), 0u);
    EXPECT_EQ(read(R15), 0u);
    EXPECT_EQ(read(HISTOGRAM), 3u);
    write(TIMING, 0x40000);
    EXPECT_EQ(read(HISTOGRAM), 0u);
    EXPECT_EQ(read(HISTOGRAM + 60), 0u);
}

/* The usual settings: local and other multicast, ... fixed route; dumped ones by type. */
TEST_F(RouterRegisters, UsualFilters)
{
    write(R0, 0x00000201);
    const uint32_t filters[] = {0x01fe7cf1, 0x01febcf1, 0x01fe7cf2, 0x01febcf2,
                                0x01fe7cf4, 0x01febcf4, 0x01fe7cf8, 0x01febcf8,
                                0x0001fcf1, 0x0001fcf2, 0x0001fcf4, 0x0001fcf8,
                                0,          0,          0,          0};
    for (unsigned i = 0; i < 16; i++) {
        write(FILTER + 4 * i, filters[i]);
    }
    write(DIAGNOSTICS, 0xffff);
    entry(0, 0x41, 0x77, 0xffffffff);
    write(FIXED_ROUTE, 0xfc000100);
    write(P2P_WORD, 0);
    const unsigned controls[] = {0x00, 0x40, 0x80, 0xc0};
    for (unsigned type = 0; type < 4; type++) {
        const uint32_t key = type == 0 ? 0x77 : 0;
        for (unsigned i = 0; i <= type; i++) {
            ASSERT_TRUE(route(make(controls[type], key, LOCAL)));
            ASSERT_TRUE(route(make(controls[type], key, 1)));
            ASSERT_TRUE(route(make(controls[type] | 2, key, 2)));
            ASSERT_TRUE(route(make(controls[type], key, 1), 0)); /* nothing free: dumped */
        }
    }
    for (unsigned type = 0; type < 4; type++) {
        EXPECT_EQ(counted(2 * type), type + 1) << type;
        EXPECT_EQ(counted(2 * type + 1), 2 * (type + 1)) << type;
        EXPECT_EQ(counted(8 + type), type + 1) << type;
        EXPECT_EQ(counted(12 + type), 0u);
    }
    write(DIAGNOSTICS, 0x00020000 | 0xfffe); /* clears counter 1, stops counter 0 */
    EXPECT_EQ(counted(1), 0u);
    ASSERT_TRUE(route(make(0, 0x77, LOCAL)));
    EXPECT_EQ(counted(0), 1u);
}

/* Each field in turn: the rest lets everything pass. */
TEST_F(RouterRegisters, EachFieldOfAFilter)
{
    struct {
        uint32_t filter;
        packet sent;
        uint32_t free_outputs;
        unsigned count;
    } const cases[] = {
        {0x01fffcf2, make(0, 0x77, 1), ALL_FREE, 0}, /* type */
        {0x01fffcfd, make(0, 0x77, 1), ALL_FREE, 1},
        {0x01fffcef, make(0, 0x77, 1), ALL_FREE, 0}, /* emergency of the incoming */
        {0x01fffc1f, make(0, 0x77, 1), ALL_FREE, 1},
        {0x01fffc4f, make(0x20, 0x77, 1), ALL_FREE, 1},
        {0x01fffdcf, make(0, 0x77, 1), ALL_FREE, 0}, /* of the outgoing */
        {0x01fffd1f, make(0, 0x77, 1), ALL_FREE, 1},
        {0x01fffd8f, make(0x20, 0x77, 1), ALL_FREE, 1},
        {0x01fffd7f, make(0x20, 0x77, 1), ALL_FREE, 0},
        {0x01fffd4f, make(0, 0x77, 1), ALL_FREE & ~1, 1}, /* goes round */
        {0x01fff4ff, make(0, 0x77, 1), ALL_FREE, 0},      /* default-routed */
        {0x01fff4ff, make(0, 0x78, 1), ALL_FREE, 1},
        {0x01fff8ff, make(0, 0x77, 1), ALL_FREE, 1},
        {0x01fff8ff, make(0, 0x78, 1), ALL_FREE, 0},
        {0x01ffdcff, make(0, 0x77, 1), ALL_FREE, 0}, /* payload */
        {0x01ffdcff, make(2, 0x77, 1), ALL_FREE, 1},
        {0x01ffecff, make(0, 0x77, 1), ALL_FREE, 1},
        {0x01ff7cff, make(0, 0x77, 1), ALL_FREE, 0}, /* source */
        {0x01ff7cff, make(0, 0x77, 7), ALL_FREE, 1},
        {0x01ffbcff, make(0, 0x77, 7), ALL_FREE, 0},
        {0x0008fcff, make(0, 0x77, 1), ALL_FREE, 1}, /* destination: link 0 */
        {0x0010fcff, make(0, 0x77, 1), ALL_FREE, 0}, /* link 1 */
        {0x0002fcff, make(0, 0x77, 1), ALL_FREE, 1}, /* a core */
        {0x0004fcff, make(0, 0x77, 1), ALL_FREE, 0}, /* the monitor */
        {0x0004fcff, make(0x80, 0, 1), ALL_FREE, 1},
        {0x0002fcff, make(0x80, 0, 1), ALL_FREE, 0},
        {0x0001fcff, make(0, 0x77, 1), ALL_FREE, 0}, /* dumped */
        {0x0001fcff, make(0, 0x77, 1), 1, 1},
        {0x000afcff, make(0, 0x77, 1), 0, 0},
        {0, make(0, 0x77, 1), ALL_FREE, 0},
    };
    entry(0, 0x41, 0x77, 0xffffffff); /* link 0 and core 0 */
    write(R0, 0x01000201);
    write(DIAGNOSTICS, 0x8);
    for (const auto &one : cases) {
        write(FILTER + 12, one.filter);
        write(DIAGNOSTICS, 0x00080008);
        if (!route(one.sent, one.free_outputs)) {
            ASSERT_TRUE(step(next(), one.free_outputs));
        }
        EXPECT_EQ(counted(3), one.count) << std::hex << one.filter;
        read(FILTER + 12);
    }
}

/* All 16 count what each counts alone, whatever they were before. */
TEST_F(RouterRegisters, FiltersDoNotDisturbEachOther)
{
    std::mt19937 random(5);
    entry(0, 0x41, 0x77, 0xffffffff); /* link 0 and core 0 */
    write(R0, 0x01000201);
    for (unsigned round = 0; round < 20; round++) {
        uint32_t filters[16] = {};
        for (unsigned i = 0; i < 16; i++) {
            for (unsigned word = 0; word < 3; word++) { /* seven bits in eight are set */
                filters[i] |= static_cast<uint32_t>(random());
            }
            write(FILTER + 4 * i, filters[i]);
        }
        write(DIAGNOSTICS, 0xffffffff);
        uint32_t together[16] = {};
        send_and_count(round, together);
        uint32_t alone[16] = {};
        for (unsigned i = 0; i < 16; i++) {
            for (unsigned other = 0; other < 16; other++) {
                write(FILTER + 4 * other, other == i ? filters[i] : 0);
            }
            write(DIAGNOSTICS, 0xffff0000 | 1u << i);
            send_and_count(round, alone);
        }
        for (unsigned i = 0; i < 16; i++) {
            EXPECT_EQ(together[i], alone[i]) << std::hex << filters[i];
        }
    }
}

TEST_F(RouterRegisters, EventBitRaisesTheInterruptUntilRead)
{
    entry(0, 0x41, 0x77, 0xffffffff);
    write(FILTER + 4 * 15, 0x01fefcff);
    write(DIAGNOSTICS, 0x8000);
    ASSERT_TRUE(route(make(0, 0x77, 1)));
    EXPECT_EQ(router_interrupts(router_.get()), 0u);
    write(FILTER + 4 * 15, 0x41fefcff); /* what has been seen stays */
    EXPECT_EQ(router_interrupts(router_.get()), unsigned{ROUTER_INTERRUPT_COUNTER});
    EXPECT_EQ(read(STATUS), 0x80008000u);
    EXPECT_EQ(read(FILTER + 4 * 15), 0xe1fefcffu);
    EXPECT_EQ(read(FILTER + 4 * 15), 0x41fefcffu);
    EXPECT_EQ(router_interrupts(router_.get()), 0u);
    write(COUNTER_WORD + 4 * 15, 0xffffffff);
    ASSERT_TRUE(route(make(0, 0x77, 1)));
    EXPECT_EQ(counted(15), 0u); /* wraps */
}

TEST_F(RouterRegisters, StatusShowsTheOutputStage)
{
    write(R0, 0x10100201);
    ASSERT_TRUE(offer(make(0, 1, 1), 0));
    EXPECT_EQ(read(STATUS), 0x00010000u);
    EXPECT_FALSE(step(next(), 0));
    EXPECT_EQ(read(STATUS), 0x02010000u);
    EXPECT_FALSE(step(next(), 0));
    EXPECT_EQ(read(STATUS), 0x03010000u);
    ASSERT_TRUE(step(next(), 0));
    EXPECT_EQ(read(STATUS), 0u);
}

TEST_F(RouterRegisters, EveryCounterHasItsName)
{
    size_t count = 0;
    const counter_info *info = router_counter_info(&count);
    ASSERT_EQ(count, sizeof(router_counters) / 8);
    EXPECT_STREQ(info[0].name, "packets_mc");
    EXPECT_STREQ(info[count - 1].name, "wait_cycles");
}

} // namespace
