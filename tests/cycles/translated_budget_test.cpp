/* translated_budget_test.cpp - native code looks at what is left of its budget in some places only,
 * for what lies between them: it stops where the interpreter stops, however far the end of a run
 * is.
 */
#include "tests/cycles/twins.h"
#include "tests/support/arm_asm.h"

namespace
{

constexpr uint64_t WARM_UP = 20000; /* cycles in which all of a program is run */
constexpr uint64_t MOST = 150;      /* cycles between stops: more than is looked ahead */
constexpr uint64_t MOST_LONG = 500; /* the same where blocks are long, and owe */
constexpr uint64_t AT_EACH = 3000;  /* cycles */

/* Short blocks that lead to each other by what r0, a random number, comes to; some of them cost
 * more when they are left, some when conditions hold. */
const std::vector<uint32_t> BRANCHES = {
    mla(r0, r3, r1, r2),
    mov(r3, r0),
    data_imm(TST, true, 0, r0, 0x100),
    when(NE, b(12, 36)),
    add_imm(r4, r4, 1),
    data_imm(TST, true, 0, r0, 0x200),
    when(EQ, b(24, 48)),
    umull(r5, r6, r0, r4),
    b(32, 56),
    /* 36 */
    when(MI, add(r5, r5, r0)),
    when(PL, mul(r5, r0, r4)),
    b(44, 56),
    /* 48 */
    ldm(r8, {r5, r6, r7, r10}),
    add(r5, r5, r10),
    /* 56 */
    data_imm(TST, true, 0, r0, 0x10000),
    when(EQ, add_imm(r4, r4, 3)),
    when(EQ, add_imm(r5, r5, 3)),
    when(EQ, mul(r6, r4, r0)),
    when(EQ, add(r6, r6, r4)),
    when(NE, b(76, 88)),
    data_imm(TST, true, 0, r0, 0x20000),
    when(NE, b(84, 92)),
    /* 88 */
    add_imm(r6, r6, 1),
    /* 92 */
    str_imm(r6, r8),
    data_imm(TST, true, 0, r0, 0xc0000),
    when(EQ, b(100, 104)), /* to the next instruction */
    str_imm(r5, r8, 4),
    cmp_imm(r0, 0x40000000),
    when(CC, b(112, 0)),
    mov(r12, r0, LSR, 28),
    /* 120 */
    subs_imm(r12, r12, 1),
    when(PL, add_imm(r4, r4, 1)),
    when(MI, add_imm(r6, r6, 1)),
    when(PL, b(132, 120)),
    b(136, 0),
};

void check(const std::vector<uint32_t> &code, const struct arm968_timing &timing,
           uint64_t most = MOST)
{
    translator_pointer translator = on_demand();
    twins it(&translator, nullptr, timing);
    it.arm(CODE_BASE, code);
    for (const auto &value : std::map<unsigned, uint32_t>{
             {1, 1664525}, {2, 1013904223}, {3, 968}, {8, DTCM_BASE + 0x100}}) {
        it.set(value.first, value.second);
    }
    it.start(CODE_BASE);
    it.run(WARM_UP, 2000);
    ASSERT_TRUE(arm968_translate(it.native.cpu));
    it.run_at_each_distance(AT_EACH, most);
    EXPECT_GT(it.native_runs(), 300u);
}

TEST(TranslatedBudget, BranchesStopAtEveryDistance)
{
    check(BRANCHES, arm968_timing_default());
}

/* Blocks that only one way leads to take over what those before them owe: longer ones than native
 * code looks ahead. */
TEST(TranslatedBudget, LongBlocksStopAtEveryDistance)
{
    std::vector<uint32_t> code;
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t n = 0; n < 12; n++) {
            code.push_back(umull(r5, r6, r4, r1));
            code.push_back(add(r4, r5, r2));
        }
        code.push_back(data_imm(TST, true, 0, r4, 0x700u << (4 * i)));
        const auto here = static_cast<uint32_t>(4 * code.size());
        code.push_back(when(EQ, b(here, 0)));
    }
    code.push_back(b(static_cast<uint32_t>(4 * code.size()), 0));
    check(code, arm968_timing_default(), MOST_LONG);
}

/* Blocks may take longer when conditions fail than when they hold. */
TEST(TranslatedBudget, FailedConditionsThatCostMoreAreSeen)
{
    for (const unsigned cycles : {0u, 2u, 4u, 9u}) {
        struct arm968_timing timing = arm968_timing_default();
        timing.condition_failed = cycles;
        check(BRANCHES, timing);
        ASSERT_FALSE(::testing::Test::HasFailure()) << cycles << " cycles";
    }
}

} // namespace
