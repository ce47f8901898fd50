/* machine_history_test.cpp - runs that stop at one cycle of one core and go back: wherever such a
 * machine stands, nobody can tell it from one that has run there in one go. */
#include "tests/unit/ahead_scene.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <tuple>

extern "C" {
#include "models/machine/history.h"
}

namespace
{

/* A mark as it is reported: in the order in which hits come. */
struct report {
    uint64_t time_ps;
    unsigned x, p;
    uint32_t address;
    bool operator<(const report &other) const
    {
        return std::tie(time_ps, x, p, address) <
               std::tie(other.time_ps, other.x, other.p, other.address);
    }
    bool operator==(const report &other) const
    {
        return std::tie(time_ps, x, p, address) ==
               std::tie(other.time_ps, other.x, other.p, other.address);
    }
};

std::ostream &operator<<(std::ostream &stream, const report &report)
{
    return stream << report.time_ps << " ps, core " << report.x << "," << report.p << ", 0x"
                  << std::hex << report.address << std::dec;
}

/* A machine of a scene, with the reports of its observer. */
class Bench
{
  public:
    explicit Bench(const scene &scene, const way &way = {})
        : scene_(scene),
          machine_(scene_machine(scene, way,
                                 {this, on_mark, on_fault, nullptr, nullptr, nullptr, nullptr}))
    {
    }
    ~Bench()
    {
        machine_destroy(machine_);
        machine_history_destroy(history);
    }
    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;

    machine *get()
    {
        return machine_;
    }
    void begin(const machine_history_options &options = {})
    {
        ASSERT_EQ(machine_history_create(machine_, &options, &history), STATUS_OK);
    }
    std::string state()
    {
        return scene_state(machine_, scene_);
    }
    std::vector<report> in_order()
    {
        std::vector<report> sorted = marks;
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }

    machine_history *history = nullptr;
    std::vector<report> marks;
    unsigned faults = 0;
    bool stops_at_faults = false;

  private:
    static bool on_mark(void *context, machine_core core, uint32_t address, uint64_t)
    {
        auto *bench = static_cast<Bench *>(context);
        bench->marks.push_back(
            {machine_core_time_ps(bench->machine_, core), core.x, core.p, address});
        return false;
    }
    static bool on_fault(void *context, machine_core, struct arm968_fault)
    {
        auto *bench = static_cast<Bench *>(context);
        bench->faults++;
        return bench->stops_at_faults;
    }

    const scene &scene_;
    machine *machine_;
};

/* The state of the same machine that has run to a time in one go. */
std::string state_at(const scene &scene, uint64_t time_ps)
{
    Bench bench(scene);
    (void)machine_run_until(bench.get(), time_ps);
    return bench.state();
}

void break_at_marks(Bench &bench, const scene &scene)
{
    for (const scene_core &core : scene.cores) {
        for (const uint32_t mark : core.marks) {
            ASSERT_EQ(machine_history_break(bench.history, core.id, mark), STATUS_OK);
        }
    }
}

report of(const history_hit &hit)
{
    return {hit.time_ps, hit.core.x, hit.core.p, hit.address};
}

std::vector<report> marks_of(const scene &scene)
{
    Bench bench(scene);
    (void)machine_run_until(bench.get(), scene.end_ps);
    return bench.in_order();
}

/* A scene with marks that cores pass. */
scene marked_scene(uint32_t seed, uint32_t chips = 0)
{
    scene scene = random_scene(seed, chips);
    scene.end_ps = 60 * US;
    return scene;
}

constexpr machine_history_options FINE = {0, 7 * US};

TEST(MachineHistory, BreakpointsAreHitInOrderAndTheMachineStandsThere)
{
    unsigned stops = 0;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        const scene scene = marked_scene(seed);
        const std::vector<report> expected = marks_of(scene);
        Bench bench(scene);
        bench.begin(FINE);
        break_at_marks(bench, scene);
        history_hit hit = {};
        size_t at = 0;
        for (; at < expected.size() && at < 40; at++) {
            ASSERT_EQ(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT)
                << seed << ": " << at;
            ASSERT_EQ(of(hit), expected[at]) << seed;
            EXPECT_EQ(hit.kind, HISTORY_BREAK);
            EXPECT_EQ(machine_core_register(bench.get(), hit.core, 15), hit.address);
            if (at % 7 == 0) {
                ASSERT_TRUE(bench.state() == state_at(scene, hit.time_ps)) << seed << ": " << at;
            }
        }
        stops += static_cast<unsigned>(at);
    }
    EXPECT_GT(stops, 100U);
}

TEST(MachineHistory, ARunWithStopsEndsAsOneWithout)
{
    for (uint32_t seed = 21; seed <= 24; seed++) {
        const scene scene = marked_scene(seed);
        Bench bench(scene);
        bench.begin(FINE);
        break_at_marks(bench, scene);
        history_hit hit = {};
        history_stop stop = HISTORY_HIT;
        for (unsigned n = 0; n < 100000 && stop == HISTORY_HIT; n++) {
            stop = machine_history_run(bench.history, scene.end_ps, &hit);
        }
        ASSERT_NE(stop, HISTORY_HIT);
        EXPECT_TRUE(bench.state() == state_at(scene, scene.end_ps)) << seed;
        EXPECT_EQ(bench.in_order(), marks_of(scene)) << seed << ": the observer is told once";
    }
}

TEST(MachineHistory, ThreadsAndTiersStopAtTheSamePlaces)
{
    scene scene = marked_scene(31, 2);
    std::vector<report> expected = marks_of(scene);
    for (uint32_t seed = 32; expected.size() < 11 && seed < 60; seed++) {
        scene = marked_scene(seed, 2);
        expected = marks_of(scene);
    }
    ASSERT_GT(expected.size(), 10U);
    for (const enum tier tier : {TIER_INTERPRETER, TIER_EVERYTHING}) {
        way way;
        way.threads = 2;
        way.tier = tier;
        Bench bench(scene, way);
        bench.begin(FINE);
        break_at_marks(bench, scene);
        history_hit hit = {};
        for (size_t at = 0; at < 10; at++) {
            ASSERT_EQ(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT);
            ASSERT_EQ(of(hit), expected[at]);
        }
        EXPECT_TRUE(bench.state() == state_at(scene, hit.time_ps));
    }
}

TEST(MachineHistory, GoesToAnyTimeAndBack)
{
    const scene scene = marked_scene(41);
    Bench bench(scene);
    bench.begin(FINE);
    history_hit hit = {};
    (void)machine_history_run(bench.history, scene.end_ps, &hit);
    for (const uint64_t time_ps : {50 * US, 3 * US + 17, 33 * US + 1, UINT64_C(0), 33 * US + 2}) {
        machine_history_go_to(bench.history, time_ps);
        ASSERT_TRUE(bench.state() == state_at(scene, time_ps)) << time_ps;
    }
    (void)machine_history_run(bench.history, scene.end_ps, &hit);
    EXPECT_TRUE(bench.state() == state_at(scene, scene.end_ps));
    EXPECT_EQ(bench.in_order(), marks_of(scene));
}

TEST(MachineHistory, RunsBackToTheLastHit)
{
    const scene scene = marked_scene(51);
    const std::vector<report> expected = marks_of(scene);
    ASSERT_GT(expected.size(), 20U);
    Bench bench(scene);
    bench.begin(FINE);
    break_at_marks(bench, scene);
    history_hit hit = {};
    machine_history_go_to(bench.history, expected[15].time_ps + 1);
    for (size_t at = 16; at-- > 0;) {
        ASSERT_EQ(machine_history_run_back(bench.history, &hit), HISTORY_HIT) << at;
        ASSERT_EQ(of(hit), expected[at]);
        if (at % 5 == 0) {
            ASSERT_TRUE(bench.state() == state_at(scene, hit.time_ps));
        }
    }
    EXPECT_EQ(machine_history_run_back(bench.history, &hit), HISTORY_BEGIN);
    EXPECT_TRUE(bench.state() == state_at(scene, 0));
    ASSERT_EQ(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT);
    EXPECT_EQ(of(hit), expected[0]);
}

TEST(MachineHistory, StepsBackWhereItHasSteppedForwards)
{
    for (uint32_t seed = 61; seed <= 64; seed++) {
        const scene scene = marked_scene(seed);
        const machine_core core = scene.cores[0].id;
        Bench bench(scene);
        bench.begin(FINE);
        history_hit hit = {};
        machine_history_go_to(bench.history, 5 * US);
        std::vector<std::pair<uint64_t, uint32_t>> places;
        for (unsigned n = 0; n < 40; n++) {
            const struct machine_core_view view = machine_core_view(bench.get(), core);
            if (view.state == MACHINE_CORE_ASLEEP || view.state == MACHINE_CORE_OFF) {
                break;
            }
            const uint64_t before = machine_core_counters(bench.get(), core)->instructions;
            places.emplace_back(machine_core_time_ps(bench.get(), core),
                                machine_core_register(bench.get(), core, 15));
            ASSERT_EQ(machine_history_step(bench.history, core, &hit), HISTORY_REACHED);
            EXPECT_LE(machine_core_counters(bench.get(), core)->instructions, before + 1);
        }
        ASSERT_GT(places.size(), 3U) << seed;
        for (size_t at = places.size(); at-- > 0;) {
            ASSERT_EQ(machine_history_step_back(bench.history, core), HISTORY_REACHED);
            ASSERT_EQ(machine_core_time_ps(bench.get(), core), places[at].first) << seed << at;
            ASSERT_EQ(machine_core_register(bench.get(), core, 15), places[at].second);
        }
        EXPECT_TRUE(bench.state() == state_at(scene, places[0].first));
    }
}

TEST(MachineHistory, AFaultAtWhichTheObserverStopsIsAPlace)
{
    bool seen = false;
    for (uint32_t seed = 71; seed <= 90 && !seen; seed++) {
        const scene scene = marked_scene(seed);
        Bench bench(scene);
        bench.stops_at_faults = true;
        bench.begin(FINE);
        history_hit hit = {};
        if (machine_history_run(bench.history, scene.end_ps, &hit) != HISTORY_HIT) {
            continue;
        }
        seen = true;
        EXPECT_EQ(hit.kind, HISTORY_FAULT);
        EXPECT_EQ(bench.faults, 1U);
        EXPECT_TRUE(bench.state() == state_at(scene, hit.time_ps));
        const uint64_t first_ps = hit.time_ps;
        bench.stops_at_faults = false;
        const history_stop stop = machine_history_run(bench.history, scene.end_ps, &hit);
        EXPECT_TRUE(stop != HISTORY_HIT || hit.time_ps >= first_ps);
    }
    EXPECT_TRUE(seen);
}

TEST(MachineHistory, AChangeBeginsAnotherFuture)
{
    const scene scene = marked_scene(41);
    Bench bench(scene);
    bench.begin(FINE);
    history_hit hit = {};
    (void)machine_history_run(bench.history, scene.end_ps, &hit);
    machine_history_go_to(bench.history, 20 * US);
    const uint32_t word = 0x12345678;
    ASSERT_EQ(machine_write(bench.get(), {0, 0, 1}, DTCM + 0xff00, &word, sizeof word), STATUS_OK);
    machine_history_changed(bench.history);
    (void)machine_history_run(bench.history, scene.end_ps, &hit);

    Bench plain(scene);
    (void)machine_run_until(plain.get(), 20 * US);
    ASSERT_EQ(machine_write(plain.get(), {0, 0, 1}, DTCM + 0xff00, &word, sizeof word), STATUS_OK);
    (void)machine_run_until(plain.get(), scene.end_ps);
    EXPECT_TRUE(bench.state() == plain.state());
    machine_history_go_to(bench.history, 30 * US);
    uint32_t read = 0;
    ASSERT_EQ(machine_read(bench.get(), {0, 0, 1}, DTCM + 0xff00, &read, sizeof read), STATUS_OK);
    EXPECT_EQ(read, word);
}

TEST(MachineHistory, StatesShareWhatHasNotChangedAndKeepToTheirBudget)
{
    const scene scene = marked_scene(41);
    Bench plain(scene);
    size_t whole = 0;
    free(machine_save(plain.get(), &whole));
    Bench bench(scene);
    bench.begin({0, US / 4});
    const size_t first = machine_history_bytes(bench.history);
    history_hit hit = {};
    (void)machine_history_run(bench.history, scene.end_ps, &hit);
    EXPECT_GT(machine_history_states(bench.history), 8U);
    EXPECT_LE(machine_history_states(bench.history), 64U);
    EXPECT_LT(machine_history_bytes(bench.history),
              first + machine_history_states(bench.history) * whole / 2);

    Bench small(scene);
    small.begin({first + first / 2, US / 4});
    (void)machine_history_run(small.history, scene.end_ps, &hit);
    EXPECT_LT(machine_history_states(small.history), machine_history_states(bench.history));
    machine_history_go_to(small.history, 33 * US + 1);
    EXPECT_TRUE(small.state() == state_at(scene, 33 * US + 1));
}

/* Two cores that count in a loop, in words of their DTCMs and of the System RAM that they share. */
scene counting_scene()
{
    scene scene;
    scene.end_ps = 20 * US;
    for (uint8_t p = 1; p <= 2; p++) {
        Program program;
        program.set(1, DTCM + 0x100).set(2, SYSTEM_RAM + 0x40u * p).set(3, p);
        const uint32_t loop = program.here();
        program.emit({add_imm(3, 3, 1), str_imm(3, 1, 0)});
        const uint32_t behind = program.here();
        program.emit({str_imm(3, 2, 0)}).nops(3 * p).branch(loop);
        scene.cores.push_back({{0, 0, p}, {program}, {behind}});
    }
    return scene;
}

TEST(MachineHistory, WatchedBytesStopBehindTheirStore)
{
    const scene scene = counting_scene();
    const std::vector<report> expected = marks_of(scene); /* behind each store to the DTCM */
    ASSERT_GT(expected.size(), 40U);
    for (const uint64_t run_ahead : {RUN_AHEAD_OFF, RUN_AHEAD_AUTO}) {
        way way;
        way.run_ahead = run_ahead;
        way.tier = TIER_EVERYTHING;
        Bench bench(scene, way);
        bench.begin(FINE);
        for (const scene_core &core : scene.cores) {
            ASSERT_EQ(machine_history_watch(bench.history, core.id, DTCM + 0x102, 1), STATUS_OK);
        }
        history_hit hit = {};
        for (size_t at = 0; at < 40; at++) {
            ASSERT_EQ(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT);
            EXPECT_EQ(hit.kind, HISTORY_WATCH);
            EXPECT_EQ(hit.address, DTCM + 0x102);
            ASSERT_EQ(hit.time_ps, expected[at].time_ps) << at;
            ASSERT_EQ(hit.core.p, expected[at].p) << at;
        }
        EXPECT_TRUE(bench.state() == state_at(scene, hit.time_ps));
        for (size_t at = 39; at-- > 0;) {
            ASSERT_EQ(machine_history_run_back(bench.history, &hit), HISTORY_HIT);
            ASSERT_EQ(hit.time_ps, expected[at].time_ps) << at;
        }
        for (const scene_core &core : scene.cores) {
            ASSERT_EQ(machine_history_unwatch(bench.history, core.id, DTCM + 0x102, 1), STATUS_OK);
        }
        EXPECT_NE(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT);
        EXPECT_TRUE(bench.state() == state_at(scene, scene.end_ps));
    }
}

TEST(MachineHistory, WatchesStoresToSharedMemoryByOneCore)
{
    const scene scene = counting_scene();
    Bench bench(scene);
    bench.begin(FINE);
    ASSERT_EQ(machine_history_watch(bench.history, {0, 0, 2}, SYSTEM_RAM + 0x80, 4), STATUS_OK);
    ASSERT_EQ(machine_history_watch(bench.history, {0, 0, 2}, SYSTEM_RAM + 0x40, 4), STATUS_OK);
    history_hit hit = {};
    for (uint32_t at = 1; at < 10; at++) {
        ASSERT_EQ(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT);
        EXPECT_EQ(hit.core.p, 2);
        EXPECT_EQ(hit.address, SYSTEM_RAM + 0x80);
        uint32_t word = 0;
        ASSERT_EQ(machine_read(bench.get(), hit.core, SYSTEM_RAM + 0x80, &word, sizeof word),
                  STATUS_OK);
        EXPECT_EQ(word, 2 + at);
    }
}

/* As a debugger does that is to stop before a store: the other hits about that time count once. */
TEST(MachineHistory, GoesBeforeAStoreAndTellsNoHitAgain)
{
    const scene scene = counting_scene();
    std::vector<report> told[2];
    for (const bool before : {false, true}) {
        Bench bench(scene);
        bench.begin(FINE);
        for (const scene_core &core : scene.cores) {
            ASSERT_EQ(machine_history_watch(bench.history, core.id, DTCM + 0x100, 4), STATUS_OK);
            for (uint32_t at = core.marks[0] - 8; at <= core.marks[0] + 8; at += 4) {
                ASSERT_EQ(machine_history_break(bench.history, core.id, at), STATUS_OK);
            }
        }
        history_hit hit = {};
        for (unsigned n = 0; n < 200; n++) {
            ASSERT_EQ(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT);
            told[before].push_back(of(hit));
            if (before && hit.kind == HISTORY_WATCH) {
                machine_history_go_before(bench.history, &hit);
                uint32_t word = 0;
                EXPECT_EQ(machine_core_register(bench.get(), hit.core, 15),
                          scene.cores[hit.core.p - 1U].marks[0] - 4);
                ASSERT_EQ(machine_read(bench.get(), hit.core, hit.address, &word, sizeof word),
                          STATUS_OK);
                EXPECT_EQ(word == 0 ? hit.core.p : word,
                          machine_core_register(bench.get(), hit.core, 3) - 1);
            }
        }
    }
    EXPECT_EQ(told[0], told[1]);
}

TEST(MachineHistory, RewindsWithoutTellingHitsAgain)
{
    const scene scene = counting_scene();
    const std::vector<report> expected = marks_of(scene);
    Bench bench(scene);
    bench.begin(FINE);
    break_at_marks(bench, scene);
    history_hit hit = {};
    for (size_t at = 0; at < 10; at++) {
        ASSERT_EQ(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT);
        ASSERT_EQ(of(hit), expected[at]);
    }
    machine_history_rewind(bench.history, expected[2].time_ps);
    EXPECT_TRUE(bench.state() == state_at(scene, expected[2].time_ps));
    ASSERT_EQ(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT);
    EXPECT_EQ(of(hit), expected[10]);
    machine_history_go_to(bench.history, expected[2].time_ps);
    ASSERT_EQ(machine_history_run(bench.history, scene.end_ps, &hit), HISTORY_HIT);
    EXPECT_EQ(of(hit), expected[2]) << "going back without rewinding tells them again";
}

TEST(MachineHistory, RefusesWhatIsNotThere)
{
    const scene scene = marked_scene(41);
    Bench bench(scene);
    bench.begin(FINE);
    EXPECT_EQ(machine_history_break(bench.history, {9, 9, 1}, CODE), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_history_unbreak(bench.history, {0, 0, 1}, CODE + 4), STATUS_CONFIGURATION);
    EXPECT_EQ(machine_history_break(bench.history, {0, 0, 1}, CODE), STATUS_OK);
    EXPECT_EQ(machine_history_break(bench.history, {0, 0, 1}, CODE), STATUS_OK);
    EXPECT_EQ(machine_history_unbreak(bench.history, {0, 0, 1}, CODE), STATUS_OK);
    EXPECT_EQ(machine_history_unbreak(bench.history, {0, 0, 1}, CODE), STATUS_CONFIGURATION);
}

} // namespace
