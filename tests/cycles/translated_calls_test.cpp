/* translated_calls_test.cpp - what native code makes of calls, returns and jumps, a case each,
 * stopped at every distance: short functions that are copied into their callers, changes of state,
 * callees that come back elsewhere, recursion, functions of different translations. */
#include "tests/cycles/twins.h"
#include "tests/support/arm_asm.h"
#include "tests/support/thumb_asm.h"

namespace
{

constexpr uint32_t WARM_UP = 4000;    /* cycles in which all of a program is run */
constexpr uint32_t DISTANCES = 60;    /* cycles between stops, at most */
constexpr uint32_t AT_EACH = 150;     /* cycles */
constexpr uint32_t FUNCTION = 0x1400; /* where functions begin */
constexpr uint32_t SECOND = 0x1800;

class TranslatedCalls : public ::testing::Test
{
  protected:
    /* Before the program is run, registers that the cases have in common. */
    void begin(bool thumb = false, uint32_t at = CODE_BASE)
    {
        for (core_bench *bench : {&it.native, &it.reference}) {
            bench->set_mode(ARM968_SYSTEM, MASK_F);
        }
        it.set(8, DTCM_BASE);
        it.set(9, DTCM_BASE + 0x8000);
        it.set(13, DTCM_BASE + 0xf000);
        it.start(at, thumb);
        it.run(WARM_UP, 500);
    }
    void translate()
    {
        ASSERT_TRUE(arm968_translate(it.native.cpu));
    }
    void stop_anywhere()
    {
        const uint64_t before = it.native_runs();
        it.run_at_each_distance(AT_EACH, DISTANCES);
        it.run(20000, 2000);
        EXPECT_GT(it.native_runs(), before + DISTANCES);
    }
    void check()
    {
        begin();
        translate();
        stop_anywhere();
    }

    translator_pointer translator = on_demand();
    twins it{&translator};
};

/* ---- short functions, which are copied into their callers ---- */

TEST_F(TranslatedCalls, AShortFunctionWithTwoExits)
{
    it.arm(FUNCTION, {data_imm(AND, true, r2, r0, 3), when(EQ, bx(lr)), str_imm(r0, r9),
                      ldr_imm(r3, r9, 4), add(r3, r3, r0), str_imm(r3, r9, 4), bx(lr)});
    it.arm(CODE_BASE, {bl(CODE_BASE, FUNCTION), add_imm(r0, r0, 1), bl(CODE_BASE + 8, FUNCTION),
                       data_reg(ADC, true, r4, r4, r0), when(CC, bl(CODE_BASE + 16, FUNCTION)),
                       when(EQ, add_imm(r5, r5, 1)), mov_imm(r12, FUNCTION), mov(lr, pc), bx(r12),
                       data_reg(EOR, false, r6, r6, r3, ROR, 3), b(CODE_BASE + 40, CODE_BASE)});
    check();
}

TEST_F(TranslatedCalls, AConditionalReturnBetweenStores)
{
    it.arm(FUNCTION,
           {str_imm(r0, r9), subs_imm(r1, r1, 1), when(MI, mov_imm(r1, 5)), when(MI, mov(pc, lr)),
            str_imm(r1, r9, 4), when(EQ, mov(pc, lr)), str_imm(r1, r9, 8), mov(pc, lr)});
    it.arm(CODE_BASE,
           {bl(CODE_BASE, FUNCTION), when(MI, add_imm(r4, r4, 1)), bl(CODE_BASE + 8, FUNCTION),
            add_imm(r0, r0, 3), b(CODE_BASE + 16, CODE_BASE)});
    check();
}

/* Copies have no entries, which loops need. */
TEST_F(TranslatedCalls, AShortFunctionWithALoop)
{
    it.arm(FUNCTION, {data_imm(AND, false, r2, r0, 7), data_reg(EOR, false, r3, r3, r0, ROR, 5),
                      subs_imm(r2, r2, 1), when(PL, b(FUNCTION + 12, FUNCTION + 4)), bx(lr)});
    it.arm(CODE_BASE, {bl(CODE_BASE, FUNCTION), add_imm(r0, r0, 1), bl(CODE_BASE + 8, FUNCTION),
                       b(CODE_BASE + 12, CODE_BASE)});
    check();
}

/* What writes the link register does not come back to where a copy would. */
TEST_F(TranslatedCalls, AShortFunctionThatWritesTheLinkRegister)
{
    it.arm(FUNCTION, {data_imm(TST, true, 0, r0, 1), when(NE, b(FUNCTION + 4, FUNCTION + 20)),
                      add_imm(lr, lr, 4), data_imm(TST, true, 0, r0, 2),
                      when(NE, b(FUNCTION + 16, FUNCTION + 24)), add_imm(r1, r1, 1), bx(lr)});
    it.arm(CODE_BASE, {bl(CODE_BASE, FUNCTION), add_imm(r4, r4, 1), add_imm(r0, r0, 1),
                       b(CODE_BASE + 12, CODE_BASE)});
    check();
}

/* A function in ARM state that Thumb code calls, and that may leave by this instruction. */
class StateOfReturns : public TranslatedCalls
{
  protected:
    static constexpr uint32_t LOOP = 0x1100;
    static constexpr uint32_t BOTH = LOOP + 4;             /* where the call returns to */
    static constexpr uint32_t IN_THUMB = BOTH + 6 + 0x340; /* where that goes on in Thumb state */

    void check_leaving_by(uint32_t leave)
    {
        it.arm(FUNCTION, {add_imm(r0, r0, 1), data_imm(TST, true, 0, r0, 3), when(EQ, leave),
                          data_reg(EOR, false, r1, r1, r0), bx(lr)});
        it.thumb(LOOP, {thumb::bl_prefix(LOOP, FUNCTION), thumb::blx_suffix(LOOP, FUNCTION)});
        it.arm(BOTH, {mov(r0, r0), /* in Thumb state: LSL r0, r0, #0 and a branch */
                      add_imm(r6, r6, 1), bx(r12)});
        it.thumb(IN_THUMB, {thumb::add_imm(r5, 1), thumb::b(IN_THUMB + 2, LOOP)});
        it.set(12, LOOP | 1);
        begin(true, LOOP);
        in_thumb = it.reference.reg(5);
        in_arm = it.reference.reg(6);
        translate();
        stop_anywhere();
    }
    uint32_t in_thumb = 0, in_arm = 0; /* how often it has come back */
};

TEST_F(StateOfReturns, BxComesBackToTheOtherState)
{
    check_leaving_by(bx(lr));
    EXPECT_GT(in_thumb, 100u);
    EXPECT_EQ(in_arm, 0u);
}

/* MOV pc keeps the state: in ARM state it does not come back to Thumb code. */
TEST_F(StateOfReturns, AMoveToPcDoesNot)
{
    check_leaving_by(mov(pc, lr));
    EXPECT_GT(in_thumb, 2 * in_arm);
    EXPECT_GT(in_arm, 50u);
}

/* The other way round: Thumb code that is called from ARM state. */
TEST_F(TranslatedCalls, ThumbFunctionsCalledFromBothStates)
{
    it.thumb(FUNCTION, {thumb::add_imm(r0, 1), thumb::cmp_imm(r0, 40), thumb::b_if(NE, 4, 8),
                        thumb::mov_imm(r0, 0), thumb::str_imm(r0, r1, 0), thumb::bx(lr)});
    it.arm(CODE_BASE,
           {blx_to(CODE_BASE, FUNCTION), add_imm(r5, r5, 1), add_imm(r12, r7, 1), bx(r12)});
    it.thumb(SECOND, {thumb::bl_prefix(SECOND, FUNCTION), thumb::bl_suffix(SECOND, FUNCTION),
                      thumb::add_imm(r6, 1), thumb::bl_prefix(SECOND + 6, FUNCTION),
                      thumb::bl_suffix(SECOND + 6, FUNCTION), thumb::bx(r4)});
    it.set(1, DTCM_BASE);
    it.set(4, CODE_BASE);
    it.set(7, SECOND);
    check();
}

/* ---- what comes back otherwise than a call expects ---- */

TEST_F(TranslatedCalls, ACalleeThatComesBackFourBytesLater)
{
    it.arm(FUNCTION, {add_imm(r0, r0, 1), data_imm(TST, true, 0, r0, 1),
                      when(EQ, add_imm(lr, lr, 4)), str_imm(r0, r9), bx(lr)});
    it.arm(SECOND, {subs_imm(r1, r1, 1), when(MI, mov_imm(r1, 2)), add_imm(r2, lr, 4),
                    when(NE, bx(r2)), mov(pc, lr)});
    it.arm(CODE_BASE, {bl(CODE_BASE, FUNCTION), add_imm(r4, r4, 1), add_imm(r5, r5, 1),
                       bl(CODE_BASE + 12, SECOND), add_imm(r4, r4, 16), add_imm(r6, r6, 1),
                       b(CODE_BASE + 24, CODE_BASE)});
    check();
}

/* A function that is entered at its second instruction, too. */
TEST_F(TranslatedCalls, AFunctionWithTwoBeginnings)
{
    it.arm(FUNCTION, {add_imm(r0, r0, 1), push({r4, lr}), ldr_imm(r4, r9), add(r4, r4, r0),
                      str_imm(r4, r9), bl(FUNCTION + 20, SECOND), pop({r4, pc})});
    it.arm(SECOND, {data_reg(EOR, true, r1, r1, r0, ROR, 7), when(MI, add_imm(r2, r2, 1)), bx(lr)});
    it.arm(CODE_BASE, {bl(CODE_BASE, FUNCTION), when(MI, bl(CODE_BASE + 4, FUNCTION + 4)),
                       bl(CODE_BASE + 8, SECOND + 4), b(CODE_BASE + 12, CODE_BASE)});
    check();
}

/* A stub that jumps to a register's value: the function behind it changes what its caller has. */
TEST_F(TranslatedCalls, AStubForARegister)
{
    const uint32_t target = FUNCTION + 0x20;
    it.arm(FUNCTION, {bx(r3)}); /* _call_via_r3 */
    it.arm(target, {add_imm(r4, r4, 1), add_imm(r5, r5, 2), data_reg(EOR, false, r6, r6, r4),
                    mov(r0, r5), ldr_imm(r10, r9), add_imm(r10, r10, 1), str_imm(r10, r9), bx(lr)});
    it.arm(CODE_BASE, {add_imm(r3, r7, 0), bl(CODE_BASE + 4, FUNCTION), add(r1, r4, r5),
                       add(r2, r6, r0), add_imm(r4, r4, 3), bl(CODE_BASE + 20, FUNCTION),
                       add(r1, r1, r4), add(r1, r1, r10), b(CODE_BASE + 32, CODE_BASE)});
    it.set(7, target);
    check();
}

/* A function that ends in a jump to another one, by a register. */
TEST_F(TranslatedCalls, AFunctionThatEndsInAnother)
{
    it.arm(FUNCTION, {add_imm(r0, r0, 1), add_imm(r3, r7, 0), bx(r3)});
    it.arm(SECOND, {add_imm(r4, r4, 1), add(r5, r5, r4), add_imm(r6, r6, 7),
                    data_reg(EOR, false, r10, r10, r6), data_reg(EOR, false, r2, r2, r6),
                    str_imm(r2, r9), ldr_imm(r12, r9), bx(lr)});
    it.arm(CODE_BASE,
           {add_imm(r4, r4, 1), bl(CODE_BASE + 4, FUNCTION), add(r1, r4, r5), add(r1, r1, r6),
            add(r1, r1, r10), add(r1, r1, r2), add(r1, r1, r12), b(CODE_BASE + 28, CODE_BASE)});
    it.set(7, SECOND);
    check();
}

TEST_F(TranslatedCalls, CalleesThatAreLeftInTheMiddle)
{
    for (core_bench *bench : {&it.native, &it.reference}) {
        bench->outside.regions = {{0x60000000, 0x1000, REGION_ANSWERS, 3}};
    }
    it.arm(8, {add_imm(r10, r10, 1), data_reg(MOV, true, pc, 0, lr)}); /* of SWI */
    it.arm(FUNCTION, {add_imm(r4, r4, 1), swi(1), add_imm(r5, r5, 1), bx(lr)});
    it.arm(SECOND, {add_imm(r4, r4, 1), ldr_imm(r6, r7), add(r6, r6, r4), str_imm(r6, r7),
                    add_imm(r5, r5, 1), bx(lr)});
    it.arm(CODE_BASE,
           {bl(CODE_BASE, FUNCTION), add(r0, r4, r5), bl(CODE_BASE + 8, SECOND), add(r1, r6, r5),
            add_imm(r12, r11, 0), blx(r12), add(r2, r6, r4), b(CODE_BASE + 28, CODE_BASE)});
    it.set(7, 0x60000000);
    it.set(11, SECOND);
    check();
}

/* ---- depth ---- */

TEST_F(TranslatedCalls, Recursion)
{
    it.arm(FUNCTION, {push({r4, lr}), subs_imm(r2, r2, 1), add(r4, r4, r2),
                      when(NE, bl(FUNCTION + 12, FUNCTION)), add(r0, r0, r4), pop({r4, pc})});
    it.arm(CODE_BASE, {mov_imm(r2, 13), bl(CODE_BASE + 4, FUNCTION), b(CODE_BASE + 8, CODE_BASE)});
    check();
}

/* Much code, so that the host's frames are large, and recursion for as long as a run may be. */
TEST_F(TranslatedCalls, DeepRecursionLeavesTheHostsStackAlone)
{
    constexpr uint32_t MUCH = 1500; /* instructions */
    std::vector<uint32_t> code = {str_pre(lr, sp, -4),
                                  cmp_imm(r0, 0),
                                  when(NE, b(FUNCTION + 8, FUNCTION + 24)),
                                  subs_imm(r2, r2, 1),
                                  when(NE, bl(FUNCTION + 16, FUNCTION)),
                                  ldr_post(pc, sp, 4)};
    for (uint32_t i = 0; i < MUCH; i++) {
        code.push_back(data_reg(ADD, true, r3 + i % 4, r3 + (i + 1) % 4, r3, ROR, 1 + i % 31));
    }
    code.push_back(mov_imm(r0, 0));
    code.push_back(b(FUNCTION + 4 * static_cast<uint32_t>(code.size()), FUNCTION + 12));
    it.arm(FUNCTION, code);
    it.arm(CODE_BASE, {mov_imm(r0, 1), mov_imm(r2, 0xf00), bl(CODE_BASE + 8, FUNCTION),
                       b(CODE_BASE + 12, CODE_BASE)});
    begin();
    it.run(100000, 20000);
    translate();
    it.run(400000, 100000);
    EXPECT_GT(it.native_runs(), 10u);
}

/* Each instruction of a threaded program jumps to the next one's code. */
TEST_F(TranslatedCalls, ChainsOfJumpsLeaveTheHostsStackAlone)
{
    constexpr uint32_t CODES = 4;
    std::vector<uint32_t> code;
    for (uint32_t n = 0; n < CODES; n++) {
        const uint32_t words = n + 1; /* of 64 bytes each */
        code.resize(16 * n, nop());
        for (uint32_t i = 0; i < words; i++) {
            code.push_back(data_reg(ADD, true, r0 + n, r0 + n, r5, ROR, 1 + i));
        }
        code.push_back(ldr_post(r6, r4, 4));
        code.push_back(data_imm(BIC, false, r4, r4, 0x200)); /* round and round */
        code.push_back(bx(r6));
    }
    it.arm(FUNCTION, code);
    it.arm(CODE_BASE, {b(CODE_BASE, FUNCTION)});
    for (core_bench *bench : {&it.native, &it.reference}) {
        for (uint32_t i = 0; i < 0x80; i++) {
            bench->set_word(DTCM_BASE + 4 * i, FUNCTION + 64 * (i * i / 3 % CODES));
        }
    }
    it.set(4, DTCM_BASE);
    it.set(5, 0x9e3779b1);
    begin();
    translate();
    it.run(400000, 100000);
    EXPECT_GT(it.native_runs(), 10u);
}

/* ---- functions of several translations ---- */

TEST_F(TranslatedCalls, FunctionsOfTwoTranslations)
{
    it.arm(FUNCTION, {push({r4, lr}), add_imm(r4, r4, 1), add_imm(r0, r0, 3),
                      bl(FUNCTION + 12, FUNCTION + 0x40), add(r1, r1, r4), pop({r4, pc})});
    std::vector<uint32_t> longer(34, data_reg(EOR, true, r2, r2, r0, ROR, 3)); /* is not copied */
    longer.push_back(bx(lr));
    it.arm(FUNCTION + 0x40, longer);
    it.arm(CODE_BASE, {bl(CODE_BASE, FUNCTION), add_imm(r5, r5, 1), cmp_imm(r6, 0),
                       when(EQ, b(CODE_BASE + 12, CODE_BASE)), blx(r7), add(r5, r5, r2),
                       b(CODE_BASE + 24, CODE_BASE)});
    std::vector<uint32_t> second = {
        push({r4, lr}), add_imm(r10, r10, 1), mov(r12, r11), bl(SECOND + 12, FUNCTION), mov(lr, pc),
        bx(r12),        add(r10, r10, r2),    pop({r4, pc})};
    it.arm(SECOND, second);
    it.set(7, SECOND);
    it.set(11, FUNCTION + 0x40);
    begin();
    translate();
    it.run(2000, 300);
    it.set(6, 1);
    it.run(2000, 300);
    translate(); /* only what is new */
    stop_anywhere();
}

} // namespace
