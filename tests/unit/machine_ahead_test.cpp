/* machine_ahead_test.cpp - cores that run ahead of what may interrupt them, and machines whose
 * cores do not: nobody can see which of them it was. */
#include "tests/support/amount.h"
#include "tests/unit/ahead_scene.h"

#include <gtest/gtest.h>

#include "models/chip/vic.h"

namespace
{

constexpr uint32_t MULTICAST = 1u << VIC_SOURCE_COMMS_MULTICAST;
constexpr uint32_t TIMER1 = 1u << VIC_SOURCE_TIMER1;
constexpr uint32_t NOT_FULL = 1u << VIC_SOURCE_COMMS_NOT_FULL;
constexpr uint32_t EMPTY = 1u << VIC_SOURCE_COMMS_EMPTY;
constexpr uint32_t HANDLER = 0x400;
constexpr uint32_t MAIN = 0x1000;
constexpr uint32_t COUNT_AT = DTCM + 0x4000;
constexpr uint32_t RETURN = subs_imm(pc, lr, 4);

way ahead_by(uint64_t run_ahead, unsigned threads = 1)
{
    way way;
    way.run_ahead = run_ahead;
    way.threads = threads;
    return way;
}

/* The same scene by some ways, beside the one in which nobody runs ahead; returns that. */
sight expect_the_same(const scene &scene, const std::vector<way> &ways)
{
    const sight reference = run_scene(scene, ahead_by(RUN_AHEAD_OFF));
    for (const way &way : ways) {
        EXPECT_EQ(difference(reference, run_scene(scene, way)), "")
            << "scene " << scene.seed << ", ahead by " << way.run_ahead << ", threads "
            << way.threads << ", slices of " << way.slice_ps << ", changed at " << way.change_ps;
    }
    return reference;
}

sight expect_the_same(const scene &scene, unsigned seeds = 3)
{
    std::vector<way> ways = {ahead_by(RUN_AHEAD_AUTO)};
    for (unsigned seed = 1; seed <= seeds; seed++) {
        ways.push_back(ahead_by(100 * scene.seed + seed));
    }
    return expect_the_same(scene, ways);
}

/* ---- programs ---- */

/* How packets interrupt. */
enum entrance { BY_IRQ, BY_VECTOR, BY_FIQ };

/* Vectors, a handler that keeps payload, key and a count, and main programs that all cores use.
 * What the handler needs is in banked or high registers: r8 log, r9 comms, r10 the VIC. */
struct listener {
    scene_core core;
    Program main;

    listener(machine_core id, enum entrance entrance, uint32_t sources = MULTICAST,
             unsigned work = 0, bool counts_alone = false)
        : core{id, {}, {}}, main(MAIN)
    {
        Program vectors(0x18);
        if (entrance == BY_VECTOR) {
            vectors.emit({ldr_imm(pc, pc, -0xff0)}); /* from VIC_VADDR */
        } else {
            vectors.branch(HANDLER);
        }
        vectors.branch(HANDLER);
        Program handler(HANDLER);
        handler.emit({push({r0, r1, r2, r3})});
        handler.set(r0, TIMER + 0x0c);
        handler.emit({str_imm(r0, r0)});
        if (!counts_alone) {
            handler.emit({ldr_imm(r1, r9, CC_RXDATA), ldr_imm(r2, r9, CC_RXKEY),
                          stm_w(r8, {r1, r2}), data_imm(BIC, false, r8, r8, 0x400)});
        }
        handler.set(r0, COUNT_AT);
        handler.emit({ldr_imm(r3, r0), add_imm(r3, r3, 1), str_imm(r3, r0)});
        handler.nops(work);
        if (entrance == BY_VECTOR) {
            handler.emit({str_imm(r0, r10, 0x30)});
        }
        handler.emit({pop({r0, r1, r2, r3}), RETURN});
        core.parts = {vectors, handler};
        const uint32_t modes[] = {ARM968_IRQ_MODE, ARM968_FIQ_MODE, ARM968_SUPERVISOR};
        for (const uint32_t mode : modes) {
            main.emit({msr_cpsr_imm(PSR_C, 0xc0 | mode)});
            main.set(sp, DTCM + 0x8000 + 0x100 * (mode & 0xf));
            main.set(r8, DTCM + 0x5000).set(r9, COMMS).set(r10, VIC);
        }
        main.store(VIC_ADDR, HANDLER);
        main.store(VIC_CNTL,
                   0x20 | (sources == TIMER1 ? VIC_SOURCE_TIMER1 : VIC_SOURCE_COMMS_MULTICAST));
        if (entrance == BY_FIQ) {
            main.store(VIC_SELECT, sources);
        }
        main.store(VIC_ENABLE, sources);
        main.set(r10, VIC).set(r6, DTCM).set(r5, COMMS).set(r7, 0);
        main.unmask();
    }
    /* Stores that take so many rounds, each of 9 cycles. */
    void compute(uint32_t rounds)
    {
        main.set(r4, rounds);
        const uint32_t loop = main.here();
        main.emit({add_imm(r7, r7, 3), str_imm(r7, r6, 0x40), strb_imm(r7, r6, 0x51),
                   subs_imm(r4, r4, 1)});
        main.branch(loop, NE);
    }
    scene_core done()
    {
        main.sleep();
        core.parts.push_back(main);
        return core;
    }
};

/* Packets with so many rounds of four cycles and some more cycles between them. */
scene_core sender(machine_core id, machine_core to, unsigned packets, uint32_t rounds,
                  unsigned cycles, unsigned first = 0)
{
    Program program(MAIN);
    program.set(r5, COMMS).set(r0, key_to(to)).set(r4, packets);
    program.nops(first);
    const uint32_t loop = program.here();
    program.delay(rounds).nops(cycles);
    program.emit({str_imm(r4, r5, CC_TXDATA), add_imm(r0, r0, 1), str_imm(r0, r5, CC_TXKEY),
                  subs_imm(r4, r4, 1)});
    program.branch(loop, NE);
    program.sleep();
    return {id, {program}, {}};
}

constexpr machine_core ONE = {0, 0, 1};
constexpr machine_core TWO = {0, 0, 2};
constexpr machine_core THREE = {0, 0, 3};

} // namespace

/* ---- packets ---- */

TEST(MachineAhead, PacketsInterruptAtAnyDistance)
{
    static const uint64_t TRANSITS[] = {135000, 400000, 605000, 650000, 1};
    for (const enum entrance entrance : {BY_IRQ, BY_VECTOR, BY_FIQ}) {
        for (unsigned cycles = 0; cycles < 24; cycles++) {
            scene scene;
            scene.seed = cycles;
            scene.parameters.router_core_transit_ps = TRANSITS[cycles % 5];
            scene.end_ps = 60 * US;
            listener hears(TWO, entrance);
            hears.compute(700);
            scene.cores = {sender(ONE, TWO, 12, 12 + 7 * cycles, cycles), hears.done()};
            const sight seen = expect_the_same(scene, 2);
            EXPECT_EQ(seen.sum("comms.received_multicast"), 12u);
            EXPECT_EQ(seen.sum(entrance == BY_FIQ ? "core.fast_interrupts" : "core.interrupts"),
                      12u);
        }
    }
}

/* Two senders, so that packets wait behind each other for a handler that takes its time. */
TEST(MachineAhead, PacketsBehindOneThatWaits)
{
    for (unsigned cycles = 0; cycles < 30; cycles++) {
        scene scene;
        scene.seed = cycles;
        scene.parameters.router_core_buffer = 1 + cycles % 6;
        listener hears(TWO, cycles % 2 == 0 ? BY_IRQ : BY_FIQ, MULTICAST, 5 * cycles);
        hears.compute(1500);
        scene.cores = {sender(ONE, TWO, 40, 10, cycles), hears.done(),
                       sender(THREE, TWO, 40, 12 + cycles, 0)};
        (void)expect_the_same(scene);
    }
}

/* Nobody lets packets in: the core looks at what has come. */
TEST(MachineAhead, PacketsThatArePolled)
{
    for (unsigned cycles = 0; cycles < 20; cycles++) {
        scene scene;
        scene.seed = cycles;
        listener polls(TWO, BY_IRQ, TIMER1, 0, true);
        polls.main.store(TIMER, 211 + cycles);
        polls.main.store(TIMER + 8, 0xe2);
        polls.main.set(r4, 900);
        const uint32_t loop = polls.main.here();
        polls.main.emit({ldr_imm(r0, r5, CC_RSR), movs(r0, r0), when(MI, ldr_imm(r1, r5, CC_RXKEY)),
                         when(MI, str_post(r1, r6, 4)), subs_imm(r4, r4, 1)});
        polls.main.branch(loop, NE);
        polls.main.store(TIMER + 8, 0);
        scene.cores = {sender(ONE, TWO, 30, 20, cycles), polls.done()};
        const sight seen = expect_the_same(scene);
        EXPECT_EQ(seen.sum("comms.received_multicast"), 30u);
    }
}

/* Each handler sends on what it has got, round and round. */
TEST(MachineAhead, PacketsThatGoRound)
{
    for (unsigned hops = 1; hops < 12; hops++) {
        scene scene;
        scene.seed = hops;
        scene.chips = 2;
        scene.end_ps = 150 * US;
        for (uint8_t i = 0; i < 4; i++) {
            const machine_core id = {static_cast<uint8_t>(i / 2), 0,
                                     static_cast<uint8_t>(1 + i % 2)};
            const auto j = static_cast<uint8_t>((i + hops) % 4);
            const machine_core to = {static_cast<uint8_t>(j / 2), 0,
                                     static_cast<uint8_t>(1 + j % 2)};
            listener hears(id, i % 2 == 0 ? BY_IRQ : BY_FIQ);
            Program &handler = hears.core.parts[1]; /* and before it returns: */
            Program forwards(HANDLER);
            for (const uint32_t word : handler.words()) {
                if (word == pop({r0, r1, r2, r3})) {
                    forwards.set(r0, key_to(to));
                    forwards.emit({str_imm(r3, r9, CC_TXDATA), cmp_imm(r3, 40),
                                   when(LT, str_imm(r0, r9, CC_TXKEY))});
                }
                forwards.emit({word});
            }
            handler = forwards;
            if (i == 0) {
                hears.main.set(r0, key_to(to));
                hears.main.emit({str_imm(r0, r5, CC_TXKEY)});
            }
            hears.compute(300 + 100 * hops);
            scene.cores.push_back(hears.done());
        }
        const sight seen = expect_the_same(scene);
        EXPECT_GT(seen.sum("comms.received_multicast"), 30u);
    }
}

/* Records say who stood in the way of lost packets: a core that is ahead has already read them. */
TEST(MachineAhead, PacketsThatAreLost)
{
    for (unsigned rounds = 1; rounds < 25; rounds++) {
        scene scene;
        scene.seed = rounds;
        scene.chips = 1 + rounds % 2;
        scene.parameters.router_core_buffer = 1 + rounds % 3;
        scene.parameters.router_core_transit_ps = rounds % 2 == 0 ? 6 * US : 605000;
        scene.end_ps = 200 * US;
        const auto x = static_cast<uint8_t>(rounds % 2);
        listener hears({x, 0, 2}, BY_IRQ);
        hears.main.store(VIC_DISABLE, MULTICAST);
        hears.main.set(r4, 12);
        const uint32_t loop = hears.main.here();
        hears.main.delay(60 * rounds);
        for (unsigned i = 0; i < 6; i++) {
            hears.main.emit({ldr_imm(r1, r5, CC_RXKEY), str_post(r1, r6, 4)});
        }
        hears.main.emit({subs_imm(r4, r4, 1)});
        hears.main.branch(loop, NE);
        scene.cores = {sender(ONE, {x, 0, 2}, 200, 4 + rounds, rounds), hears.done()};
        const sight seen = expect_the_same(scene);
        if (rounds > 15) {
            EXPECT_GT(seen.sum("router.dumped_mc"), 5u);
        }
    }
}

/* ---- the transmitter ---- */

/* Sixteen cores send at the same time, so that the router takes some packets later than others; in
 * between each lets its free transmitter in, and no more by the time that it becomes free. */
TEST(MachineAhead, TransmittersThatAreLetInForAWhile)
{
    for (unsigned cycles = 0; cycles < 40; cycles++) {
        scene scene;
        scene.seed = cycles;
        scene.end_ps = 20 * US;
        for (uint8_t p = 1; p <= 16; p++) {
            listener sends({0, 0, p}, BY_IRQ, MULTICAST, 0, true);
            Program &handler = sends.core.parts[1];
            Program stops(HANDLER); /* the source goes */
            stops.emit({push({r0, r1, r2, r3})});
            stops.set(r0, VIC_DISABLE).set(r1, NOT_FULL | EMPTY);
            stops.emit({str_imm(r1, r0)});
            stops.set(r0, COUNT_AT);
            stops.emit({ldr_imm(r3, r0), add_imm(r3, r3, 1), str_imm(r3, r0), pop({r0, r1, r2, r3}),
                        RETURN});
            handler = stops;
            sends.main.delay(50);
            sends.main.set(r0, key_to({0, 0, 6}));
            sends.main.set(r2, VIC).set(r1, p % 2 == 0 ? NOT_FULL : EMPTY);
            sends.main.emit({str_imm(r0, r5, CC_TXKEY), str_imm(r1, r2, 0x10)});
            sends.main.nops(cycles);
            sends.main.emit({str_imm(r1, r2, 0x14)});
            sends.compute(20);
            sends.main.store(VIC_DISABLE, 0xffffffff);
            scene.cores.push_back(sends.done());
        }
        (void)expect_the_same(scene);
    }
}

/* A transmitter that is let in behind the time at which it may be free, in a store within which a
 * timer is due: the line rises with what comes first. */
TEST(MachineAhead, TransmittersThatAreLetInLate)
{
    for (unsigned cycles = 24; cycles < 36; cycles += 2) {
        for (unsigned load = 40; load < 110; load++) {
            scene scene;
            scene.seed = 1000 * cycles + load;
            scene.end_ps = 3 * US;
            listener sends(ONE, BY_IRQ, TIMER1, 0, true);
            sends.main.set(r0, key_to(ONE)).set(r1, NOT_FULL).set(r2, VIC);
            sends.main.set(r3, TIMER).set(r12, load).set(r7, 0xe2);
            sends.main.emit({str_imm(r12, r3), str_imm(r7, r3, 8), str_imm(r0, r5, CC_TXKEY)});
            sends.main.nops(cycles);
            sends.main.emit({str_imm(r1, r2, 0x10), nop(), nop(), str_imm(r1, r2, 0x14)});
            sends.main.store(TIMER + 8, 0);
            scene.cores = {sends.done()};
            (void)expect_the_same(scene, 0);
        }
    }
}

/* To be free again is something that happens, if the last. */
TEST(MachineAhead, TransmittersThatBecomeFreeLast)
{
    for (const uint64_t ahead : {RUN_AHEAD_AUTO, RUN_AHEAD_OFF, UINT64_C(7)}) {
        machine_config config = bench_config();
        config.run_ahead = ahead;
        MachineBench whole(config);
        Program program;
        program.store(COMMS + 8, 1);
        program.sleep();
        whole.run(1, program);
        EXPECT_EQ(whole.until(100 * US), MACHINE_QUIESCENT);
        const uint64_t free_ps = whole.time_ps();
        EXPECT_GT(free_ps, config.parameters.router_core_injection_ps);
        for (const uint64_t before_ps : {1u, 20000u, 60000u, 90000u, 130000u}) {
            MachineBench cut(config);
            cut.run(1, program);
            EXPECT_EQ(cut.until(free_ps - before_ps), MACHINE_REACHED) << before_ps;
            EXPECT_EQ(cut.time_ps(), free_ps - before_ps);
            EXPECT_EQ(cut.until(100 * US), MACHINE_QUIESCENT);
            EXPECT_EQ(cut.time_ps(), free_ps);
            EXPECT_EQ(cut.counters(), whole.counters());
        }
    }
}

/* ---- sleep and timers ---- */

/* A sleeper that its timer wakes, and that sleeps again, within a run; or a packet wakes it before
 * or behind that. */
TEST(MachineAhead, SleepersThatAreWokenByEither)
{
    for (unsigned cycles = 0; cycles < 60; cycles++) {
        scene scene;
        scene.seed = cycles;
        listener sleeps(TWO, cycles % 3 == 0 ? BY_FIQ : BY_IRQ, MULTICAST | TIMER1);
        sleeps.main.store(TIMER, 150 + 3 * cycles);
        sleeps.main.store(TIMER + 8, 0xe2);
        sleeps.main.set(r4, 60);
        const uint32_t loop = sleeps.main.here();
        sleeps.main.emit({wait_for_interrupt(), str_imm(r4, r6, 8), subs_imm(r4, r4, 1)});
        sleeps.main.branch(loop, NE);
        sleeps.main.store(TIMER + 8, 0);
        scene.cores = {sender(ONE, TWO, 30, 60, cycles), sleeps.done()};
        const sight seen = expect_the_same(scene, 2);
        EXPECT_GT(seen.sum("core.sleep_cycles"), 4000u);
        EXPECT_GT(seen.sum("comms.core_wait_ps"), 1000u);
    }
}

/* One that is awake for a moment and then sleeps for good: when the machine has come to rest is
 * the same. */
TEST(MachineAhead, SleepersThatEndARun)
{
    for (unsigned cycles = 0; cycles < 30; cycles++) {
        scene scene;
        scene.seed = cycles;
        scene.chips = 2;
        scene.end_ps = 1000 * US;
        for (uint8_t p = 1; p <= 4; p++) {
            listener hears({static_cast<uint8_t>(p % 2), 0, p}, BY_IRQ);
            hears.compute(10 * cycles + 17 * p);
            scene.cores.push_back(hears.done());
        }
        scene.cores.push_back(sender({0, 0, 5}, {1, 0, 1}, 3, 10 + cycles, cycles));
        (void)expect_the_same(scene);
    }
}

/* ---- what is told ---- */

TEST(MachineAhead, SamplesAreTheSame)
{
    for (uint64_t every = 13; every < 60; every++) {
        scene scene;
        scene.seed = static_cast<uint32_t>(every);
        scene.sample_cycles = every;
        scene.end_ps = 12 * US + every * 1000;
        listener hears(TWO, BY_IRQ, MULTICAST | TIMER1);
        hears.main.store(TIMER, 90 + static_cast<uint32_t>(every));
        hears.main.store(TIMER + 8, 0xe2);
        hears.main.store(DMA + 4, SDRAM);
        hears.main.store(DMA + 8, DTCM + 0x1000);
        hears.main.store(DMA + 12, 1u << 24 | 4u << 21 | 1024);
        hears.compute(2000);
        scene.cores = {sender(ONE, TWO, 40, 20, 3), hears.done()};
        (void)expect_the_same(scene, 2);
    }
}

TEST(MachineAhead, MarksAndMistakesAreToldOnceAndInTheirTurn)
{
    for (unsigned cycles = 0; cycles < 30; cycles++) {
        scene scene;
        scene.seed = cycles;
        listener errs(TWO, BY_IRQ);
        Program vectors(0x04);
        vectors.emit({movs(pc, lr), movs(pc, lr), subs_imm(pc, lr, 4), subs_imm(pc, lr, 4)});
        errs.core.parts.push_back(vectors);
        errs.main.set(r4, 30).set(r1, 0x50000000);
        const uint32_t loop = errs.main.here();
        errs.main.nops(cycles);
        errs.core.marks = {loop, errs.main.here(), HANDLER};
        errs.main.emit({undefined_word(), str_imm(r4, r6, 4), ldr_imm(r0, r1), str_imm(r0, r1, 8),
                        subs_imm(r4, r4, 1)});
        errs.main.branch(loop, NE);
        scene.cores = {sender(ONE, TWO, 25, 15, cycles), errs.done()};
        const sight seen = expect_the_same(scene);
        EXPECT_EQ(seen.sum("core.undefined"), 30u);
        EXPECT_EQ(seen.sum("core.data_aborts"), 60u);
    }
}

/* A run that an observer ends at one of many mistakes. */
TEST(MachineAhead, MistakesEndARunWhenTheyAreTheSame)
{
    for (unsigned last = 1; last < 12; last++) {
        std::vector<uint32_t> ends;
        for (const uint64_t ahead : {RUN_AHEAD_OFF, RUN_AHEAD_AUTO, UINT64_C(5), UINT64_C(6)}) {
            struct seen {
                unsigned left;
                uint32_t faults;
            } seen = {last, 0};
            machine_config config = bench_config();
            config.run_ahead = ahead;
            config.observer.context = &seen;
            config.observer.guest_error = [](void *context, machine_core core,
                                             struct arm968_fault fault) {
                auto *seen = static_cast<struct seen *>(context);
                seen->faults = 31 * seen->faults + 7 * core.p + fault.pc;
                return --seen->left == 0;
            };
            machine *made = nullptr;
            ASSERT_EQ(machine_create(&config, &made, nullptr), STATUS_OK);
            for (uint8_t p = 1; p <= 4; p++) {
                listener errs({0, 0, p}, BY_IRQ);
                errs.compute(20 + 3 * p * last);
                errs.main.emit({undefined_word()});
                errs.compute(5 * p);
                errs.main.branch(errs.main.base());
                scene_core core = errs.done();
                core.parts.insert(core.parts.begin(), Program(0x04).emit({movs(pc, lr)}));
                for (const Program &part : core.parts) {
                    ASSERT_EQ(machine_write(made, core.id, part.base(), part.words().data(),
                                            static_cast<uint32_t>(4 * part.words().size())),
                              STATUS_OK);
                }
                ASSERT_EQ(machine_start_core(made, core.id, MAIN, 0), STATUS_OK);
            }
            EXPECT_EQ(machine_run_until(made, 1000 * US), MACHINE_STOPPED);
            EXPECT_EQ(machine_late_interrupts(made), 0u);
            ends.push_back(seen.faults);
            machine_destroy(made);
        }
        for (const uint32_t end : ends) {
            EXPECT_EQ(end, ends[0]) << last;
        }
    }
}

/* ---- everything at once ---- */

/* SPINNSIM_AHEAD_SCENES: more of them, for a night, from SPINNSIM_AHEAD_FIRST on. */
TEST(MachineAhead, RandomProgramsAreTheSame)
{
    const uint64_t first = amount("SPINNSIM_AHEAD_FIRST", 1);
    const uint64_t count = amount("SPINNSIM_AHEAD_SCENES", 200);
    uint64_t interrupts = 0;
    uint64_t fast = 0;
    uint64_t packets = 0;
    uint64_t dropped = 0;
    for (uint64_t seed = first; seed < first + count && !HasFailure(); seed++) {
        const sight seen = expect_the_same(random_scene(static_cast<uint32_t>(seed)), 2);
        interrupts += seen.sum("core.interrupts");
        fast += seen.sum("core.fast_interrupts");
        packets += seen.sum("comms.received_multicast");
        dropped += seen.sum("router.dumped_mc");
    }
    EXPECT_GT(interrupts, 20 * count); /* they do happen */
    EXPECT_GT(fast, 5 * count);
    EXPECT_GT(packets, 15 * count);
    EXPECT_GT(dropped, count / 10);
}

/* Those that were not, once. */
TEST(MachineAhead, RandomProgramsThatFoundFaultsAreTheSame)
{
    for (const uint32_t seed : {57u, 76u, 13034u, 21926u, 51715u}) {
        (void)expect_the_same(random_scene(seed), 3);
    }
}

TEST(MachineAhead, RandomProgramsAreTheSameBySlices)
{
    for (uint32_t seed = 501; seed < 520 && !HasFailure(); seed++) {
        std::vector<way> ways;
        for (const uint64_t ahead : {RUN_AHEAD_OFF, RUN_AHEAD_AUTO, UINT64_C(9)}) {
            for (const uint64_t slice_ps :
                 {UINT64_C(333333), UINT64_C(1234567), UINT64_C(17000003)}) {
                way way = ahead_by(ahead);
                way.slice_ps = slice_ps;
                ways.push_back(way);
            }
        }
        (void)expect_the_same(random_scene(seed), ways);
    }
}

/* A state is the same for machines whose cores run ahead and for others. */
TEST(MachineAhead, RandomProgramsGoOnTheOtherWay)
{
    for (uint32_t seed = 601; seed < 630 && !HasFailure(); seed++) {
        scene scene = random_scene(seed);
        scene.sample_cycles = 0; /* they are no part of a state */
        std::vector<way> ways;
        for (const uint64_t ahead : {RUN_AHEAD_OFF, RUN_AHEAD_AUTO, UINT64_C(3)}) {
            way way = ahead_by(ahead);
            way.change_ps = scene.end_ps / 3 + seed;
            ways.push_back(way);
        }
        (void)expect_the_same(scene, ways);
    }
}

/* As many chips as threads are worth having for. */
TEST(MachineAhead, RandomProgramsAreTheSameOnSeveralThreads)
{
    for (uint32_t seed = 701; seed < 716 && !HasFailure(); seed++) {
        std::vector<way> ways;
        for (const uint64_t ahead : {RUN_AHEAD_AUTO, RUN_AHEAD_OFF, UINT64_C(2)}) {
            for (const unsigned threads : {1u, 2u, 3u}) {
                ways.push_back(ahead_by(ahead, threads));
            }
        }
        (void)expect_the_same(random_scene(seed, 6), ways);
    }
}

/* In native code, which keeps what it stores to by itself. */
TEST(MachineAhead, TranslatedProgramsAreTheSame)
{
    uint64_t runs = 0;
    for (uint32_t seed = 1; seed < 4 && !HasFailure(); seed++) {
        scene scene;
        scene.seed = seed;
        scene.end_ps = 4000 * US;
        listener hears(TWO, seed % 2 == 0 ? BY_FIQ : BY_IRQ, MULTICAST, 20);
        hears.compute(60000);
        listener both(THREE, BY_VECTOR, MULTICAST | TIMER1);
        both.main.store(TIMER, 977 + seed);
        both.main.store(TIMER + 8, 0xe2);
        both.compute(60000);
        scene.cores = {sender(ONE, TWO, 900, 90, 1), hears.done(),
                       sender({0, 0, 4}, THREE, 900, 70, 2), both.done()};
        const sight reference = run_scene(scene, ahead_by(RUN_AHEAD_OFF));
        for (const uint64_t ahead : {RUN_AHEAD_AUTO, UINT64_C(4)}) {
            way way = ahead_by(ahead);
            way.tier = TIER_EVERYTHING;
            const sight seen = run_scene(scene, way);
            EXPECT_EQ(difference(reference, seen), "") << seed << ", ahead by " << ahead;
            runs += seen.native_runs;
        }
    }
    EXPECT_GT(runs, 100u);
}
