/* emit_access.c - see emit_access.h. */
#include "models/arm968/translate/emit_access.h"

#include "models/arm968/translate/op_registers.h"
#include "models/common/bits.h"

#include <string.h>

/* A register's value: an unknown base plus a constant. */
struct value {
    unsigned something;
    uint32_t plus;
};

struct found {
    unsigned op;
    struct value address;
    uint32_t bytes;
    unsigned alignment;
    bool stores;
};

struct walk {
    struct value r[ENGINE_REGISTERS];
    unsigned somethings;
    struct found found[BLOCK_OPS];
    unsigned count;
};

static struct value plus(struct value value, uint32_t constant)
{
    value.plus += constant;
    return value;
}

/* ---- accesses of operations ---- */

enum { DOUBLE_BYTES = 8, WORD_BYTES = 4 };

static uint32_t words_up(uint8_t words)
{
    return 4u * ((uint32_t)words - BLOCK_BIAS);
}

/* False: the operation makes no access, or its offset is a register's value. */
static bool access_of(const struct walk *walk, const struct op *op, enum op_code code,
                      struct found *found)
{
    if (op_is_load(code) || op_is_store(code)) {
        const enum op_form form = op_form_of(code);
        const bool before = form == OP_FORM_OFF_IMM || form == OP_FORM_PRE_IMM;
        found->address = plus(walk->r[op->rn], before ? op->imm : 0);
        found->bytes = found->alignment = op_bytes_of(code);
        found->stores = op_is_store(code);
        return before || form == OP_FORM_POST_IMM;
    }
    if (code == OP_LDM || code == OP_STM) {
        found->address = plus(walk->r[op->rn], words_up(op->rd));
        found->bytes = WORD_BYTES * (op->imm >> BLOCK_COUNT_SHIFT);
        found->alignment = WORD_BYTES;
        found->stores = code == OP_STM;
        return true;
    }
    if (code == OP_LDRD || code == OP_STRD) {
        found->address = walk->r[op->rm];
        found->bytes = found->alignment = DOUBLE_BYTES;
        found->stores = code == OP_STRD;
        return true;
    }
    return false;
}

/* ---- values ---- */

/* The register to which an operation assigns a known value; false: none. */
static bool known_result(const struct walk *walk, const struct op *op, enum op_code code,
                         unsigned *reg, struct value *value)
{
    *reg = op->rd;
    if (code == OP_MOV_REG) {
        *value = walk->r[op->rm];
        return true;
    }
    if (code == OP_ADD_IMM || code == OP_SUB_IMM || code == OP_ADDS_IMM || code == OP_SUBS_IMM) {
        const bool adds = code == OP_ADD_IMM || code == OP_ADDS_IMM;
        *value = plus(walk->r[op->rn], adds ? op->imm : 0u - op->imm);
        return true;
    }
    *reg = op->rn;
    if (op_is_load(code) || op_is_store(code)) {
        const enum op_form form = op_form_of(code);
        *value = plus(walk->r[op->rn], op->imm);
        return (form == OP_FORM_PRE_IMM || form == OP_FORM_POST_IMM) &&
               !(op_is_load(code) && op->rd == op->rn);
    }
    *value = plus(walk->r[op->rn], words_up(op->rs));
    return (code == OP_LDM || code == OP_STM) && (op->rm & BLOCK_WRITEBACK) != 0;
}

static void step(struct walk *walk, const struct op *op, enum op_code code, bool surely)
{
    unsigned reg;
    struct value value;
    const bool known = known_result(walk, op, code, &reg, &value) && surely;
    for (uint32_t left = op_registers_set(op, code); left != 0; left &= left - 1) {
        walk->r[bits_lowest(left)] = (struct value){.something = ++walk->somethings};
    }
    if (known) {
        walk->r[reg] = value;
    }
}

/* Whether an instruction is in a mask of them.  The operation that leads on to the next block of a
 * full one belongs to the instruction after the last. */
static bool is_in(uint32_t mask, unsigned insn)
{
    return insn < BLOCK_INSNS && (mask >> insn & 1) != 0;
}

/* Finds the accesses that are always made when the block runs to its end. */
static void walk_block(struct walk *walk, const struct block *block, uint32_t asks)
{
    unsigned maybe = 0; /* operations that a failed condition skips */
    for (unsigned i = 0; i < ENGINE_REGISTERS; i++) {
        walk->r[i].something = ++walk->somethings;
    }
    for (unsigned i = 0; i < block->op_count; i++) {
        const enum op_code code = block->op_code[i];
        if (code >= OP_SKIP_EQ && code <= OP_SKIP_LE) {
            maybe = block->ops[i].rd + 1u;
        }
        struct found *found = &walk->found[walk->count];
        const bool asked = is_in(asks, block->op_insn[i]);
        if (maybe == 0 && !asked && access_of(walk, &block->ops[i], code, found)) {
            found->op = i;
            walk->count++;
        }
        step(walk, &block->ops[i], code, maybe == 0);
        maybe -= maybe != 0;
    }
}

/* ---- groups ---- */

/* The number of host instructions for checks of accesses, which grouping reduces. */
static unsigned cost(bool several, bool stores, bool flat)
{
    return (several ? 4u : 2u) + (stores && flat ? 2u : 0u);
}

/* Extends a group by one access; false: it does not fit. */
static bool extend(struct emit_group *group, const struct found *first, const struct found *more)
{
    const int32_t at = (int32_t)(more->address.plus - first->address.plus);
    if (at <= -EMIT_GROUP_BYTES || at >= EMIT_GROUP_BYTES) { /* sums with more might overflow */
        return false;
    }
    const int32_t end = at + (int32_t)more->bytes;
    const int32_t group_end = group->first + (int32_t)group->bytes;
    const unsigned alignment =
        more->alignment > group->alignment ? more->alignment : group->alignment;
    int32_t begin = at < group->first ? at : group->first;
    const int32_t aligned = more->alignment >= group->alignment ? at : group->first;
    const int32_t last = end > group_end ? end : group_end;
    begin -= (int32_t)((uint32_t)(begin - aligned) & (alignment - 1));
    const bool fits = ((uint32_t)(at - begin) & (more->alignment - 1)) == 0 &&
                      ((uint32_t)(group->first - begin) & (group->alignment - 1)) == 0 &&
                      last - begin <= EMIT_GROUP_BYTES;
    if (fits) {
        *group = (struct emit_group){.first = begin,
                                     .bytes = (uint32_t)(last - begin),
                                     .alignment = alignment,
                                     .stores = group->stores || more->stores};
    }
    return fits;
}

/* Groups an access with later ones, if that is cheaper. */
static void gather(struct emit_accesses *accesses, const struct walk *walk, unsigned begin,
                   struct emit_group *group, bool flat)
{
    const struct found *first = &walk->found[begin];
    unsigned alone = cost(first->bytes > first->alignment, first->stores, flat);
    bool member[BLOCK_OPS] = {[0] = false};
    *group = (struct emit_group){
        .bytes = first->bytes, .alignment = first->alignment, .stores = first->stores};
    for (unsigned i = begin + 1; i < walk->count; i++) {
        const struct found *more = &walk->found[i];
        if (more->address.something == first->address.something &&
            accesses->op[more->op].group == NULL && extend(group, first, more)) {
            member[i] = true;
            alone += cost(more->bytes > more->alignment, more->stores, flat);
        }
    }
    member[begin] = true;
    for (unsigned i = begin; i < walk->count && alone > cost(true, group->stores, flat); i++) {
        const struct found *one = &walk->found[i];
        if (member[i]) {
            const int32_t at = (int32_t)(one->address.plus - first->address.plus);
            accesses->op[one->op] =
                (struct emit_access){.group = group, .at = (uint32_t)(at - group->first)};
        }
    }
}

void emit_accesses_find(struct emit_accesses *accesses, const struct block *block, bool flat,
                        uint32_t asks)
{
    struct walk walk = {.count = 0};
    memset(accesses, 0, sizeof *accesses);
    walk_block(&walk, block, asks);
    unsigned groups = 0;
    for (unsigned i = 0; i < walk.count && groups < EMIT_GROUPS; i++) {
        if (accesses->op[walk.found[i].op].group == NULL) {
            gather(accesses, &walk, i, &accesses->groups[groups], flat);
            groups += accesses->op[walk.found[i].op].group != NULL;
        }
    }
}
