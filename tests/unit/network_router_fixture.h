/* A router with a clock of 100 MHz (10,000 ps), five stages, monitor core 2 and time phase 0. */
#pragma once
extern "C" {
#include "models/network/router.h"
}

#include <gtest/gtest.h>

#include <memory>

enum : uint32_t {
    R0 = 0x000,
    STATUS = 0x004,
    ERROR_HEADER = 0x008,
    ERROR_KEY = 0x00c,
    ERROR_PAYLOAD = 0x010,
    ERROR_STATUS = 0x014,
    DUMP_HEADER = 0x018,
    DUMP_KEY = 0x01c,
    DUMP_PAYLOAD = 0x020,
    DUMP_OUTPUTS = 0x024,
    DUMP_STATUS = 0x028,
    DIAGNOSTICS = 0x02c,
    TIMING = 0x030,
    R13 = 0x034,
    R14 = 0x038,
    R15 = 0x03c,
    HISTOGRAM = 0x040,
    DIVERSION = 0x080,
    FIXED_ROUTE = 0x084,
    FILTER = 0x200,
    COUNTER_WORD = 0x300,
    TEST_RESULT = 0xf00,
    TEST_KEY = 0xf04,
    MC_ROUTE = 0x4000,
    MC_KEY = 0x8000,
    MC_MASK = 0xc000,
    P2P_WORD = 0x10000
};

constexpr uint32_t ALL_FREE = 0xffffff;
constexpr uint64_t CYCLE = 10000; /* ps */
constexpr uint64_t PIPELINE = 5 * CYCLE;
constexpr uint32_t MONITOR = 1u << 8; /* core 2 among the outputs */

class RouterFixture : public testing::Test
{
  protected:
    RouterFixture() : router_(std::make_unique<router>())
    {
        router_config config = {};
        config.clock = clock_of(UINT64_C(100) * HZ_PER_MHZ, 1);
        config.pipeline_stages = 5;
        router_init(router_.get(), &config);
        control(0x10, 0);
    }

    /* Sets the two waits and monitor 2, enabled; `more` is ORed in. */
    void control(uint32_t wait1, uint32_t wait2, uint32_t more = 0)
    {
        write(R0, wait2 << 24 | wait1 << 16 | 0x201 | more);
    }

    void write(uint32_t offset, uint32_t value, uint64_t now = 0)
    {
        EXPECT_EQ(router_write32(router_.get(), offset, value, now), REGISTER_OK) << offset;
    }

    uint32_t read(uint32_t offset, uint64_t now = 0)
    {
        uint32_t value = 0xdeadbeef;
        EXPECT_EQ(router_read32(router_.get(), offset, now, &value), REGISTER_OK) << offset;
        return value;
    }

    void entry(unsigned i, uint32_t route, uint32_t key, uint32_t mask)
    {
        write(MC_ROUTE + 4 * i, route);
        write(MC_KEY + 4 * i, key);
        write(MC_MASK + 4 * i, mask);
    }

    static packet make(unsigned control, uint32_t key, unsigned arrival)
    {
        packet packet = {};
        packet.control = static_cast<uint8_t>(control);
        packet.key = key;
        packet.payload = 0xfeedface;
        packet.p2p_source = 0x0102;
        packet.arrival = static_cast<uint8_t>(arrival);
        packet.purpose = 77;
        return packet;
    }

    router_decision decide(unsigned control, uint32_t key, unsigned arrival)
    {
        const packet packet = make(control, key, arrival);
        return router_decide(router_.get(), &packet);
    }

    bool offer(const packet &packet, uint64_t now = 0, uint32_t damage = 0)
    {
        return router_offer(router_.get(), &packet, damage, now);
    }

    bool step(uint64_t now, uint32_t free_outputs = ALL_FREE)
    {
        return router_step(router_.get(), free_outputs, now, &event_);
    }

    /* Offers a packet when the input accepts it; steps once when it is in the output stage. */
    bool route(const packet &packet, uint32_t free_outputs = ALL_FREE)
    {
        EXPECT_TRUE(offer(packet, router_accept_ps(router_.get())));
        return step(next(), free_outputs);
    }

    uint64_t next()
    {
        return router_next_ps(router_.get());
    }

    const router_counters &counters()
    {
        return router_->counters;
    }

    std::unique_ptr<router> router_;
    router_event event_ = {};
};
