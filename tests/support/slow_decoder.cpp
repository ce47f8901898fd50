/* slow_decoder.cpp - see slow_decoder.h. */
#include "tests/support/slow_decoder.h"

static uint32_t field(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (0xffffffffu >> (31 - (high - low)));
}

static bool bit(uint32_t word, unsigned index)
{
    return field(word, index, index) != 0;
}

/* ---- ARM state ---- */

static enum slow_kind unconditional(uint32_t word)
{
    if (field(word, 27, 25) == 5) {
        return SLOW_BLX_IMM;
    }
    if (field(word, 27, 26) == 1 && bit(word, 24) && field(word, 22, 20) == 5 &&
        field(word, 15, 12) == 15) { /* a scaled register offset has bit 4 clear */
        return bit(word, 25) && bit(word, 4) ? SLOW_UNDEFINED : SLOW_PLD;
    }
    if (field(word, 27, 25) == 6) {
        return SLOW_LDC2;
    }
    return field(word, 27, 24) == 14 ? SLOW_CDP2 : SLOW_UNDEFINED;
}

/* Bits 27:25 zero, bits 7 and 4 set. */
static enum slow_kind multiplies_and_extra_transfers(uint32_t word)
{
    const uint32_t op = field(word, 24, 20);
    if (field(word, 6, 5) == 0) {
        if (op < 2) {
            return SLOW_MUL;
        }
        if (op < 4) {
            return SLOW_MLA;
        }
        if (op >= 8 && op < 16) {
            return SLOW_MULTIPLY_LONG;
        }
        return op == 16 || op == 20 ? SLOW_SWP : SLOW_UNDEFINED;
    }
    if (!bit(word, 24) && bit(word, 21)) { /* there are no LDRHT and the like in version 5 */
        return SLOW_UNDEFINED;
    }
    if (bit(word, 20) || field(word, 6, 5) == 1) {
        return SLOW_TRANSFER_EXTRA;
    }
    if (bit(word, 12)) { /* an odd register cannot begin a pair */
        return SLOW_UNDEFINED;
    }
    return field(word, 6, 5) == 2 ? SLOW_LDRD : SLOW_STRD;
}

/* The space of TST to CMN without S, register forms. */
static enum slow_kind miscellaneous(uint32_t word)
{
    const uint32_t op = field(word, 22, 21);
    const bool not_breakpoint = op != 1 || field(word, 31, 28) != 14;
    if (bit(word, 7)) {
        if (op == 1) {
            return bit(word, 5) ? SLOW_SMULW : SLOW_SMLAW;
        }
        return op == 0 ? SLOW_SMLA : op == 2 ? SLOW_SMLAL_HALF : SLOW_SMUL;
    }
    switch (field(word, 6, 4)) {
    case 0:
        return bit(word, 21) ? SLOW_MSR : SLOW_MRS;
    case 1:
        return op == 1 ? SLOW_BX : op == 3 ? SLOW_CLZ : SLOW_UNDEFINED;
    case 3:
        return op == 1 ? SLOW_BLX : SLOW_UNDEFINED;
    case 5:
        return SLOW_SATURATING;
    case 7:
        return not_breakpoint ? SLOW_UNDEFINED : SLOW_BKPT;
    default:
        return SLOW_UNDEFINED;
    }
}

static enum slow_kind coprocessor(uint32_t word)
{
    if (bit(word, 24)) {
        return SLOW_SWI;
    }
    if (!bit(word, 4)) {
        return SLOW_CDP;
    }
    if (field(word, 11, 8) != 15) {
        return SLOW_ABSENT_TRANSFER;
    }
    return bit(word, 20) ? SLOW_MRC : SLOW_MCR;
}

enum slow_kind slow_decode_arm(uint32_t word)
{
    if (field(word, 31, 28) == 15) {
        return unconditional(word);
    }
    const bool compare_without_flags = field(word, 24, 23) == 2 && !bit(word, 20);
    switch (field(word, 27, 25)) {
    case 0:
        if (bit(word, 7) && bit(word, 4)) {
            return multiplies_and_extra_transfers(word);
        }
        if (compare_without_flags) {
            return miscellaneous(word);
        }
        return bit(word, 4) ? SLOW_DATA_REGISTER : SLOW_DATA_SHIFT;
    case 1:
        if (compare_without_flags) {
            return bit(word, 21) ? SLOW_MSR_IMM : SLOW_UNDEFINED;
        }
        return SLOW_DATA_IMM;
    case 2:
        return SLOW_TRANSFER_IMM;
    case 3:
        return bit(word, 4) ? SLOW_UNDEFINED : SLOW_TRANSFER_SCALED;
    case 4:
        return SLOW_BLOCK;
    case 5:
        return SLOW_BRANCH;
    case 6:
        return SLOW_LDC;
    default:
        return coprocessor(word);
    }
}

static std::string data_name(uint32_t word, const char *suffix)
{
    static const char *const NAMES[16] = {"and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc",
                                          "tst", "teq", "cmp", "cmn", "orr", "mov", "bic", "mvn"};
    return std::string(NAMES[field(word, 24, 21)]) + suffix;
}

static std::string transfer_name(uint32_t word, const char *suffix)
{
    return std::string(bit(word, 20) ? "ldr" : "str") + (bit(word, 22) ? "b" : "") + suffix;
}

static std::string extra_name(uint32_t word, enum slow_kind kind)
{
    static const char *const LOADS[4] = {"", "ldrh", "ldrsb", "ldrsh"};
    const char *suffix = bit(word, 24) ? "_pre" : "_post";
    if (kind != SLOW_TRANSFER_EXTRA) {
        return std::string(kind == SLOW_LDRD ? "ldrd" : "strd") + suffix;
    }
    return std::string(bit(word, 20) ? LOADS[field(word, 6, 5)] : "strh") + suffix;
}

std::string slow_name_arm(uint32_t word)
{
    static const char *const LONG[4] = {"umull", "umlal", "smull", "smlal"};
    static const char *const SATURATING[4] = {"qadd", "qsub", "qdadd", "qdsub"};
    const enum slow_kind kind = slow_decode_arm(word);
    switch (kind) {
    case SLOW_DATA_IMM:
        return data_name(word, "_imm");
    case SLOW_DATA_SHIFT:
        return data_name(word, "_shift");
    case SLOW_DATA_REGISTER:
        return data_name(word, "_register");
    case SLOW_CLZ:
        return "clz";
    case SLOW_SATURATING:
        return SATURATING[field(word, 22, 21)];
    case SLOW_MUL:
        return "mul";
    case SLOW_MLA:
        return "mla";
    case SLOW_MULTIPLY_LONG:
        return LONG[field(word, 22, 21)];
    case SLOW_SMLA:
        return "smla_half";
    case SLOW_SMLAW:
        return "smlaw";
    case SLOW_SMULW:
        return "smulw";
    case SLOW_SMLAL_HALF:
        return "smlal_half";
    case SLOW_SMUL:
        return "smul_half";
    case SLOW_MRS:
        return "mrs";
    case SLOW_MSR:
        return "msr";
    case SLOW_MSR_IMM:
        return "msr_imm";
    case SLOW_BRANCH:
        return bit(word, 24) ? "bl" : "b";
    case SLOW_BLX_IMM:
        return "blx_imm";
    case SLOW_BX:
        return "bx";
    case SLOW_BLX:
        return "blx";
    case SLOW_BKPT:
        return "bkpt";
    case SLOW_SWI:
        return "swi";
    case SLOW_TRANSFER_IMM:
        return transfer_name(word, "_imm");
    case SLOW_TRANSFER_SCALED:
        return transfer_name(word, "_scaled");
    case SLOW_TRANSFER_EXTRA:
    case SLOW_LDRD:
    case SLOW_STRD:
        return extra_name(word, kind);
    case SLOW_BLOCK:
        return bit(word, 20) ? "ldm" : "stm";
    case SLOW_SWP:
        return bit(word, 22) ? "swpb" : "swp";
    case SLOW_PLD:
        return "pld";
    case SLOW_MCR:
        return "mcr";
    case SLOW_MRC:
        return "mrc";
    case SLOW_ABSENT_TRANSFER:
        return "mcr_absent";
    case SLOW_CDP:
        return "cdp";
    case SLOW_LDC:
        return "ldc";
    case SLOW_CDP2:
        return "cdp2";
    case SLOW_LDC2:
        return "ldc2";
    default:
        return "";
    }
}

/* ---- Thumb state ---- */

static enum slow_kind thumb_data_group(uint16_t half) /* bits 15:12 = 0100 */
{
    if (bit(half, 11)) {
        return SLOW_T_LITERAL;
    }
    if (!bit(half, 10)) {
        return SLOW_T_DATA;
    }
    if (field(half, 9, 8) != 3) {
        return SLOW_T_HIGH;
    }
    return bit(half, 7) ? SLOW_T_BLX : SLOW_T_BX;
}

static enum slow_kind thumb_miscellaneous(uint16_t half) /* bits 15:12 = 1011 */
{
    if (field(half, 11, 8) == 0) {
        return SLOW_T_ADJUST_SP;
    }
    if (field(half, 11, 8) == 14) {
        return SLOW_T_BKPT;
    }
    if (field(half, 10, 9) == 2) {
        return bit(half, 11) ? SLOW_T_POP : SLOW_T_PUSH;
    }
    return SLOW_UNDEFINED;
}

static enum slow_kind thumb_branch_group(uint16_t half) /* bits 15:13 = 111 */
{
    switch (field(half, 12, 11)) {
    case 0:
        return SLOW_T_BRANCH;
    case 1:
        return bit(half, 0) ? SLOW_UNDEFINED : SLOW_T_BLX_SUFFIX;
    case 2:
        return SLOW_T_BL_PREFIX;
    default:
        return SLOW_T_BL_SUFFIX;
    }
}

enum slow_kind slow_decode_thumb(uint16_t half)
{
    switch (field(half, 15, 12)) {
    case 0:
        return SLOW_T_SHIFT_IMM;
    case 1:
        return bit(half, 11) ? SLOW_T_ADD_SUB : SLOW_T_SHIFT_IMM;
    case 2:
    case 3:
        return SLOW_T_DATA_IMM8;
    case 4:
        return thumb_data_group(half);
    case 5:
        return SLOW_T_TRANSFER_REGISTER;
    case 6:
    case 7:
    case 8:
        return SLOW_T_TRANSFER_IMM;
    case 9:
        return SLOW_T_TRANSFER_SP;
    case 10:
        return SLOW_T_ADDRESS;
    case 11:
        return thumb_miscellaneous(half);
    case 12:
        return SLOW_T_BLOCK;
    case 13:
        if (field(half, 11, 8) == 14) {
            return SLOW_T_UNDEFINED;
        }
        return field(half, 11, 8) == 15 ? SLOW_T_SWI : SLOW_T_BRANCH_IF;
    default:
        return thumb_branch_group(half);
    }
}

std::string slow_name_thumb(uint16_t half)
{
    static const char *const SHIFTS[3] = {"lsl_imm", "lsr_imm", "asr_imm"};
    static const char *const ADD_SUB[4] = {"add_register", "sub_register", "add_imm3", "sub_imm3"};
    static const char *const IMM8[4] = {"mov_imm", "cmp_imm", "add_imm", "sub_imm"};
    static const char *const DATA[16] = {"and", "eor", "lsl", "lsr", "asr", "adc", "sbc", "ror",
                                         "tst", "neg", "cmp", "cmn", "orr", "mul", "bic", "mvn"};
    static const char *const HIGH[3] = {"add_high", "cmp_high", "mov_high"};
    static const char *const REGISTER[8] = {"str", "strh", "strb", "ldrsb",
                                            "ldr", "ldrh", "ldrb", "ldrsh"};
    static const char *const IMM[6] = {"str_imm",  "ldr_imm",  "strb_imm",
                                       "ldrb_imm", "strh_imm", "ldrh_imm"};
    switch (slow_decode_thumb(half)) {
    case SLOW_T_SHIFT_IMM:
        return SHIFTS[field(half, 12, 11)];
    case SLOW_T_ADD_SUB:
        return ADD_SUB[field(half, 10, 9)];
    case SLOW_T_DATA_IMM8:
        return IMM8[field(half, 12, 11)];
    case SLOW_T_DATA:
        return DATA[field(half, 9, 6)];
    case SLOW_T_HIGH:
        return HIGH[field(half, 9, 8)];
    case SLOW_T_BX:
        return "bx";
    case SLOW_T_BLX:
        return "blx";
    case SLOW_T_LITERAL:
        return "ldr_literal";
    case SLOW_T_TRANSFER_REGISTER:
        return std::string(REGISTER[field(half, 11, 9)]) + "_register";
    case SLOW_T_TRANSFER_IMM:
        return IMM[field(half, 15, 11) - 12];
    case SLOW_T_TRANSFER_SP:
        return bit(half, 11) ? "ldr_sp" : "str_sp";
    case SLOW_T_ADDRESS:
        return bit(half, 11) ? "add_sp" : "add_pc";
    case SLOW_T_ADJUST_SP:
        return "adjust_sp";
    case SLOW_T_PUSH:
        return "push";
    case SLOW_T_POP:
        return "pop";
    case SLOW_T_BKPT:
        return "bkpt";
    case SLOW_T_BLOCK:
        return bit(half, 11) ? "ldmia" : "stmia";
    case SLOW_T_UNDEFINED:
        return "undefined";
    case SLOW_T_SWI:
        return "swi";
    case SLOW_T_BRANCH_IF:
        return "b_condition";
    case SLOW_T_BRANCH:
        return "b";
    case SLOW_T_BLX_SUFFIX:
        return "blx_suffix";
    case SLOW_T_BL_PREFIX:
        return "bl_prefix";
    case SLOW_T_BL_SUFFIX:
        return "bl_suffix";
    default:
        return "";
    }
}
