/* A register block takes its files and a row: the toy block's registers, time, interrupt line,
 * counters, reset and saved state, in a machine that has its row. */
#include "tests/unit/machine_fixture.h"
#include "tests/unit/toy_block.h"

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "models/chip/vic.h"

namespace
{

constexpr uint32_t TOY = 0xf4000000; /* Ethernet, which is not modelled */
constexpr uint32_t SC = 0xf2000000;
constexpr uint64_t TICK_PS = 7500; /* 400 MHz / 3 */
constexpr uint64_t FLOOR_PS = 135000;
constexpr unsigned TICKS = 200;
constexpr uint32_t DATA_ABORT = 0x10; /* vectors */
constexpr uint32_t HANDLER = 0x18;

/* Starts the toy, and sleeps until its interrupt comes in. */
uint32_t run_toy(MachineBench &bench)
{
    Program handler(HANDLER);
    handler.store(TOY + TOY_CLEAR, 0);
    handler.sleep();
    bench.load(1, handler);
    Program program;
    program.store(VIC + 0x10, 1u << TOY_SOURCE);
    const uint32_t start = program.store(TOY + TOY_TICKS, TICKS);
    program.unmask().sleep();
    bench.run(1, program);
    bench.mark(1, HANDLER);
    bench.mark(1, start);
    return start;
}

TEST(RegisterBlock, RegistersAnswerAndNothingIsUnmodelled)
{
    MachineBench bench;
    Program program;
    program.store(TOY + TOY_TICKS, 1000000);
    program.set(1, TOY).set(2, DTCM).emit({ldr_imm(3, 1), str_imm(3, 2), ldr_imm(3, 1, 4)});
    program.emit({str_imm(3, 2, 4)}).sleep();
    bench.run(1, program);
    bench.until(100 * US);
    EXPECT_LT(bench.word(1, DTCM), 1000000u);
    EXPECT_GT(bench.word(1, DTCM), 999000u);
    EXPECT_EQ(bench.word(1, DTCM + 4), 0u);
    EXPECT_EQ(machine_unmodelled_count(bench.get()), 0u);
    EXPECT_EQ(bench.counter("chip", -1, "bus_errors"), 0u);
}

TEST(RegisterBlock, ARegisterThatItLacksIsUnmodelledAndAByteABusError)
{
    MachineBench bench;
    bench.load(1, Program(DATA_ABORT).sleep());
    Program program;
    program.store(TOY + 8, 1);
    program.set(1, TOY).emit({ldrb_imm(3, 1)}).sleep();
    bench.run(1, program);
    bench.until(100 * US);
    EXPECT_EQ(machine_unmodelled_count(bench.get()), 1u);
    EXPECT_EQ(bench.counter("chip", -1, "bus_errors"), 1u);
}

TEST(RegisterBlock, ItsEventRaisesItsLineAtItsTick)
{
    MachineBench bench;
    const uint32_t start = run_toy(bench);
    bench.until(1000 * US);
    const uint64_t started_ps = bench.cycle_of(start) * CYCLE_PS;
    const uint64_t due_ps = (started_ps / TICK_PS + TICKS) * TICK_PS;
    const uint64_t entered_ps = bench.cycle_of(HANDLER) * CYCLE_PS;
    EXPECT_GE(entered_ps, due_ps + FLOOR_PS);
    EXPECT_LT(entered_ps, due_ps + FLOOR_PS + 10 * CYCLE_PS);
    EXPECT_EQ(bench.counter("toy", -1, "rises"), 1u);
}

TEST(RegisterBlock, ItsStateIsSavedAndLoaded)
{
    MachineBench whole;
    run_toy(whole);
    whole.until(1000 * US);
    MachineBench first;
    run_toy(first);
    first.until(1 * US);
    size_t size = 0;
    uint8_t *bytes = machine_save(first.get(), &size);
    ASSERT_NE(bytes, nullptr);
    MachineBench second;
    ASSERT_EQ(machine_load(second.get(), bytes, size), STATUS_OK);
    free(bytes);
    EXPECT_EQ(second.counter("toy", -1, "rises"), 0u);
    second.until(1000 * US);
    EXPECT_EQ(second.counters(), whole.counters());
    EXPECT_EQ(second.memory(), whole.memory());
}

TEST(RegisterBlock, AResetOfTheChipResetsIt)
{
    MachineBench bench;
    Program program;
    program.store(TOY + TOY_TICKS, 100000); /* 750 us */
    program.store(SC + 0x2c, 0x5ec00000 | 1u << SYSCTL_PART_CHIP);
    program.sleep();
    bench.run(1, program);
    bench.until(2000 * US);
    EXPECT_EQ(bench.counter("toy", -1, "rises"), 0u);
}

TEST(RegisterBlock, ItsCountersAreListedWithTheOthers)
{
    std::string components;
    machine_each_counter_name(
        [](void *context, const char *component, const struct counter_info *) {
            std::string &list = *static_cast<std::string *>(context);
            const std::string last = list.substr(list.rfind(' ') + 1);
            list += last == component ? "" : std::string(" ") + component;
        },
        &components);
    EXPECT_EQ(components, " chip sdram ahb router toy link core dma write_buffer comms");
}

} // namespace
