/* decode_arm_memory.c - ARM state: loads, stores and swaps.  See decode_arm.c. */
#include "models/arm968/decode_arm.h"

struct transfer {
    uint16_t offset_imm; /* the first of the six operation codes */
    bool load;
};

/* One single transfer: the offset is imm, or register rm when `by_register`. */
static void add_transfer(struct insn *insn, const struct insn_place *at, struct transfer transfer,
                         bool by_register, unsigned rm, uint32_t imm)
{
    const bool pre = bits_test(at->word, 24);
    bool writeback = !pre || bits_test(at->word, 21);
    const bool user = !pre && bits_test(at->word, 21);
    if (RN(at) == 15) {
        load_pc_operand(insn, at->pc + 8);
        if (writeback) {
            (void)insn_add(insn, OP_UNPREDICTABLE);
            writeback = false;
        }
    }
    if (user) {
        (void)insn_put(insn, OP_USER_ACCESS, 0, 0, 0, 1);
    }
    enum op_form form = by_register ? OP_FORM_OFF_REG : OP_FORM_OFF_IMM;
    if (writeback) {
        form = pre ? (by_register ? OP_FORM_PRE_REG : OP_FORM_PRE_IMM)
                   : (by_register ? OP_FORM_POST_REG : OP_FORM_POST_IMM);
    } else if (!pre) { /* post-indexed from pc: the offset is not used */
        form = OP_FORM_OFF_IMM;
        imm = 0;
    }
    unsigned rd = RD(at);
    if (rd == 15 && !transfer.load) {
        insn_add_constant(insn, REGISTER_TARGET, at->pc + 12);
    }
    if (rd == 15) {
        rd = REGISTER_TARGET;
    }
    (void)insn_put(insn, transfer.offset_imm + form, rd, RN(at), rm, imm);
    if (user) {
        (void)insn_put(insn, OP_USER_ACCESS, 0, 0, 0, 0);
    }
    insn->words_loaded = transfer.load;
    insn->words_stored = !transfer.load;
    if (rd == REGISTER_TARGET && transfer.load) {
        const bool scaled =
            insn->class == CLASS_LOAD_SCALED || insn->class == CLASS_LOAD_NARROW_SCALED;
        insn->class = scaled ? CLASS_LOAD_PC_SCALED : CLASS_LOAD_PC;
        insn_add_jump(insn, OP_JUMP_LOADED, REGISTER_TARGET);
    }
}

static struct transfer single_transfer(const struct insn_place *at)
{
    const bool byte = bits_test(at->word, 22);
    if (bits_test(at->word, 20)) {
        return (struct transfer){byte ? OP_LDRB_OFF_IMM : OP_LDR_OFF_IMM, true};
    }
    return (struct transfer){byte ? OP_STRB_OFF_IMM : OP_STR_OFF_IMM, false};
}

static uint32_t signed_offset(const struct insn_place *at, uint32_t magnitude)
{
    return bits_test(at->word, 23) ? magnitude : 0u - magnitude;
}

void decode_arm_load_imm(struct insn *insn, const struct insn_place *at)
{
    const uint32_t offset = signed_offset(at, bits_get(at->word, 11, 0));
    add_transfer(insn, at, single_transfer(at), false, 0, offset);
    const bool plain =
        bits_test(at->word, 24) && !bits_test(at->word, 21) && !bits_test(at->word, 22);
    if (plain && RN(at) == 15 && RD(at) != 15) {
        insn->literal = true;
        insn->literal_address = at->pc + 8 + offset;
    }
}

void decode_arm_store_imm(struct insn *insn, const struct insn_place *at)
{
    add_transfer(insn, at, single_transfer(at), false, 0,
                 signed_offset(at, bits_get(at->word, 11, 0)));
}

/* The offset register of a transfer, negated for subtraction. */
static unsigned add_offset_register(struct insn *insn, const struct insn_place *at, unsigned rm)
{
    if (bits_test(at->word, 23)) {
        return rm;
    }
    (void)insn_put(insn, OP_RSB_IMM, REGISTER_SHIFTER, rm, 0, 0);
    return REGISTER_SHIFTER;
}

void decode_arm_scaled(struct insn *insn, const struct insn_place *at)
{
    const enum shift_type type = bits_get(at->word, 6, 5);
    const unsigned amount = bits_get(at->word, 11, 7);
    unsigned rm = RM(at);
    if (rm == 15) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
        load_pc_operand(insn, at->pc + 8);
    }
    if (type != SHIFT_LSL || amount != 0) {
        insn_add_shift(insn, REGISTER_SHIFTER, rm, type, amount, false);
        rm = REGISTER_SHIFTER;
    } else { /* an unshifted offset costs what an immediate one does */
        insn->class = insn->class == CLASS_LOAD_SCALED          ? CLASS_LOAD
                      : insn->class == CLASS_LOAD_NARROW_SCALED ? CLASS_LOAD_NARROW
                                                                : CLASS_STORE;
    }
    rm = add_offset_register(insn, at, rm);
    add_transfer(insn, at, single_transfer(at), true, rm, 0);
}

/* Half-word, signed byte: offset imm8 in two nibbles, or a register. */
static void add_half_transfer(struct insn *insn, const struct insn_place *at,
                              struct transfer transfer)
{
    if (bits_test(at->word, 22)) {
        const uint32_t imm = (bits_get(at->word, 11, 8) << 4) | bits_get(at->word, 3, 0);
        add_transfer(insn, at, transfer, false, 0, signed_offset(at, imm));
        return;
    }
    insn->execute |= (uint16_t)((1u << RM(at)) & 0x7fffu);
    if (RM(at) == 15) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
        load_pc_operand(insn, at->pc + 8);
    }
    add_transfer(insn, at, transfer, true, add_offset_register(insn, at, RM(at)), 0);
}

void decode_arm_load_half(struct insn *insn, const struct insn_place *at)
{
    static const uint16_t CODE[] = {0, OP_LDRH_OFF_IMM, OP_LDRSB_OFF_IMM, OP_LDRSH_OFF_IMM};
    add_half_transfer(insn, at, (struct transfer){CODE[bits_get(at->word, 6, 5)], true});
}

void decode_arm_store_half(struct insn *insn, const struct insn_place *at)
{
    add_half_transfer(insn, at, (struct transfer){OP_STRH_OFF_IMM, false});
}

/* LDRD, STRD: the address goes to the shifter register, the base is written after the transfer. */
static void add_double(struct insn *insn, const struct insn_place *at, enum op_code code)
{
    const bool pre = bits_test(at->word, 24);
    const bool writeback = !pre || bits_test(at->word, 21);
    const bool by_register = !bits_test(at->word, 22);
    const unsigned rn = RN(at);
    if (RD(at) == 14 || (writeback && rn == 15)) { /* rd+1 or the base would be pc */
        (void)insn_add(insn, OP_UNPREDICTABLE);
        insn_add_undefined(insn);
        return;
    }
    if (rn == 15) {
        load_pc_operand(insn, at->pc + 8);
    }
    unsigned offset_register = REGISTER_TARGET;
    if (by_register) {
        insn->execute |= (uint16_t)((1u << RM(at)) & 0x7fffu);
        (void)insn_put(insn, bits_test(at->word, 23) ? OP_MOV_REG : OP_RSB_IMM, offset_register,
                       RM(at), RM(at), 0);
    } else {
        insn_add_constant(
            insn, offset_register,
            signed_offset(at, (bits_get(at->word, 11, 8) << 4) | bits_get(at->word, 3, 0)));
    }
    if (pre) {
        (void)insn_put(insn, OP_ADD_REG, REGISTER_SHIFTER, rn, offset_register, 0);
    } else {
        (void)insn_put(insn, OP_MOV_REG, REGISTER_SHIFTER, 0, rn, 0);
    }
    (void)insn_put(insn, code, RD(at), 0, REGISTER_SHIFTER, 0);
    if (writeback && pre) {
        (void)insn_put(insn, OP_MOV_REG, rn, 0, REGISTER_SHIFTER, 0);
    } else if (writeback) {
        (void)insn_put(insn, OP_ADD_REG, rn, rn, offset_register, 0);
    }
}

void decode_arm_load_double(struct insn *insn, const struct insn_place *at)
{
    add_double(insn, at, OP_LDRD);
    insn->words_loaded = 2;
    insn->ready = (uint16_t)(1u << RD(at));
    insn->result = (uint16_t)((2u << RD(at)) & 0x7fffu);
}

void decode_arm_store_double(struct insn *insn, const struct insn_place *at)
{
    add_double(insn, at, OP_STRD);
    insn->words_stored = 2;
    insn->store = (uint16_t)((3u << RD(at)) & 0x7fffu);
}

/* LDM, STM: first address and write-back as word offsets from the base, see OP_LDM. */
static struct insn_op *add_block(struct insn *insn, const struct insn_place *at, enum op_code code,
                                 uint32_t list)
{
    const int count = (int)bits_count(list);
    const bool up = bits_test(at->word, 23);
    const bool before = bits_test(at->word, 24);
    const int first = up ? (before ? 1 : 0) : (before ? -count : 1 - count);
    struct insn_op *op = insn_add(insn, code);
    op->imm = list | (uint32_t)count << BLOCK_COUNT_SHIFT;
    op->rn = (uint8_t)RN(at);
    op->rd = (uint8_t)(BLOCK_BIAS + first);
    op->rs = (uint8_t)(BLOCK_BIAS + (up ? count : -count));
    return op;
}

/* An empty list transfers nothing and moves the base by 16 words, as ARMv5 cores do. */
static bool empty_list(struct insn *insn, const struct insn_place *at, uint32_t list)
{
    if (list != 0) {
        return false;
    }
    (void)insn_add(insn, OP_UNPREDICTABLE);
    if (bits_test(at->word, 21)) {
        (void)insn_put(insn, OP_ADD_IMM, RN(at), RN(at), 0,
                       bits_test(at->word, 23) ? 0x40u : 0u - 0x40u);
    }
    return true;
}

static bool base_writeback(struct insn *insn, const struct insn_place *at)
{
    if (!bits_test(at->word, 21)) {
        return false;
    }
    if (RN(at) == 15) {
        (void)insn_add(insn, OP_UNPREDICTABLE);
        return false;
    }
    return true;
}

void decode_arm_block_load(struct insn *insn, const struct insn_place *at)
{
    const uint32_t list = bits_get(at->word, 15, 0);
    const bool to_pc = bits_test(list, 15);
    const bool user = bits_test(at->word, 22) && !to_pc;
    insn->words_loaded = (uint8_t)bits_count(list);
    if (RN(at) == 15) {
        load_pc_operand(insn, at->pc + 8);
    }
    if (empty_list(insn, at, list)) {
        return;
    }
    bool writeback = base_writeback(insn, at);
    if (writeback && bits_test(list, RN(at)) && (list >> RN(at)) == 1 && list != 1u << RN(at)) {
        writeback = false; /* the base is the last of several registers: the loaded value stays */
    }
    struct insn_op *op = add_block(insn, at, OP_LDM, list);
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
        insn_add_jump(insn, bits_test(at->word, 22) ? OP_JUMP_RESTORE : OP_JUMP_LOADED,
                      REGISTER_TARGET);
    }
}

void decode_arm_block_store(struct insn *insn, const struct insn_place *at)
{
    const uint32_t list = bits_get(at->word, 15, 0);
    insn->words_stored = (uint8_t)bits_count(list);
    insn->store = (uint16_t)(list & 0x7fffu);
    if (RN(at) == 15) {
        load_pc_operand(insn, at->pc + 8);
    } else if (bits_test(list, 15)) {
        load_pc_operand(insn, at->pc + 12);
    }
    if (empty_list(insn, at, list)) {
        return;
    }
    const bool writeback = base_writeback(insn, at);
    struct insn_op *op = add_block(insn, at, OP_STM, list);
    op->rm =
        (uint8_t)((writeback ? BLOCK_WRITEBACK : 0) | (bits_test(at->word, 22) ? BLOCK_USER : 0));
}

void decode_arm_swap(struct insn *insn, const struct insn_place *at)
{
    (void)insn_put(insn, bits_test(at->word, 22) ? OP_SWPB : OP_SWP, RD(at), RN(at), RM(at), 0);
    insn->words_loaded = 1;
    insn->words_stored = 1;
}

/* A hint: nothing is accessed, but the instruction waits for the address registers. */
void decode_arm_preload(struct insn *insn, const struct insn_place *at)
{
    (void)insn;
    (void)at;
}
