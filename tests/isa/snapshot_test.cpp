/* snapshot_test.cpp - a core saved anywhere and loaded into another one goes on identically. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/random_program.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

#include <random>

static constexpr uint32_t CODE = CODE_BASE;

/* Another bench with the same memories and the state of the core. */
static void clone(const core_bench &from, core_bench *to)
{
    to->itcm = from.itcm; /* same size: the bytes stay where the core knows them */
    to->dtcm = from.dtcm;
    to->outside.regions = from.outside.regions;
    to->outside.words = from.outside.words;
    struct arm968_snapshot snapshot;
    arm968_save(from.cpu, &snapshot);
    arm968_load(to->cpu, &snapshot);
}

static bool same_snapshots(const core_bench &one, const core_bench &other)
{
    struct arm968_snapshot a;
    struct arm968_snapshot b;
    arm968_save(one.cpu, &a);
    arm968_save(other.cpu, &b);
    return memcmp(&a, &b, sizeof a) == 0;
}

TEST(Snapshot, RandomCodeGoesOnIdenticallyFromAnyBoundary)
{
    std::mt19937 random(4);
    for (uint32_t seed = 100000; seed < 102000 && !HasFailure(); seed++) {
        const random_program program = make_random_program(seed, (seed & 1) != 0, 40);
        core_bench original;
        load_random_program(&original, program);
        const uint64_t cut = random() % 80;
        (void)arm968_run(original.cpu, cut);
        core_bench copy;
        clone(original, &copy);
        EXPECT_EQ(view_of(copy.cpu), view_of(original.cpu));
        EXPECT_TRUE(same_snapshots(copy, original));
        const uint64_t end = cut + 1 + random() % 200;
        (void)arm968_run(original.cpu, end);
        (void)arm968_run(copy.cpu, end);
        EXPECT_EQ(view_of(copy.cpu), view_of(original.cpu));
        EXPECT_EQ(copy.dtcm, original.dtcm);
        EXPECT_EQ(copy.itcm, original.itcm);
        EXPECT_EQ(memcmp(&copy.counters(), &original.counters(), sizeof(struct arm968_counters)),
                  0);
        if (HasFailure()) {
            ADD_FAILURE() << "cut at " << cut << "\n" << program.listing();
        }
    }
}

TEST(Snapshot, LoadsIntoACoreThatHasRunOtherCode)
{
    core_bench original;
    original.arm(CODE, {ldrb_imm(r0, r1), add(r2, r0, r0), branch_to_self()});
    original.set(1, DTCM_BASE);
    original.start(CODE);
    original.steps(1);
    core_bench used;
    used.arm(CODE, {mov_imm(r0, 1), mov_imm(r1, 2), swi(0)});
    used.set_mode(ARM968_FIQ_MODE, 0);
    used.set(9, 0x999);
    used.start(CODE);
    used.steps(3);
    clone(original, &used);
    EXPECT_EQ(view_of(used.cpu), view_of(original.cpu));
    EXPECT_EQ(arm968_banked_register(used.cpu, ARM968_FIQ_MODE, 9),
              arm968_banked_register(original.cpu, ARM968_FIQ_MODE, 9));
    used.steps(1);
    EXPECT_EQ(used.cycle(), 1u + 2u + 1u); /* the result was still pending */
    EXPECT_EQ(used.reg(2), 0u);
}

TEST(Snapshot, KeepsBanksLinesAndCp15)
{
    static const enum arm968_mode MODES[] = {ARM968_SYSTEM,     ARM968_FIQ_MODE, ARM968_IRQ_MODE,
                                             ARM968_SUPERVISOR, ARM968_ABORT,    ARM968_UNDEFINED};
    core_bench original;
    for (const enum arm968_mode mode : MODES) {
        for (unsigned r = 8; r < 15; r++) {
            arm968_set_banked_register(original.cpu, mode, r, mode << 8 | r);
        }
        arm968_set_spsr(original.cpu, mode, FLAG_N | mode);
    }
    original.arm(CODE, {mcr(15, 0, r0, 13, 0, 1), mcr(15, 0, r1, 15, 0, 0), swi(0)});
    original.set(0, 0x1234);
    original.set(1, 0x5678);
    arm968_set_control(original.cpu, CONTROL_LOW | CONTROL_A | CONTROL_L4);
    arm968_set_cpsr(original.cpu, FLAG_V | FLAG_Q | ARM968_ABORT);
    original.start(CODE);
    original.steps(2);
    arm968_set_line(original.cpu, ARM968_FIQ, true, 77);
    core_bench copy;
    clone(original, &copy);
    for (const enum arm968_mode mode : MODES) {
        for (unsigned r = 8; r < 15; r++) {
            EXPECT_EQ(arm968_banked_register(copy.cpu, mode, r),
                      arm968_banked_register(original.cpu, mode, r));
        }
        EXPECT_EQ(arm968_spsr(copy.cpu, mode), arm968_spsr(original.cpu, mode));
    }
    EXPECT_EQ(copy.cpsr(), FLAG_V | FLAG_Q | ARM968_ABORT);
    EXPECT_EQ(arm968_control(copy.cpu), CONTROL_LOW | CONTROL_A | CONTROL_L4);
    EXPECT_EQ(arm968_wake_cycle(copy.cpu), 79u);
    copy.set_mode(ARM968_SUPERVISOR);
    copy.arm(CODE, {mrc(15, 0, r2, 13, 0, 1), mrc(15, 0, r3, 15, 0, 0)});
    copy.start(CODE);
    copy.steps(2);
    EXPECT_EQ(copy.reg(2), 0x1234u);
    EXPECT_EQ(copy.reg(3), 0x5678u);
}

TEST(Snapshot, KeepsAnAccessThatHasBeenAskedFor)
{
    for (const bool performed : {false, true}) {
        core_bench original;
        original.outside.regions = {{0x60000000, 0x100, REGION_OUTSIDE, 0}};
        original.set_word(0x60000000, 0xbeef);
        original.arm(CODE, {nop(), ldr_post(r0, r1, 4), nop(), branch_to_self()});
        original.set(1, 0x60000000);
        original.start(CODE);
        ASSERT_EQ(original.run(100), ARM968_STOP_OUTSIDE);
        if (performed) {
            original.complete(5);
        }
        core_bench copy;
        clone(original, &copy);
        if (!performed) {
            EXPECT_EQ(copy.run(100), ARM968_STOP_OUTSIDE);
            copy.complete(5);
        }
        EXPECT_EQ(arm968_run(copy.cpu, 7), ARM968_STOP_HORIZON);
        EXPECT_EQ(copy.reg(0), 0xbeefu);
        EXPECT_EQ(copy.reg(1), 0x60000004u);
        EXPECT_EQ(copy.cycle(), 1u + 6u);
        EXPECT_TRUE(copy.outside.log.empty());
    }
}

TEST(Snapshot, KeepsTheWordFetchedFromOutside)
{
    core_bench original;
    original.outside.regions = {{0x60000000, 0x100, REGION_ANSWERS, 7}};
    original.set_word(0x60000000,
                      thumb::mov_imm(r0, 1) | static_cast<uint32_t>(thumb::mov_imm(r0, 2)) << 16);
    original.start(0x60000000, true);
    original.steps(1);
    core_bench copy;
    clone(original, &copy);
    copy.steps(1);
    EXPECT_EQ(copy.reg(0), 2u);
    EXPECT_EQ(copy.cycle(), 9u);
    EXPECT_TRUE(copy.outside.log.empty());
}

TEST(Snapshot, KeepsAMarkThatHasBeenPassed)
{
    core_bench original;
    original.arm(CODE, {nop(), nop(), nop(), branch_to_self()});
    ASSERT_EQ(arm968_add_mark(original.cpu, CODE + 4), STATUS_OK);
    original.start(CODE);
    ASSERT_EQ(original.run(100), ARM968_STOP_MARK);
    core_bench copy;
    ASSERT_EQ(arm968_add_mark(copy.cpu, CODE + 4), STATUS_OK);
    clone(original, &copy);
    EXPECT_EQ(arm968_run(copy.cpu, 3), ARM968_STOP_HORIZON);
    EXPECT_EQ(copy.reg(15), CODE + 12);
}

TEST(Snapshot, KeepsThePositionBetweenTheHalvesOfACall)
{
    core_bench original;
    original.thumb(CODE, {thumb::bl_prefix(CODE, 0x2000), thumb::bl_suffix(CODE, 0x2000)});
    original.start(CODE, true);
    original.steps(1);
    core_bench copy;
    clone(original, &copy);
    copy.steps(1);
    EXPECT_EQ(copy.reg(15), 0x2000u);
    EXPECT_EQ(copy.reg(14), (CODE + 4) | 1);
    EXPECT_EQ(copy.cycle(), 4u);
}
