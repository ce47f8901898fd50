/* decode_arm.c - ARM state: from the patterns of isa/arm.decode to operations; data processing,
 * branches and system instructions. */
#include "models/arm968/decode_arm.h"

enum data_operation {
    DATA_AND,
    DATA_EOR,
    DATA_SUB,
    DATA_RSB,
    DATA_ADD,
    DATA_ADC,
    DATA_SBC,
    DATA_RSC,
    DATA_TST,
    DATA_TEQ,
    DATA_CMP,
    DATA_CMN,
    DATA_ORR,
    DATA_MOV,
    DATA_BIC,
    DATA_MVN,
    DATA_OPERATIONS
};

/* How each data operation is executed.  BIC and MVN of an immediate are AND and MOV of its inverse.
 */
struct data_form {
    uint16_t imm, reg, imm_flags, reg_flags; /* enum op_code */
    bool inverted_imm;
    bool logical;  /* its carry comes from the shifter */
    bool has_rn;   /* reads rn */
    bool compares; /* writes no register, always sets flags */
};

static const struct data_form DATA_FORM[DATA_OPERATIONS] = {
    [DATA_AND] = {OP_AND_IMM, OP_AND_REG, OP_ANDS_IMM, OP_ANDS_REG, false, true, true, false},
    [DATA_EOR] = {OP_EOR_IMM, OP_EOR_REG, OP_EORS_IMM, OP_EORS_REG, false, true, true, false},
    [DATA_SUB] = {OP_SUB_IMM, OP_SUB_REG, OP_SUBS_IMM, OP_SUBS_REG, false, false, true, false},
    [DATA_RSB] = {OP_RSB_IMM, OP_RSB_REG, OP_RSBS_IMM, OP_RSBS_REG, false, false, true, false},
    [DATA_ADD] = {OP_ADD_IMM, OP_ADD_REG, OP_ADDS_IMM, OP_ADDS_REG, false, false, true, false},
    [DATA_ADC] = {OP_ADC_IMM, OP_ADC_REG, OP_ADCS_IMM, OP_ADCS_REG, false, false, true, false},
    [DATA_SBC] = {OP_SBC_IMM, OP_SBC_REG, OP_SBCS_IMM, OP_SBCS_REG, false, false, true, false},
    [DATA_RSC] = {OP_RSC_IMM, OP_RSC_REG, OP_RSCS_IMM, OP_RSCS_REG, false, false, true, false},
    [DATA_TST] = {OP_TST_IMM, OP_TST_REG, OP_TST_IMM, OP_TST_REG, false, true, true, true},
    [DATA_TEQ] = {OP_TEQ_IMM, OP_TEQ_REG, OP_TEQ_IMM, OP_TEQ_REG, false, true, true, true},
    [DATA_CMP] = {OP_CMP_IMM, OP_CMP_REG, OP_CMP_IMM, OP_CMP_REG, false, false, true, true},
    [DATA_CMN] = {OP_CMN_IMM, OP_CMN_REG, OP_CMN_IMM, OP_CMN_REG, false, false, true, true},
    [DATA_ORR] = {OP_ORR_IMM, OP_ORR_REG, OP_ORRS_IMM, OP_ORRS_REG, false, true, true, false},
    [DATA_MOV] = {OP_MOV_IMM, OP_MOV_REG, OP_MOVS_IMM, OP_MOVS_REG, false, true, false, false},
    [DATA_BIC] = {OP_AND_IMM, OP_BIC_REG, OP_ANDS_IMM, OP_BICS_REG, true, true, true, false},
    [DATA_MVN] = {OP_MOV_IMM, OP_MVN_REG, OP_MOVS_IMM, OP_MVNS_REG, true, true, false, false},
};

/* A data operation: how it is executed, where its result goes, and whether it sets flags. */
struct data {
    enum data_operation operation;
    const struct data_form *form;
    bool to_pc, flags;
    unsigned rd;
};

static struct data data_of(const struct insn_place *at)
{
    const enum data_operation operation = bits_get(at->word, 24, 21);
    const struct data_form *form = &DATA_FORM[operation];
    const bool to_pc = !form->compares && RD(at) == 15;
    return (struct data){.operation = operation,
                         .form = form,
                         .to_pc = to_pc,
                         .flags = (SETS_FLAGS(at) && !to_pc) || form->compares,
                         .rd = to_pc ? REGISTER_TARGET : RD(at)};
}

/* Ends a data operation: its result goes to rd or to pc. */
static void finish_data(struct insn *insn, const struct insn_place *at, const struct data *data,
                        bool register_shift)
{
    if (data->to_pc) {
        const bool logical = data->form->logical || data->operation == DATA_RSC;
        insn->class = register_shift ? CLASS_DATA_PC_REGISTER_SHIFT
                      : logical      ? CLASS_DATA_PC_LOGICAL
                                     : CLASS_DATA_PC;
        insn_add_jump(insn, SETS_FLAGS(at) ? OP_JUMP_RESTORE : OP_JUMP, REGISTER_TARGET);
    }
}

void decode_arm_data_imm(struct insn *insn, const struct insn_place *at)
{
    const struct data data = data_of(at);
    const unsigned rotation = 2 * bits_get(at->word, 11, 8);
    const uint32_t value = bits_rotate_right(bits_get(at->word, 7, 0), rotation);
    if (data.flags && data.form->logical && rotation != 0) {
        (void)insn_put(insn, OP_SET_CARRY, 0, 0, 0, value >> 31);
    }
    if (data.form->has_rn && RN(at) == 15) {
        load_pc_operand(insn, at->pc + 8);
    }
    (void)insn_put(insn, data.flags ? data.form->imm_flags : data.form->imm, data.rd, RN(at), 0,
                   data.form->inverted_imm ? ~value : value);
    finish_data(insn, at, &data, false);
}

/* The operation itself, with its second operand in register rm. */
static void add_data_reg(struct insn *insn, const struct insn_place *at, const struct data *data,
                         unsigned rm)
{
    (void)insn_put(insn, data->flags ? data->form->reg_flags : data->form->reg, data->rd, RN(at),
                   rm, 0);
}

void decode_arm_data_shift(struct insn *insn, const struct insn_place *at)
{
    const struct data data = data_of(at);
    const enum shift_type type = bits_get(at->word, 6, 5);
    const unsigned amount = bits_get(at->word, 11, 7);
    if ((data.form->has_rn && RN(at) == 15) || RM(at) == 15) {
        load_pc_operand(insn, at->pc + 8);
    }
    if (type == SHIFT_LSL && amount == 0) {
        add_data_reg(insn, at, &data, RM(at));
    } else if (data.operation == DATA_MOV) { /* a move of a shifted register is the shift */
        insn_add_shift(insn, data.rd, RM(at), type, amount, data.flags);
        if (data.flags) {
            (void)insn_put(insn, OP_TEST_NZ, 0, data.rd, 0, 0);
        }
    } else {
        insn_add_shift(insn, REGISTER_SHIFTER, RM(at), type, amount,
                       data.flags && data.form->logical);
        add_data_reg(insn, at, &data, REGISTER_SHIFTER);
    }
    finish_data(insn, at, &data, false);
}

void decode_arm_data_register(struct insn *insn, const struct insn_place *at)
{
    static const uint16_t PLAIN[] = {OP_LSL_REG, OP_LSR_REG, OP_ASR_REG, OP_ROR_REG};
    static const uint16_t CARRY[] = {OP_LSL_REG_C, OP_LSR_REG_C, OP_ASR_REG_C, OP_ROR_REG_C};
    const struct data data = data_of(at);
    const enum shift_type type = bits_get(at->word, 6, 5);
    if (data.to_pc || RM(at) == 15 || RS(at) == 15 || (data.form->has_rn && RN(at) == 15)) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
        load_pc_operand(insn, at->pc + 12);
    }
    const unsigned code = data.flags && data.form->logical ? CARRY[type] : PLAIN[type];
    insn_put(insn, code, REGISTER_SHIFTER, 0, RM(at), 0)->rs = (uint8_t)RS(at);
    add_data_reg(insn, at, &data, REGISTER_SHIFTER);
    finish_data(insn, at, &data, true);
}

void decode_arm_clz(struct insn *insn, const struct insn_place *at)
{
    (void)insn_put(insn, OP_CLZ, RD(at), 0, RM(at), 0);
}

void decode_arm_saturating(struct insn *insn, const struct insn_place *at)
{
    static const uint16_t CODE[] = {OP_QADD, OP_QSUB, OP_QDADD, OP_QDSUB};
    (void)insn_put(insn, CODE[bits_get(at->word, 22, 21)], RD(at), RN(at), RM(at), 0);
}

/* In multiplies the destination is in bits 19:16, the accumulator or RdLo in bits 15:12. */
static void add_multiply(struct insn *insn, const struct insn_place *at, unsigned code)
{
    insn_put(insn, code, RN(at), RD(at), RM(at), 0)->rs = (uint8_t)RS(at);
}

void decode_arm_multiply(struct insn *insn, const struct insn_place *at)
{
    if (RN(at) == RM(at)) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
    }
    add_multiply(insn, at, bits_test(at->word, 21) ? OP_MLA : OP_MUL);
    if (SETS_FLAGS(at)) {
        insn->class = CLASS_MUL_FLAGS;
        (void)insn_put(insn, OP_TEST_NZ, 0, RN(at), 0, 0);
    }
}

void decode_arm_multiply_long(struct insn *insn, const struct insn_place *at)
{
    static const uint16_t CODE[] = {OP_UMULL, OP_UMLAL, OP_SMULL, OP_SMLAL};
    if (RN(at) == RD(at)) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
    }
    add_multiply(insn, at, CODE[bits_get(at->word, 22, 21)]);
    if (SETS_FLAGS(at)) {
        insn->class = CLASS_MULL_FLAGS;
        (void)insn_put(insn, OP_TEST_NZ_LONG, 0, RN(at), RD(at), 0);
    }
}

void decode_arm_multiply_half(struct insn *insn, const struct insn_place *at)
{
    /* by bits 22:21, then y (bit 6) and x (bit 5): which half of rs and of rm */
    static const uint16_t CODE[4][4] = {
        {OP_SMLABB, OP_SMLATB, OP_SMLABT, OP_SMLATT},
        {OP_SMLAWB, OP_SMULWB, OP_SMLAWT, OP_SMULWT}, /* here bit 5 tells SMULW from SMLAW */
        {OP_SMLALBB, OP_SMLALTB, OP_SMLALBT, OP_SMLALTT},
        {OP_SMULBB, OP_SMULTB, OP_SMULBT, OP_SMULTT},
    };
    add_multiply(insn, at, CODE[bits_get(at->word, 22, 21)][bits_get(at->word, 6, 5)]);
}

void decode_arm_mrs(struct insn *insn, const struct insn_place *at)
{
    (void)insn_put(insn, bits_test(at->word, 22) ? OP_MRS_SPSR : OP_MRS_CPSR, RD(at), 0, 0, 0);
}

static void add_msr(struct insn *insn, const struct insn_place *at, unsigned rm)
{
    const uint32_t fields = bits_get(at->word, 19, 16);
    const bool spsr = bits_test(at->word, 22);
    (void)insn_put(
        insn, spsr ? OP_MSR_SPSR : OP_MSR_CPSR, 0, 0, rm,
        (bits_test(fields, 0) ? 0x000000ffu : 0) | (bits_test(fields, 1) ? 0x0000ff00u : 0) |
            (bits_test(fields, 2) ? 0x00ff0000u : 0) | (bits_test(fields, 3) ? 0xff000000u : 0));
    if (!spsr && (fields & ~8u) == 0) {
        insn->class = CLASS_MSR_FLAGS;
    } else if (!spsr) {
        insn->flow = FLOW_LEAVE;
    }
}

void decode_arm_msr(struct insn *insn, const struct insn_place *at)
{
    add_msr(insn, at, RM(at));
}

void decode_arm_msr_imm(struct insn *insn, const struct insn_place *at)
{
    insn_add_constant(insn, REGISTER_SHIFTER,
                      bits_rotate_right(bits_get(at->word, 7, 0), 2 * bits_get(at->word, 11, 8)));
    add_msr(insn, at, REGISTER_SHIFTER);
}

void decode_arm_branch(struct insn *insn, const struct insn_place *at)
{
    if (bits_test(at->word, 24)) {
        insn_add_constant(insn, REGISTER_LR, at->pc + 4);
    }
    insn_branch_to(insn, at->pc + 8 + ((uint32_t)bits_sign_extend(at->word, 24) << 2), false);
}

void decode_arm_branch_exchange(struct insn *insn, const struct insn_place *at)
{
    insn_add_constant(insn, REGISTER_LR, at->pc + 4);
    insn_branch_to(insn,
                   at->pc + 8 + ((uint32_t)bits_sign_extend(at->word, 24) << 2) +
                       (bits_get(at->word, 24, 24) << 1),
                   true);
}

void decode_arm_branch_register(struct insn *insn, const struct insn_place *at)
{
    unsigned rm = RM(at);
    if (rm == 15) {
        load_pc_operand(insn, at->pc + 8);
    }
    if (bits_test(at->word, 5)) { /* BLX: the target is read before the link is written */
        (void)insn_put(insn, OP_MOV_REG, REGISTER_TARGET, 0, rm, 0);
        insn_add_constant(insn, REGISTER_LR, at->pc + 4);
        rm = REGISTER_TARGET;
    }
    insn_add_jump(insn, OP_JUMP_EXCHANGE, rm);
}

void decode_arm_breakpoint(struct insn *insn, const struct insn_place *at)
{
    (void)at;
    (void)insn_add(insn, OP_BKPT);
    insn->flow = FLOW_INDIRECT;
}

void decode_arm_swi(struct insn *insn, const struct insn_place *at)
{
    (void)insn_put(insn, OP_SWI, 0, 0, 0, bits_get(at->word, 23, 0));
    insn->flow = FLOW_INDIRECT;
}

/* CRn, opcode 1, CRm, opcode 2 as one number, see cp15.c. */
static uint32_t cp15_register(const struct insn_place *at)
{
    return (RN(at) << 12) | (bits_get(at->word, 23, 21) << 8) | (RM(at) << 4) |
           bits_get(at->word, 7, 5);
}

void decode_arm_cp15_write(struct insn *insn, const struct insn_place *at)
{
    if (RD(at) == 15) {
        load_pc_operand(insn, at->pc + 12);
    }
    (void)insn_put(insn, OP_CP15_WRITE, RD(at), 0, 0, cp15_register(at));
    insn->flow = FLOW_LEAVE;
}

void decode_arm_cp15_read(struct insn *insn, const struct insn_place *at)
{
    struct insn_op *op = insn_add(insn, OP_CP15_READ);
    op->rd = (uint8_t)RD(at);
    op->imm = cp15_register(at);
    if (RD(at) == 15) { /* bits 31:28 go to the flags */
        op->rd = REGISTER_TARGET;
        insn->class = CLASS_COPROCESSOR_FLAGS;
        (void)insn_put(insn, OP_MSR_CPSR, 0, 0, REGISTER_TARGET, 0xf0000000u);
    }
}

void decode_arm_coprocessor(struct insn *insn, const struct insn_place *at)
{
    (void)at;
    insn_add_undefined(insn);
}

#define ISA_PATTERN_TABLE
#include "arm_patterns.inc"

const struct isa_pattern *insn_arm_patterns(unsigned *count)
{
    *count = ARM_PATTERNS;
    return PATTERNS;
}

void insn_decode_arm(struct insn *insn, uint32_t word, uint32_t pc)
{
    const struct isa_pattern *pattern = insn_match(PATTERNS, ARM_PATTERNS, word);
    insn_begin(insn, pattern, word);
    if (pattern == NULL) {
        if ((word >> 28) != CONDITION_NEVER) {
            insn->condition = (uint8_t)(word >> 28);
        }
        insn_add_undefined(insn);
        return;
    }
    const struct insn_place at = {word, pc, (unsigned)(pattern - PATTERNS)};
    pattern->decode(insn, &at);
    insn_set_pc_operand(insn, pc + 8);
}
