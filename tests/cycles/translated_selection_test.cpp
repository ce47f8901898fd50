/* translated_selection_test.cpp - Thumb branches over a few instructions, which native code
 * computes on both outcomes, stopped anywhere: registers, flags and counts are those of the
 * interpreter.
 *
 * Random programs: r0-r5 and r8-r11 are data, r6 says when a loop ends, r7 is where
 * memory is. */
#include "tests/cycles/random_bodies.h"
#include "tests/cycles/twins.h"
#include "tests/support/amount.h"
#include "tests/support/thumb_asm.h"

namespace
{

struct thumb_writer : random_source {
    unsigned data()
    {
        return below(6);
    }

    /* Sets registers and flags, some of them or all. */
    uint16_t computation()
    {
        static const thumb::data_op OPS[] = {thumb::OP_AND, thumb::OP_EOR, thumb::OP_TST,
                                             thumb::OP_NEG, thumb::OP_CMP, thumb::OP_CMN,
                                             thumb::OP_ORR, thumb::OP_BIC, thumb::OP_MVN};
        switch (below(9)) {
        case 0:
            return thumb::shift_imm(static_cast<arm_shift>(below(3)), data(), data(), below(32));
        case 1:
            return thumb::add_reg(data(), data(), data());
        case 2:
            return thumb::sub_reg(data(), data(), data());
        case 3:
            return thumb::mov_imm(data(), below(256));
        case 4:
            return thumb::add_imm(data(), below(256));
        case 5:
            return thumb::cmp_imm(data(), below(256));
        case 6:
            return chance(50) ? thumb::mov(8 + below(4), data())
                              : thumb::add_high(data(), 8 + below(4));
        default:
            return thumb::data(OPS[below(9)], data(), data());
        }
    }
    /* That, or what cannot be computed on both outcomes: it uses the carry, or memory. */
    uint16_t anything()
    {
        switch (below(8)) {
        case 0:
            return chance(50) ? thumb::str_imm(data(), 7, 4 * below(8))
                              : thumb::ldr_imm(data(), 7, 4 * below(8));
        case 1:
            return thumb::data(chance(50) ? thumb::OP_ADC : thumb::OP_LSL, data(), data());
        default:
            return computation();
        }
    }
    void branch_over(unsigned most)
    {
        const unsigned insns = 1 + below(most);
        code.push_back(thumb::b_if(static_cast<arm_condition>(below(14)), 0, 2 + 2 * insns));
        for (unsigned i = 0; i < insns; i++) {
            code.push_back(chance(90) ? computation() : anything());
        }
    }
    /* A branch over one that leads farther. */
    void branch_over_branch()
    {
        const unsigned insns = below(4);
        code.push_back(thumb::b_if(static_cast<arm_condition>(below(14)), 0, 4));
        code.push_back(thumb::b(0, 2 + 2 * insns));
        for (unsigned i = 0; i < insns; i++) {
            code.push_back(computation());
        }
    }
    void body()
    {
        const unsigned count = 1 + below(4);
        for (unsigned i = 0; i < count; i++) {
            for (unsigned n = below(3); n != 0; n--) {
                code.push_back(anything());
            }
            if (chance(20)) {
                branch_over_branch();
            } else {
                branch_over(4);
            }
        }
        for (unsigned n = below(3); n != 0; n--) {
            code.push_back(anything());
        }
    }

    std::vector<uint16_t> code;
};

/* Some loops, and back to the beginning. */
std::vector<uint16_t> loops(uint32_t seed)
{
    thumb_writer writer = {{std::mt19937(seed)}, {}};
    std::vector<uint16_t> &code = writer.code;
    for (unsigned i = 0; i < 3; i++) {
        code.push_back(thumb::mov_imm(6, 1 + writer.below(200)));
        const auto head = static_cast<uint32_t>(2 * code.size());
        writer.body();
        code.push_back(thumb::sub_imm(6, 1));
        code.push_back(thumb::b_if(NE, static_cast<uint32_t>(2 * code.size()), head));
    }
    code.push_back(thumb::b(static_cast<uint32_t>(2 * code.size()), 0));
    return code;
}

/* A long function without loops: what it has changed is stored only where it is left. */
std::vector<uint16_t> straight(uint32_t seed)
{
    thumb_writer writer = {{std::mt19937(seed)}, {}};
    std::vector<uint16_t> &code = writer.code;
    const uint32_t function = 6; /* behind the loop that calls it */
    code = {thumb::bl_prefix(0, function), thumb::bl_suffix(0, function), thumb::b(4, 0)};
    for (unsigned i = 0; i < 6; i++) {
        writer.body();
    }
    code.push_back(thumb::bx(lr));
    return code;
}

void check(const std::vector<uint16_t> &code, uint32_t seed)
{
    translator_pointer translator = on_demand();
    twins it(&translator);
    it.thumb(CODE_BASE, code);
    it.system_mode();
    it.set_data(seed, 12);
    it.set(7, DTCM_BASE);
    it.start(CODE_BASE, true);
    it.run_translated({27, 60, 500, 20000});
    if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "seed " << seed << "\n" << listing(code);
    }
}

/* SPINNSIM_SELECTIONS: more of them. */
TEST(TranslatedSelection, BranchesOverComputations)
{
    const uint64_t count = amount("SPINNSIM_SELECTIONS", 24);
    for (uint32_t seed = 60; seed < 60 + count && !HasFailure(); seed++) {
        check(loops(seed), seed);
    }
}

/* SPINNSIM_SELECTIONS: more of them. */
TEST(TranslatedSelection, InFunctionsWithoutLoops)
{
    const uint64_t count = amount("SPINNSIM_SELECTIONS", 24);
    for (uint32_t seed = 60; seed < 60 + count && !HasFailure(); seed++) {
        check(straight(seed), seed);
    }
}

} // namespace
