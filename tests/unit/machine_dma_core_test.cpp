/* DMA transfers and their core: interrupts, what they cost it, races with it. */
#include "tests/unit/machine_dma_fixture.h"

#include <string_view>

namespace
{

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
    const struct {
        uint64_t contention, banks, collisions;
    } rows[] = {{0, 2, 0}, {1, 1, 4 * 32}, {1, 2, 4 * 16}, {1, 4, 4 * 8}};
    for (const auto &row : rows) {
        machine_config config = bench_config();
        config.parameters.chip_dma_contention = row.contention;
        config.parameters.chip_tcm_banks = row.banks;
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
        /* four bursts of 32 words: each word meets an access, of two banks half in the same */
        EXPECT_EQ(bench.counter("core", 0, "contention_cycles"), row.collisions) << row.banks;
    }
}

/* A sleeping core's own count of cycles stands still until it wakes or the machine stops. */
TEST_F(MachineDma, SharesTheTcmWithACoreThatWakesHoweverOftenTheMachineStops)
{
    const auto run = [](uint64_t step_ps, uint32_t moment) {
        MachineBench bench;
        bench.load(0, Program(IRQ_VECTOR).branch(HANDLER));
        Program handler(HANDLER);
        handler.store(TIMER + 0x0c, 1);
        handler.set(r0, DTCM);
        for (unsigned i = 0; i < 400; i++) {
            handler.emit(
                {ldr_imm(r1, r0)}); /* longer than the burst: the core is awake at its end */
        }
        bench.load(0, handler.emit({RETURN}));
        Program program(MAIN);
        program.store(VIC + 0x10, TIMER_1);
        program.store(TIMER + 0x00, moment);
        program.store(TIMER + 0x08, 0xa3);
        program.unmask();
        commit(program, SDRAM, DTCM + 0x1000, description(256));
        bench.run(0, program.sleep());
        for (uint64_t time_ps = step_ps; time_ps < 10 * US; time_ps += step_ps) {
            bench.until(time_ps);
        }
        EXPECT_EQ(bench.until(50 * US), MACHINE_QUIESCENT);
        EXPECT_GT(bench.counter("core", 0, "contention_cycles"), 30u);
        return bench.counters();
    };
    for (const uint32_t moment : {300u, 330u, 360u}) { /* early and late in a burst */
        const counter_map never = run(10 * US, moment);
        for (const uint64_t step_ps : {CYCLE_PS, 17 * CYCLE_PS, US}) {
            EXPECT_EQ(run(step_ps, moment), never) << moment << " " << step_ps;
        }
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

/* The least setup that a configuration may have. */
constexpr uint64_t SETUP_LEAST = 0
#define PARAMETER(group, key, field, kind, default_value, minimum, maximum, help, source)          \
    +(std::string_view(#field) == "chip_dma_setup_cycles" ? (minimum) : 0)
#include "models/machine/parameters.def"
#undef PARAMETER
    ;

/* A posted store that starts a transfer after the shortest setup: whether the core had already
 * executed the store's instruction when the store became an event, its contention is the same. */
TEST(MachineDmaCore, TheShortestSetupBeginsBehindTheStore)
{
    for (unsigned wait = 0; wait < 400; wait += 17) {
        std::vector<counter_map> counters;
        for (const uint64_t ahead : {RUN_AHEAD_OFF, RUN_AHEAD_AUTO, UINT64_C(5), UINT64_C(6)}) {
            machine_config config = bench_config();
            config.run_ahead = ahead;
            config.parameters.chip_dma_setup_cycles = SETUP_LEAST;
            config.parameters.chip_tcm_banks = 1;
            config.parameters.sdram_bytes = 1u << 20;
            MachineBench bench(config);
            Program moves;
            moves.write_buffer_on();
            moves.store(VIC + 0x10, 1u << 24);
            moves.set(r0, DMA_BUFFERED).set(r1, SDRAM).set(r2, DTCM + 0x1000);
            moves.set(r3, description(1 + wait % 32)).set(r4, DTCM);
            moves.emit({str_imm(r1, r0, ADRS), str_imm(r2, r0, ADRT)}).delay(1 + wait);
            moves.emit({str_imm(r3, r0, DESC)});
            const uint32_t loop = moves.here();
            moves.emit({str_imm(r1, r4), add_imm(r1, r1, 1)});
            bench.run(1, moves.branch(loop));
            Program sends;
            sends.set(r5, 0x10000000);
            const uint32_t again = sends.here();
            sends.emit({str_imm(r5, r5, 8)}).delay(7);
            bench.run(2, sends.branch(again));
            bench.until(15 * US);
            counters.push_back(bench.counters());
            EXPECT_EQ(counters.back(), counters.front()) << wait << ", ahead by " << ahead;
        }
    }
}

} // namespace
