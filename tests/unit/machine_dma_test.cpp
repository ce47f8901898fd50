/* DMA transfers of a core: data, exact times, interrupts, errors. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace
{

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

    /* The stores that commit a transfer; returns the one that does. */
    static uint32_t commit(Program &program, uint32_t system, uint32_t tcm, uint32_t what,
                           uint32_t registers = DMA)
    {
        program.store(registers + ADRS, system);
        program.store(registers + ADRT, tcm);
        return program.store(registers + DESC, what);
    }

    /* Clears a done transfer in the handler. */
    void clearing_handler(uint32_t registers = DMA)
    {
        Program program(HANDLER);
        program.store(registers + CTRL, 8);
        program.emit({RETURN});
        bench_.load(0, program);
    }

    /* Core 0 commits a transfer and sleeps; returns the time of its commitment. */
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

TEST_F(MachineDma, DataArriveWhenTheBurstEndsAndNotBefore)
{
    const uint64_t end_ps = transfer(SDRAM, DTCM, description(32)) + SETUP_PS + 32 * WORD_PS;
    bench_.until(end_ps);
    EXPECT_EQ(bench_.word(0, DTCM), 0u);
    EXPECT_EQ(bench_.word(0, DTCM + 31 * 4), 0u);
    EXPECT_EQ(bench_.until(end_ps + 1), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.word(0, DTCM), 0x1000u);
    EXPECT_EQ(bench_.word(0, DTCM + 31 * 4), 0x101fu);
    EXPECT_EQ(bench_.word(0, DTCM + 32 * 4), 0u);
    EXPECT_EQ(dma("busy_ps"), 32 * WORD_PS);
    EXPECT_EQ(dma("transfers"), 1u);
}

TEST_F(MachineDma, BurstsFollowEachOtherAtThePaceOfTheEngine)
{
    const uint64_t start_ps = transfer(SDRAM, DTCM, description(80)) + SETUP_PS;
    bench_.until(start_ps + 64 * WORD_PS);
    EXPECT_EQ(bench_.word(0, DTCM + 32 * 4), 0u) << "the second burst is on its way";
    bench_.until(start_ps + 64 * WORD_PS + 1);
    EXPECT_EQ(bench_.word(0, DTCM + 63 * 4), 0x103fu);
    EXPECT_EQ(bench_.word(0, DTCM + 64 * 4), 0u);
    EXPECT_EQ(bench_.until(start_ps + 80 * WORD_PS), MACHINE_REACHED);
    EXPECT_EQ(bench_.word(0, DTCM + 64 * 4), 0u);
    EXPECT_EQ(bench_.until(start_ps + 80 * WORD_PS + 1), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.word(0, DTCM + 79 * 4), 0x104fu);
    EXPECT_EQ(dma("bursts"), 3u);
    EXPECT_EQ(dma("bytes_to_tcm"), 320u);
    EXPECT_EQ(bench_.counter("sdram", -1, "bytes_read"), 320u);
}

TEST_F(MachineDma, AShortBurstTakesAsLongAsTheMemory)
{
    /* one word: 33 ns of NoC and 10 SDRAM clocks, more than the engine's pace */
    const uint64_t end_ps = transfer(SDRAM, DTCM, description(1)) + SETUP_PS + 33000 + 76923;
    bench_.until(end_ps);
    EXPECT_EQ(bench_.word(0, DTCM), 0u);
    bench_.until(end_ps + 1);
    EXPECT_EQ(bench_.word(0, DTCM), 0x1000u);
}

TEST_F(MachineDma, SystemRamIsSlower)
{
    const uint64_t end_ps = transfer(SYSTEM_RAM, DTCM, description(32)) + SETUP_PS + 33000 +
                            32 * UINT64_C(22500) + 49500;
    bench_.until(end_ps);
    EXPECT_EQ(bench_.word(0, DTCM), 0u);
    bench_.until(end_ps + 1);
    EXPECT_EQ(bench_.word(0, DTCM + 31 * 4), 0x201fu);
}

TEST_F(MachineDma, TheEngineSeesSystemRamAtTheBottom)
{
    transfer(0x00008010, DTCM, description(1));
    bench_.until(10 * US);
    EXPECT_EQ(bench_.word(0, DTCM), 0x2004u);
}

TEST_F(MachineDma, WritesToTheSystem)
{
    for (const uint32_t to : {SDRAM, SYSTEM_RAM}) {
        bench_.set_word(0, DTCM, 0x77);
        bench_.set_word(0, DTCM + 36 * 4, 0x88);
        transfer(to + 0x400, DTCM, description(37) | TO_SYSTEM);
        EXPECT_EQ(bench_.until(bench_.time_ps() + 50 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench_.word(0, to + 0x400), 0x77u);
        EXPECT_EQ(bench_.word(0, to + 0x400 + 36 * 4), 0x88u);
        EXPECT_EQ(bench_.word(0, to + 0x400 + 37 * 4),
                  (to == SDRAM ? 0x1000u : 0x2000u) + 256 + 37);
    }
    EXPECT_EQ(dma("bytes_from_tcm"), 2 * 148u);
    EXPECT_EQ(bench_.counter("sdram", -1, "bytes_written"), 148u);
}

/* Nobody has written the matrix: its check word is ones for any data but none. */
TEST_F(MachineDma, AWriteWithCrcAppendsTheCheckWord)
{
    bench_.set_word(0, DTCM + 4, 0x12345678);
    bench_.set_word(0, DTCM + 8, 0x11111111);
    transfer(SDRAM, DTCM, description(2) | WITH_CRC | TO_SYSTEM);
    EXPECT_EQ(bench_.until(5 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.word(0, SDRAM + 4), 0x12345678u);
    EXPECT_EQ(bench_.word(0, SDRAM + 8), 0xffffffffu);
    EXPECT_EQ(bench_.word(0, SDRAM + 12), 0x1003u);
    EXPECT_EQ(dma("transfers"), 1u);
    EXPECT_EQ(dma("bytes_from_tcm"), 12u);
}

TEST_F(MachineDma, AReadWithCrcKeepsTheCheckWordOutOfTheTcm)
{
    bench_.set_word(0, SDRAM + 8, 0xffffffff);
    bench_.set_word(0, DTCM + 8, 0x11111111);
    transfer(SDRAM, DTCM, description(2) | WITH_CRC);
    EXPECT_EQ(bench_.until(5 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.word(0, DTCM + 4), 0x1001u);
    EXPECT_EQ(bench_.word(0, DTCM + 8), 0x11111111u);
    EXPECT_EQ(dma("transfers"), 1u);
    EXPECT_EQ(dma("errors"), 0u);
}

TEST_F(MachineDma, AReadUpToTheEndOfTheTcmHasItsCheckWordToo)
{
    bench_.set_word(0, SDRAM + 8, 0xfffffffe);
    transfer(SDRAM, DTCM + 0x10000 - 8, description(2) | WITH_CRC);
    EXPECT_EQ(bench_.until(5 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.word(0, DTCM + 0xfffc), 0x1001u);
    EXPECT_EQ(dma("transfers"), 0u);
    EXPECT_EQ(dma("errors"), 1u) << "it is the wrong one";
    EXPECT_EQ(bench_.counter("chip", -1, "bus_errors"), 0u);
}

TEST_F(MachineDma, MeasuresItsBursts)
{
    Program program(MAIN);
    program.store(DMA + SCTL, 1);
    commit(program, SYSTEM_RAM, DTCM, description(64));
    program.sleep();
    bench_.run(0, program);
    EXPECT_EQ(bench_.until(5 * US), MACHINE_QUIESCENT);
    Program look(MAIN + 0x400);
    look.set(r0, DMA + STATS0);
    look.emit({ldr_imm(r1, r0), ldr_imm(r2, r0, 4)});
    look.sleep();
    bench_.run(0, look);
    EXPECT_EQ(bench_.until(10 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.reg(0, 1), 0u);
    EXPECT_EQ(bench_.reg(0, 2), 2u) << "802.5 ns each, 161 cycles";
}

TEST_F(MachineDma, LoadsCodeThatIsThenRun)
{
    bench_.set_word(0, SDRAM, mov_imm(r0, 42));
    bench_.set_word(0, SDRAM + 4, bx(lr));
    bench_.load(0, Program(0x4000).set(r0, 1).emit({bx(lr)}));
    Program program(MAIN);
    program.set(r1, 0x4000).emit({blx(r1), mov(r5, r0)});
    commit(program, SDRAM, 0x4000, description(2));
    program.nops(200).set(r1, 0x4000).emit({blx(r1)}).sleep();
    bench_.run(0, program);
    bench_.until(10 * US);
    EXPECT_EQ(bench_.reg(0, 5), 1u);
    EXPECT_EQ(bench_.reg(0, 0), 42u);
}

TEST_F(MachineDma, AQueuedTransferFollowsWithoutASetUp)
{
    Program program(MAIN);
    const uint32_t at = commit(program, SDRAM, DTCM, description(32));
    commit(program, SDRAM + 0x100, DTCM + 0x1000, description(32));
    program.sleep();
    bench_.run(0, program);
    bench_.mark(0, at);
    bench_.until(32 * CYCLE_PS);
    const uint64_t end_ps = bench_.cycle_of(at) * CYCLE_PS + SETUP_PS + 64 * WORD_PS;
    EXPECT_EQ(bench_.until(end_ps), MACHINE_REACHED);
    EXPECT_EQ(bench_.word(0, DTCM + 0x1000), 0u);
    EXPECT_EQ(bench_.until(end_ps + 1), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.word(0, DTCM + 0x1000), 0x1040u);
    EXPECT_EQ(dma("transfers"), 2u);
}

TEST_F(MachineDma, ATransferOfNothingIsDoneAfterTheSetUp)
{
    const uint64_t end_ps = transfer(SDRAM, DTCM, description(0)) + SETUP_PS;
    bench_.until(end_ps);
    EXPECT_EQ(dma("transfers"), 0u);
    EXPECT_EQ(bench_.until(end_ps + 1), MACHINE_QUIESCENT);
    EXPECT_EQ(dma("transfers"), 1u);
    EXPECT_EQ(bench_.counter("sdram", -1, "reads"), 0u);
}

/* ---- errors ---- */

TEST_F(MachineDma, ATcmAddressOutOfBoundsIsAnError)
{
    const struct {
        uint32_t tcm;
        bool error;
    } cases[] = {{DTCM + 0x10000 - 16, false}, {DTCM + 0x10000 - 12, true}, {DTCM - 4, true},
                 {0x8000 - 16, false},         {0x8000 - 12, true},         {0xfffffff8, true}};
    for (const auto &one : cases) {
        MachineBench bench;
        Program program(MAIN);
        commit(program, SDRAM, one.tcm, description(4));
        program.nops(100).set(r0, DMA).emit({ldr_imm(r1, r0, STAT)}).sleep();
        bench.run(0, program);
        EXPECT_EQ(bench.until(10 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.reg(0, 1), one.error ? 1u << 14 | 2u : 1u << 10) << std::hex << one.tcm;
        EXPECT_EQ(bench.counter("sdram", -1, "bytes_read"), one.error ? 0u : 16u);
    }
}

TEST_F(MachineDma, ASystemAddressThatIsNothingIsABusError)
{
    Program program(MAIN);
    program.store(DMA + GCTL, 1u << 15);
    program.store(VIC + 0x10, DMA_ERROR);
    commit(program, 0x50000000, DTCM, description(4));
    program.emit({wait_for_interrupt()}).set(r0, DMA).emit({ldr_imm(r1, r0, STAT)});
    program.store(VIC + 0x14, DMA_ERROR);
    program.sleep();
    bench_.run(0, program);
    EXPECT_EQ(bench_.until(10 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.reg(0, 1), 1u << 15 | 2u) << "error and paused";
    EXPECT_EQ(dma("errors"), 1u);
    EXPECT_EQ(bench_.counter("chip", -1, "bus_errors"), 1u);
    EXPECT_EQ(machine_unmodelled_count(bench_.get()), 0u);
}

TEST_F(MachineDma, MovesRegistersOfTheSystemToo)
{
    for (uint32_t i = 0; i < 4; i++) {
        bench_.set_word(0, DTCM + 4 * i, 0x00db6db0 + i);
    }
    transfer(0xe1010000, DTCM, description(4) | TO_SYSTEM); /* four words of the router's table */
    bench_.until(20 * US);
    transfer(0xe1010000, DTCM + 0x100, description(4));
    bench_.until(40 * US);
    transfer(0xf2000000, DTCM + 0x200, description(1));
    bench_.until(60 * US);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(bench_.word(0, DTCM + 0x100 + 4 * i), 0x00db6db0 + i);
    }
    EXPECT_EQ(bench_.word(0, DTCM + 0x200), 0x59111012u);
    EXPECT_EQ(dma("errors"), 0u);
    EXPECT_EQ(machine_unmodelled_count(bench_.get()), 0u);
}

TEST_F(MachineDma, ARegisterThatRefusesIsABusError)
{
    transfer(0xf1008000, DTCM, description(1)); /* keys of the router's table cannot be read */
    bench_.until(10 * US);
    EXPECT_EQ(dma("errors"), 1u);
    EXPECT_EQ(bench_.word(0, DTCM), 0u);
}

TEST_F(MachineDma, ABlockThatIsNotModelledIsListed)
{
    transfer(0xf4000000, DTCM, description(1));
    bench_.until(10 * US);
    EXPECT_EQ(dma("errors"), 0u);
    EXPECT_EQ(machine_unmodelled_count(bench_.get()), 1u);
}

TEST_F(MachineDma, AnAbortedTransferMovesNothingMore)
{
    Program program(MAIN);
    commit(program, SDRAM, DTCM, description(256));
    program.nops(150); /* into the second burst */
    program.store(DMA + CTRL, 0x3f);
    program.store(DMA + CTRL, 0x0d);
    program.set(r0, DMA).emit({ldr_imm(r1, r0, STAT)}).sleep();
    bench_.run(0, program);
    EXPECT_EQ(bench_.until(50 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.reg(0, 1), 0u);
    EXPECT_EQ(bench_.word(0, DTCM + 31 * 4), 0x101fu);
    EXPECT_EQ(bench_.word(0, DTCM + 32 * 4), 0u);
    EXPECT_EQ(dma("transfers"), 0u);
}

/* ---- interrupts ---- */

/* 32 words: 100,000 + 470,400 ps behind the commitment, seen at the next clock edge. */
constexpr uint64_t DONE_CYCLES = 115;

TEST_F(MachineDma, InterruptsAtTheCycleBehindTheLastBurst)
{
    clearing_handler();
    Program program(MAIN);
    program.store(DMA + GCTL, 1u << 10);
    program.store(VIC + 0x10, DMA_DONE);
    program.unmask();
    const uint32_t at = commit(program, SDRAM, DTCM, description(32));
    program.nops(500).sleep();
    bench_.run(0, program);
    bench_.mark(0, at);
    EXPECT_EQ(bench_.until(20 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench_.between(at, IRQ_VECTOR), DONE_CYCLES + SYNC + ENTRY);
    EXPECT_EQ(bench_.counter("core", 0, "interrupts"), 1u);
}

/* Once a store through the write buffer that started a transfer let the core run past its end. */
TEST_F(MachineDma, ATransferStartedThroughTheWriteBufferInterruptsOnceAtItsCycle)
{
    clearing_handler(DMA_BUFFERED);
    Program program(MAIN);
    program.write_buffer_on();
    program.store(DMA + GCTL, 1u << 10);
    program.store(VIC + 0x10, DMA_DONE);
    program.unmask();
    program.set(r0, DMA_BUFFERED).set(r1, SDRAM).set(r2, DTCM).set(r3, description(32));
    const uint32_t first = program.here();
    program.emit({str_imm(r1, r0, ADRS), str_imm(r2, r0, ADRT), str_imm(r3, r0, DESC)});
    program.nops(800).sleep();
    bench_.run(0, program);
    bench_.mark(0, first);
    EXPECT_EQ(bench_.until(20 * US), MACHINE_QUIESCENT);
    /* the buffer sends a store every three cycles: the third takes effect six cycles on */
    EXPECT_EQ(bench_.between(first, IRQ_VECTOR), 6 + DONE_CYCLES + SYNC + ENTRY);
    EXPECT_EQ(bench_.counter("core", 0, "interrupts"), 1u);
    EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
}

TEST_F(MachineDma, AStoreToTheControllerBehindOthersInTheBufferIsAwaitedToo)
{
    clearing_handler(DMA_BUFFERED);
    Program program(MAIN);
    program.write_buffer_on();
    program.store(DMA + GCTL, 1u << 10);
    program.store(VIC + 0x10, DMA_DONE);
    program.store(DMA + ADRS, SDRAM);
    program.store(DMA + ADRT, DTCM);
    program.unmask();
    program.set(r0, DMA_BUFFERED).set(r1, SYSTEM_RAM).set(r3, description(32));
    const uint32_t first = program.here();
    program.emit({str_imm(r1, r1, 0), str_imm(r3, r0, DESC)});
    program.nops(800).sleep();
    bench_.run(0, program);
    bench_.mark(0, first);
    EXPECT_EQ(bench_.until(20 * US), MACHINE_QUIESCENT);
    /* the store to System RAM is answered after 105 ns = 21 cycles */
    EXPECT_EQ(bench_.between(first, IRQ_VECTOR), 21 + DONE_CYCLES + SYNC + ENTRY);
    EXPECT_EQ(bench_.counter("core", 0, "interrupts"), 1u);
}

TEST_F(MachineDma, AFastInterruptClearedInTheControllerAloneComesOnce)
{
    for (const uint32_t registers : {DMA, DMA_BUFFERED}) {
        MachineBench bench;
        bench.load(0, Program(FIQ_VECTOR).branch(HANDLER));
        Program handler(HANDLER);
        handler.store(registers + CTRL, 8);
        handler.nops(10).emit({RETURN});
        bench.load(0, handler);
        Program program(MAIN);
        program.write_buffer_on();
        program.store(DMA + GCTL, 1u << 10);
        program.store(VIC + 0x0c, DMA_DONE);
        program.store(VIC + 0x10, DMA_DONE);
        program.unmask();
        commit(program, SDRAM, DTCM, description(32));
        program.nops(500).sleep();
        bench.run(0, program);
        EXPECT_EQ(bench.until(20 * US), MACHINE_QUIESCENT) << std::hex << registers;
        EXPECT_EQ(bench.counter("core", 0, "fast_interrupts"), 1u) << std::hex << registers;
    }
}

TEST_F(MachineDma, EnablingTheInterruptOfATransferThatIsDoneRaisesIt)
{
    clearing_handler();
    Program program(MAIN);
    program.store(VIC + 0x10, DMA_DONE);
    program.unmask();
    commit(program, SDRAM, DTCM, description(4));
    program.nops(200);
    const uint32_t at = program.store(DMA + GCTL, 1u << 10);
    program.nops(50).sleep();
    bench_.run(0, program);
    bench_.mark(0, at);
    EXPECT_EQ(bench_.until(20 * US), MACHINE_QUIESCENT);
    /* the register has changed when its store ends, after 3 cycles */
    EXPECT_EQ(bench_.between(at, IRQ_VECTOR), 3 + SYNC + ENTRY);
    EXPECT_EQ(bench_.counter("core", 0, "interrupts"), 1u);
}

TEST_F(MachineDma, AnInterruptEnabledBehindPostedStoresBeginsWhenTheEnableLands)
{
    for (unsigned pause = 60; pause < 120; pause++) {
        machine_config config = bench_config();
        config.timing.interrupt_sync = 20; /* so long that the later of two causes shows */
        MachineBench bench(config);
        bench.load(0, Program(IRQ_VECTOR).emit({branch_to_self()}));
        bench.mark(0, IRQ_VECTOR);
        Program program(MAIN);
        program.write_buffer_on().unmask();
        program.store(DMA + GCTL, 1u << 10);
        const uint32_t at = commit(program, SDRAM, DTCM, description(32));
        program.set(r0, 0x2f000000).set(r1, DMA_DONE).set(r2, VIC).nops(pause);
        const uint32_t posted = program.here();
        program.emit({str_imm(r1, r0, 0x1c), str_imm(r1, r0, 0x1c), str_imm(r1, r0, 0x1c)});
        program.emit({str_imm(r1, r2, 0x10)}).nops(200).sleep();
        bench.run(0, program);
        bench.mark(0, at);
        bench.mark(0, posted);
        bench.until(5 * US);
        const uint64_t enabled = bench.between(at, posted) + 9; /* three stores of three cycles */
        const uint64_t later = enabled > DONE_CYCLES ? enabled : DONE_CYCLES;
        EXPECT_EQ(bench.between(at, IRQ_VECTOR), later + 20 + ENTRY) << pause;
    }
}

/* A core held up by a full write buffer once went on before what had happened meanwhile. */
TEST_F(MachineDma, ACoreHeldUpByItsStoresSeesTheDataNoSooner)
{
    for (unsigned pause = 0; pause < 12; pause++) {
        MachineBench bench;
        bench.set_word(0, SDRAM, 1);
        Program program(MAIN);
        program.write_buffer_on().set(r0, SDRAM + 0x4000).set(r2, DTCM);
        const uint32_t at = commit(program, SDRAM, DTCM, description(32));
        program.nops(pause);
        const uint32_t again = program.here();
        program.emit({str_imm(r1, r0), ldr_imm(r4, r2), cmp_imm(r4, 0)}).branch(again, EQ);
        const uint32_t seen = program.here();
        program.sleep();
        bench.run(0, program);
        bench.mark(0, at);
        bench.mark(0, seen);
        EXPECT_EQ(bench.until(7 * US), MACHINE_QUIESCENT);
        /* the load that sees it begins with the edge behind the end, and 4 cycles before the mark
         */
        EXPECT_GE(bench.between(at, seen), DONE_CYCLES + 4) << pause;
        EXPECT_LT(bench.between(at, seen), DONE_CYCLES + 40) << pause;
    }
}

/* ---- what a transfer costs its core ---- */

TEST_F(MachineDma, CountsTheTimeThatTheCoreSleptBesideIt)
{
    transfer(SDRAM, DTCM, description(64));
    EXPECT_EQ(bench_.until(20 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(dma("core_wait_ps"), 64 * WORD_PS) << "asleep before the first burst began";
}

TEST_F(MachineDma, DoesNotCountTheTimeBeforeTheCoreSlept)
{
    Program program(MAIN);
    const uint32_t at = commit(program, SDRAM, DTCM, description(64));
    program.nops(99).sleep(); /* 1 cycle of store wait is 3: asleep 3 + 99 + 2 cycles after it */
    bench_.run(0, program);
    bench_.mark(0, at);
    EXPECT_EQ(bench_.until(20 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(dma("core_wait_ps"), SETUP_PS + 64 * WORD_PS - 104 * CYCLE_PS);
}

TEST_F(MachineDma, DoesNotCountTheTimeOfAHandlerInBetween)
{
    for (const uint32_t moment : {300u, 330u, 360u}) { /* within a burst, or across its end */
        machine_config config = bench_config();
        config.parameters.chip_dma_contention = 0;
        MachineBench bench(config);
        bench.load(0, Program(IRQ_VECTOR).branch(HANDLER));
        Program handler(HANDLER);
        handler.store(TIMER + 0x0c, 1);
        handler.nops(20).emit({RETURN});
        bench.load(0, handler);
        Program program(MAIN);
        program.store(VIC + 0x10, TIMER_1);
        program.store(TIMER + 0x00, moment);
        program.store(TIMER + 0x08, 0xa3);
        program.unmask();
        commit(program, SDRAM, DTCM, description(256));
        const uint32_t sleep = program.here();
        program.sleep();
        bench.run(0, program);
        bench.mark(0, IRQ_VECTOR);
        bench.mark(0, sleep);
        EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
        ASSERT_EQ(bench.marks.size(), 3u); /* to sleep, interrupt, to sleep again */
        const uint64_t woken = bench.marks[1].cycle - ENTRY;
        const uint64_t asleep_again = bench.marks[2].cycle + 2; /* the instruction's own cycles */
        EXPECT_GT(asleep_again, woken + 20);
        EXPECT_EQ(bench.counter("dma", 0, "core_wait_ps"),
                  256 * WORD_PS - (asleep_again - woken) * CYCLE_PS)
            << moment;
    }
}

TEST_F(MachineDma, SharesTheTcmWithTheCore)
{
    for (const uint64_t contention : {UINT64_C(0), UINT64_C(1)}) {
        machine_config config = bench_config();
        config.parameters.chip_dma_contention = contention;
        MachineBench bench(config);
        Program program(MAIN);
        program.set(r0, DTCM);
        commit(program, SDRAM, DTCM + 0x1000, description(128));
        for (int i = 0; i < 1000; i++) {
            program.emit({ldr_imm(r1, r0)}); /* an access in each cycle */
        }
        program.sleep();
        bench.run(0, program);
        EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
        /* four bursts of 32 words: each word meets an access, half of them in the same bank */
        EXPECT_EQ(bench.counter("core", 0, "contention_cycles"), contention * 4 * 16);
    }
}

TEST_F(MachineDma, SharesTheSdramWithOtherCores)
{
    /* alone a transfer is paced by its engine; twelve at once are paced by the memory */
    uint64_t busy[2] = {};
    for (int i = 0; i < 2; i++) {
        MachineBench bench;
        Program program(MAIN);
        commit(program, SDRAM, DTCM, description(512));
        program.sleep();
        for (unsigned core = 0; core < (i == 0 ? 1u : 12u); core++) {
            bench.run(core, program);
        }
        EXPECT_EQ(bench.until(200 * US), MACHINE_QUIESCENT);
        busy[i] = bench.counter("dma", 0, "busy_ps");
        const uint64_t bytes = bench.counter("sdram", -1, "bytes_read");
        EXPECT_EQ(bytes, (i == 0 ? 1u : 12u) * 2048u);
        /* 8 bytes in each of 130 million clocks a second */
        EXPECT_LE(static_cast<double>(bytes),
                  static_cast<double>(bench.time_ps()) * 8 * 130e6 / 1e12);
    }
    EXPECT_EQ(busy[0], 512 * WORD_PS);
    EXPECT_GT(busy[1], 2 * busy[0]);
}

/* ---- against the core ---- */

/* Core 0 loads a word of each burst in turn while they come; all loads are marked. */
TEST_F(MachineDma, ALoadSeesABurstFromTheCycleAtWhichItEnds)
{
    constexpr unsigned LOADS = 420;
    Program program(MAIN);
    program.set(r0, DTCM).set(r1, DTCM + 0x2000);
    program.store(DMA + ADRS, SDRAM);
    program.store(DMA + ADRT, DTCM);
    const uint32_t at = program.store(DMA + DESC, description(80)); /* bursts of 32, 32, 16 */
    std::vector<uint32_t> loads;
    for (unsigned i = 0; i < LOADS; i++) {
        loads.push_back(program.here());
        const int32_t offset = i % 3 == 2 ? 4 * 79 : static_cast<int32_t>(i % 3) * 4 * 32;
        program.emit({ldr_imm(r2, r0, offset), str_post(r2, r1, 4)});
    }
    program.sleep();
    bench_.run(0, program);
    bench_.mark(0, at);
    for (const uint32_t load : loads) {
        bench_.mark(0, load);
    }
    EXPECT_EQ(bench_.until(100 * US), MACHINE_QUIESCENT);
    const uint64_t begin_ps = bench_.cycle_of(at) * CYCLE_PS + SETUP_PS;
    const uint64_t end_ps[3] = {begin_ps + 32 * WORD_PS, begin_ps + 64 * WORD_PS,
                                begin_ps + 80 * WORD_PS};
    const uint32_t value[3] = {0x1000, 0x1020, 0x104f};
    unsigned old[3] = {};
    for (unsigned i = 0; i < LOADS; i++) {
        const bool there = bench_.cycle_of(loads[i]) * CYCLE_PS >= end_ps[i % 3];
        EXPECT_EQ(bench_.word(0, DTCM + 0x2000 + 4 * i), there ? value[i % 3] : 0u) << i;
        old[i % 3] += !there;
    }
    for (const unsigned count : old) {
        EXPECT_GT(count, 10u);
        EXPECT_LT(count, LOADS / 3);
    }
}

/* The second burst to the SDRAM takes what stands in the TCM when it begins. */
TEST_F(MachineDma, AStoreIsInABurstThatBeginsBehindIt)
{
    unsigned in = 0;
    unsigned out = 0;
    for (unsigned wait = 0; wait < 60; wait++) {
        MachineBench bench;
        Program program(MAIN);
        program.set(r0, DTCM + 4 * 32).set(r1, 0x77);
        program.store(DMA + ADRS, SDRAM);
        program.store(DMA + ADRT, DTCM);
        const uint32_t at = program.store(DMA + DESC, description(64) | TO_SYSTEM);
        program.nops(80 + wait);
        const uint32_t store = program.here();
        program.emit({str_imm(r1, r0)});
        bench.run(0, program.sleep());
        bench.mark(0, at);
        bench.mark(0, store);
        EXPECT_EQ(bench.until(100 * US), MACHINE_QUIESCENT);
        const uint64_t begin_ps = bench.cycle_of(at) * CYCLE_PS + SETUP_PS + 32 * WORD_PS;
        const bool before = bench.cycle_of(store) * CYCLE_PS < begin_ps;
        EXPECT_EQ(bench.word(0, SDRAM + 4 * 32), before ? 0x77u : 0u) << wait;
        in += before;
        out += !before;
    }
    EXPECT_GT(in, 0u);
    EXPECT_GT(out, 0u);
}

/* Loads and stores into a buffer that comes and goes, in slices of a cycle and in one. */
TEST_F(MachineDma, RacesWithTheCoreAsOneStepAtATime)
{
    const auto run = [](uint64_t step_ps, unsigned phase) {
        MachineBench bench;
        for (uint32_t i = 0; i < 256; i++) {
            bench.set_word(0, SDRAM + 4 * i, 0x1000 + i);
        }
        Program program(MAIN);
        program.set(r0, DTCM).set(r1, DTCM + 0x2000).nops(phase);
        for (unsigned i = 0; i < 4; i++) {
            commit(program, SDRAM + (i % 2 == 0 ? 0 : 0x800), DTCM,
                   description(100) | (i % 2 == 0 ? 0 : TO_SYSTEM));
            for (unsigned j = 0; j < 150; j++) {
                const auto word = static_cast<int32_t>(j * 37 % 100 * 4);
                program.emit({ldr_imm(r2, r0, word), add_imm(r2, r2, 1), str_imm(r2, r0, word)});
                program.emit({str_post(r2, r1, 4)});
            }
        }
        bench.run(0, program.sleep());
        for (uint64_t time_ps = step_ps; time_ps < 30 * US; time_ps += step_ps) {
            bench.until(time_ps);
        }
        bench.until(30 * US);
        return std::make_pair(bench.memory(), bench.counters());
    };
    for (unsigned phase = 0; phase < 5; phase++) {
        EXPECT_EQ(run(30 * US, phase), run(CYCLE_PS, phase)) << phase;
    }
}

} // namespace
