/* machine_event_log_test.cpp - events recorded for a time line: what became of each packet, and
 * that recording changes nothing. */
#include "tests/unit/machine_fixture.h"
#include "tests/unit/talker.h"

#include <gtest/gtest.h>
#include <memory>

namespace
{

constexpr uint64_t PACKET_PS = 136970;
constexpr uint32_t ALL = (1u << MACHINE_EVENT_KINDS) - 1;

struct destroyer {
    void operator()(machine *machine) const
    {
        machine_destroy(machine);
    }
};
using owned = std::unique_ptr<machine, destroyer>;

owned row_of_three()
{
    machine_config config = bench_config();
    config.topology.shape = TOPOLOGY_RECTANGLE;
    config.topology.width = 3;
    config.topology.height = 1;
    machine *made = nullptr;
    EXPECT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
    return owned(made);
}

std::vector<machine_event> events(machine *machine)
{
    std::vector<machine_event> list;
    machine_take_events(
        machine,
        [](void *context, const machine_event *event) {
            static_cast<std::vector<machine_event> *>(context)->push_back(*event);
        },
        &list);
    return list;
}

std::vector<machine_event> of_kind(const std::vector<machine_event> &list, machine_event_kind kind)
{
    std::vector<machine_event> found;
    for (const machine_event &event : list) {
        if (event.kind == kind) {
            found.push_back(event);
        }
    }
    return found;
}

constexpr uint32_t core(unsigned p)
{
    return 1u << (6 + p);
}

/* A core of chip 0,0 sends two keys: one to two cores of 2,0, the other to a core of its own chip
 * and nowhere. */
struct Row {
    owned machine = row_of_three();
    Talkers talkers{machine.get()};

    Row()
    {
        EXPECT_EQ(machine_set_route(machine.get(), 0, 0, 0, 0x100, 0xffffff00, 1u << 0), STATUS_OK);
        EXPECT_EQ(machine_set_route(machine.get(), 0, 0, 1, 0x200, 0xffffff00, core(4)), STATUS_OK);
        EXPECT_EQ(machine_set_route(machine.get(), 2, 0, 0, 0, 0, core(5) | core(6)), STATUS_OK);
        const machine_purpose list[] = {{0x100, 0xffffff00, 3}};
        EXPECT_EQ(machine_set_purposes(machine.get(), list, 1), STATUS_OK);
        for (const uint32_t key : {0x105u, 0x201u, 0x300u}) {
            talkers.send({0, 0, 1}, TALK_MULTICAST, key);
        }
        talkers.listen({0, 0, 4});
        talkers.listen({2, 0, 5});
        talkers.listen({2, 0, 6});
        talkers.start(10);
    }
};

std::string counts(const machine *machine)
{
    std::string text;
    machine_each_counter(
        machine,
        [](void *context, const machine_counter *counter) {
            *static_cast<std::string *>(context) +=
                std::to_string(counter->x) + counter->component +
                std::to_string(counter->instance) + counter->info->name + "=" +
                std::to_string(counter->value) + "\n";
        },
        &text);
    return text;
}

} // namespace

TEST(MachineEvents, FollowEveryPacketToItsCores)
{
    Row row;
    machine_record(row.machine.get(), ALL);
    ASSERT_EQ(machine_run_until(row.machine.get(), 1000 * US), MACHINE_QUIESCENT);
    const auto all = events(row.machine.get());
    const auto sent = of_kind(all, MACHINE_EVENT_SENT);
    ASSERT_EQ(sent.size(), 3u);
    for (const machine_event &event : sent) {
        EXPECT_EQ(event.x, 0);
        EXPECT_EQ(event.p, 1);
        EXPECT_NE(event.packet, 0u);
        EXPECT_LE(event.length_ps, 10000u) << "the router takes it at its next clock";
        EXPECT_EQ(event.purpose, event.word == 0x105 ? 3 : 0);
    }
    EXPECT_EQ(sent[0].word, 0x105u);
    EXPECT_EQ(sent[1].word, 0x201u);
    EXPECT_EQ(sent[2].word, 0x300u);
    EXPECT_EQ(sent[1].packet, sent[0].packet + 1);
    EXPECT_EQ(sent[2].packet, sent[0].packet + 2);

    /* 0x300 has no entry and goes on by default routing: from a core, to nowhere */
    const auto received = of_kind(all, MACHINE_EVENT_RECEIVED);
    ASSERT_EQ(received.size(), 3u);
    EXPECT_EQ(received[0].p, 4);
    EXPECT_EQ(received[0].packet, sent[1].packet);
    EXPECT_EQ(received[0].word, 0x201u);
    for (unsigned i = 1; i < 3; i++) {
        EXPECT_EQ(received[i].x, 2);
        EXPECT_EQ(received[i].p, 4 + i);
        EXPECT_EQ(received[i].packet, sent[0].packet);
        EXPECT_EQ(received[i].purpose, 3);
        EXPECT_EQ(received[i].time_ps, received[1].time_ps);
    }
    const auto dropped = of_kind(all, MACHINE_EVENT_DROPPED);
    ASSERT_EQ(dropped.size(), 1u);
    EXPECT_EQ(dropped[0].packet, sent[2].packet);
    EXPECT_EQ(dropped[0].p, MACHINE_EVENT_ROUTER);
    EXPECT_EQ(dropped[0].output, MACHINE_DROP_NO_OUTPUT);
    EXPECT_EQ(dropped[0].detail, MACHINE_DROP_HELD_BY_NONE);

    const auto links = of_kind(all, MACHINE_EVENT_LINK);
    ASSERT_EQ(links.size(), 2u);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQ(links[i].x, i);
        EXPECT_EQ(links[i].output, 0);
        EXPECT_EQ(links[i].length_ps, PACKET_PS);
        EXPECT_EQ(links[i].packet, sent[0].packet);
    }
    EXPECT_GE(received[1].time_ps - links[1].time_ps, PACKET_PS);
    EXPECT_TRUE(events(row.machine.get()).empty()) << "they are taken once";
}

TEST(MachineEvents, OfSleepAddUpToItsCount)
{
    Row row;
    machine_record(row.machine.get(), 1u << MACHINE_EVENT_SLEPT);
    ASSERT_EQ(machine_run_until(row.machine.get(), 100 * US), MACHINE_QUIESCENT);
    uint64_t waits_ps = 0;
    uint64_t other_ps = 0;
    uint64_t end_ps = 0;
    for (const machine_event &event : events(row.machine.get())) {
        ASSERT_EQ(event.kind, MACHINE_EVENT_SLEPT);
        EXPECT_NE(event.detail, MACHINE_WAIT_DMA);
        if (event.x == 2 && event.p == 5) {
            EXPECT_GE(event.time_ps, end_ps);
            end_ps = event.time_ps + event.length_ps;
            (event.detail == MACHINE_WAIT_PACKET ? waits_ps : other_ps) += event.length_ps;
        }
    }
    uint64_t counted_ps = 0;
    struct find {
        uint64_t *value;
    } of = {&counted_ps};
    machine_each_counter(
        row.machine.get(),
        [](void *context, const machine_counter *counter) {
            if (counter->x == 2 && counter->instance == 5 &&
                std::string(counter->component) == "comms" &&
                std::string(counter->info->name) == "core_wait_ps") {
                *static_cast<find *>(context)->value = counter->value;
            }
        },
        &of);
    EXPECT_GT(waits_ps, 0u);
    EXPECT_EQ(waits_ps, counted_ps);
    EXPECT_EQ(other_ps, 0u);
}

TEST(MachineEvents, AreNotRecordedUntilTheyAreWantedAndChangeNoCount)
{
    Row plain;
    Row recorded;
    machine_record(recorded.machine.get(), ALL);
    ASSERT_EQ(machine_run_until(plain.machine.get(), 1000 * US), MACHINE_QUIESCENT);
    ASSERT_EQ(machine_run_until(recorded.machine.get(), 1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(counts(plain.machine.get()), counts(recorded.machine.get()));
    EXPECT_EQ(machine_time_ps(plain.machine.get()), machine_time_ps(recorded.machine.get()));
    EXPECT_TRUE(events(plain.machine.get()).empty());
    EXPECT_FALSE(events(recorded.machine.get()).empty());
}

TEST(MachineEvents, OfPacketsFromBeforeHaveNoNumber)
{
    Row row;
    uint64_t until_ps = 0;
    do { /* up to a moment at which a packet is under way */
        until_ps += 100000;
        ASSERT_LT(until_ps, 100 * US);
        ASSERT_EQ(machine_run_until(row.machine.get(), until_ps), MACHINE_REACHED);
    } while (counts(row.machine.get()).find("0link0packets=1\n") == std::string::npos);
    machine_record(row.machine.get(), 1u << MACHINE_EVENT_RECEIVED);
    ASSERT_EQ(machine_run_until(row.machine.get(), 1000 * US), MACHINE_QUIESCENT);
    size_t far = 0;
    for (const machine_event &event : events(row.machine.get())) {
        EXPECT_EQ(event.kind, MACHINE_EVENT_RECEIVED);
        EXPECT_EQ(event.packet, 0u) << "no send is recorded, so there are no numbers";
        far += event.x == 2;
    }
    EXPECT_EQ(far, 2u);
}

TEST(MachineEvents, OfBurstsAddUpToTheControllersCount)
{
    MachineBench bench;
    Program program;
    program.store(DMA + 0x04, SDRAM); /* system address, TCM address, 64 words into the TCM */
    program.store(DMA + 0x08, DTCM);
    program.store(DMA + 0x0c, 3u << 24 | 4u << 21 | 64 * 4);
    program.delay(2000).sleep();
    machine_record(bench.get(), 1u << MACHINE_EVENT_BURST);
    bench.run(1, program);
    (void)bench.until(100 * US);
    uint64_t busy_ps = 0;
    uint32_t bytes = 0;
    uint64_t end_ps = 0;
    for (const machine_event &event : events(bench.get())) {
        ASSERT_EQ(event.kind, MACHINE_EVENT_BURST);
        EXPECT_EQ(event.p, 1);
        EXPECT_EQ(event.word, SDRAM + bytes);
        EXPECT_EQ(event.detail, 0);
        EXPECT_TRUE(bytes == 0 || event.time_ps == end_ps) << "without a gap";
        end_ps = event.time_ps + event.length_ps;
        bytes += event.other;
        busy_ps += event.length_ps;
    }
    EXPECT_EQ(bytes, 64u * 4);
    EXPECT_EQ(busy_ps, bench.counter("dma", 1, "busy_ps"));
}
