/* translated_control_test.cpp - translated loops and calls, stopped anywhere: registers, flags and
 * counts are those of the interpreter.
 *
 * Random programs of random_bodies.h, where r7 and r10 say when a loop ends. */
#include "tests/cycles/random_bodies.h"
#include "tests/cycles/twins.h"
#include "tests/support/amount.h"
#include "tests/support/arm_asm.h"

namespace
{

/* ---- loops ----
 * Mostly of one block: counts and flags of many rounds. */

/* The end of a loop that began at word `head` of the code. */
void emit_end(random_source *from, std::vector<uint32_t> *code, size_t head)
{
    arm_condition condition = NE;
    switch (from->below(5)) {
    case 0:
        code->push_back(subs_imm(r7, r7, 1));
        break;
    case 1:
        code->push_back(subs_imm(r7, r7, 3));
        condition = from->chance(50) ? GT : PL;
        break;
    case 2:
        code->push_back(sub_imm(r7, r7, 1));
        code->push_back(cmp_imm(r7, 5));
        condition = from->chance(50) ? HI : GE;
        break;
    case 3:
        code->push_back(sub_imm(r7, r7, 1));
        code->push_back(data_reg(CMP, true, 0, r10, r7));
        condition = from->chance(50) ? CC : LT; /* r10 is 4 */
        break;
    default:
        code->push_back(data_imm(ADD, true, r7, r7, 0xff000000)); /* 24 bits of it count */
        code->push_back(data_reg(SUB, true, r7, r7, r10));
        condition = PL;
        break;
    }
    if (from->chance(40)) { /* the flags stand apart from the branch */
        emit_body(from, code, 2, true);
    }
    code->push_back(when(
        condition, b(static_cast<uint32_t>(4 * code->size()), static_cast<uint32_t>(4 * head))));
}

/* Some loops, one in another now and then, and back to the beginning. */
std::vector<uint32_t> loops(uint32_t seed)
{
    random_source from = {std::mt19937(seed)};
    std::vector<uint32_t> code;
    for (unsigned i = 0; i < 4; i++) {
        const bool nested = from.chance(40);
        code.push_back(mov_imm(r8, DTCM_BASE));
        if (nested) {
            code.push_back(mov_imm(r11, 1 + from.below(4)));
        }
        const size_t outer = code.size();
        code.push_back(mov_imm(r7, 1 + from.below(nested ? 40 : 250)));
        emit_body(&from, &code, 3, false);
        const size_t head = code.size();
        emit_body(&from, &code, 6, false);
        emit_end(&from, &code, head);
        emit_body(&from, &code, 3, false);
        if (nested) {
            code.push_back(subs_imm(r11, r11, 1));
            code.push_back(when(
                NE, b(static_cast<uint32_t>(4 * code.size()), static_cast<uint32_t>(4 * outer))));
        }
    }
    code.push_back(b(static_cast<uint32_t>(4 * code.size()), 0));
    return code;
}

/* ---- calls ----
 * Functions that call those before them: registers and flags go in and come back. */

struct call_writer {
    uint32_t here() const
    {
        return static_cast<uint32_t>(4 * code.size());
    }
    /* A call, by a register's value now and then, and what looks at the flags behind it. */
    void call(uint32_t to)
    {
        emit_body(&from, &code, 2, from.chance(50));
        if (from.chance(25)) {
            code.push_back(add_imm(r12, r11, to)); /* r11 is CODE_BASE */
            code.push_back(blx(r12));
        } else if (from.chance(30)) {
            code.push_back(when(static_cast<arm_condition>(from.below(14)), bl(here(), to)));
        } else {
            code.push_back(bl(here(), to));
        }
        if (from.chance(40)) { /* N and Z apart from the callee's others */
            code.push_back(movs(r6, r5));
        }
        emit_body(&from, &code, 2, from.chance(70));
    }
    void leaf()
    {
        emit_body(&from, &code, 3, from.chance(50));
        if (from.chance(30)) {
            code.push_back(when(static_cast<arm_condition>(from.below(14)), bx(lr)));
            emit_body(&from, &code, 3, false);
        }
        code.push_back(bx(lr));
    }
    void caller(const std::vector<uint32_t> &others)
    {
        const bool saves = from.chance(50);
        code.push_back(saves ? stm_push : str_pre(lr, sp, -4));
        for (unsigned i = 0; i <= from.below(2); i++) {
            call(others[from.below(static_cast<uint32_t>(others.size()))]);
        }
        code.push_back(saves ? ldm_pop : ldr_post(pc, sp, 4));
    }

    random_source from;
    std::vector<uint32_t> code;

    static constexpr uint32_t stm_push = 0xe92d4070; /* STMDB sp!, {r4-r6, lr} */
    static constexpr uint32_t ldm_pop = 0xe8bd8070;  /* LDMIA sp!, {r4-r6, pc} */
};

/* Functions, and a loop that calls them; it begins at the first word. */
std::vector<uint32_t> calls(uint32_t seed)
{
    call_writer writer = {{std::mt19937(seed)}, {nop()}};
    std::vector<uint32_t> functions;
    for (unsigned i = 0; i < 5; i++) {
        const uint32_t begin = writer.here();
        if (i < 2) {
            writer.leaf();
        } else {
            writer.caller(functions);
        }
        functions.push_back(begin);
    }
    const uint32_t outside = writer.here();
    writer.code[0] = b(0, outside);
    writer.code.push_back(mov_imm(r11, CODE_BASE));
    writer.code.push_back(mov_imm(r8, DTCM_BASE));
    writer.code.push_back(mov_imm(r7, 1 + writer.from.below(100)));
    const uint32_t head = writer.here();
    writer.call(functions.back());
    writer.call(functions[writer.from.below(static_cast<uint32_t>(functions.size()))]);
    writer.code.push_back(subs_imm(r7, r7, 1));
    writer.code.push_back(when(NE, b(writer.here(), head)));
    writer.code.push_back(b(writer.here(), outside));
    return writer.code;
}

/* ---- both ---- */

void check(const std::vector<uint32_t> &code, uint32_t seed)
{
    translator_pointer translator = on_demand();
    twins it(&translator);
    it.arm(CODE_BASE, code);
    it.system_mode();
    it.set_data(seed, 7);
    it.set(9, DTCM_BASE + 0x8000);
    it.set(10, 4);
    it.set(13, DTCM_BASE + 0xf000);
    it.start(CODE_BASE);
    it.run_translated({27, 500, 20000});
    if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "seed " << seed << "\n" << listing(code);
    }
}

/* SPINNSIM_LOOPS: more of them. */
TEST(TranslatedControl, LoopsStopInAnyRound)
{
    const uint64_t count = amount("SPINNSIM_LOOPS", 12);
    for (uint32_t seed = 60; seed < 60 + count && !HasFailure(); seed++) {
        check(loops(seed), seed);
    }
}

/* SPINNSIM_CALLS: more of them. */
TEST(TranslatedControl, CallsHandEverythingOn)
{
    const uint64_t count = amount("SPINNSIM_CALLS", 12);
    for (uint32_t seed = 60; seed < 60 + count && !HasFailure(); seed++) {
        check(calls(seed), seed);
    }
}

} // namespace
