/* decode_arm.h - declarations shared by the two halves of the decoder of ARM state.  Private to
 * models/arm968. */
#pragma once
#include "models/arm968/insn.h"
#include "models/common/bits.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* The names of the patterns and their decoders; the table of them is in decode_arm.c. */
#include "arm_patterns.inc"

#define RD(at)         bits_get(at->word, 15, 12)
#define RN(at)         bits_get(at->word, 19, 16)
#define RS(at)         bits_get(at->word, 11, 8)
#define RM(at)         bits_get(at->word, 3, 0)
#define SETS_FLAGS(at) bits_test(at->word, 20)

static inline void load_pc_operand(struct insn *insn, uint32_t value)
{
    insn_add_constant(insn, REGISTER_PC_OPERAND, value);
}

C_LINKAGE_END
