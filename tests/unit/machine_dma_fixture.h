/* machine_dma_fixture.h - a core that has its DMA controller move data. */
#pragma once
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t FIQ_VECTOR = 0x1c;
constexpr uint32_t HANDLER = 0x200;
constexpr uint32_t MAIN = 0x1000;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint32_t DMA_DONE = 1u << 12;
constexpr uint32_t DMA_ERROR = 1u << 13;
constexpr uint32_t TIMER_1 = 1u << 4;

constexpr uint32_t ADRS = 0x04;
constexpr uint32_t ADRT = 0x08;
constexpr uint32_t DESC = 0x0c;
constexpr uint32_t CTRL = 0x10;
constexpr uint32_t STAT = 0x14;
constexpr uint32_t GCTL = 0x18;
constexpr uint32_t SCTL = 0x28;
constexpr uint32_t STATS0 = 0x40;
constexpr uint32_t TO_SYSTEM = 1u << 19;
constexpr uint32_t WITH_CRC = 1u << 20;

constexpr uint64_t SETUP_PS = 20 * CYCLE_PS;
constexpr uint64_t WORD_PS = 14700;
constexpr uint64_t SYNC = 2;
constexpr uint64_t ENTRY = 3;

constexpr uint32_t description(uint32_t words)
{
    return 1u << 24 | 4u << 21 | words << 2; /* bursts of 16 double words */
}

class MachineDma : public testing::Test
{
  protected:
    explicit MachineDma(const machine_config &config = bench_config()) : bench_(config)
    {
        bench_.load(0, Program(IRQ_VECTOR).branch(HANDLER));
        bench_.load(0, Program(FIQ_VECTOR).branch(HANDLER));
        bench_.mark(0, IRQ_VECTOR);
        bench_.mark(0, FIQ_VECTOR);
        for (uint32_t i = 0; i < 512; i++) {
            bench_.set_word(0, SDRAM + 4 * i, 0x1000 + i);
            bench_.set_word(0, SYSTEM_RAM + 4 * i, 0x2000 + i);
        }
    }

    /* Emits the stores that commit a transfer; returns the address of the last one, which commits
     * it. */
    static uint32_t commit(Program &program, uint32_t system, uint32_t tcm, uint32_t what,
                           uint32_t registers = DMA)
    {
        program.store(registers + ADRS, system);
        program.store(registers + ADRT, tcm);
        return program.store(registers + DESC, what);
    }

    /* Emits a handler that clears a completed transfer. */
    void clearing_handler(uint32_t registers = DMA)
    {
        Program program(HANDLER);
        program.store(registers + CTRL, 8);
        program.emit({RETURN});
        bench_.load(0, program);
    }

    /* Core 0 commits a transfer and sleeps; returns the time at which it was committed. */
    uint64_t transfer(uint32_t system, uint32_t tcm, uint32_t what)
    {
        Program program(MAIN);
        const uint32_t at = commit(program, system, tcm, what);
        program.sleep();
        bench_.run(0, program);
        bench_.mark(0, at);
        EXPECT_EQ(bench_.until(bench_.time_ps() + 32 * CYCLE_PS), MACHINE_REACHED);
        EXPECT_NE(bench_.cycle_of(at), UINT64_MAX);
        return bench_.cycle_of(at) * CYCLE_PS;
    }

    uint64_t dma(const char *name)
    {
        return bench_.counter("dma", 0, name);
    }

    MachineBench bench_;
};
