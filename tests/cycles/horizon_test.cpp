/* horizon_test.cpp - a core stops at the first instruction boundary at or after its horizon. */
#include "tests/cycles/trace.h"
#include "tests/support/arm_asm.h"
#include "tests/support/thumb_asm.h"

TEST(Horizon, StopsAtTheFirstBoundaryAtOrAfterIt)
{
    /* boundaries at 1, 3, 6, 7, 11 */
    const std::vector<uint32_t> code = {
        nop(),           mrs_cpsr(r0), umull(r1, r2, r3, r4), nop(), ldm(r8, {r0, r1, r2, r3}),
        branch_to_self()};
    const uint64_t boundary[12] = {0, 1, 3, 3, 6, 6, 6, 7, 11, 11, 11, 11};
    for (uint64_t horizon = 0; horizon < 12; horizon++) {
        core_bench bench;
        bench.arm(CODE_BASE, code);
        bench.set(8, DTCM_BASE);
        bench.start(CODE_BASE);
        EXPECT_EQ(arm968_run(bench.cpu, horizon), ARM968_STOP_HORIZON);
        EXPECT_EQ(bench.cycle(), boundary[horizon]) << horizon;
    }
}

TEST(Horizon, AHorizonInThePastExecutesNothing)
{
    core_bench bench;
    bench.arm(CODE_BASE, {nop(), nop(), nop(), nop()});
    bench.start(CODE_BASE);
    EXPECT_EQ(arm968_run(bench.cpu, 3), ARM968_STOP_HORIZON);
    EXPECT_EQ(arm968_run(bench.cpu, 3), ARM968_STOP_HORIZON);
    EXPECT_EQ(arm968_run(bench.cpu, 1), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.cycle(), 3u);
    EXPECT_EQ(bench.reg(15), CODE_BASE + 12);
}

TEST(Horizon, FailedConditionsThatCostMoreThanSuccessAreSeen)
{
    bench_config config;
    config.timing.condition_failed = 4;
    for (uint64_t horizon = 1; horizon < 40; horizon++) {
        core_bench bench(config);
        for (uint32_t i = 0; i < 20; i++) {
            bench.set_word(CODE_BASE + 4 * i, when(EQ, nop()));
        }
        bench.start(CODE_BASE);
        arm968_set_cpsr(bench.cpu, ARM968_SUPERVISOR);
        EXPECT_EQ(arm968_run(bench.cpu, horizon), ARM968_STOP_HORIZON);
        ASSERT_EQ(bench.cycle(), (horizon + 3) / 4 * 4) << horizon;
    }
}

TEST(Horizon, ADelayLoopStopsAtEveryBoundary)
{
    const std::vector<uint16_t> code = {thumb::sub_imm(r0, 1), thumb::b_if(NE, 2, 0),
                                        thumb::branch_to_self()};
    for (uint64_t horizon = 1; horizon < 60; horizon++) {
        core_bench bench;
        bench.thumb(CODE_BASE, code);
        bench.set(0, 10);
        bench.start(CODE_BASE, true);
        EXPECT_EQ(arm968_run(bench.cpu, horizon), ARM968_STOP_HORIZON);
        /* a round is SUB 1 and BNE 3, the last BNE fails: 1; then 3 for each round of the end */
        const uint64_t rounds = std::min<uint64_t>(horizon / 4, 9);
        uint64_t expected = 4 * rounds;
        uint32_t at = CODE_BASE;
        uint32_t left = 10 - static_cast<uint32_t>(rounds);
        if (expected < horizon) {
            expected++;
            at += 2;
            left--;
        }
        if (expected < horizon && left != 0) {
            expected += 3;
            at = CODE_BASE;
        } else if (expected < horizon) {
            expected++;
            at += 2;
            expected += expected < horizon ? (horizon - expected + 2) / 3 * 3 : 0;
        }
        EXPECT_EQ(bench.cycle(), expected) << horizon;
        EXPECT_EQ(bench.reg(15), at) << horizon;
        EXPECT_EQ(bench.reg(0), left) << horizon;
    }
}

TEST(Horizon, ADelayLoopFromZeroGoesRoundFourThousandMillionTimes)
{
    core_bench bench;
    bench.arm(CODE_BASE, {subs_imm(r0, r0, 1), when(NE, b(4, 0)), branch_to_self()});
    bench.set(0, 0);
    bench.start(CODE_BASE);
    const uint64_t rounds = UINT64_C(1) << 32;
    EXPECT_EQ(arm968_run(bench.cpu, 4 * rounds - 2), ARM968_STOP_HORIZON);
    EXPECT_EQ(bench.cycle(), 4 * rounds - 2);
    EXPECT_EQ(bench.reg(15), CODE_BASE + 8);
    EXPECT_EQ(bench.reg(0), 0u);
    EXPECT_EQ(bench.counters().instructions, 2 * rounds);
    EXPECT_EQ(bench.counters().branches_taken, rounds - 1);
    EXPECT_EQ(bench.counters().branch_cycles, 3 * (rounds - 1));
}

/* An access may bring the end of the run nearer, never farther away. */
TEST(Horizon, APortMayLimitTheRun)
{
    for (const uint64_t limit : {0u, 3u, 4u, 9u, 10u, 200u}) {
        core_bench bench;
        std::vector<uint32_t> code = {nop(), str_imm(r0, r1)};
        code.resize(60, nop());
        bench.arm(CODE_BASE, code);
        bench.set(1, 0x60000000);
        bench.start(CODE_BASE);
        bench.outside.script = [&](struct arm968_access *access, uint64_t) {
            arm968_limit_horizon(bench.cpu, limit);
            access->wait_cycles = 2;
            return ARM968_REPLY_DONE;
        };
        EXPECT_EQ(arm968_run(bench.cpu, 50), ARM968_STOP_HORIZON);
        /* the store ends at 4; a limit that has passed ends the run there */
        EXPECT_EQ(bench.cycle(), std::min<uint64_t>(std::max<uint64_t>(limit, 4), 50)) << limit;
        EXPECT_EQ(arm968_run(bench.cpu, 51), ARM968_STOP_HORIZON); /* the next run is its own */
        EXPECT_EQ(bench.cycle(), 51u);
    }
}

/* A block's end is judged by the instruction behind it, which may be written later. */
TEST(Horizon, AnInstructionWrittenBehindABlockPaysItsInterlock)
{
    core_bench bench;
    std::vector<uint32_t> code = {str_imm(r2, r3)}; /* changes the 33rd instruction */
    while (code.size() < 31) {
        code.push_back(nop());
    }
    code.push_back(ldr_imm(r0, r8));
    code.push_back(mov_imm(r0, 1));
    code.push_back(branch_to_self());
    bench.arm(CODE_BASE, code);
    bench.set(2, add(r1, r0, r0));
    bench.set(3, CODE_BASE + 4 * 32);
    bench.set(8, DTCM_BASE);
    bench.start(CODE_BASE);
    /* store 1 + ITCM 1, 30 NOPs, load 1, stall 1, add 1 */
    EXPECT_EQ(bench.run_to(CODE_BASE + 4 * 33), ARM968_STOP_BREAKPOINT);
    EXPECT_EQ(bench.cycle(), 2u + 30u + 1u + 1u + 1u);
}
