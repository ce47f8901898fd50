/* decode_thumb.c - Thumb state: from the patterns of isa/thumb.decode to the same operations. */
#include "models/arm968/insn.h"

#include "models/common/bits.h"

enum { THUMB_PC_AHEAD = 4 };

static unsigned low(uint32_t half, unsigned shift)
{
    return bits_get(half, shift + 2, shift);
}

/* Rd of the high-register forms. */
static unsigned high_rd(uint32_t half)
{
    return (bits_get(half, 7, 7) << 3) | low(half, 0);
}

/* The names of the patterns; their table follows the decoders. */
#include "thumb_patterns.inc"

void decode_thumb_shift_imm(struct insn *insn, const struct insn_place *at)
{
    static const uint16_t CODE[] = {OP_LSL_IMM_C, OP_LSR_IMM_C, OP_ASR_IMM_C};
    const unsigned amount = bits_get(at->word, 10, 6);
    if (at->pattern == THUMB_LSL_IMM && amount == 0) {
        (void)insn_put(insn, OP_MOVS_REG, low(at->word, 0), 0, low(at->word, 3), 0);
        return;
    }
    (void)insn_put(insn, CODE[at->pattern - THUMB_LSL_IMM], low(at->word, 0), 0, low(at->word, 3),
                   amount == 0 ? 32 : amount);
    (void)insn_put(insn, OP_TEST_NZ, 0, low(at->word, 0), 0, 0);
}

void decode_thumb_add_sub(struct insn *insn, const struct insn_place *at)
{
    static const uint16_t CODE[] = {OP_ADDS_REG, OP_SUBS_REG, OP_ADDS_IMM, OP_SUBS_IMM};
    (void)insn_put(insn, CODE[at->pattern - THUMB_ADD_REGISTER], low(at->word, 0), low(at->word, 3),
                   low(at->word, 6), bits_get(at->word, 8, 6));
}

void decode_thumb_data_imm(struct insn *insn, const struct insn_place *at)
{
    static const uint16_t CODE[] = {OP_MOVS_IMM, OP_CMP_IMM, OP_ADDS_IMM, OP_SUBS_IMM};
    (void)insn_put(insn, CODE[at->pattern - THUMB_MOV_IMM], low(at->word, 8), low(at->word, 8), 0,
                   bits_get(at->word, 7, 0));
}

void decode_thumb_data(struct insn *insn, const struct insn_place *at)
{
    static const uint16_t CODE[16] = {OP_ANDS_REG, OP_EORS_REG, 0,           0,
                                      0,           OP_ADCS_REG, OP_SBCS_REG, 0,
                                      OP_TST_REG,  OP_RSBS_IMM, OP_CMP_REG,  OP_CMN_REG,
                                      OP_ORRS_REG, 0,           OP_BICS_REG, OP_MVNS_REG};
    const unsigned operation = bits_get(at->word, 9, 6);
    const bool negate = CODE[operation] == OP_RSBS_IMM; /* NEG is RSB with 0 */
    (void)insn_put(insn, CODE[operation], low(at->word, 0),
                   negate ? low(at->word, 3) : low(at->word, 0), low(at->word, 3), 0);
}

void decode_thumb_shift_register(struct insn *insn, const struct insn_place *at)
{
    const unsigned code = at->pattern == THUMB_LSL   ? OP_LSL_REG_C
                          : at->pattern == THUMB_LSR ? OP_LSR_REG_C
                          : at->pattern == THUMB_ASR ? OP_ASR_REG_C
                                                     : OP_ROR_REG_C;
    insn_put(insn, code, low(at->word, 0), 0, low(at->word, 0), 0)->rs = (uint8_t)low(at->word, 3);
    (void)insn_put(insn, OP_TEST_NZ, 0, low(at->word, 0), 0, 0);
}

void decode_thumb_multiply(struct insn *insn, const struct insn_place *at)
{
    insn_put(insn, OP_MUL, low(at->word, 0), 0, low(at->word, 3), 0)->rs =
        (uint8_t)low(at->word, 0);
    (void)insn_put(insn, OP_TEST_NZ, 0, low(at->word, 0), 0, 0);
}

void decode_thumb_data_high(struct insn *insn, const struct insn_place *at)
{
    const unsigned rd = high_rd(at->word);
    const unsigned rm = bits_get(at->word, 6, 3);
    if (rd == 15 || rm == 15) {
        insn_add_constant(insn, REGISTER_PC_OPERAND, at->pc + THUMB_PC_AHEAD);
    }
    if (at->pattern == THUMB_CMP_HIGH) {
        (void)insn_put(insn, OP_CMP_REG, 0, rd, rm, 0);
        return;
    }
    const bool add = at->pattern == THUMB_ADD_HIGH;
    (void)insn_put(insn, add ? OP_ADD_REG : OP_MOV_REG, rd == 15 ? REGISTER_TARGET : rd, rd, rm, 0);
    if (rd == 15) {
        insn->class = add ? CLASS_DATA_PC : CLASS_DATA_PC_LOGICAL;
        insn_add_jump(insn, OP_JUMP, REGISTER_TARGET);
    }
}

void decode_thumb_branch_register(struct insn *insn, const struct insn_place *at)
{
    unsigned rm = bits_get(at->word, 6, 3);
    if (rm == 15) {
        insn_add_constant(insn, REGISTER_PC_OPERAND, at->pc + THUMB_PC_AHEAD);
    }
    if (at->pattern == THUMB_BLX) {
        (void)insn_put(insn, OP_MOV_REG, REGISTER_TARGET, 0, rm, 0);
        insn_add_constant(insn, REGISTER_LR, (at->pc + 2) | 1u);
        rm = REGISTER_TARGET;
    }
    insn_add_jump(insn, OP_JUMP_EXCHANGE, rm);
}

void decode_thumb_load_literal(struct insn *insn, const struct insn_place *at)
{
    const uint32_t base = (at->pc + THUMB_PC_AHEAD) & ~3u;
    const uint32_t offset = 4 * bits_get(at->word, 7, 0);
    insn_add_constant(insn, REGISTER_PC_OPERAND, base);
    (void)insn_put(insn, OP_LDR_OFF_IMM, low(at->word, 8), REGISTER_PC_OPERAND, 0, offset);
    insn->words_loaded = 1;
    insn->literal = true;
    insn->literal_address = base + offset;
}

/* Counts one datum in the direction of the pattern's class. */
static void count_transfer(struct insn *insn)
{
    const bool store = insn->class == CLASS_STORE;
    insn->words_loaded = !store;
    insn->words_stored = store;
}

void decode_thumb_transfer_register(struct insn *insn, const struct insn_place *at)
{
    static const uint16_t CODE[] = {OP_STR_OFF_REG,   OP_STRH_OFF_REG, OP_STRB_OFF_REG,
                                    OP_LDRSB_OFF_REG, OP_LDR_OFF_REG,  OP_LDRH_OFF_REG,
                                    OP_LDRB_OFF_REG,  OP_LDRSH_OFF_REG};
    (void)insn_put(insn, CODE[at->pattern - THUMB_STR_REGISTER], low(at->word, 0), low(at->word, 3),
                   low(at->word, 6), 0);
    count_transfer(insn);
}

void decode_thumb_transfer_imm(struct insn *insn, const struct insn_place *at)
{
    static const struct {
        uint16_t code;
        uint8_t scale;
    } FORM[] = {
        {OP_STR_OFF_IMM, 4},  {OP_LDR_OFF_IMM, 4},  {OP_STRB_OFF_IMM, 1},
        {OP_LDRB_OFF_IMM, 1}, {OP_STRH_OFF_IMM, 2}, {OP_LDRH_OFF_IMM, 2},
    };
    const unsigned form = at->pattern - THUMB_STR_IMM;
    (void)insn_put(insn, FORM[form].code, low(at->word, 0), low(at->word, 3), 0,
                   FORM[form].scale * bits_get(at->word, 10, 6));
    count_transfer(insn);
}

void decode_thumb_transfer_sp(struct insn *insn, const struct insn_place *at)
{
    (void)insn_put(insn, at->pattern == THUMB_LDR_SP ? OP_LDR_OFF_IMM : OP_STR_OFF_IMM,
                   low(at->word, 8), REGISTER_SP, 0, 4 * bits_get(at->word, 7, 0));
    count_transfer(insn);
}

void decode_thumb_address(struct insn *insn, const struct insn_place *at)
{
    const uint32_t offset = 4 * bits_get(at->word, 7, 0);
    if (at->pattern == THUMB_ADD_PC) {
        insn_add_constant(insn, low(at->word, 8), ((at->pc + THUMB_PC_AHEAD) & ~3u) + offset);
    } else {
        (void)insn_put(insn, OP_ADD_IMM, low(at->word, 8), REGISTER_SP, 0, offset);
    }
}

void decode_thumb_adjust_sp(struct insn *insn, const struct insn_place *at)
{
    const uint32_t offset = 4 * bits_get(at->word, 6, 0);
    (void)insn_put(insn, OP_ADD_IMM, REGISTER_SP, REGISTER_SP, 0,
                   bits_test(at->word, 7) ? 0u - offset : offset);
}

/* One block transfer with write-back: first word and new base as word offsets, see OP_LDM. */
static struct insn_op *add_block(struct insn *insn, enum op_code code, unsigned rn, uint32_t list,
                                 int first, int moved)
{
    const uint32_t counted = list | bits_count(list) << BLOCK_COUNT_SHIFT;
    struct insn_op *op =
        insn_put(insn, code, (unsigned)(BLOCK_BIAS + first), rn, BLOCK_WRITEBACK, counted);
    op->rs = (uint8_t)(BLOCK_BIAS + moved);
    return op;
}

static bool empty_list(struct insn *insn, unsigned rn, uint32_t list, uint32_t moved)
{
    if (list != 0) {
        return false;
    }
    (void)insn_add(insn, OP_UNPREDICTABLE);
    (void)insn_put(insn, OP_ADD_IMM, rn, rn, 0, moved);
    return true;
}

static void block_loads(struct insn *insn, uint32_t list)
{
    const uint32_t loaded = list & 0x7fffu;
    insn->words_loaded = (uint8_t)bits_count(list);
    insn->to_pc = bits_test(list, 15);
    insn->ready = (uint16_t)loaded;
    if (!insn->to_pc && bits_count(list) > 1) {
        insn->result = (uint16_t)(1u << (31 - bits_leading_zeros(loaded | 1)));
        insn->ready &= (uint16_t)~insn->result;
    }
}

void decode_thumb_push(struct insn *insn, const struct insn_place *at)
{
    const uint32_t list = bits_get(at->word, 7, 0) | (bits_get(at->word, 8, 8) << REGISTER_LR);
    const int count = (int)bits_count(list);
    insn->words_stored = (uint8_t)count;
    insn->store = (uint16_t)list;
    if (!empty_list(insn, REGISTER_SP, list, 0u - 0x40u)) {
        (void)add_block(insn, OP_STM, REGISTER_SP, list, -count, -count);
    }
}

void decode_thumb_pop(struct insn *insn, const struct insn_place *at)
{
    const uint32_t list = bits_get(at->word, 7, 0) | (bits_get(at->word, 8, 8) << 15);
    block_loads(insn, list);
    if (empty_list(insn, REGISTER_SP, list, 0x40)) {
        return;
    }
    struct insn_op *op = add_block(insn, OP_LDM, REGISTER_SP, list, 0, (int)bits_count(list));
    if (insn->to_pc) {
        op->rm |= BLOCK_TO_PC;
        insn_add_jump(insn, OP_JUMP_LOADED, REGISTER_TARGET);
    }
}

void decode_thumb_block_store(struct insn *insn, const struct insn_place *at)
{
    const uint32_t list = bits_get(at->word, 7, 0);
    insn->words_stored = (uint8_t)bits_count(list);
    insn->store = (uint16_t)list;
    if (!empty_list(insn, low(at->word, 8), list, 0x40)) {
        (void)add_block(insn, OP_STM, low(at->word, 8), list, 0, (int)bits_count(list));
    }
}

void decode_thumb_block_load(struct insn *insn, const struct insn_place *at)
{
    const uint32_t list = bits_get(at->word, 7, 0);
    const unsigned rn = low(at->word, 8);
    block_loads(insn, list);
    if (!empty_list(insn, rn, list, 0x40)) {
        struct insn_op *op = add_block(insn, OP_LDM, rn, list, 0, (int)bits_count(list));
        if (bits_test(list, rn)) {
            op->rm = 0; /* a base in the list keeps the loaded value */
        }
    }
}

void decode_thumb_branch_condition(struct insn *insn, const struct insn_place *at)
{
    insn->condition = (uint8_t)bits_get(at->word, 11, 8);
    insn_branch_to(insn, at->pc + THUMB_PC_AHEAD + ((uint32_t)bits_sign_extend(at->word, 8) << 1),
                   true);
}

void decode_thumb_branch(struct insn *insn, const struct insn_place *at)
{
    insn_branch_to(insn, at->pc + THUMB_PC_AHEAD + ((uint32_t)bits_sign_extend(at->word, 11) << 1),
                   true);
}

void decode_thumb_branch_prefix(struct insn *insn, const struct insn_place *at)
{
    insn_add_constant(insn, REGISTER_LR,
                      at->pc + THUMB_PC_AHEAD + ((uint32_t)bits_sign_extend(at->word, 11) << 12));
    insn->link_prefix = true;
}

/* The second at->word of BL and BLX: the target is relative to the link register, which in a
 * straight line the first at->word has just set; elsewhere it is whatever the register holds. */
void decode_thumb_branch_suffix(struct insn *insn, const struct insn_place *at)
{
    const uint32_t offset = bits_get(at->word, 10, 0) << 1;
    const bool exchange = at->pattern == THUMB_BLX_SUFFIX;
    (void)insn_put(insn, OP_ADD_IMM, REGISTER_TARGET, REGISTER_LR, 0, offset);
    if (exchange) {
        (void)insn_put(insn, OP_AND_IMM, REGISTER_TARGET, REGISTER_TARGET, 0, ~3u);
    }
    insn_add_constant(insn, REGISTER_LR, (at->pc + 2) | 1u);
    insn_add_jump(insn, exchange ? OP_JUMP_EXCHANGE : OP_JUMP, REGISTER_TARGET);
}

void decode_thumb_breakpoint(struct insn *insn, const struct insn_place *at)
{
    (void)at;
    (void)insn_add(insn, OP_BKPT);
    insn->flow = FLOW_INDIRECT;
}

void decode_thumb_undefined(struct insn *insn, const struct insn_place *at)
{
    (void)at;
    insn_add_undefined(insn);
}

void decode_thumb_swi(struct insn *insn, const struct insn_place *at)
{
    insn_add(insn, OP_SWI)->imm = bits_get(at->word, 7, 0);
    insn->flow = FLOW_INDIRECT;
}

#define ISA_PATTERN_TABLE
#include "thumb_patterns.inc"

const struct isa_pattern *insn_thumb_patterns(unsigned *count)
{
    *count = THUMB_PATTERNS;
    return PATTERNS;
}

void insn_decode_thumb(struct insn *insn, uint16_t half, uint32_t pc, const struct insn *previous)
{
    const struct isa_pattern *pattern = insn_match(PATTERNS, THUMB_PATTERNS, half);
    insn_begin(insn, pattern, half);
    if (pattern == NULL) {
        insn_add_undefined(insn);
        return;
    }
    const unsigned index = (unsigned)(pattern - PATTERNS);
    const struct insn_place at = {half, pc, index};
    pattern->decode(insn, &at);
    const bool suffix = index == THUMB_BL_SUFFIX || index == THUMB_BLX_SUFFIX;
    if (suffix && previous != NULL && previous->link_prefix) {
        const uint32_t base = previous->op[0].imm + (bits_get(half, 10, 0) << 1);
        insn->op_count = 0;
        insn_add_constant(insn, REGISTER_LR, (pc + 2) | 1u);
        const bool exchange = index == THUMB_BLX_SUFFIX;
        insn_branch_to(insn, exchange ? base & ~3u : base & ~1u, !exchange);
    }
}
