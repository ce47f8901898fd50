/* decode_arm.c - ARM state: from the patterns of isa/arm.decode to operations. */
#include "models/arm968/insn.h"

#include "models/common/bits.h"

#define RD(word)         bits_get(word, 15, 12)
#define RN(word)         bits_get(word, 19, 16)
#define RS(word)         bits_get(word, 11, 8)
#define RM(word)         bits_get(word, 3, 0)
#define SETS_FLAGS(word) bits_test(word, 20)

/* The names of the patterns; their table follows behind the decoders. */
#include "arm_patterns.inc"

enum shift_type { SHIFT_LSL, SHIFT_LSR, SHIFT_ASR, SHIFT_ROR };

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

static void load_pc_operand(struct insn *insn, uint32_t value)
{
    struct insn_op *op = insn_add(insn, OP_MOV_IMM);
    op->rd = REGISTER_PC_OPERAND;
    op->imm = value;
}

static void add_move(struct insn *insn, unsigned rd, unsigned rm)
{
    struct insn_op *op = insn_add(insn, OP_MOV_REG);
    op->rd = (uint8_t)rd;
    op->rm = (uint8_t)rm;
}

static void add_constant(struct insn *insn, unsigned rd, uint32_t value)
{
    struct insn_op *op = insn_add(insn, OP_MOV_IMM);
    op->rd = (uint8_t)rd;
    op->imm = value;
}

/* rd = rn + value */
static void add_offset(struct insn *insn, unsigned rd, unsigned rn, uint32_t value)
{
    struct insn_op *op = insn_add(insn, OP_ADD_IMM);
    op->rd = (uint8_t)rd;
    op->rn = (uint8_t)rn;
    op->imm = value;
}

static void add_jump(struct insn *insn, enum op_code code, unsigned rm)
{
    insn_add(insn, code)->rm = (uint8_t)rm;
    insn->flow = FLOW_INDIRECT;
}

/* Shift of rm by a constant into rd.  Encoded amount 0 means 32, 32 and RRX for LSR, ASR and ROR.
 */
static void add_shift_imm(struct insn *insn, unsigned rd, unsigned rm, enum shift_type type,
                          unsigned amount, bool carry)
{
    static const uint16_t PLAIN[] = {OP_LSL_IMM, OP_LSR_IMM, OP_ASR_IMM, OP_ROR_IMM};
    static const uint16_t CARRY[] = {OP_LSL_IMM_C, OP_LSR_IMM_C, OP_ASR_IMM_C, OP_ROR_IMM_C};
    enum op_code code = carry ? CARRY[type] : PLAIN[type];
    if (amount == 0 && type == SHIFT_ROR) {
        code = carry ? OP_RRX_C : OP_RRX;
    } else if (amount == 0) {
        amount = 32;
    }
    struct insn_op *op = insn_add(insn, code);
    op->rd = (uint8_t)rd;
    op->rm = (uint8_t)rm;
    op->imm = amount;
}

/* Ends a data operation: its result is in rd, or on its way to pc. */
static void finish_data(struct insn *insn, uint32_t word, enum data_operation operation,
                        bool register_shift)
{
    if (DATA_FORM[operation].compares || RD(word) != 15) {
        return;
    }
    const bool logical = DATA_FORM[operation].logical || operation == DATA_RSC;
    insn->class = register_shift ? CLASS_DATA_PC_REGISTER_SHIFT
                  : logical      ? CLASS_DATA_PC_LOGICAL
                                 : CLASS_DATA_PC;
    add_jump(insn, SETS_FLAGS(word) ? OP_JUMP_RESTORE : OP_JUMP, REGISTER_TARGET);
}

static void decode_arm_data_imm(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    const enum data_operation operation = bits_get(word, 24, 21);
    const struct data_form *form = &DATA_FORM[operation];
    const unsigned rotation = 2 * bits_get(word, 11, 8);
    uint32_t value = bits_rotate_right(bits_get(word, 7, 0), rotation);
    const bool to_pc = !form->compares && RD(word) == 15;
    const bool flags = (SETS_FLAGS(word) && !to_pc) || form->compares;
    if (flags && form->logical && rotation != 0) {
        insn_add(insn, OP_SET_CARRY)->imm = value >> 31;
    }
    if (form->has_rn && RN(word) == 15) {
        load_pc_operand(insn, pc + 8);
    }
    if (form->inverted_imm) {
        value = ~value;
    }
    struct insn_op *op = insn_add(insn, flags ? form->imm_flags : form->imm);
    op->rd = (uint8_t)(to_pc ? REGISTER_TARGET : RD(word));
    op->rn = (uint8_t)RN(word);
    op->imm = value;
    finish_data(insn, word, operation, false);
}

/* The operation itself, with its second operand in register rm. */
static void add_data_reg(struct insn *insn, uint32_t word, unsigned rm, bool flags)
{
    const struct data_form *form = &DATA_FORM[bits_get(word, 24, 21)];
    const bool to_pc = !form->compares && RD(word) == 15;
    struct insn_op *op = insn_add(insn, flags ? form->reg_flags : form->reg);
    op->rd = (uint8_t)(to_pc ? REGISTER_TARGET : RD(word));
    op->rn = (uint8_t)RN(word);
    op->rm = (uint8_t)rm;
}

static void decode_arm_data_shift(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    const enum data_operation operation = bits_get(word, 24, 21);
    const struct data_form *form = &DATA_FORM[operation];
    const enum shift_type type = bits_get(word, 6, 5);
    const unsigned amount = bits_get(word, 11, 7);
    const bool to_pc = !form->compares && RD(word) == 15;
    const bool flags = (SETS_FLAGS(word) && !to_pc) || form->compares;
    const bool shifted = type != SHIFT_LSL || amount != 0;
    if ((form->has_rn && RN(word) == 15) || RM(word) == 15) {
        load_pc_operand(insn, pc + 8);
    }
    if (!shifted) {
        add_data_reg(insn, word, RM(word), flags);
    } else if (operation == DATA_MOV) { /* a move of a shifted register is the shift */
        const unsigned rd = to_pc ? REGISTER_TARGET : RD(word);
        add_shift_imm(insn, rd, RM(word), type, amount, flags);
        if (flags) {
            insn_add(insn, OP_TEST_NZ)->rn = (uint8_t)rd;
        }
    } else {
        add_shift_imm(insn, REGISTER_SHIFTER, RM(word), type, amount, flags && form->logical);
        add_data_reg(insn, word, REGISTER_SHIFTER, flags);
    }
    finish_data(insn, word, operation, false);
}

static void decode_arm_data_register(struct insn *insn, uint32_t word, uint32_t pc,
                                     unsigned pattern)
{
    (void)pattern;
    static const uint16_t PLAIN[] = {OP_LSL_REG, OP_LSR_REG, OP_ASR_REG, OP_ROR_REG};
    static const uint16_t CARRY[] = {OP_LSL_REG_C, OP_LSR_REG_C, OP_ASR_REG_C, OP_ROR_REG_C};
    const enum data_operation operation = bits_get(word, 24, 21);
    const struct data_form *form = &DATA_FORM[operation];
    const enum shift_type type = bits_get(word, 6, 5);
    const bool to_pc = !form->compares && RD(word) == 15;
    const bool flags = (SETS_FLAGS(word) && !to_pc) || form->compares;
    if (to_pc || RM(word) == 15 || RS(word) == 15 || (form->has_rn && RN(word) == 15)) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
        load_pc_operand(insn, pc + 12);
    }
    struct insn_op *op = insn_add(insn, flags && form->logical ? CARRY[type] : PLAIN[type]);
    op->rd = REGISTER_SHIFTER;
    op->rm = (uint8_t)RM(word);
    op->rs = (uint8_t)RS(word);
    add_data_reg(insn, word, REGISTER_SHIFTER, flags);
    finish_data(insn, word, operation, true);
}

static void decode_arm_clz(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    struct insn_op *op = insn_add(insn, OP_CLZ);
    op->rd = (uint8_t)RD(word);
    op->rm = (uint8_t)RM(word);
}

static void decode_arm_saturating(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    static const uint16_t CODE[] = {OP_QADD, OP_QSUB, OP_QDADD, OP_QDSUB};
    struct insn_op *op = insn_add(insn, CODE[bits_get(word, 22, 21)]);
    op->rd = (uint8_t)RD(word);
    op->rn = (uint8_t)RN(word);
    op->rm = (uint8_t)RM(word);
}

/* In multiplies the destination is in bits 19:16, the accumulator or RdLo in bits 15:12. */
static void decode_arm_multiply(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    if (RN(word) == RM(word)) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
    }
    struct insn_op *op = insn_add(insn, bits_test(word, 21) ? OP_MLA : OP_MUL);
    op->rd = (uint8_t)RN(word);
    op->rn = (uint8_t)RD(word);
    op->rm = (uint8_t)RM(word);
    op->rs = (uint8_t)RS(word);
    if (SETS_FLAGS(word)) {
        insn->class = CLASS_MUL_FLAGS;
        insn_add(insn, OP_TEST_NZ)->rn = (uint8_t)RN(word);
    }
}

static void decode_arm_multiply_long(struct insn *insn, uint32_t word, uint32_t pc,
                                     unsigned pattern)
{
    (void)pc;
    (void)pattern;
    static const uint16_t CODE[] = {OP_UMULL, OP_UMLAL, OP_SMULL, OP_SMLAL};
    if (RN(word) == RD(word)) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
    }
    struct insn_op *op = insn_add(insn, CODE[bits_get(word, 22, 21)]);
    op->rd = (uint8_t)RN(word);
    op->rn = (uint8_t)RD(word);
    op->rm = (uint8_t)RM(word);
    op->rs = (uint8_t)RS(word);
    if (SETS_FLAGS(word)) {
        insn->class = CLASS_MULL_FLAGS;
        struct insn_op *test = insn_add(insn, OP_TEST_NZ_LONG);
        test->rn = (uint8_t)RN(word);
        test->rm = (uint8_t)RD(word);
    }
}

static void decode_arm_multiply_half(struct insn *insn, uint32_t word, uint32_t pc,
                                     unsigned pattern)
{
    (void)pc;
    (void)pattern;
    /* by bits 22:21, then y (bit 6) and x (bit 5): which half of rs and of rm */
    static const uint16_t CODE[4][4] = {
        {OP_SMLABB, OP_SMLATB, OP_SMLABT, OP_SMLATT},
        {OP_SMLAWB, OP_SMULWB, OP_SMLAWT, OP_SMULWT}, /* here bit 5 tells SMULW from SMLAW */
        {OP_SMLALBB, OP_SMLALTB, OP_SMLALBT, OP_SMLALTT},
        {OP_SMULBB, OP_SMULTB, OP_SMULBT, OP_SMULTT},
    };
    struct insn_op *op = insn_add(insn, CODE[bits_get(word, 22, 21)][bits_get(word, 6, 5)]);
    op->rd = (uint8_t)RN(word);
    op->rn = (uint8_t)RD(word);
    op->rm = (uint8_t)RM(word);
    op->rs = (uint8_t)RS(word);
}

static void decode_arm_mrs(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    insn_add(insn, bits_test(word, 22) ? OP_MRS_SPSR : OP_MRS_CPSR)->rd = (uint8_t)RD(word);
}

static void add_msr(struct insn *insn, uint32_t word, unsigned rm)
{
    const uint32_t fields = bits_get(word, 19, 16);
    const bool spsr = bits_test(word, 22);
    struct insn_op *op = insn_add(insn, spsr ? OP_MSR_SPSR : OP_MSR_CPSR);
    op->rm = (uint8_t)rm;
    op->imm = (bits_test(fields, 0) ? 0x000000ffu : 0) | (bits_test(fields, 1) ? 0x0000ff00u : 0) |
              (bits_test(fields, 2) ? 0x00ff0000u : 0) | (bits_test(fields, 3) ? 0xff000000u : 0);
    if (!spsr && (fields & ~8u) == 0) {
        insn->class = CLASS_MSR_FLAGS;
    } else if (!spsr) {
        insn->flow = FLOW_LEAVE;
    }
}

static void decode_arm_msr(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    add_msr(insn, word, RM(word));
}

static void decode_arm_msr_imm(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    add_constant(insn, REGISTER_SHIFTER,
                 bits_rotate_right(bits_get(word, 7, 0), 2 * bits_get(word, 11, 8)));
    add_msr(insn, word, REGISTER_SHIFTER);
}

static void branch_to(struct insn *insn, uint32_t target, bool thumb)
{
    insn->flow = FLOW_BRANCH;
    insn->target = target;
    insn->target_thumb = thumb;
}

static void decode_arm_branch(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    if (bits_test(word, 24)) {
        add_constant(insn, REGISTER_LR, pc + 4);
    }
    branch_to(insn, pc + 8 + ((uint32_t)bits_sign_extend(word, 24) << 2), false);
}

static void decode_arm_branch_exchange(struct insn *insn, uint32_t word, uint32_t pc,
                                       unsigned pattern)
{
    (void)pattern;
    add_constant(insn, REGISTER_LR, pc + 4);
    branch_to(insn,
              pc + 8 + ((uint32_t)bits_sign_extend(word, 24) << 2) + (bits_get(word, 24, 24) << 1),
              true);
}

static void decode_arm_branch_register(struct insn *insn, uint32_t word, uint32_t pc,
                                       unsigned pattern)
{
    (void)pattern;
    unsigned rm = RM(word);
    if (rm == 15) {
        load_pc_operand(insn, pc + 8);
    }
    if (bits_test(word, 5)) { /* BLX: the target is read before the link is written */
        add_move(insn, REGISTER_TARGET, rm);
        add_constant(insn, REGISTER_LR, pc + 4);
        rm = REGISTER_TARGET;
    }
    add_jump(insn, OP_JUMP_EXCHANGE, rm);
}

static void decode_arm_breakpoint(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)word;
    (void)pc;
    (void)pattern;
    (void)insn_add(insn, OP_BKPT);
    insn->flow = FLOW_INDIRECT;
}

static void decode_arm_swi(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    insn_add(insn, OP_SWI)->imm = bits_get(word, 23, 0);
    insn->flow = FLOW_INDIRECT;
}

struct transfer {
    uint16_t offset_imm; /* the first of the six operation codes */
    bool load;
};

/* One single transfer: the offset is imm, or register rm when `by_register`. */
static void add_transfer(struct insn *insn, uint32_t word, uint32_t pc, struct transfer transfer,
                         bool by_register, unsigned rm, uint32_t imm)
{
    const bool pre = bits_test(word, 24);
    bool writeback = !pre || bits_test(word, 21);
    const bool user = !pre && bits_test(word, 21);
    if (RN(word) == 15) {
        load_pc_operand(insn, pc + 8);
        if (writeback) {
            (void)insn_add(insn, OP_UNPREDICTABLE);
            writeback = false;
        }
    }
    if (user) {
        insn_add(insn, OP_USER_ACCESS)->imm = 1;
    }
    enum op_form form = by_register ? OP_FORM_OFF_REG : OP_FORM_OFF_IMM;
    if (writeback) {
        form = pre ? (by_register ? OP_FORM_PRE_REG : OP_FORM_PRE_IMM)
                   : (by_register ? OP_FORM_POST_REG : OP_FORM_POST_IMM);
    } else if (!pre) { /* post-indexed from pc: the offset is not used */
        form = OP_FORM_OFF_IMM;
        imm = 0;
    }
    unsigned rd = RD(word);
    if (rd == 15 && !transfer.load) {
        add_constant(insn, REGISTER_TARGET, pc + 12);
    }
    if (rd == 15) {
        rd = REGISTER_TARGET;
    }
    struct insn_op *op = insn_add(insn, (enum op_code)(transfer.offset_imm + form));
    op->rd = (uint8_t)rd;
    op->rn = (uint8_t)RN(word);
    op->rm = (uint8_t)rm;
    op->imm = imm;
    if (user) {
        insn_add(insn, OP_USER_ACCESS)->imm = 0;
    }
    insn->words_loaded = transfer.load;
    insn->words_stored = !transfer.load;
    if (rd == REGISTER_TARGET && transfer.load) {
        const bool scaled =
            insn->class == CLASS_LOAD_SCALED || insn->class == CLASS_LOAD_NARROW_SCALED;
        insn->class = scaled ? CLASS_LOAD_PC_SCALED : CLASS_LOAD_PC;
        add_jump(insn, OP_JUMP_LOADED, REGISTER_TARGET);
    }
}

static struct transfer single_transfer(uint32_t word)
{
    const bool byte = bits_test(word, 22);
    if (bits_test(word, 20)) {
        return (struct transfer){byte ? OP_LDRB_OFF_IMM : OP_LDR_OFF_IMM, true};
    }
    return (struct transfer){byte ? OP_STRB_OFF_IMM : OP_STR_OFF_IMM, false};
}

static uint32_t signed_offset(uint32_t word, uint32_t magnitude)
{
    return bits_test(word, 23) ? magnitude : 0u - magnitude;
}

static void decode_arm_load_imm(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    const uint32_t offset = signed_offset(word, bits_get(word, 11, 0));
    add_transfer(insn, word, pc, single_transfer(word), false, 0, offset);
    const bool plain = bits_test(word, 24) && !bits_test(word, 21) && !bits_test(word, 22);
    if (plain && RN(word) == 15 && RD(word) != 15) {
        insn->literal = true;
        insn->literal_address = pc + 8 + offset;
    }
}

static void decode_arm_store_imm(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    add_transfer(insn, word, pc, single_transfer(word), false, 0,
                 signed_offset(word, bits_get(word, 11, 0)));
}

/* The offset register of a transfer, negated when it is to be subtracted. */
static unsigned add_offset_register(struct insn *insn, uint32_t word, unsigned rm)
{
    if (bits_test(word, 23)) {
        return rm;
    }
    struct insn_op *op = insn_add(insn, OP_RSB_IMM);
    op->rd = REGISTER_SHIFTER;
    op->rn = (uint8_t)rm;
    op->imm = 0;
    return REGISTER_SHIFTER;
}

static void decode_arm_scaled(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    const enum shift_type type = bits_get(word, 6, 5);
    const unsigned amount = bits_get(word, 11, 7);
    unsigned rm = RM(word);
    if (rm == 15) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
        load_pc_operand(insn, pc + 8);
    }
    if (type != SHIFT_LSL || amount != 0) {
        add_shift_imm(insn, REGISTER_SHIFTER, rm, type, amount, false);
        rm = REGISTER_SHIFTER;
    } else { /* an unshifted offset costs what an immediate one does */
        insn->class = insn->class == CLASS_LOAD_SCALED          ? CLASS_LOAD
                      : insn->class == CLASS_LOAD_NARROW_SCALED ? CLASS_LOAD_NARROW
                                                                : CLASS_STORE;
    }
    rm = add_offset_register(insn, word, rm);
    add_transfer(insn, word, pc, single_transfer(word), true, rm, 0);
}

/* Half-word, signed byte: offset imm8 in two nibbles, or a register. */
static void add_half_transfer(struct insn *insn, uint32_t word, uint32_t pc,
                              struct transfer transfer)
{
    if (bits_test(word, 22)) {
        const uint32_t imm = (bits_get(word, 11, 8) << 4) | bits_get(word, 3, 0);
        add_transfer(insn, word, pc, transfer, false, 0, signed_offset(word, imm));
        return;
    }
    insn->execute |= (uint16_t)((1u << RM(word)) & 0x7fffu);
    if (RM(word) == 15) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
        load_pc_operand(insn, pc + 8);
    }
    add_transfer(insn, word, pc, transfer, true, add_offset_register(insn, word, RM(word)), 0);
}

static void decode_arm_load_half(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    static const uint16_t CODE[] = {0, OP_LDRH_OFF_IMM, OP_LDRSB_OFF_IMM, OP_LDRSH_OFF_IMM};
    add_half_transfer(insn, word, pc, (struct transfer){CODE[bits_get(word, 6, 5)], true});
}

static void decode_arm_store_half(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    add_half_transfer(insn, word, pc, (struct transfer){OP_STRH_OFF_IMM, false});
}

/* LDRD, STRD: the address goes to the shifter register, the base is written after the transfer. */
static void add_double(struct insn *insn, uint32_t word, uint32_t pc, enum op_code code)
{
    const bool pre = bits_test(word, 24);
    const bool writeback = !pre || bits_test(word, 21);
    const bool by_register = !bits_test(word, 22);
    const unsigned rn = RN(word);
    if (RD(word) == 14 || (writeback && rn == 15)) { /* rd+1 or the base would be pc */
        (void)insn_add(insn, OP_UNPREDICTABLE);
        insn_add_undefined(insn);
        return;
    }
    if (rn == 15) {
        load_pc_operand(insn, pc + 8);
    }
    unsigned offset_register = REGISTER_TARGET;
    if (by_register) {
        insn->execute |= (uint16_t)((1u << RM(word)) & 0x7fffu);
        struct insn_op *op = insn_add(insn, bits_test(word, 23) ? OP_MOV_REG : OP_RSB_IMM);
        op->rd = (uint8_t)offset_register;
        op->rn = (uint8_t)RM(word);
        op->rm = (uint8_t)RM(word);
    } else {
        add_constant(insn, offset_register,
                     signed_offset(word, (bits_get(word, 11, 8) << 4) | bits_get(word, 3, 0)));
    }
    if (pre) {
        struct insn_op *op = insn_add(insn, OP_ADD_REG);
        op->rd = REGISTER_SHIFTER;
        op->rn = (uint8_t)rn;
        op->rm = (uint8_t)offset_register;
    } else {
        add_move(insn, REGISTER_SHIFTER, rn);
    }
    struct insn_op *op = insn_add(insn, code);
    op->rd = (uint8_t)RD(word);
    op->rm = REGISTER_SHIFTER;
    if (writeback && pre) {
        add_move(insn, rn, REGISTER_SHIFTER);
    } else if (writeback) {
        struct insn_op *add = insn_add(insn, OP_ADD_REG);
        add->rd = (uint8_t)rn;
        add->rn = (uint8_t)rn;
        add->rm = (uint8_t)offset_register;
    }
}

static void decode_arm_load_double(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    add_double(insn, word, pc, OP_LDRD);
    insn->words_loaded = 2;
    insn->ready = (uint16_t)(1u << RD(word));
    insn->result = (uint16_t)((2u << RD(word)) & 0x7fffu);
}

static void decode_arm_store_double(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    add_double(insn, word, pc, OP_STRD);
    insn->words_stored = 2;
    insn->store = (uint16_t)((3u << RD(word)) & 0x7fffu);
}

/* LDM, STM: first address and write-back as word offsets from the base, see OP_LDM. */
static struct insn_op *add_block(struct insn *insn, uint32_t word, enum op_code code, uint32_t list)
{
    const int count = (int)bits_count(list);
    const bool up = bits_test(word, 23);
    const bool before = bits_test(word, 24);
    const int first = up ? (before ? 1 : 0) : (before ? -count : 1 - count);
    struct insn_op *op = insn_add(insn, code);
    op->imm = list | (uint32_t)count << BLOCK_COUNT_SHIFT;
    op->rn = (uint8_t)RN(word);
    op->rd = (uint8_t)(32 + first);
    op->rs = (uint8_t)(32 + (up ? count : -count));
    return op;
}

/* An empty list transfers nothing and moves the base by 16 words, as ARMv5 cores do. */
static bool empty_list(struct insn *insn, uint32_t word, uint32_t list)
{
    if (list != 0) {
        return false;
    }
    (void)insn_add(insn, OP_UNPREDICTABLE);
    if (bits_test(word, 21)) {
        add_offset(insn, RN(word), RN(word), bits_test(word, 23) ? 0x40u : 0u - 0x40u);
    }
    return true;
}

static bool base_writeback(struct insn *insn, uint32_t word)
{
    if (!bits_test(word, 21)) {
        return false;
    }
    if (RN(word) == 15) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
        return false;
    }
    return true;
}

static void decode_arm_block_load(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    const uint32_t list = bits_get(word, 15, 0);
    const bool to_pc = bits_test(list, 15);
    const bool user = bits_test(word, 22) && !to_pc;
    insn->words_loaded = (uint8_t)bits_count(list);
    if (RN(word) == 15) {
        load_pc_operand(insn, pc + 8);
    }
    if (empty_list(insn, word, list)) {
        return;
    }
    bool writeback = base_writeback(insn, word);
    if (writeback && bits_test(list, RN(word)) && (list >> RN(word)) == 1 &&
        list != 1u << RN(word)) {
        writeback = false; /* the base is the last of several registers: the loaded value stays */
    }
    struct insn_op *op = add_block(insn, word, OP_LDM, list);
    op->rm = (uint8_t)((writeback ? BLOCK_WRITEBACK : 0) | (user ? BLOCK_USER : 0) |
                       (to_pc ? BLOCK_TO_PC : 0));
    const uint32_t loaded = list & 0x7fffu;
    insn->to_pc = to_pc;
    insn->ready = (uint16_t)loaded;
    if (!to_pc && bits_count(list) > 1) {
        const unsigned last = 31 - bits_leading_zeros(loaded | 1);
        insn->result = (uint16_t)(1u << last);
        insn->ready &= (uint16_t)~insn->result;
    }
    if (to_pc) {
        add_jump(insn, bits_test(word, 22) ? OP_JUMP_RESTORE : OP_JUMP_LOADED, REGISTER_TARGET);
    }
}

static void decode_arm_block_store(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    const uint32_t list = bits_get(word, 15, 0);
    insn->words_stored = (uint8_t)bits_count(list);
    insn->store = (uint16_t)(list & 0x7fffu);
    if (RN(word) == 15) {
        load_pc_operand(insn, pc + 8);
    } else if (bits_test(list, 15)) {
        load_pc_operand(insn, pc + 12);
    }
    if (empty_list(insn, word, list)) {
        return;
    }
    const bool writeback = base_writeback(insn, word);
    struct insn_op *op = add_block(insn, word, OP_STM, list);
    op->rm = (uint8_t)((writeback ? BLOCK_WRITEBACK : 0) | (bits_test(word, 22) ? BLOCK_USER : 0));
}

static void decode_arm_swap(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    struct insn_op *op = insn_add(insn, bits_test(word, 22) ? OP_SWPB : OP_SWP);
    op->rd = (uint8_t)RD(word);
    op->rn = (uint8_t)RN(word);
    op->rm = (uint8_t)RM(word);
    insn->words_loaded = 1;
    insn->words_stored = 1;
}

/* A hint: nothing is accessed, only the registers of the address are waited for. */
static void decode_arm_preload(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)insn;
    (void)word;
    (void)pc;
    (void)pattern;
}

/* CRn, opcode 1, CRm, opcode 2 as one number, see cp15.c. */
static uint32_t cp15_register(uint32_t word)
{
    return (RN(word) << 12) | (bits_get(word, 23, 21) << 8) | (RM(word) << 4) |
           bits_get(word, 7, 5);
}

static void decode_arm_cp15_write(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    if (RD(word) == 15) {
        load_pc_operand(insn, pc + 12);
    }
    struct insn_op *op = insn_add(insn, OP_CP15_WRITE);
    op->rd = (uint8_t)RD(word);
    op->imm = cp15_register(word);
    insn->flow = FLOW_LEAVE;
}

static void decode_arm_cp15_read(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    struct insn_op *op = insn_add(insn, OP_CP15_READ);
    op->rd = (uint8_t)RD(word);
    op->imm = cp15_register(word);
    if (RD(word) == 15) { /* bits 31:28 go to the flags */
        op->rd = REGISTER_TARGET;
        insn->class = CLASS_COPROCESSOR_FLAGS;
        struct insn_op *flags = insn_add(insn, OP_MSR_CPSR);
        flags->rm = REGISTER_TARGET;
        flags->imm = 0xf0000000u;
    }
}

static void decode_arm_coprocessor(struct insn *insn, uint32_t word, uint32_t pc, unsigned pattern)
{
    (void)word;
    (void)pc;
    (void)pattern;
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
    pattern->decode(insn, word, pc, (unsigned)(pattern - PATTERNS));
    insn_set_pc_operand(insn, pc + 8);
}
