/* DMA transfers of a core: data, exact times, errors. */
#include "tests/unit/machine_dma_fixture.h"

namespace
{

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

} // namespace
