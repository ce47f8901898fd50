/* machine_drops_test.cpp - records of lost packets: when, where, and who stood in the way. */
#include "tests/unit/machine_fixture.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>

#include "models/network/router.h"

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t SEND_KEY = COMMS + 8;
constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint64_t ROUTER_CYCLE_PS = 7500; /* 133.3 MHz */
constexpr uint64_t PIPELINE_PS = 5 * ROUTER_CYCLE_PS;
constexpr unsigned WAIT1_AT_RESET = 0x40;

uint64_t wait1_ps()
{
    return router_wait_cycles(WAIT1_AT_RESET) * ROUTER_CYCLE_PS;
}

/* When a packet that is sent by a store at a cycle stands before the router's outputs. */
uint64_t tried_ps(uint64_t cycle)
{
    const uint64_t sent_ps = cycle * CYCLE_PS;
    return (sent_ps + ROUTER_CYCLE_PS - 1) / ROUTER_CYCLE_PS * ROUTER_CYCLE_PS + PIPELINE_PS;
}

void entry(Program &program, uint32_t route)
{
    program.store(ROUTER + 0x4000, route);
    program.store(ROUTER + 0xc000, 0xffffff00);
    program.store(ROUTER + 0x8000, 0x100);
}

/* Chips in a row; core 1 of the first sends keys 0x100, 0x101 ... to a route, far apart. */
class Blocked
{
  public:
    Blocked(uint32_t chips, uint32_t route, unsigned packets, uint32_t records = 16)
    {
        machine_config config = bench_config();
        config.topology.shape = TOPOLOGY_RECTANGLE;
        config.topology.width = chips;
        config.topology.height = 1;
        config.drop_records = records;
        config.observer = {this, on_mark, nullptr, nullptr, nullptr, nullptr, nullptr};
        machine *made = nullptr;
        EXPECT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
        machine_.reset(made);
        Program program;
        entry(program, route);
        program.delay(2000);
        std::vector<uint32_t> stores;
        for (uint32_t i = 0; i < packets; i++) {
            if (i % 2 == 1) {
                program.store(COMMS + 4, 0xabcd0000 + i);
            }
            stores.push_back(program.store(SEND_KEY, 0x100 + i));
            program.delay(4000);
        }
        program.sleep();
        start(0, 1, program);
        for (const uint32_t store : stores) {
            EXPECT_EQ(machine_add_mark(get(), {0, 0, 1}, store), STATUS_OK);
        }
    }
    machine *get()
    {
        return machine_.get();
    }
    void start(uint8_t x, uint8_t core, const Program &program)
    {
        ASSERT_EQ(machine_write(get(), {x, 0, core}, program.base(), program.words().data(),
                                static_cast<uint32_t>(4 * program.words().size())),
                  STATUS_OK);
        ASSERT_EQ(machine_start_core(get(), {x, 0, core}, program.base(), 0), STATUS_OK);
    }
    void run()
    {
        EXPECT_EQ(machine_run_until(get(), 10000 * US), MACHINE_QUIESCENT);
    }
    std::vector<machine_drop> drops()
    {
        std::vector<machine_drop> list(machine_drop_count(get()) + 1);
        machine_drops(get(), list.data());
        list.pop_back();
        return list;
    }
    /* When packet i stood before the outputs of the first router. */
    uint64_t tried(unsigned i) const
    {
        return tried_ps(sent_cycle_.at(i));
    }

  private:
    static bool on_mark(void *context, machine_core, uint32_t, uint64_t cycle)
    {
        static_cast<Blocked *>(context)->sent_cycle_.push_back(cycle);
        return false;
    }
    struct destroyer {
        void operator()(machine *machine) const
        {
            machine_destroy(machine);
        }
    };
    std::unique_ptr<machine, destroyer> machine_;
    std::vector<uint64_t> sent_cycle_;
};

bool same(const std::vector<machine_drop> &a, const std::vector<machine_drop> &b)
{
    return a.size() == b.size() &&
           (a.empty() || memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

constexpr uint32_t TO_CORE_2 = 1u << (ROUTER_FIRST_CORE + 2);

} // namespace

TEST(MachineDrops, NameTheCoreThatDoesNotReadAndSinceWhen)
{
    const unsigned kept = packets_held_up();
    Blocked row(1, TO_CORE_2, kept + 2);
    row.run();
    const auto drops = row.drops();
    ASSERT_EQ(drops.size(), 2u);
    for (unsigned i = 0; i < 2; i++) {
        const machine_drop &drop = drops[i];
        const unsigned lost = kept + i;
        EXPECT_EQ(drop.tried_ps, row.tried(lost));
        EXPECT_EQ(drop.time_ps, row.tried(lost) + wait1_ps());
        EXPECT_EQ(drop.key, 0x100u + lost);
        EXPECT_EQ(drop.has_payload, lost % 2 == 1);
        EXPECT_EQ(drop.payload, lost % 2 == 1 ? 0xabcd0000u + lost : 0);
        EXPECT_EQ(drop.type, PACKET_MC);
        EXPECT_EQ(drop.arrival, PACKET_LOCAL);
        EXPECT_EQ(drop.output, ROUTER_FIRST_CORE + 2);
        EXPECT_EQ(drop.reason, MACHINE_DROP_BLOCKED);
        EXPECT_EQ(drop.holder, MACHINE_DROP_HELD_BY_UNREAD);
        EXPECT_EQ(drop.holder_key, 0x100u);
        EXPECT_EQ(drop.held_since_ps, row.tried(0) + transit_ps());
    }
    EXPECT_EQ(machine_drops_unrecorded(row.get()), 0u);
}

TEST(MachineDrops, AreEventsWithTheirHolder)
{
    const unsigned kept = packets_held_up();
    Blocked row(1, TO_CORE_2, kept + 2);
    machine_record(row.get(), 1u << MACHINE_EVENT_SENT | 1u << MACHINE_EVENT_DROPPED);
    row.run();
    std::vector<machine_event> events;
    machine_take_events(
        row.get(),
        [](void *context, const machine_event *event) {
            static_cast<std::vector<machine_event> *>(context)->push_back(*event);
        },
        &events);
    ASSERT_EQ(events.size(), kept + 2 + 2);
    const auto drops = row.drops();
    ASSERT_EQ(drops.size(), 2u);
    for (unsigned i = 0; i < 2; i++) {
        const machine_event &sent = events[kept + 2 * i];
        const machine_event &lost = events[kept + 2 * i + 1];
        ASSERT_EQ(lost.kind, MACHINE_EVENT_DROPPED);
        EXPECT_EQ(lost.time_ps, drops[i].time_ps);
        EXPECT_EQ(lost.length_ps, wait1_ps());
        EXPECT_EQ(lost.word, drops[i].key);
        EXPECT_EQ(lost.output, drops[i].output);
        EXPECT_EQ(lost.detail, MACHINE_DROP_HELD_BY_UNREAD);
        EXPECT_EQ(lost.other, 0x100u);
        EXPECT_EQ(sent.kind, MACHINE_EVENT_SENT);
        EXPECT_EQ(sent.packet, lost.packet);
    }
}

TEST(MachineDrops, AppearAtTheEndOfTheWaitAndNotBefore)
{
    Blocked first(1, TO_CORE_2, packets_held_up() + 1);
    first.run();
    ASSERT_EQ(first.drops().size(), 1u);
    const uint64_t at_ps = first.drops()[0].time_ps;
    Blocked row(1, TO_CORE_2, packets_held_up() + 1);
    (void)machine_run_until(row.get(), at_ps); /* everything before that time */
    EXPECT_EQ(machine_drop_count(row.get()), 0u);
    (void)machine_run_until(row.get(), at_ps + 1);
    EXPECT_EQ(machine_drop_count(row.get()), 1u);
}

TEST(MachineDrops, AreNoneWhenTheCoreReadsInTime)
{
    const unsigned packets = packets_held_up() + 3;
    Blocked row(1, TO_CORE_2, packets);
    Program reader;
    reader.store(VIC + 0x10, 1u << 24);
    reader.set(5, COMMS).set(0, 0);
    for (unsigned i = 0; i < packets; i++) {
        reader.emit({mcr(15, 0, 0, 7, 0, 4), ldr_imm(6, 5, 0x14)});
    }
    reader.store(VIC + 0x14, 1u << 24);
    reader.sleep();
    row.start(0, 2, reader);
    row.run();
    EXPECT_EQ(machine_drop_count(row.get()), 0u);
    EXPECT_EQ(machine_drops_unrecorded(row.get()), 0u);
}

TEST(MachineDrops, NameALinkThatLeadsNowhere)
{
    Blocked row(1, 1u, 2);
    row.run();
    const auto drops = row.drops();
    ASSERT_EQ(drops.size(), 1u);
    EXPECT_EQ(drops[0].output, 0u);
    EXPECT_EQ(drops[0].holder, MACHINE_DROP_HELD_BY_NOBODY_THERE);
    EXPECT_EQ(drops[0].holder_key, 0x100u);
    EXPECT_EQ(drops[0].held_since_ps, row.tried(0));
    EXPECT_EQ(drops[0].time_ps, row.tried(1) + wait1_ps());
}

TEST(MachineDrops, NameThePacketThatWaitsForTheNextChip)
{
    Blocked row(2, 1u, 6); /* three at the receiver, one in the transmitter, two lost */
    Program off;
    off.store(ROUTER, 0x00400000); /* takes nothing any more */
    off.sleep();
    row.start(1, 1, off);
    row.run();
    const auto drops = row.drops();
    ASSERT_EQ(drops.size(), 2u);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQ(drops[i].x, 0u);
        EXPECT_EQ(drops[i].key, 0x104u + i);
        EXPECT_EQ(drops[i].output, 0u);
        EXPECT_EQ(drops[i].holder, MACHINE_DROP_HELD_BY_CREDIT);
        EXPECT_EQ(drops[i].holder_key, 0x103u);
        EXPECT_EQ(drops[i].held_since_ps, row.tried(3));
        EXPECT_EQ(drops[i].time_ps, row.tried(4 + i) + wait1_ps());
    }
}

TEST(MachineDrops, NameALinkThatIsSwitchedOff)
{
    Blocked row(2, 1u, 2);
    Program off;
    off.store(SYSTEM_CONTROLLER + 0x200, 0x5ec00100); /* the transmitter to the east */
    off.sleep();
    row.start(0, 2, off);
    row.run();
    const auto drops = row.drops();
    ASSERT_EQ(drops.size(), 1u);
    EXPECT_EQ(drops[0].key, 0x101u);
    EXPECT_EQ(drops[0].holder, MACHINE_DROP_HELD_BY_LINK_OFF);
    EXPECT_EQ(drops[0].holder_key, 0x100u);
    EXPECT_EQ(drops[0].held_since_ps, row.tried(0));
}

TEST(MachineDrops, HaveARecordForEachBlockedOutput)
{
    const unsigned kept = packets_held_up(); /* by the core; by the link one */
    Blocked row(1, TO_CORE_2 | 1u, kept + 2);
    row.run();
    const auto drops = row.drops();
    std::vector<unsigned> outputs(kept - 1, 0);
    for (unsigned i = 0; i < 2; i++) {
        outputs.insert(outputs.end(), {0, ROUTER_FIRST_CORE + 2});
    }
    ASSERT_EQ(drops.size(), outputs.size());
    for (size_t i = 0; i < outputs.size(); i++) {
        EXPECT_EQ(drops[i].output, outputs[i]) << i;
    }
    EXPECT_EQ(drops[kept].key, 0x100u + kept);
    EXPECT_EQ(drops[kept].time_ps, drops[kept - 1].time_ps);
}

TEST(MachineDrops, SayThatAPacketHadNoRoute)
{
    Blocked row(1, 1u, 1);
    Program program;
    program.store(SEND_KEY, 0x777);
    program.sleep();
    row.start(0, 3, program);
    row.run();
    const auto drops = row.drops();
    ASSERT_EQ(drops.size(), 1u);
    EXPECT_EQ(drops[0].key, 0x777u);
    EXPECT_EQ(drops[0].reason, MACHINE_DROP_NO_ROUTE);
    EXPECT_EQ(drops[0].output, MACHINE_DROP_NO_OUTPUT);
    EXPECT_EQ(drops[0].holder, MACHINE_DROP_HELD_BY_NONE);
    EXPECT_EQ(drops[0].time_ps, drops[0].tried_ps);
}

TEST(MachineDrops, SayThatAPacketWasTooOld)
{
    Blocked row(2, 1u, 1);
    Program later;
    later.store(ROUTER, 0x004000c1); /* time phase 3: what was stamped with 0 is too old */
    later.sleep();
    row.start(1, 1, later);
    row.run();
    const auto drops = row.drops();
    ASSERT_EQ(drops.size(), 1u);
    EXPECT_EQ(drops[0].x, 1u);
    EXPECT_EQ(drops[0].key, 0x100u);
    EXPECT_EQ(drops[0].arrival, 3u); /* from the west */
    EXPECT_EQ(drops[0].reason, MACHINE_DROP_ERROR);
    EXPECT_EQ(drops[0].output, MACHINE_DROP_NO_OUTPUT);
}

TEST(MachineDrops, BeyondAChipsRecordsAreCounted)
{
    for (const uint32_t records : {0u, 1u, 4u}) {
        Blocked row(1, TO_CORE_2, packets_held_up() + 4, records);
        row.run();
        EXPECT_EQ(machine_drop_count(row.get()), records);
        EXPECT_EQ(machine_drops_unrecorded(row.get()), 4u - records);
        const auto drops = row.drops();
        for (uint32_t i = 0; i < records; i++) {
            EXPECT_EQ(drops[i].key, 0x100u + packets_held_up() + i);
        }
    }
}

TEST(MachineDrops, AreTheSameHoweverTheRunIsCut)
{
    Blocked whole(2, TO_CORE_2 | 1u, 24, 64); /* more than the first room for records */
    whole.run();
    ASSERT_GT(whole.drops().size(), 32u);
    Blocked cut(2, TO_CORE_2 | 1u, 24, 64);
    for (uint64_t time_ps = 0; time_ps < 3000 * US; time_ps += 7654321) {
        (void)machine_run_until(cut.get(), time_ps);
    }
    cut.run();
    EXPECT_TRUE(same(whole.drops(), cut.drops()));
}

TEST(MachineDrops, AreASavedStatesToo)
{
    const unsigned packets = packets_held_up() + 6;
    Blocked whole(1, TO_CORE_2, packets);
    whole.run();
    ASSERT_EQ(whole.drops().size(), 6u);
    Blocked first(1, TO_CORE_2, packets, 4);
    (void)machine_run_until(first.get(), whole.drops()[5].time_ps + 1);
    EXPECT_EQ(first.drops().size(), 4u);
    size_t size = 0;
    uint8_t *bytes = machine_save(first.get(), &size);
    Blocked second(1, TO_CORE_2, packets, 0);
    ASSERT_EQ(machine_load(second.get(), bytes, size), STATUS_OK);
    EXPECT_TRUE(same(first.drops(), second.drops()));
    EXPECT_EQ(machine_drops_unrecorded(second.get()), 2u);
    for (size_t cut = size - 1; cut > size - 4 * sizeof(machine_drop); cut -= 61) {
        Blocked third(1, TO_CORE_2, packets);
        EXPECT_EQ(machine_load(third.get(), bytes, cut), STATUS_CONFIGURATION);
    }
    free(bytes);
}

TEST(MachineRoutes, ThatAreDeletedRouteNothing)
{
    MachineBench bench;
    machine *machine = bench.get();
    ASSERT_EQ(machine_set_route(machine, 0, 0, 3, 0x200, 0xfffffff0, TO_CORE_2), STATUS_OK);
    ASSERT_EQ(machine_set_route(machine, 0, 0, 5, 0x200, 0xffffff00, 1), STATUS_OK);
    EXPECT_EQ(machine_delete_route(machine, 0, 0, 0x300), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_delete_route(machine, 1, 0, 0x200), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_delete_route(machine, 0, 0, 0x207), STATUS_OK); /* the first that matches */
    Program program;
    program.store(SEND_KEY, 0x201);
    program.sleep();
    bench.run(1, program);
    bench.until(1000 * US);
    EXPECT_EQ(bench.counter("router", -1, "link_copies"), 1u);
    EXPECT_EQ(bench.counter("router", -1, "core_copies"), 0u);
    EXPECT_EQ(machine_delete_route(machine, 0, 0, 0x201), STATUS_OK);
    EXPECT_EQ(machine_delete_route(machine, 0, 0, 0x201), STATUS_CONFIGURATION);
    bench.run(1, program);
    bench.until(2000 * US);
    EXPECT_EQ(bench.counter("router", -1, "link_copies"), 1u);
    EXPECT_EQ(bench.counter("router", -1, "dumped_mc"), 1u);
}
