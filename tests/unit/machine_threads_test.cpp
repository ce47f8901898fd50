/* machine_threads_test.cpp - the same machine on several host threads: every counter, every byte
 * and every report is the same.  Boards full of random traffic, with drops, interrupts, chips that
 * are down and programs that fault. */
#include "tests/unit/machine_fixture.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <random>

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t ROUTER = 0xf1000000;
constexpr uint32_t ROUTE_RAM = ROUTER + 0x4000;
constexpr uint32_t KEY_CAM = ROUTER + 0x8000;
constexpr uint32_t MASK_CAM = ROUTER + 0xc000;
constexpr uint32_t MULTICAST_WAITING = 1u << 24;
constexpr unsigned SENDERS = 3;
constexpr unsigned TAKER = 4;
constexpr unsigned COUNTER = 5;
constexpr unsigned FAULTER = 6;
constexpr uint64_t END_PS = 60 * US;

struct destroyer {
    void operator()(machine *machine) const
    {
        machine_destroy(machine);
    }
};
using owned = std::unique_ptr<machine, destroyer>;

struct report {
    uint8_t x, y, p;
    uint32_t pc;
    bool operator==(const report &other) const
    {
        return x == other.x && y == other.y && p == other.p && pc == other.pc;
    }
};

struct traffic {
    topology_request topology = {};
    uint32_t seed = 1;
};

traffic spin5()
{
    traffic made;
    made.topology.shape = TOPOLOGY_SPIN5;
    return made;
}

constexpr topology_fault DOWN_CHIP[] = {{3, 4, 0}, {7, 2, 0}};
constexpr topology_fault DOWN_CORE[] = {{1, 1, 2}, {2, 2, 4}};
constexpr topology_fault DOWN_LINK[] = {{5, 5, 0}, {6, 1, 2}};

traffic three_boards()
{
    traffic made;
    made.topology.shape = TOPOLOGY_BOARDS;
    made.topology.width = made.topology.height = 12;
    made.topology.down_chip = DOWN_CHIP;
    made.topology.down_chips = 2;
    made.topology.down_core = DOWN_CORE;
    made.topology.down_cores = 2;
    made.topology.down_link = DOWN_LINK;
    made.topology.down_links = 2;
    made.seed = 2;
    return made;
}

void start(machine *machine, machine_core core, const Program &program)
{
    if (!machine_has_core(machine, core)) {
        return;
    }
    ASSERT_EQ(machine_write(machine, core, program.base(), program.words().data(),
                            static_cast<uint32_t>(4 * program.words().size())),
              STATUS_OK);
    ASSERT_EQ(machine_start_core(machine, core, program.base(), 0), STATUS_OK);
}

/* A table of 16 random routes for the keys n << 28, then packets with random keys and pauses. */
Program sender(std::mt19937 &random, bool table)
{
    Program program;
    for (uint32_t i = 0; table && i < 16; i++) {
        const uint32_t links = 1u << random() % 6;
        const uint32_t cores = random() % 3 == 0 ? 3u << (6 + TAKER) : 0;
        program.store(ROUTE_RAM + 4 * i, random() % 4 == 0 ? cores : links | cores);
        program.store(MASK_CAM + 4 * i, 0xf0000000);
        program.store(KEY_CAM + 4 * i, i << 28);
    }
    program.set(4, COMMS).set(5, random()).set(6, 0x01000193).set(8, 200);
    const uint32_t loop = program.here();
    program.emit({mul(7, 5, 6), add_imm(5, 7, 77), str_imm(5, 4, 8)});
    program.delay(10 + random() % 60);
    program.emit({subs_imm(8, 8, 1)});
    program.branch(loop, NE);
    program.sleep();
    return program;
}

/* Counts in registers until a packet comes; its handler keeps key and count in DTCM. */
Program interrupted(machine *machine, machine_core core, unsigned slowness)
{
    constexpr uint32_t RETURN = 0xe25ef004; /* subs pc, lr, #4 */
    Program handler(0x18);
    handler.emit({ldr_imm(3, 5, 0x14), str_imm(3, 8, 0), str_imm(2, 8, 4)});
    handler.nops(slowness);
    handler.emit({RETURN});
    if (machine_has_core(machine, core)) {
        EXPECT_EQ(machine_write(machine, core, handler.base(), handler.words().data(),
                                static_cast<uint32_t>(4 * handler.words().size())),
                  STATUS_OK);
    }
    Program program(0x800);
    program.store(VIC + 0x10, MULTICAST_WAITING);
    program.set(2, 0).set(5, COMMS).set(8, DTCM);
    program.unmask();
    const uint32_t loop = program.here();
    program.emit({add_imm(2, 2, 1)});
    program.branch(loop);
    return program;
}

/* After so many rounds of four cycles an undefined instruction; its vector leads to sleep. */
void start_faulting(machine *machine, machine_core core, uint32_t rounds)
{
    constexpr uint32_t UNDEFINED = 0xe7f000f0;
    Program program;
    program.delay(rounds);
    program.emit({UNDEFINED});
    start(machine, core, program);
    Program vector(0x4);
    vector.sleep();
    if (machine_has_core(machine, core)) {
        EXPECT_EQ(machine_write(machine, core, vector.base(), vector.words().data(),
                                static_cast<uint32_t>(4 * vector.words().size())),
                  STATUS_OK);
    }
}

struct bench {
    owned made;
    std::vector<report> reports;
};

void fill(bench &bench, const traffic &traffic, unsigned threads)
{
    machine_config config = bench_config();
    config.topology = traffic.topology;
    config.threads = threads;
    config.observer.context = &bench;
    config.observer.guest_error = [](void *context, machine_core core, struct arm968_fault fault) {
        static_cast<struct bench *>(context)->reports.push_back({core.x, core.y, core.p, fault.pc});
        return false;
    };
    machine *made = nullptr;
    diagnostic why = {};
    ASSERT_EQ(machine_create(&config, &made, &why), STATUS_OK) << why.text;
    bench.made.reset(made);
    std::mt19937 random(traffic.seed);
    for (unsigned i = 0; i < machine_chip_count(made); i++) {
        const machine_chip at = machine_chip_at(made, i);
        for (uint8_t p = 1; p <= SENDERS; p++) {
            start(made, {at.x, at.y, p}, sender(random, p == 1));
        }
        start(made, {at.x, at.y, TAKER}, interrupted(made, {at.x, at.y, TAKER}, 100));
        start(made, {at.x, at.y, COUNTER}, interrupted(made, {at.x, at.y, COUNTER}, 3));
        if (i % 7 == 0) {
            start_faulting(made, {at.x, at.y, FAULTER}, random() % 3000);
        }
    }
}

std::string everything(const machine *machine)
{
    std::string text = std::to_string(machine_time_ps(machine)) + "\n";
    machine_each_counter(
        machine,
        [](void *context, const machine_counter *counter) {
            *static_cast<std::string *>(context) +=
                std::to_string(counter->x) + "," + std::to_string(counter->y) + counter->component +
                std::to_string(counter->instance) + counter->info->name + "=" +
                std::to_string(counter->value) + "\n";
        },
        &text);
    machine_each_written(
        machine,
        [](void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
           const uint8_t *bytes, uint32_t count) {
            *static_cast<std::string *>(context) +=
                std::to_string(x) + "." + std::to_string(y) + "." + std::to_string(instance) + "." +
                std::to_string(address) + std::string(reinterpret_cast<const char *>(bytes), count);
        },
        &text);
    return text;
}

uint64_t sum(const machine *machine, const char *component, const char *name)
{
    struct wanted {
        std::string component, name;
        uint64_t value;
    } of = {component, name, 0};
    machine_each_counter(
        machine,
        [](void *context, const machine_counter *counter) {
            auto *of = static_cast<wanted *>(context);
            if (of->component == counter->component && of->name == counter->info->name) {
                of->value += counter->value;
            }
        },
        &of);
    return of.value;
}

/* Of each chip, as they were noted; sleep is left out, which stops of the machine divide. */
using event_lists = std::map<std::pair<unsigned, unsigned>, std::string>;

void take_events(machine *machine, event_lists &lists)
{
    machine_take_events(
        machine,
        [](void *context, const machine_event *event) {
            if (event->kind != MACHINE_EVENT_SLEPT) {
                (*static_cast<event_lists *>(context))[{event->x, event->y}] += std::string(
                    reinterpret_cast<const char *>(event), offsetof(machine_event, number));
            }
        },
        &lists);
}

void expect_the_same(const traffic &traffic)
{
    bench alone;
    fill(alone, traffic, 1);
    EXPECT_EQ(machine_run_until(alone.made.get(), END_PS), MACHINE_REACHED);
    EXPECT_EQ(machine_late_interrupts(alone.made.get()), 0u);
    const std::string all = everything(alone.made.get());
    EXPECT_GT(sum(alone.made.get(), "router", "dumped_mc"), 100u);
    EXPECT_GT(sum(alone.made.get(), "link", "packets"), 1000u);
    EXPECT_GT(sum(alone.made.get(), "core", "interrupts"), 1000u);
    EXPECT_EQ(alone.reports.size(), (machine_chip_count(alone.made.get()) + 6) / 7);
    for (const unsigned threads : {2u, 3u, 4u, 8u}) {
        bench several;
        fill(several, traffic, threads);
        for (uint64_t time_ps = threads * 123457; time_ps < END_PS; time_ps += threads * 7 * US) {
            EXPECT_EQ(machine_run_until(several.made.get(), time_ps), MACHINE_REACHED);
        }
        EXPECT_EQ(machine_run_until(several.made.get(), END_PS), MACHINE_REACHED);
        EXPECT_TRUE(everything(several.made.get()) == all) << threads;
        EXPECT_TRUE(several.reports == alone.reports) << threads;
        EXPECT_EQ(machine_late_interrupts(several.made.get()), 0u);
    }
}

} // namespace

TEST(MachineThreads, GiveTheSameBoard)
{
    expect_the_same(spin5());
}

TEST(MachineThreads, GiveTheSameThreeBoardsWithPartsDown)
{
    expect_the_same(three_boards());
}

TEST(MachineThreads, RecordTheSameEvents)
{
    constexpr uint32_t ALL = (1u << MACHINE_EVENT_KINDS) - 1;
    bench plain;
    fill(plain, spin5(), 1);
    EXPECT_EQ(machine_run_until(plain.made.get(), END_PS), MACHINE_REACHED);
    event_lists alone;
    for (const unsigned threads : {1u, 2u, 3u}) {
        bench several;
        event_lists lists;
        fill(several, spin5(), threads);
        machine_record(several.made.get(), ALL);
        for (uint64_t time_ps = threads * 123457; time_ps < END_PS; time_ps += threads * 7 * US) {
            EXPECT_EQ(machine_run_until(several.made.get(), time_ps), MACHINE_REACHED);
            take_events(several.made.get(), lists);
        }
        EXPECT_EQ(machine_run_until(several.made.get(), END_PS), MACHINE_REACHED);
        take_events(several.made.get(), lists);
        EXPECT_TRUE(everything(several.made.get()) == everything(plain.made.get())) << threads;
        EXPECT_EQ(lists.size(), 48u);
        alone = threads == 1 ? lists : alone;
        EXPECT_TRUE(lists == alone) << threads;
    }
    size_t bytes = 0;
    for (const auto &[chip, list] : alone) {
        bytes += list.size();
    }
    EXPECT_GT(bytes / sizeof(machine_event), 10000u);
}

TEST(MachineThreads, ReportFaultsInTheOrderOfTimeThenOfChips)
{
    machine_config config = bench_config();
    config.topology.shape = TOPOLOGY_RECTANGLE;
    config.topology.width = 4;
    config.topology.height = 2;
    for (const unsigned threads : {1u, 2u, 3u}) {
        std::vector<report> reports;
        config.threads = threads;
        config.observer.context = &reports;
        config.observer.guest_error = [](void *context, machine_core core,
                                         struct arm968_fault fault) {
            auto *reports = static_cast<std::vector<report> *>(context);
            reports->push_back({core.x, core.y, core.p, fault.pc});
            return reports->size() == 5;
        };
        machine *made = nullptr;
        ASSERT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
        const owned machine(made);
        /* Later chips fault earlier; two at the same time. */
        start_faulting(made, {0, 0, 1}, 5000);
        start_faulting(made, {0, 1, 1}, 4000);
        start_faulting(made, {1, 0, 1}, 3000);
        start_faulting(made, {3, 0, 1}, 2000);
        start_faulting(made, {2, 1, 1}, 2000);
        start_faulting(made, {3, 1, 9}, 10);
        EXPECT_EQ(machine_run_until(made, 1000 * US), MACHINE_STOPPED);
        ASSERT_EQ(reports.size(), 5u);
        const unsigned order[5][3] = {{3, 1, 9}, {2, 1, 1}, {3, 0, 1}, {1, 0, 1}, {0, 1, 1}};
        for (unsigned i = 0; i < 5; i++) {
            EXPECT_EQ(reports[i].x, order[i][0]) << i;
            EXPECT_EQ(reports[i].y, order[i][1]) << i;
            EXPECT_EQ(reports[i].p, order[i][2]) << i;
        }
        /* 4,000 rounds of four cycles, and what stands before and behind them. */
        EXPECT_GT(machine_time_ps(made), 4000u * 4 * CYCLE_PS);
        EXPECT_LT(machine_time_ps(made), 4000u * 4 * CYCLE_PS + US);
    }
}

/* What a machine stood before when it was stopped is no part of a state loaded into it. */
TEST(MachineThreads, AStoppedMachineForgetsItsFaultWithANewState)
{
    std::vector<report> reports;
    machine_config config = bench_config();
    config.topology.shape = TOPOLOGY_RECTANGLE;
    config.topology.width = 2;
    config.topology.height = 1;
    config.observer.context = &reports;
    config.observer.guest_error = [](void *context, machine_core core, struct arm968_fault fault) {
        static_cast<std::vector<report> *>(context)->push_back({core.x, core.y, core.p, fault.pc});
        return true;
    };
    machine *made = nullptr;
    ASSERT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
    const owned machine(made);
    size_t size = 0;
    uint8_t *before = machine_save(made, &size);
    start_faulting(made, {0, 0, 1}, 100);
    start_faulting(made, {1, 0, 1}, 100); /* at the same time: would be reported next */
    EXPECT_EQ(machine_run_until(made, 1000 * US), MACHINE_STOPPED);
    EXPECT_EQ(reports.size(), 1u);
    ASSERT_EQ(machine_load(made, before, size), STATUS_OK);
    free(before);
    reports.clear();
    Program program;
    program.delay(100).sleep();
    start(made, {1, 0, 1}, program);
    EXPECT_EQ(machine_run_until(made, 1000 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(reports.size(), 0u);
}
