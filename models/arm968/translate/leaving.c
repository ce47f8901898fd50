/* leaving.c - see leaving.h. */
#include "models/arm968/translate/leaving.h"

#include "models/arm968/translate/op_registers.h"
#include "models/common/bits.h"

#include <string.h>

/* What is known of a register's value. */
enum value_kind {
    VALUE_ANY,
    VALUE_CONSTANT,
    VALUE_LINK,         /* the link register's at the block's entry */
    VALUE_POPPED,       /* loaded from the stack */
    VALUE_FROM_TABLE,   /* loaded from a constant address plus something */
    VALUE_INTO_BRANCHES /* a constant, near pc, plus something */
};

struct value {
    enum value_kind kind;
    uint32_t constant;
};

struct walk {
    const uint8_t *memory;
    uint32_t base;
    struct value r[ENGINE_REGISTERS];
    uint32_t last; /* of a comparison */
};

static const struct value ANY;

/* Of two operands that are added, the constant one, as something else. */
static struct value based_on(const struct walk *walk, const struct op *op, enum value_kind kind)
{
    const struct value *rn = &walk->r[op->rn];
    const struct value *rm = &walk->r[op->rm];
    const struct value *constant = rn->kind == VALUE_CONSTANT ? rn : rm;
    return constant->kind == VALUE_CONSTANT ? (struct value){kind, constant->constant} : ANY;
}

static struct value literal(const struct walk *walk, const struct op *op)
{
    struct value value = {.kind = VALUE_CONSTANT};
    memcpy(&value.constant, walk->memory + (op->imm - walk->base), sizeof value.constant);
    return value;
}

/* The value that an operation assigns to rd, if that is all it does. */
static struct value result_of(const struct walk *walk, const struct op *op, enum op_code code)
{
    switch ((unsigned)code) {
    case OP_MOV_IMM:
        return (struct value){VALUE_CONSTANT, op->imm};
    case OP_MOV_REG:
        return walk->r[op->rm];
    case OP_LDR_LITERAL:
        return literal(walk, op);
    case OP_LDR_OFF_REG:
        return based_on(walk, op, VALUE_FROM_TABLE);
    case OP_LDR_OFF_IMM:
    case OP_LDR_POST_IMM:
        return op->rn == REGISTER_SP ? (struct value){.kind = VALUE_POPPED} : ANY;
    case OP_ADD_REG:
        return op->rn == REGISTER_PC_OPERAND ? based_on(walk, op, VALUE_INTO_BRANCHES) : ANY;
    case OP_ADD_IMM:
        return walk->r[op->rn].kind == VALUE_CONSTANT
                   ? (struct value){VALUE_CONSTANT, walk->r[op->rn].constant + op->imm}
                   : ANY;
    default:
        return ANY;
    }
}

/* Advances over an operation; one that may have been skipped makes values unknown. */
static void step(struct walk *walk, const struct op *op, enum op_code code, bool surely)
{
    const bool pops = code == OP_LDM && op->rn == REGISTER_SP;
    const struct value popped = {.kind = VALUE_POPPED};
    struct value value = pops ? popped : result_of(walk, op, code);
    if (!surely) {
        value = ANY;
    }
    const uint32_t set = op_registers_set(op, code);
    for (uint32_t left = set; left != 0; left &= left - 1) {
        const unsigned reg = bits_lowest(left);
        walk->r[reg] = pops || reg == op->rd ? value : ANY;
    }
    if (code == OP_CMP_IMM) {
        walk->last = op->imm;
    }
}

/* Walks all operations of a block; the last instruction is assumed to be executed. */
static void walk_block(struct walk *walk, const struct block *block)
{
    unsigned maybe = 0; /* operations that a failed condition leaves out */
    const unsigned last = block->boundary[block->insn_count - 1].op;
    for (unsigned i = 0; i < block->op_count; i++) {
        const enum op_code code = block->op_code[i];
        if (code >= OP_SKIP_EQ && code <= OP_SKIP_LE) {
            maybe = i < last ? block->ops[i].rd : 0u;
            continue;
        }
        step(walk, &block->ops[i], code, maybe == 0);
        maybe -= maybe != 0;
    }
}

static bool is_jump(enum op_code code)
{
    return code == OP_JUMP || code == OP_JUMP_EXCHANGE || code == OP_JUMP_LOADED;
}

bool leaving_goes_indirectly(const struct block *block)
{
    for (unsigned i = 0; i < block->op_count; i++) {
        const unsigned code = block->op_code[i];
        if ((code >= OP_JUMP && code <= OP_BKPT && code != OP_LEAVE) || code == OP_UNDEFINED) {
            return true;
        }
    }
    return false;
}

/* The operation that ends the block if its last instruction is executed. */
static unsigned way_out(const struct block *block)
{
    unsigned i = block->boundary[block->insn_count - 1].op;
    while (i + 1 < block->op_count && block->op_code[i] != OP_BRANCH &&
           !is_jump(block->op_code[i])) {
        i++;
    }
    return i;
}

static void look_at_jump(struct leaving *leaving, const struct walk *walk, unsigned rm)
{
    const struct value *target = &walk->r[rm];
    switch (target->kind) {
    case VALUE_LINK:
    case VALUE_POPPED:
        leaving->how = LEAVES_RETURNING;
        leaving->by_link = target->kind == VALUE_LINK;
        return;
    case VALUE_FROM_TABLE:
    case VALUE_INTO_BRANCHES:
        leaving->kind = target->kind == VALUE_FROM_TABLE ? TABLE_OF_WORDS : TABLE_OF_BRANCHES;
        leaving->table = target->constant;
        leaving->last = walk->last;
        break;
    case VALUE_ANY:
    case VALUE_CONSTANT:
    default:
        break;
    }
    leaving->how = LEAVES_JUMPING;
}

struct leaving leaving_of(const struct block *block, const uint8_t *memory, uint32_t base)
{
    struct walk walk = {.memory = memory, .base = base, .last = UINT32_MAX};
    walk.r[REGISTER_LR].kind = VALUE_LINK;
    walk_block(&walk, block);
    const uint32_t end = block_insn_pc(block, block->insn_count);
    const struct value *lr = &walk.r[REGISTER_LR];
    const uint32_t next = end | (block->thumb ? 1u : 0u);
    const bool links = lr->kind == VALUE_CONSTANT && lr->constant == next;
    const unsigned last = way_out(block);
    struct leaving leaving = {
        .how = LEAVES_BY_EDGES, .lr = next, .keeps_state = block->op_code[last] == OP_JUMP};
    if (is_jump(block->op_code[last]) && links) {
        leaving.how = LEAVES_CALLING_REGISTER;
    } else if (is_jump(block->op_code[last])) {
        look_at_jump(&leaving, &walk, block->ops[last].rm);
    } else if (leaving_goes_indirectly(block)) {
        leaving.how = LEAVES_OTHERWISE;
    } else if (links && block->op_code[last] == OP_BRANCH && block->edge[1].pc != end) {
        leaving.how = LEAVES_CALLING;
    }
    return leaving;
}

/* ---- functions ---- */

/* ---- jumps by a table ---- */

enum {
    MOST_CASES = 256,
    NEAR_BYTES = 65536, /* a target farther away is no case */
    ARM_BRANCH = 0xea,  /* the high byte of an unconditional one */
    ARM_BRANCH_SHIFT = 24
};

bool functions_case(struct code *code, const uint8_t *memory, const struct block *block,
                    const struct leaving *leaving, uint32_t i, struct block **to)
{
    const struct arm968_memory range = code_memory(code);
    const uint32_t address = leaving->table + 4 * i;
    const uint32_t offset = address - range.base;
    if (i > leaving->last || i >= MOST_CASES || offset >= range.size || range.size - offset < 4) {
        return false;
    }
    uint32_t word;
    memcpy(&word, memory + offset, sizeof word);
    if (leaving->kind == TABLE_OF_BRANCHES) {
        *to = code_find(code, address, block->thumb, NULL);
        return word >> ARM_BRANCH_SHIFT == ARM_BRANCH;
    }
    *to = code_find(code, word & ~1u, leaving->keeps_state ? block->thumb : (word & 1) != 0, NULL);
    return *to != NULL || word - block->pc + NEAR_BYTES < 2 * NEAR_BYTES;
}

/* ---- beginnings ---- */

struct block *functions_last_target(const struct block *block)
{
    return atomic_load_explicit(&block->edge[1].to, memory_order_acquire);
}

static void is_no_beginning(struct block *block)
{
    if (block != NULL) {
        block->begins_function = false;
    }
}

/* Whether a call has ever returned: in Thumb state BL is also used as a far branch. */
static bool has_come_back(struct code *code, const struct leaving *leaving)
{
    return code_find(code, leaving->lr & ~1u, (leaving->lr & 1) != 0, NULL) != NULL;
}

/* Marks blocks that are no start of a function: those reached by an edge of their own function, by
 * its table, or by a return. */
static void note_reached(struct code *code, const uint8_t *memory, const struct block *block,
                         const struct leaving *leaving)
{
    const bool calls = leaving->how == LEAVES_CALLING && has_come_back(code, leaving);
    for (unsigned which = 0; which < 2; which++) {
        const struct edge *edge = &block->edge[which];
        const bool leaves = which == 1 && (calls || leaving_goes_indirectly(block));
        if (block_has_edge(block, which) && !leaves) {
            is_no_beginning(code_find(code, edge->pc, edge->thumb, edge->pending));
        }
    }
    struct block *to;
    for (uint32_t i = 0;
         leaving->kind != TABLE_NONE && functions_case(code, memory, block, leaving, i, &to); i++) {
        is_no_beginning(to);
    }
    if (calls || leaving->how == LEAVES_CALLING_REGISTER) {
        is_no_beginning(code_find(code, leaving->lr & ~1u, (leaving->lr & 1) != 0, NULL));
    }
}

static void note_called(struct code *code, const struct block *block, const struct leaving *leaving)
{
    const struct edge *edge = &block->edge[1];
    const bool jumps = leaving->how == LEAVES_JUMPING && leaving->kind == TABLE_NONE;
    struct block *to = NULL;
    if (leaving->how == LEAVES_CALLING && has_come_back(code, leaving)) {
        to = code_find(code, edge->pc, edge->thumb, edge->pending);
    } else if (jumps || leaving->how == LEAVES_CALLING_REGISTER) {
        to = functions_last_target(block);
    }
    if (to != NULL && to->pending == NULL) {
        to->begins_function = true;
    }
}

/* A branch out of the function in which it seems to lie is a tail call. */
static void note_tail_call(struct code *code, const struct block *block,
                           const struct leaving *leaving)
{
    const struct edge *edge = &block->edge[1];
    const bool branches = block_has_edge(block, 1) && !block_has_edge(block, 0) &&
                          edge->pc != block_insn_pc(block, block->insn_count);
    if (!branches || leaving->how != LEAVES_BY_EDGES) {
        return;
    }
    uint32_t begin = 0;
    uint32_t end = UINT32_MAX;
    for (const struct block *it = code_first_block(code); it != NULL; it = it->next) {
        if (it->begins_function && it->pc <= block->pc && it->pc > begin) {
            begin = it->pc;
        } else if (it->begins_function && it->pc > block->pc && it->pc < end) {
            end = it->pc;
        }
    }
    struct block *to = code_find(code, edge->pc, edge->thumb, edge->pending);
    if (to != NULL && (to->pc < begin || to->pc >= end)) {
        to->begins_function = true;
    }
}

void functions_find(struct code *code, const uint8_t *memory)
{
    struct block *const first = code_first_block(code);
    const uint32_t base = code_memory(code).base;
    for (struct block *it = first; it != NULL; it = it->next) {
        it->begins_function = it->pending == NULL;
    }
    for (const struct block *it = first; it != NULL; it = it->next) {
        const struct leaving leaving = leaving_of(it, memory, base);
        note_reached(code, memory, it, &leaving);
    }
    for (const struct block *it = first; it != NULL; it = it->next) {
        const struct leaving leaving = leaving_of(it, memory, base);
        note_called(code, it, &leaving);
    }
    for (const struct block *it = first; it != NULL; it = it->next) {
        const struct leaving leaving = leaving_of(it, memory, base);
        note_tail_call(code, it, &leaving);
    }
}
