/* slow_decoder.h - which instruction a word is, decided by if and else from the encoding tables of
 * the architecture manual (ARM DDI 0100I A3.1 and A6.1, version 5TE).  Shares nothing with the
 * core's tables: the tests compare the two.  Should-be bits are ignored, as the core does. */
#pragma once
#include <cstdint>
#include <string>

enum slow_kind {
    SLOW_UNDEFINED,
    /* ARM state */
    SLOW_DATA_IMM,
    SLOW_DATA_SHIFT,
    SLOW_DATA_REGISTER,
    SLOW_CLZ,
    SLOW_SATURATING,
    SLOW_MUL,
    SLOW_MLA,
    SLOW_MULTIPLY_LONG,
    SLOW_SMLA,
    SLOW_SMLAW,
    SLOW_SMULW,
    SLOW_SMLAL_HALF,
    SLOW_SMUL,
    SLOW_MRS,
    SLOW_MSR,
    SLOW_MSR_IMM,
    SLOW_BRANCH,
    SLOW_BLX_IMM,
    SLOW_BX,
    SLOW_BLX,
    SLOW_BKPT,
    SLOW_SWI,
    SLOW_TRANSFER_IMM, /* LDR STR LDRB STRB */
    SLOW_TRANSFER_SCALED,
    SLOW_TRANSFER_EXTRA, /* LDRH STRH LDRSB LDRSH */
    SLOW_LDRD,
    SLOW_STRD,
    SLOW_BLOCK,
    SLOW_SWP,
    SLOW_PLD,
    SLOW_MCR,
    SLOW_MRC,
    SLOW_ABSENT_TRANSFER, /* MCR, MRC of a coprocessor that does not exist */
    SLOW_CDP,
    SLOW_LDC,
    SLOW_CDP2,
    SLOW_LDC2,
    /* Thumb state */
    SLOW_T_SHIFT_IMM,
    SLOW_T_ADD_SUB,
    SLOW_T_DATA_IMM8,
    SLOW_T_DATA,
    SLOW_T_HIGH,
    SLOW_T_BX,
    SLOW_T_BLX,
    SLOW_T_LITERAL,
    SLOW_T_TRANSFER_REGISTER,
    SLOW_T_TRANSFER_IMM,
    SLOW_T_TRANSFER_SP,
    SLOW_T_ADDRESS,
    SLOW_T_ADJUST_SP,
    SLOW_T_PUSH,
    SLOW_T_POP,
    SLOW_T_BKPT,
    SLOW_T_BLOCK,
    SLOW_T_UNDEFINED, /* condition 14 of the conditional branch */
    SLOW_T_SWI,
    SLOW_T_BRANCH_IF,
    SLOW_T_BRANCH,
    SLOW_T_BLX_SUFFIX,
    SLOW_T_BL_PREFIX,
    SLOW_T_BL_SUFFIX
};

enum slow_kind slow_decode_arm(uint32_t word);
enum slow_kind slow_decode_thumb(uint16_t half);

/* The name that the core's table gives to such an instruction; "" for an Undefined one. */
std::string slow_name_arm(uint32_t word);
std::string slow_name_thumb(uint16_t half);
