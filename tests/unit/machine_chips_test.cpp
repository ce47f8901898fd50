/* machine_chips_test.cpp - machines of several chips: each has memory, cores and counters of its
 * own; time is common. */
#include "tests/unit/machine_fixture.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>

namespace
{

struct destroyer {
    void operator()(machine *machine) const
    {
        machine_destroy(machine);
    }
};
using owned = std::unique_ptr<machine, destroyer>;

owned make(const topology_request &topology)
{
    machine_config config = bench_config();
    config.topology = topology;
    machine *made = nullptr;
    diagnostic why = {};
    EXPECT_EQ(machine_create(&config, &made, &why), STATUS_OK) << why.text;
    return owned(made);
}

topology_request rectangle(uint32_t width, uint32_t height)
{
    topology_request request = {};
    request.shape = TOPOLOGY_RECTANGLE;
    request.width = width;
    request.height = height;
    return request;
}

void start(machine *machine, machine_core core, const Program &program)
{
    ASSERT_EQ(machine_write(machine, core, program.base(), program.words().data(),
                            static_cast<uint32_t>(4 * program.words().size())),
              STATUS_OK);
    ASSERT_EQ(machine_start_core(machine, core, program.base(), 0), STATUS_OK);
}

/* Counts to `rounds`, stores the number in SDRAM and sleeps. */
Program counting(uint32_t rounds)
{
    Program program;
    program.delay(rounds);
    program.store(SDRAM_UNBUFFERED + 0x100, rounds);
    program.sleep();
    return program;
}

uint32_t word(const machine *machine, machine_core core, uint32_t address)
{
    uint32_t value = 0;
    EXPECT_EQ(machine_read(machine, core, address, &value, sizeof value), STATUS_OK);
    return value;
}

/* All counters of one chip, as text. */
std::string counters_of(const machine *machine, uint8_t x, uint8_t y)
{
    struct sink {
        uint8_t x, y;
        std::string text;
    } all = {x, y, ""};
    machine_each_counter(
        machine,
        [](void *context, const machine_counter *counter) {
            auto *to = static_cast<sink *>(context);
            if (counter->x == to->x && counter->y == to->y) {
                to->text += std::string(counter->component) + std::to_string(counter->instance) +
                            counter->info->name + "=" + std::to_string(counter->value) + "\n";
            }
        },
        &all);
    return all.text;
}

} // namespace

TEST(MachineChips, SpinnFiveHas48InTheOrderOfTheirCoordinates)
{
    topology_request request = {};
    request.shape = TOPOLOGY_SPIN5;
    const owned machine = make(request);
    ASSERT_EQ(machine_chip_count(machine.get()), 48u);
    EXPECT_EQ(machine_board_count(machine.get()), 1u);
    for (unsigned i = 1; i < 48; i++) {
        const machine_chip before = machine_chip_at(machine.get(), i - 1);
        const machine_chip at = machine_chip_at(machine.get(), i);
        EXPECT_LT(before.x * 256 + before.y, at.x * 256 + at.y);
    }
    EXPECT_TRUE(machine_has_core(machine.get(), {7, 7, 17}));
    EXPECT_FALSE(machine_has_core(machine.get(), {0, 4, 1}));
    EXPECT_FALSE(machine_has_core(machine.get(), {8, 0, 1}));
}

TEST(MachineChips, EachHasMemoryOfItsOwn)
{
    const owned machine = make(rectangle(2, 2));
    const uint32_t value = 0x12345678;
    for (const uint32_t address : {SDRAM, SYSTEM_RAM, DTCM}) {
        ASSERT_EQ(machine_write(machine.get(), {1, 0, 3}, address, &value, 4), STATUS_OK);
        EXPECT_EQ(word(machine.get(), {1, 0, 3}, address), value);
        EXPECT_EQ(word(machine.get(), {0, 0, 3}, address), 0u);
        EXPECT_EQ(word(machine.get(), {0, 1, 3}, address), 0u);
        EXPECT_EQ(word(machine.get(), {1, 1, 3}, address), 0u);
    }
}

TEST(MachineChips, WorkAsAChipAloneDoes)
{
    const owned alone = make(rectangle(1, 1));
    start(alone.get(), {0, 0, 2}, counting(1000));
    ASSERT_EQ(machine_run_until(alone.get(), 100 * US), MACHINE_QUIESCENT);
    const owned three = make(rectangle(3, 1));
    start(three.get(), {0, 0, 2}, counting(3000));
    start(three.get(), {1, 0, 2}, counting(1000));
    ASSERT_EQ(machine_run_until(three.get(), 100 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(word(three.get(), {0, 0, 2}, SDRAM + 0x100), 3000u);
    EXPECT_EQ(word(three.get(), {1, 0, 2}, SDRAM + 0x100), 1000u);
    EXPECT_EQ(word(three.get(), {2, 0, 2}, SDRAM + 0x100), 0u);
    /* The shorter program sleeps until the longer one is done; all else is the same. */
    const struct arm968_counters *one = machine_core_counters(alone.get(), {0, 0, 2});
    const struct arm968_counters *other = machine_core_counters(three.get(), {1, 0, 2});
    EXPECT_EQ(one->active_cycles, other->active_cycles);
    EXPECT_EQ(one->instructions, other->instructions);
    EXPECT_EQ(other->sleep_cycles - one->sleep_cycles, 2000u * 4);
    EXPECT_EQ(machine_time_ps(three.get()) - machine_time_ps(alone.get()), 2000u * 4 * CYCLE_PS);
}

TEST(MachineChips, ABrokenCoreIsNotThere)
{
    const topology_fault down[] = {{0, 1, 5}};
    topology_request request = rectangle(1, 2);
    request.down_core = down;
    request.down_cores = 1;
    const owned machine = make(request);
    EXPECT_TRUE(machine_has_core(machine.get(), {0, 0, 5}));
    EXPECT_FALSE(machine_has_core(machine.get(), {0, 1, 5}));
    EXPECT_EQ(machine_start_core(machine.get(), {0, 1, 5}, CODE, 0), STATUS_CONFIGURATION);
}

TEST(MachineChips, DoNotDependOnCutsAndGoOnFromASavedState)
{
    const owned whole = make(rectangle(2, 2));
    const owned cut = make(rectangle(2, 2));
    for (uint8_t i = 0; i < 4; i++) {
        start(whole.get(), {static_cast<uint8_t>(i / 2), static_cast<uint8_t>(i % 2), 1},
              counting(500u + 321u * i));
        start(cut.get(), {static_cast<uint8_t>(i / 2), static_cast<uint8_t>(i % 2), 1},
              counting(500u + 321u * i));
    }
    ASSERT_EQ(machine_run_until(whole.get(), 100 * US), MACHINE_QUIESCENT);
    for (uint64_t time_ps = 0; time_ps < 15 * US; time_ps += 777777) {
        EXPECT_EQ(machine_run_until(cut.get(), time_ps), MACHINE_REACHED);
    }
    size_t size = 0;
    uint8_t *bytes = machine_save(cut.get(), &size);
    const owned again = make(rectangle(2, 2));
    ASSERT_EQ(machine_load(again.get(), bytes, size), STATUS_OK);
    const owned other = make(rectangle(4, 1));
    EXPECT_EQ(machine_load(other.get(), bytes, size), STATUS_CONFIGURATION) << "other chips";
    free(bytes);
    for (machine *machine : {cut.get(), again.get()}) {
        EXPECT_EQ(machine_run_until(machine, 100 * US), MACHINE_QUIESCENT);
        for (uint8_t i = 0; i < 4; i++) {
            const auto x = static_cast<uint8_t>(i / 2);
            const auto y = static_cast<uint8_t>(i % 2);
            EXPECT_EQ(counters_of(machine, x, y), counters_of(whole.get(), x, y));
            EXPECT_EQ(word(machine, {x, y, 1}, SDRAM + 0x100), 500u + 321u * i);
        }
    }
}
