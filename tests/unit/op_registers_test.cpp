/* op_registers_test.cpp - the registers that operations set (translate/op_registers.h), also where
 * a field of an operation holds something else than a register. */
#include "tests/support/translate_probe.h"

extern "C" {
#define class insn_class /* the private header is C */
#include "models/arm968/insn.h"
#undef class
}

#include <gtest/gtest.h>

namespace
{

uint32_t set_by(enum op_code code, uint8_t rd, uint8_t rn, uint8_t rm = 0, uint32_t imm = 0)
{
    struct insn_op op = {};
    op.code = static_cast<uint16_t>(code);
    op.rd = rd;
    op.rn = rn;
    op.rm = rm;
    op.imm = imm;
    return translate_probe_set(&op);
}

TEST(OpRegisters, OfABlockTransferAreItsListAndItsBase)
{
    constexpr uint32_t TWO = 2u << BLOCK_COUNT_SHIFT;
    for (const uint8_t first : {0, 17, 32, 48, 255}) { /* the place of the first word */
        EXPECT_EQ(set_by(OP_LDM, first, 13, BLOCK_WRITEBACK, TWO | 0xc), 0x200cu)
            << unsigned{first};
        EXPECT_EQ(set_by(OP_STM, first, 13, BLOCK_WRITEBACK, TWO | 0xc), 0x2000u)
            << unsigned{first};
    }
    EXPECT_EQ(set_by(OP_LDM, 32, 13, BLOCK_WRITEBACK | BLOCK_TO_PC, TWO | 0x8010),
              0x2010u | 1u << REGISTER_TARGET);
}

TEST(OpRegisters, OfAConditionAreNone)
{
    for (const uint8_t operations : {1, 31, 32, 191}) { /* that are skipped if it fails */
        EXPECT_EQ(set_by(OP_SKIP_EQ, operations, 0), 0u) << unsigned{operations};
    }
}

TEST(OpRegisters, OfAComputationMayBeScratchRegisters)
{
    EXPECT_EQ(set_by(OP_ADD_IMM, REGISTER_SHIFTER, 1), 1u << REGISTER_SHIFTER);
    EXPECT_EQ(set_by(OP_UMULL, 4, 5), 0x30u);
}

} // namespace
