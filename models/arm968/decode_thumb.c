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

static struct insn_op *add_op(struct insn *insn, unsigned code, unsigned rd, unsigned rn,
                              unsigned rm, uint32_t imm)
{
    struct insn_op *op = insn_add(insn, (enum op_code)code);
    op->rd = (uint8_t)rd;
    op->rn = (uint8_t)rn;
    op->rm = (uint8_t)rm;
    op->imm = imm;
    return op;
}

static void add_constant(struct insn *insn, unsigned rd, uint32_t value)
{
    (void)add_op(insn, OP_MOV_IMM, rd, 0, 0, value);
}

static void branch_to(struct insn *insn, uint32_t target, bool thumb)
{
    insn->flow = FLOW_BRANCH;
    insn->target = target;
    insn->target_thumb = thumb;
}

static void add_jump(struct insn *insn, enum op_code code, unsigned rm)
{
    insn_add(insn, code)->rm = (uint8_t)rm;
    insn->flow = FLOW_INDIRECT;
}

/* The names of the patterns; their table follows behind the decoders. */
#include "thumb_patterns.inc"

static void decode_thumb_shift_imm(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    static const uint16_t CODE[] = {OP_LSL_IMM_C, OP_LSR_IMM_C, OP_ASR_IMM_C};
    const unsigned amount = bits_get(half, 10, 6);
    if (pattern == THUMB_LSL_IMM && amount == 0) {
        (void)add_op(insn, OP_MOVS_REG, low(half, 0), 0, low(half, 3), 0);
        return;
    }
    (void)add_op(insn, CODE[pattern - THUMB_LSL_IMM], low(half, 0), 0, low(half, 3),
                 amount == 0 ? 32 : amount);
    (void)add_op(insn, OP_TEST_NZ, 0, low(half, 0), 0, 0);
}

static void decode_thumb_add_sub(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    static const uint16_t CODE[] = {OP_ADDS_REG, OP_SUBS_REG, OP_ADDS_IMM, OP_SUBS_IMM};
    (void)add_op(insn, CODE[pattern - THUMB_ADD_REGISTER], low(half, 0), low(half, 3), low(half, 6),
                 bits_get(half, 8, 6));
}

static void decode_thumb_data_imm(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    static const uint16_t CODE[] = {OP_MOVS_IMM, OP_CMP_IMM, OP_ADDS_IMM, OP_SUBS_IMM};
    (void)add_op(insn, CODE[pattern - THUMB_MOV_IMM], low(half, 8), low(half, 8), 0,
                 bits_get(half, 7, 0));
}

static void decode_thumb_data(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    static const uint16_t CODE[16] = {OP_ANDS_REG, OP_EORS_REG, 0,           0,
                                      0,           OP_ADCS_REG, OP_SBCS_REG, 0,
                                      OP_TST_REG,  OP_RSBS_IMM, OP_CMP_REG,  OP_CMN_REG,
                                      OP_ORRS_REG, 0,           OP_BICS_REG, OP_MVNS_REG};
    const unsigned operation = bits_get(half, 9, 6);
    const bool negate = CODE[operation] == OP_RSBS_IMM; /* NEG is RSB with 0 */
    (void)add_op(insn, CODE[operation], low(half, 0), negate ? low(half, 3) : low(half, 0),
                 low(half, 3), 0);
}

static void decode_thumb_shift_register(struct insn *insn, uint32_t half, uint32_t pc,
                                        unsigned pattern)
{
    (void)pc;
    const unsigned code = pattern == THUMB_LSL   ? OP_LSL_REG_C
                          : pattern == THUMB_LSR ? OP_LSR_REG_C
                          : pattern == THUMB_ASR ? OP_ASR_REG_C
                                                 : OP_ROR_REG_C;
    add_op(insn, code, low(half, 0), 0, low(half, 0), 0)->rs = (uint8_t)low(half, 3);
    (void)add_op(insn, OP_TEST_NZ, 0, low(half, 0), 0, 0);
}

static void decode_thumb_multiply(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    add_op(insn, OP_MUL, low(half, 0), 0, low(half, 3), 0)->rs = (uint8_t)low(half, 0);
    (void)add_op(insn, OP_TEST_NZ, 0, low(half, 0), 0, 0);
}

static void decode_thumb_data_high(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    const unsigned rd = high_rd(half);
    const unsigned rm = bits_get(half, 6, 3);
    if (rd == 15 || rm == 15) {
        add_constant(insn, REGISTER_PC_OPERAND, pc + THUMB_PC_AHEAD);
    }
    if (pattern == THUMB_CMP_HIGH) {
        (void)add_op(insn, OP_CMP_REG, 0, rd, rm, 0);
        return;
    }
    const bool add = pattern == THUMB_ADD_HIGH;
    (void)add_op(insn, add ? OP_ADD_REG : OP_MOV_REG, rd == 15 ? REGISTER_TARGET : rd, rd, rm, 0);
    if (rd == 15) {
        insn->class = add ? CLASS_DATA_PC : CLASS_DATA_PC_LOGICAL;
        add_jump(insn, OP_JUMP, REGISTER_TARGET);
    }
}

static void decode_thumb_branch_register(struct insn *insn, uint32_t half, uint32_t pc,
                                         unsigned pattern)
{
    unsigned rm = bits_get(half, 6, 3);
    if (rm == 15) {
        add_constant(insn, REGISTER_PC_OPERAND, pc + THUMB_PC_AHEAD);
    }
    if (pattern == THUMB_BLX) {
        (void)add_op(insn, OP_MOV_REG, REGISTER_TARGET, 0, rm, 0);
        add_constant(insn, REGISTER_LR, (pc + 2) | 1u);
        rm = REGISTER_TARGET;
    }
    add_jump(insn, OP_JUMP_EXCHANGE, rm);
}

static void decode_thumb_load_literal(struct insn *insn, uint32_t half, uint32_t pc,
                                      unsigned pattern)
{
    (void)pattern;
    const uint32_t base = (pc + THUMB_PC_AHEAD) & ~3u;
    const uint32_t offset = 4 * bits_get(half, 7, 0);
    add_constant(insn, REGISTER_PC_OPERAND, base);
    (void)add_op(insn, OP_LDR_OFF_IMM, low(half, 8), REGISTER_PC_OPERAND, 0, offset);
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

static void decode_thumb_transfer_register(struct insn *insn, uint32_t half, uint32_t pc,
                                           unsigned pattern)
{
    (void)pc;
    static const uint16_t CODE[] = {OP_STR_OFF_REG,   OP_STRH_OFF_REG, OP_STRB_OFF_REG,
                                    OP_LDRSB_OFF_REG, OP_LDR_OFF_REG,  OP_LDRH_OFF_REG,
                                    OP_LDRB_OFF_REG,  OP_LDRSH_OFF_REG};
    (void)add_op(insn, CODE[pattern - THUMB_STR_REGISTER], low(half, 0), low(half, 3), low(half, 6),
                 0);
    count_transfer(insn);
}

static void decode_thumb_transfer_imm(struct insn *insn, uint32_t half, uint32_t pc,
                                      unsigned pattern)
{
    (void)pc;
    static const struct {
        uint16_t code;
        uint8_t scale;
    } FORM[] = {
        {OP_STR_OFF_IMM, 4},  {OP_LDR_OFF_IMM, 4},  {OP_STRB_OFF_IMM, 1},
        {OP_LDRB_OFF_IMM, 1}, {OP_STRH_OFF_IMM, 2}, {OP_LDRH_OFF_IMM, 2},
    };
    const unsigned form = pattern - THUMB_STR_IMM;
    (void)add_op(insn, FORM[form].code, low(half, 0), low(half, 3), 0,
                 FORM[form].scale * bits_get(half, 10, 6));
    count_transfer(insn);
}

static void decode_thumb_transfer_sp(struct insn *insn, uint32_t half, uint32_t pc,
                                     unsigned pattern)
{
    (void)pc;
    (void)add_op(insn, pattern == THUMB_LDR_SP ? OP_LDR_OFF_IMM : OP_STR_OFF_IMM, low(half, 8),
                 REGISTER_SP, 0, 4 * bits_get(half, 7, 0));
    count_transfer(insn);
}

static void decode_thumb_address(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    const uint32_t offset = 4 * bits_get(half, 7, 0);
    if (pattern == THUMB_ADD_PC) {
        add_constant(insn, low(half, 8), ((pc + THUMB_PC_AHEAD) & ~3u) + offset);
    } else {
        (void)add_op(insn, OP_ADD_IMM, low(half, 8), REGISTER_SP, 0, offset);
    }
}

static void decode_thumb_adjust_sp(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    const uint32_t offset = 4 * bits_get(half, 6, 0);
    (void)add_op(insn, OP_ADD_IMM, REGISTER_SP, REGISTER_SP, 0,
                 bits_test(half, 7) ? 0u - offset : offset);
}

/* One block transfer with write-back: first word and new base as word offsets, see OP_LDM. */
static struct insn_op *add_block(struct insn *insn, enum op_code code, unsigned rn, uint32_t list,
                                 int first, int moved)
{
    const uint32_t counted = list | bits_count(list) << BLOCK_COUNT_SHIFT;
    struct insn_op *op = add_op(insn, code, (unsigned)(32 + first), rn, BLOCK_WRITEBACK, counted);
    op->rs = (uint8_t)(32 + moved);
    return op;
}

static bool empty_list(struct insn *insn, unsigned rn, uint32_t list, uint32_t moved)
{
    if (list != 0) {
        return false;
    }
    (void)insn_add(insn, OP_UNPREDICTABLE);
    (void)add_op(insn, OP_ADD_IMM, rn, rn, 0, moved);
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

static void decode_thumb_push(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    const uint32_t list = bits_get(half, 7, 0) | (bits_get(half, 8, 8) << REGISTER_LR);
    const int count = (int)bits_count(list);
    insn->words_stored = (uint8_t)count;
    insn->store = (uint16_t)list;
    if (!empty_list(insn, REGISTER_SP, list, 0u - 0x40u)) {
        (void)add_block(insn, OP_STM, REGISTER_SP, list, -count, -count);
    }
}

static void decode_thumb_pop(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    const uint32_t list = bits_get(half, 7, 0) | (bits_get(half, 8, 8) << 15);
    block_loads(insn, list);
    if (empty_list(insn, REGISTER_SP, list, 0x40)) {
        return;
    }
    struct insn_op *op = add_block(insn, OP_LDM, REGISTER_SP, list, 0, (int)bits_count(list));
    if (insn->to_pc) {
        op->rm |= BLOCK_TO_PC;
        add_jump(insn, OP_JUMP_LOADED, REGISTER_TARGET);
    }
}

static void decode_thumb_block_store(struct insn *insn, uint32_t half, uint32_t pc,
                                     unsigned pattern)
{
    (void)pc;
    (void)pattern;
    const uint32_t list = bits_get(half, 7, 0);
    insn->words_stored = (uint8_t)bits_count(list);
    insn->store = (uint16_t)list;
    if (!empty_list(insn, low(half, 8), list, 0x40)) {
        (void)add_block(insn, OP_STM, low(half, 8), list, 0, (int)bits_count(list));
    }
}

static void decode_thumb_block_load(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    const uint32_t list = bits_get(half, 7, 0);
    const unsigned rn = low(half, 8);
    block_loads(insn, list);
    if (!empty_list(insn, rn, list, 0x40)) {
        struct insn_op *op = add_block(insn, OP_LDM, rn, list, 0, (int)bits_count(list));
        if (bits_test(list, rn)) {
            op->rm = 0; /* a base in the list keeps the loaded value */
        }
    }
}

static void decode_thumb_branch_condition(struct insn *insn, uint32_t half, uint32_t pc,
                                          unsigned pattern)
{
    (void)pattern;
    insn->condition = (uint8_t)bits_get(half, 11, 8);
    branch_to(insn, pc + THUMB_PC_AHEAD + ((uint32_t)bits_sign_extend(half, 8) << 1), true);
}

static void decode_thumb_branch(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pattern;
    branch_to(insn, pc + THUMB_PC_AHEAD + ((uint32_t)bits_sign_extend(half, 11) << 1), true);
}

static void decode_thumb_branch_prefix(struct insn *insn, uint32_t half, uint32_t pc,
                                       unsigned pattern)
{
    (void)pattern;
    add_constant(insn, REGISTER_LR,
                 pc + THUMB_PC_AHEAD + ((uint32_t)bits_sign_extend(half, 11) << 12));
    insn->link_prefix = true;
}

/* The second half of BL and BLX: the target is relative to the link register, which in a straight
 * line the first half has just set; elsewhere it is whatever the register holds. */
static void decode_thumb_branch_suffix(struct insn *insn, uint32_t half, uint32_t pc,
                                       unsigned pattern)
{
    const uint32_t offset = bits_get(half, 10, 0) << 1;
    const bool exchange = pattern == THUMB_BLX_SUFFIX;
    (void)add_op(insn, OP_ADD_IMM, REGISTER_TARGET, REGISTER_LR, 0, offset);
    if (exchange) {
        (void)add_op(insn, OP_AND_IMM, REGISTER_TARGET, REGISTER_TARGET, 0, ~3u);
    }
    add_constant(insn, REGISTER_LR, (pc + 2) | 1u);
    add_jump(insn, exchange ? OP_JUMP_EXCHANGE : OP_JUMP, REGISTER_TARGET);
}

static void decode_thumb_breakpoint(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)half;
    (void)pc;
    (void)pattern;
    (void)insn_add(insn, OP_BKPT);
    insn->flow = FLOW_INDIRECT;
}

static void decode_thumb_undefined(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)half;
    (void)pc;
    (void)pattern;
    insn_add_undefined(insn);
}

static void decode_thumb_swi(struct insn *insn, uint32_t half, uint32_t pc, unsigned pattern)
{
    (void)pc;
    (void)pattern;
    insn_add(insn, OP_SWI)->imm = bits_get(half, 7, 0);
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
    pattern->decode(insn, half, pc, (unsigned)(pattern - PATTERNS));
    const unsigned index = (unsigned)(pattern - PATTERNS);
    const bool suffix = index == THUMB_BL_SUFFIX || index == THUMB_BLX_SUFFIX;
    if (suffix && previous != NULL && previous->link_prefix) {
        const uint32_t base = previous->op[0].imm + (bits_get(half, 10, 0) << 1);
        insn->op_count = 0;
        add_constant(insn, REGISTER_LR, (pc + 2) | 1u);
        const bool exchange = index == THUMB_BLX_SUFFIX;
        branch_to(insn, exchange ? base & ~3u : base & ~1u, !exchange);
    }
}
