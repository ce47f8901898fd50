/* What a core's accesses cost, where they go, and which are refused. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

namespace
{

/* Cycles of one instruction of core 0 with r0 = address, r1 = 0x12345678. */
uint64_t cost_of(uint32_t instruction, uint32_t address, bool write_buffer = false)
{
    MachineBench bench;
    Program program;
    if (write_buffer) {
        program.write_buffer_on();
    }
    program.set(r0, address).set(r1, 0x12345678);
    const uint32_t at = program.here();
    program.emit({instruction}).nops(2).sleep();
    bench.run(0, program);
    bench.mark(0, at);
    bench.mark(0, at + 4);
    EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
    EXPECT_TRUE(bench.faults.empty());
    return bench.between(at, at + 4);
}

/* ---- times: 5 ns a cycle, 7 9/13 ns an SDRAM clock ---- */

TEST(MachineAccess, AWordFromTheTcmTakesOneCycle)
{
    EXPECT_EQ(cost_of(ldr_imm(r2, r0), DTCM), 1u);
}

TEST(MachineAccess, AWordFromSdramTakes22Cycles)
{
    EXPECT_EQ(cost_of(ldr_imm(r2, r0), SDRAM), 22u);
    EXPECT_EQ(cost_of(ldr_imm(r2, r0), SDRAM_UNBUFFERED), 22u);
}

TEST(MachineAccess, AWordFromSystemRamTakes21Cycles)
{
    EXPECT_EQ(cost_of(ldr_imm(r2, r0), SYSTEM_RAM), 21u);
    EXPECT_EQ(cost_of(ldr_imm(r2, r0), SYSTEM_RAM | 0x10000000), 21u);
    EXPECT_EQ(cost_of(ldr_imm(r2, r0), SYSTEM_CONTROLLER), 21u);
}

TEST(MachineAccess, APartOfAWordTakesAsLong)
{
    EXPECT_EQ(cost_of(ldrb_imm(r2, r0, 3), SDRAM), 22u);
    EXPECT_EQ(cost_of(ldrh_imm(r2, r0, 2), SYSTEM_RAM), 21u);
}

TEST(MachineAccess, AReadOfTheCoresOwnPeripheralsTakesFourCycles)
{
    EXPECT_EQ(cost_of(ldr_imm(r2, r0), TIMER), 4u);
    EXPECT_EQ(cost_of(ldr_imm(r2, r0), VIC), 4u);
    EXPECT_EQ(cost_of(ldr_imm(r2, r0, 0x14), DMA), 4u);
}

TEST(MachineAccess, AnUnbufferedStoreToThemTakesThreeCycles)
{
    EXPECT_EQ(cost_of(str_imm(r1, r0), TIMER), 3u);
    EXPECT_EQ(cost_of(str_imm(r1, r0, 4), DMA), 3u);
}

TEST(MachineAccess, EachFurtherWordOfABurstTakesFourCyclesMore)
{
    /* four words are one burst of the memory: 110 ns and 3 x 4 cycles */
    EXPECT_EQ(cost_of(ldm(r0, {r2, r3, r4, r5}), SDRAM), 22u + 12);
    /* the system AHB takes a word after the other: 105 + 3 x 22.5 ns, and 3 x 4 cycles */
    EXPECT_EQ(cost_of(ldm(r0, {r2, r3, r4, r5}), SYSTEM_RAM), 35u + 12);
}

TEST(MachineAccess, AStoreWithoutTheWriteBufferCompletesFirst)
{
    /* 33 ns of NoC and 7 SDRAM clocks: 86.8 ns */
    EXPECT_EQ(cost_of(str_imm(r1, r0), SDRAM), 18u);
    EXPECT_EQ(cost_of(str_imm(r1, r0), SYSTEM_RAM), 21u);
}

TEST(MachineAccess, APostedStoreTakesOneCycle)
{
    EXPECT_EQ(cost_of(str_imm(r1, r0), SDRAM, true), 1u);
    EXPECT_EQ(cost_of(str_imm(r1, r0), SYSTEM_RAM, true), 1u);
    EXPECT_EQ(cost_of(str_imm(r1, r0), 0x21000000, true), 1u);
    EXPECT_EQ(cost_of(str_imm(r1, r0, 4), DMA_BUFFERED, true), 1u);
}

TEST(MachineAccess, TheUnbufferedAliasIsNotPosted)
{
    EXPECT_EQ(cost_of(str_imm(r1, r0), SDRAM_UNBUFFERED, true), 18u);
    EXPECT_EQ(cost_of(str_imm(r1, r0), TIMER, true), 3u);
}

TEST(MachineAccess, ASwapReadsAndWrites)
{
    /* two requests: 16.5 ns, 10 clocks, then 7 clocks behind 10 of occupation, 16.5 ns */
    EXPECT_EQ(cost_of(swp(r2, r1, r0), SDRAM), 33u);
}

/* ---- the write buffer ---- */

class PostedStores : public testing::Test
{
  protected:
    /* `count` stores to SDRAM from r0 on, with a mark before each and behind the last. */
    void stores(unsigned count, uint32_t last)
    {
        Program program;
        program.write_buffer_on().set(r0, SDRAM).set(r2, SYSTEM_RAM);
        first_ = program.here();
        for (unsigned i = 0; i < count; i++) {
            program.emit({str_imm(r1, r0, static_cast<int32_t>(4 * i))});
        }
        program.emit({last}).nops(2).sleep();
        bench_.run(0, program);
        for (unsigned i = 0; i <= count + 1; i++) {
            bench_.mark(0, first_ + 4 * i);
        }
        EXPECT_EQ(bench_.until(7 * US), MACHINE_QUIESCENT);
    }

    uint64_t cost(unsigned index)
    {
        return bench_.between(first_ + 4 * index, first_ + 4 * index + 4);
    }

    MachineBench bench_;
    uint32_t first_ = 0;
};

TEST_F(PostedStores, FillTwelveEntriesTwoByTwo)
{
    stores(7, nop());
    for (unsigned i = 0; i < 6; i++) {
        EXPECT_EQ(cost(i), 1u) << i;
    }
    /* the first store, sent at its own time, is answered 86,846 ps later: cycle 18; this one stood
     * at cycle 6 and takes its own cycle besides */
    EXPECT_EQ(cost(6), 18u - 6 + 1);
    EXPECT_EQ(bench_.counter("write_buffer", 0, "writes"), 7u);
    EXPECT_EQ(bench_.counter("write_buffer", 0, "stall_ps"), 86846u - 6 * CYCLE_PS);
}

TEST_F(PostedStores, AreDrainedBeforeALoad)
{
    stores(1, ldr_imm(r3, r2));
    EXPECT_EQ(cost(0), 1u);
    /* 86,846 ps until the store is answered, then 105,000 ps: cycle 39, less the store's own */
    EXPECT_EQ(cost(1), 38u);
    EXPECT_EQ(bench_.counter("write_buffer", 0, "stall_ps"), 86846u - CYCLE_PS);
}

TEST_F(PostedStores, ReachTheMemoryInOrder)
{
    stores(6, str_imm(r2, r0));
    EXPECT_EQ(bench_.word(0, SDRAM), SYSTEM_RAM) << "the last of two stores to the same word";
}

TEST_F(PostedStores, SmallerBuffersFillSooner)
{
    machine_config config = bench_config();
    config.timing.write_buffer_entries = 2;
    MachineBench bench(config);
    Program program;
    program.write_buffer_on().set(r0, SDRAM);
    const uint32_t at = program.here();
    program.emit({str_imm(r1, r0), str_imm(r1, r0, 4)}).nops(2).sleep();
    bench.run(0, program);
    for (unsigned i = 0; i < 3; i++) {
        bench.mark(0, at + 4 * i);
    }
    bench.until(7 * US);
    EXPECT_EQ(bench.between(at, at + 4), 1u);
    EXPECT_EQ(bench.between(at + 4, at + 8), 18u - 1 + 1);
}

TEST_F(PostedStores, ABurstWaitsForAllItsEntries)
{
    stores(5, stm(r0, {r1, r2})); /* 10 entries taken, 3 wanted */
    EXPECT_EQ(cost(4), 1u);
    EXPECT_EQ(cost(5), 18u - 5 + 2);
}

TEST_F(PostedStores, ABurstThatJustFitsDoesNotWait)
{
    stores(5, str_imm(r1, r0));
    EXPECT_EQ(cost(5), 1u);
}

TEST(MachineAccess, AReadBehindAPostedStoreToATimerWaitsForIt)
{
    MachineBench bench;
    Program program;
    program.write_buffer_on().set(r0, 0x21000000).set(r1, 500);
    program.emit({str_imm(r1, r0)});
    const uint32_t at = program.here();
    program.emit({ldr_imm(r2, r0, 4)}).nops(1).sleep();
    bench.run(0, program);
    bench.mark(0, at);
    bench.mark(0, at + 4);
    EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(0, 2), 500u);
    EXPECT_EQ(bench.between(at, at + 4), 4u + 2) << "the store lands three cycles after its own";
}

TEST(MachineAccess, AnUnansweredPostedStoreIsLostAndCounted)
{
    MachineBench bench;
    Program program;
    program.write_buffer_on().set(r0, SYSTEM_CONTROLLER + 0x10).set(r1, 1);
    program.emit({strb_imm(r1, r0)}).nops(60).sleep();
    bench.run(0, program);
    EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
    EXPECT_TRUE(bench.faults.empty()) << "nobody waits for it";
    EXPECT_EQ(bench.counter("write_buffer", 0, "lost"), 1u);
    EXPECT_EQ(bench.counter("chip", -1, "bus_errors"), 1u);
}

TEST(MachineAccess, AnUnansweredPostedStoreInterruptsWhoAsksForIt)
{
    for (const uint32_t address : {SYSTEM_CONTROLLER + 0x10, 0xe0000010u, 0xe1000000u}) {
        MachineBench bench;
        bench.load(0, Program(0x18).branch(0x200));
        Program handler(0x200);
        handler.store(DMA + 0x10, 1u << 5);
        handler.nops(4).emit({0xe25ef004}); /* SUBS pc, lr, #4 */
        bench.load(0, handler);
        bench.mark(0, 0x18);
        Program program(0x1000);
        program.write_buffer_on();
        program.store(VIC + 0x10, 1u << 13);
        program.store(DMA + 0x18, 1u << 20);
        program.unmask().set(r0, address).set(r1, 1);
        const uint32_t at = program.here();
        program.emit({strb_imm(r1, r0)}).nops(60).sleep();
        bench.run(0, program);
        bench.mark(0, at);
        EXPECT_EQ(bench.until(10 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.between(at, 0x18), 2u + 3) << std::hex << address;
        EXPECT_EQ(bench.counter("core", 0, "interrupts"), 1u);
        EXPECT_TRUE(bench.faults.empty());
    }
}

/* ---- two cores ---- */

class TwoCores : public testing::Test
{
  protected:
    /* Both cores load from the same place at the same time; their cycles. */
    std::pair<uint64_t, uint64_t> load_from(uint32_t address)
    {
        MachineBench bench;
        Program program;
        program.set(r0, address);
        const uint32_t at = program.here();
        program.emit({ldr_imm(r1, r0)}).nops(2).sleep();
        for (const unsigned core : {4u, 9u}) {
            bench.run(core, program);
            bench.mark(core, at);
            bench.mark(core, at + 4);
        }
        EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
        uint64_t cost[2] = {};
        for (const recorded_mark &mark : bench.marks) {
            cost[mark.core == 9] += mark.address == at ? -mark.cycle : mark.cycle;
        }
        return {cost[0], cost[1]};
    }
};

TEST_F(TwoCores, WaitForEachOtherAtTheSdram)
{
    /* the second request begins when the rows of the first are closed, 10 clocks later */
    EXPECT_EQ(load_from(SDRAM), std::make_pair(uint64_t{22}, uint64_t{38}));
}

TEST_F(TwoCores, WaitForEachOtherAtTheSystemAhb)
{
    EXPECT_EQ(load_from(SYSTEM_RAM), std::make_pair(uint64_t{21}, uint64_t{26}));
}

TEST_F(TwoCores, DoNotWaitForEachOthersOwnPeripherals)
{
    EXPECT_EQ(load_from(DMA + 0x14), std::make_pair(uint64_t{4}, uint64_t{4}));
}

/* ---- data ---- */

TEST(MachineAccess, MemoriesKeepBytesHalvesAndWords)
{
    for (const uint32_t base : {SDRAM, SYSTEM_RAM}) {
        MachineBench bench;
        Program program;
        program.set(r0, base).set(r1, 0x11223344);
        program.emit({str_imm(r1, r0), strb_imm(r0, r0, 1), strh_imm(r1, r0, 6), ldr_imm(r2, r0),
                      ldrb_imm(r3, r0, 2), ldrh_imm(r4, r0, 6), ldrsb_imm(r5, r0, 3)});
        program.nops(2).sleep();
        bench.run(0, program);
        EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.reg(0, 2), 0x11220044u);
        EXPECT_EQ(bench.reg(0, 3), 0x22u);
        EXPECT_EQ(bench.reg(0, 4), 0x3344u);
        EXPECT_EQ(bench.reg(0, 5), 0x11u);
    }
}

TEST(MachineAccess, SdramAndSystemRamRepeatInTheirRegions)
{
    MachineBench bench;
    Program program;
    program.set(r0, SDRAM + 0x08000010).set(r1, 77).emit({str_imm(r1, r0)});
    program.set(r0, SYSTEM_RAM + 0x00808020).set(r1, 78).emit({str_imm(r1, r0)});
    program.sleep();
    bench.run(0, program);
    bench.until(5 * US);
    EXPECT_EQ(bench.word(0, SDRAM + 0x10), 77u);
    EXPECT_EQ(bench.word(0, SYSTEM_RAM + 0x20), 78u);
}

TEST(MachineAccess, ASwapExchangesAWord)
{
    for (const uint32_t memory : {SDRAM, SYSTEM_RAM}) {
        MachineBench bench;
        bench.set_word(0, memory, 5);
        Program program;
        program.set(r0, memory).set(r1, 6).emit({swp(r2, r1, r0)}).nops(2).sleep();
        bench.run(0, program);
        bench.until(5 * US);
        EXPECT_EQ(bench.reg(0, 2), 5u);
        EXPECT_EQ(bench.word(0, memory), 6u);
    }
}

TEST(MachineAccess, CodeRunsFromSdram)
{
    MachineBench bench;
    const Program there = Program(SDRAM).set(r0, 9).emit({bx(lr)});
    bench.load(0, there);
    Program program;
    program.set(r1, SDRAM).emit({blx(r1)}).nops(1).sleep();
    bench.run(0, program);
    bench.until(5 * US);
    EXPECT_EQ(bench.reg(0, 0), 9u);
    EXPECT_EQ(bench.counter("core", 0, "bus_fetches"), 2u);
}

/* Cycles of 100 NOPs outside the TCMs, behind a first, with so many other cores at the memory. */
uint64_t cost_of_code_in(uint32_t memory, unsigned others)
{
    MachineBench bench;
    bench.load(0, Program(memory).nops(101).emit({bx(lr)}));
    bench.load(0, Program(CODE).set(r1, memory).emit({blx(r1)}).sleep());
    bench.start(0);
    bench.mark(0, memory + 4);
    bench.mark(0, memory + 4 * 101);
    for (unsigned core = 1; core <= others; core++) {
        Program program;
        program.set(r0, memory + 0x400 * core);
        const uint32_t loop = program.here();
        bench.run(core, program.emit({ldm(r0, {r1, r2, r3, r4})}).branch(loop));
    }
    bench.until(100 * US);
    return bench.between(memory + 4, memory + 4 * 101);
}

TEST(MachineAccess, CodeInSystemRamIsFetchedInSequenceIn12Cycles)
{
    EXPECT_EQ(cost_of_code_in(SYSTEM_RAM, 0), 1200u);
}

TEST(MachineAccess, CodeInSystemRamWaitsForOtherCores)
{
    EXPECT_GT(cost_of_code_in(SYSTEM_RAM, 5), 2400u);
}

TEST(MachineAccess, CodeInSdramIsFetchedNoFasterThanRowsOpenAndClose)
{
    /* 10 SDRAM clocks a word, 76.9 ns, and a refresh of 21 clocks once or twice */
    EXPECT_GE(cost_of_code_in(SDRAM, 0), 1538u);
    EXPECT_LE(cost_of_code_in(SDRAM, 0), 1538u + 2 * 33);
}

/* ---- faults ---- */

/* Runs one instruction with r0 = address and stops at its fault. */
void expect_fault(uint32_t instruction, uint32_t address, arm968_fault_kind kind,
                  bool write_buffer = false)
{
    MachineBench bench;
    bench.stop_at_fault = true;
    Program program;
    if (write_buffer) {
        program.write_buffer_on();
    }
    program.set(r0, address);
    const uint32_t at = program.here();
    program.emit({instruction}).nops(1).sleep();
    bench.run(3, program);
    EXPECT_EQ(bench.until(5 * US), MACHINE_STOPPED) << std::hex << address;
    ASSERT_EQ(bench.faults.size(), 1u);
    EXPECT_EQ(bench.faults[0].core, 3u);
    EXPECT_EQ(bench.faults[0].fault.kind, kind);
    EXPECT_EQ(bench.faults[0].fault.address, address);
    EXPECT_EQ(bench.faults[0].fault.pc, kind == ARM968_FAULT_PREFETCH ? address : at);
    EXPECT_EQ(bench.reg(3, 15), kind == ARM968_FAULT_PREFETCH ? 0x0cu : 0x10u);
    EXPECT_EQ(bench.counter("chip", -1, "bus_errors"), 1u);
}

TEST(MachineFaults, AnAccessToNowhereAborts)
{
    for (const uint32_t address : {0x00800000u, 0x12000000u, 0x50000000u, 0x80000000u, 0xdffffffcu,
                                   0xe7000000u, 0xfefffffcu}) {
        expect_fault(ldr_imm(r1, r0), address, ARM968_FAULT_DATA);
        expect_fault(str_imm(r1, r0), address, ARM968_FAULT_DATA);
        expect_fault(str_imm(r1, r0), address, ARM968_FAULT_DATA, true);
    }
}

TEST(MachineFaults, AJumpIntoNowhereAborts)
{
    expect_fault(bx(r0), 0x50000000, ARM968_FAULT_PREFETCH);
    expect_fault(bx(r0), 0x00008000, ARM968_FAULT_PREFETCH);
}

TEST(MachineFaults, CodeCannotRunFromRegisters)
{
    expect_fault(bx(r0), TIMER, ARM968_FAULT_PREFETCH);
}

TEST(MachineFaults, PartsOfRegistersAbort)
{
    expect_fault(ldrb_imm(r1, r0), TIMER, ARM968_FAULT_DATA);
    expect_fault(strb_imm(r1, r0), TIMER, ARM968_FAULT_DATA);
    expect_fault(ldrh_imm(r1, r0), VIC, ARM968_FAULT_DATA);
    expect_fault(ldrb_imm(r1, r0), DMA, ARM968_FAULT_DATA);
    expect_fault(strh_imm(r1, r0), DMA + 4, ARM968_FAULT_DATA);
    expect_fault(ldrb_imm(r1, r0), SYSTEM_CONTROLLER, ARM968_FAULT_DATA);
    expect_fault(strb_imm(r1, r0), SYSTEM_CONTROLLER, ARM968_FAULT_DATA);
}

TEST(MachineFaults, APartIsNotPostedToATimer)
{
    expect_fault(strb_imm(r1, r0), 0x21000000, ARM968_FAULT_DATA, true);
}

TEST(MachineAccess, ABurstToATimerOrTheVicIsItsWordsOneAfterTheOther)
{
    for (const bool buffer : {false, true}) {
        MachineBench bench;
        Program program;
        if (buffer) {
            program.write_buffer_on(); /* a burst is not posted: it completes first */
        }
        program.set(r0, buffer ? 0x21000000 : TIMER).set(r1, 1000).set(r2, 0).set(r3, 0x82);
        const uint32_t store = program.here();
        program.emit({stm(r0, {r1, r2, r3})}); /* load, count (read only), control */
        const uint32_t load = program.here();
        program.emit({ldm(r0, {r4, r5, r6})});
        const uint32_t end = program.here();
        program.set(r0, VIC + 0x100).emit({stm(r0, {r1, r2, r3}), ldm(r0, {r7, r8, r9})});
        program.sleep();
        bench.run(0, program);
        for (const uint32_t at : {store, load, end}) {
            bench.mark(0, at);
        }
        EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
        EXPECT_TRUE(bench.faults.empty());
        EXPECT_EQ(bench.between(store, load), 3u * 3);
        EXPECT_EQ(bench.between(load, end), 3u * 4);
        EXPECT_EQ(bench.reg(0, r4), 1000u);
        /* started when the store's third word was written, six cycles after its first; read four
         * cycles after the load began, which was nine after the store did */
        EXPECT_EQ(bench.reg(0, r5), 1000u - (9 + 4 - 6));
        EXPECT_EQ(bench.reg(0, r6), 0x82u);
        EXPECT_EQ(bench.reg(0, r7), 1000u);
        EXPECT_EQ(bench.reg(0, r9), 0x82u);
    }
}

TEST(MachineFaults, RegistersOfTheSystemRefuseUserMode)
{
    for (const uint32_t address : {SYSTEM_CONTROLLER, DMA + 0x14}) {
        MachineBench bench;
        bench.stop_at_fault = true;
        Program program;
        program.set(r0, address).emit({msr_cpsr_imm(PSR_C, 0x10), nop(), ldr_imm(r1, r0)}).nops(2);
        program.sleep();
        bench.run(0, program);
        EXPECT_EQ(bench.until(5 * US), MACHINE_STOPPED) << std::hex << address;
    }
}

TEST(MachineFaults, ARunGoesOnInTheHandler)
{
    MachineBench bench;
    bench.load(0, Program(0x10).branch(0x200));
    bench.load(0, Program(0x200).set(r5, 55).sleep());
    Program program;
    program.set(r0, 0x50000000).emit({ldr_imm(r1, r0)}).sleep();
    bench.run(0, program);
    EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(0, 5), 55u);
    EXPECT_EQ(bench.counter("core", 0, "data_aborts"), 1u);
}

TEST(MachineFaults, ACoreThatCannotFetchItsAbortVectorIsOff)
{
    MachineBench bench;
    Program program; /* ITCM off: the vectors are gone, and so is the code */
    program.emit(
        {read_control(r0), nop(), data_imm(BIC, false, r0, r0, 0x1000), write_control(r0)});
    program.sleep();
    bench.run(0, program);
    EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
    ASSERT_GE(bench.faults.size(), 1u);
    EXPECT_EQ(bench.faults.back().fault.kind, ARM968_FAULT_PREFETCH);
    EXPECT_LE(bench.faults.size(), 2u);
}

TEST(MachineFaults, AStoreToTheBootRomIsADataAbort)
{
    for (const uint32_t address : {0xe6000000u, 0xf6007ffcu, 0xff000000u}) {
        MachineBench bench;
        bench.load(0, Program(0x10).set(r5, 55).sleep());
        Program program;
        program.set(r0, address).emit({ldr_imm(r1, r0), str_imm(r0, r0)}).sleep();
        bench.run(0, program);
        EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
        EXPECT_EQ(bench.reg(0, 5), 55u);
        EXPECT_EQ(bench.reg(0, 1), 0u);
        EXPECT_EQ(bench.counter("core", 0, "data_aborts"), 1u);
        EXPECT_EQ(bench.counter("chip", -1, "bus_errors"), 1u);
        EXPECT_EQ(bench.counter("chip", -1, "unmodelled_accesses"), 1u); /* the load */
    }
}

/* ---- what is not modelled ---- */

TEST(MachineUnmodelled, IsCountedAndListedOnceForAPlace)
{
    MachineBench bench;
    Program program;
    program.set(r0, 0xf4000004);
    program.emit({ldr_imm(r1, r0), ldr_imm(r1, r0), str_imm(r1, r0), ldr_imm(r1, r0, 4)});
    program.sleep();
    bench.run(7, program);
    EXPECT_EQ(bench.until(5 * US), MACHINE_QUIESCENT);
    EXPECT_EQ(bench.reg(7, 1), 0u);
    EXPECT_EQ(bench.counter("chip", -1, "unmodelled_accesses"), 4u);
    ASSERT_EQ(machine_unmodelled_count(bench.get()), 3u);
    const struct machine_unmodelled place = machine_unmodelled(bench.get(), 0);
    EXPECT_STREQ(place.block, "ETHERNET");
    EXPECT_EQ(place.offset, 4u);
    EXPECT_FALSE(place.write);
    EXPECT_EQ(place.count, 2u);
    EXPECT_EQ(place.first_core, 7u);
    EXPECT_TRUE(machine_unmodelled(bench.get(), 1).write);
    EXPECT_EQ(machine_unmodelled(bench.get(), 2).offset, 8u);
}

} // namespace
