/* translate_leaving_test.cpp - what is said of how a block is left (translate/leaving.h): calls,
 * returns, jumps to registers and by tables, in both states. */
#include "tests/unit/translate_fixture.h"

namespace
{

constexpr uint32_t AT = translate_fixture::AT;

std::string arm(const std::vector<uint32_t> &words)
{
    return translate_fixture().leaving(words);
}

std::string of_thumb(const std::vector<uint16_t> &halves)
{
    return translate_fixture().leaving_thumb(halves);
}

/* ---- ARM ---- */

TEST(Leaving, BranchesGoByTheirEdges)
{
    EXPECT_EQ(arm({nop(), b(4, 0x100)}), "by edges");
    EXPECT_EQ(arm({nop(), when(EQ, b(4, 0x100))}), "by edges");
    EXPECT_EQ(arm({b(0, 4)}), "by edges");
}

TEST(Leaving, BlCalls)
{
    EXPECT_EQ(arm({nop(), bl(4, 0x100)}), "calling lr 1008");
    EXPECT_EQ(arm({nop(), when(NE, bl(4, 0x100))}), "calling lr 1008");
    EXPECT_EQ(arm({blx_to(0, 0x102)}), "calling lr 1004");
    EXPECT_EQ(arm({add_imm(lr, pc, 0), b(4, 0x100)}), "calling lr 1008");
    EXPECT_EQ(arm({sub_imm(lr, pc, 8), b(4, 0x100)}), "by edges"); /* another address */
}

TEST(Leaving, ABlToTheNextInstructionOnlyReadsPc)
{
    EXPECT_EQ(arm({bl(0, 4)}), "by edges");
}

TEST(Leaving, ALinkAndAJumpCallARegister)
{
    EXPECT_EQ(arm({mov(lr, pc), bx(r4)}), "calling register lr 1008");
    EXPECT_EQ(arm({mov(lr, pc), ldr_imm(pc, r4, 8)}), "calling register lr 1008");
    EXPECT_EQ(arm({mov(lr, pc), mov(pc, r4)}), "calling register lr 1008 in this state");
    EXPECT_EQ(arm({nop(), blx(r4)}), "calling register lr 1008");
    EXPECT_EQ(arm({nop(), when(MI, blx(r4))}), "calling register lr 1008");
    EXPECT_EQ(arm({mov(lr, pc), when(CS, bx(r4))}), "calling register lr 1008");
    EXPECT_EQ(arm({mov(r5, pc), mov(lr, r5), mov(pc, r4)}),
              "jumping in this state"); /* one instruction late */
    EXPECT_EQ(arm({add_imm(r5, pc, 4), mov(lr, r5), mov(pc, r4)}),
              "calling register lr 100c in this state");
    EXPECT_EQ(arm({mov(lr, pc), nop(), bx(r4)}), "jumping"); /* comes back before the jump */
}

TEST(Leaving, ALinkThatMayHaveBeenLeftOutDoesNotCount)
{
    EXPECT_EQ(arm({when(EQ, mov(lr, pc)), bx(r4)}), "jumping");
    EXPECT_EQ(arm({when(EQ, mov(lr, pc)), b(4, 0x100)}), "by edges");
    EXPECT_EQ(arm({when(EQ, mov(lr, r0)), bx(lr)}), "jumping"); /* nor what it was before */
    EXPECT_EQ(arm({mov(lr, pc), when(EQ, mov_imm(lr, 0)), bx(r4)}), "jumping");
}

TEST(Leaving, ReturnsAreToTheLinkRegisterOrAPoppedValue)
{
    EXPECT_EQ(arm({nop(), bx(lr)}), "returning by link");
    EXPECT_EQ(arm({nop(), mov(pc, lr)}), "returning by link in this state");
    EXPECT_EQ(arm({nop(), when(EQ, bx(lr))}), "returning by link");
    EXPECT_EQ(arm({nop(), when(EQ, mov(pc, lr))}), "returning by link in this state");
    EXPECT_EQ(arm({mov(r3, lr), mov_imm(lr, 0), bx(r3)}), "returning by link");
    EXPECT_EQ(arm({pop({r4, pc})}), "returning");
    EXPECT_EQ(arm({when(NE, pop({r4, pc}))}), "returning");
    EXPECT_EQ(arm({ldr_post(pc, sp, 4)}), "returning");
    EXPECT_EQ(arm({pop({r4, lr}), bx(lr)}), "returning");
    EXPECT_EQ(arm({ldr_post(lr, sp, 4), mov(pc, lr)}), "returning in this state");
    EXPECT_EQ(arm({ldm_w(r4, {r5, pc})}), "jumping"); /* not from the stack */
}

TEST(Leaving, OtherRegistersAreJumpedTo)
{
    EXPECT_EQ(arm({bx(r3)}), "jumping");
    EXPECT_EQ(arm({mov(pc, r3)}), "jumping in this state");
    EXPECT_EQ(arm({nop(), when(EQ, bx(r3))}), "jumping");
    EXPECT_EQ(arm({ldr_imm(pc, r3, 4)}), "jumping");
    EXPECT_EQ(arm({add_imm(r3, lr, 4), bx(r3)}), "jumping"); /* not lr's value */
    EXPECT_EQ(arm({mov_imm(r3, 0x2000), bx(r3)}), "jumping");
}

TEST(Leaving, TablesOfWords)
{
    EXPECT_EQ(arm({ldr_reg(pc, pc, r3, LSL, 2)}), "jumping words 1008 any");
    EXPECT_EQ(arm({cmp_imm(r3, 9), when(LS, ldr_reg(pc, pc, r3, LSL, 2))}), "jumping words 100c 9");
    EXPECT_EQ(arm({mov_imm(r5, 0x2000), ldr_reg(pc, r5, r3, LSL, 2)}), "jumping words 2000 any");
    EXPECT_EQ(arm({when(EQ, mov_imm(r5, 0x2000)), ldr_reg(pc, r5, r3, LSL, 2)}), "jumping");
    EXPECT_EQ(arm({ldr_reg(pc, r5, r3, LSL, 2)}), "jumping");
    translate_fixture it;
    it.word(AT + 0x20, 0x3000);
    EXPECT_EQ(it.leaving({ldr_imm(r5, pc, 0x18), add_imm(r5, r5, 0x10), ldr_reg(r6, r5, r3, LSL, 2),
                          mov(pc, r6)}),
              "jumping in this state words 3010 any");
}

TEST(Leaving, TablesOfBranches)
{
    EXPECT_EQ(arm({data_reg(ADD, false, pc, pc, r3, LSL, 2)}),
              "jumping in this state branches 1008 any");
    EXPECT_EQ(arm({cmp_imm(r3, 3), when(LS, data_reg(ADD, false, pc, pc, r3, LSL, 2))}),
              "jumping in this state branches 100c 3");
    EXPECT_EQ(arm({data_reg(ADD, false, pc, r4, r3, LSL, 2)}), "jumping in this state");
}

/* A call by a table is a call: the register is known to hold where it returns to. */
TEST(Leaving, ACallByATableIsNoJumpByATable)
{
    EXPECT_EQ(arm({mov(lr, pc), ldr_reg(pc, r4, r3, LSL, 2)}), "calling register lr 1008");
    EXPECT_EQ(arm({mov_imm(r4, 0x2000), mov(lr, pc), ldr_reg(pc, r4, r3, LSL, 2)}),
              "calling register lr 100c");
}

TEST(Leaving, ExceptionsAndModes)
{
    EXPECT_EQ(arm({nop(), swi(1)}), "otherwise");
    EXPECT_EQ(arm({nop(), when(EQ, swi(1))}), "otherwise");
    EXPECT_EQ(arm({undefined_word()}), "otherwise");
    EXPECT_EQ(arm({subs_imm(pc, lr, 4)}), "otherwise");
    EXPECT_EQ(arm({mov(lr, pc), swi(1)}), "otherwise"); /* comes back there, but is no call */
}

/* ---- Thumb ---- */

TEST(Leaving, ThumbCalls)
{
    using namespace thumb;
    EXPECT_EQ(of_thumb({bl_prefix(0, 0x100), bl_suffix(0, 0x100)}), "calling lr 1005");
    EXPECT_EQ(of_thumb({bl_prefix(0, 0x100), blx_suffix(0, 0x100)}), "calling lr 1005");
    EXPECT_EQ(of_thumb({thumb::nop(), thumb::blx(r3)}), "calling register lr 1005");
    EXPECT_EQ(of_thumb({thumb::mov(lr, pc), thumb::bx(r3)}), "jumping"); /* bit 0 is missing */
}

TEST(Leaving, ThumbReturns)
{
    EXPECT_EQ(of_thumb({thumb::nop(), thumb::bx(lr)}), "returning by link");
    EXPECT_EQ(of_thumb({thumb::nop(), thumb::mov(pc, lr)}), "returning by link in this state");
    EXPECT_EQ(of_thumb({thumb::pop({r4, pc})}), "returning");
    EXPECT_EQ(of_thumb({thumb::pop({r3}), thumb::bx(r3)}), "returning");
    EXPECT_EQ(of_thumb({thumb::pop({r4}), thumb::pop({r3}), thumb::bx(r3)}), "returning");
    EXPECT_EQ(of_thumb({thumb::ldmia(r4, {r3}), thumb::bx(r3)}), "jumping");
}

TEST(Leaving, ThumbJumps)
{
    EXPECT_EQ(of_thumb({thumb::bx(r3)}), "jumping");
    EXPECT_EQ(of_thumb({thumb::bx(pc)}), "jumping");
    EXPECT_EQ(of_thumb({thumb::mov(pc, r3)}), "jumping in this state");
    EXPECT_EQ(of_thumb({thumb::pop({r3}), thumb::mov_imm(r3, 4), thumb::bx(r3)}), "jumping");
    EXPECT_EQ(of_thumb({thumb::swi(1)}), "otherwise");
    EXPECT_EQ(of_thumb({thumb::b_if(EQ, 0, 0x40)}), "by edges");
}

TEST(Leaving, ThumbTables)
{
    translate_fixture it;
    it.word(AT + 0x10, 0x2000);
    const std::vector<uint16_t> jump = {thumb::ldr_literal(r2, 0xc),
                                        thumb::transfer_reg(thumb::LDR, r3, r2, r3),
                                        thumb::mov(pc, r3)};
    EXPECT_EQ(it.leaving_thumb(jump), "jumping in this state words 2000 any");
    translate_fixture other;
    other.word(AT + 0x10, 0x2000);
    EXPECT_EQ(other.leaving_thumb({thumb::cmp_imm(r1, 5), jump[0], jump[1], thumb::bx(r3)}),
              "jumping words 2000 5");
}

} // namespace
