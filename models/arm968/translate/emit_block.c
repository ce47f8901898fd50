/* emit_block.c - blocks: their instructions, conditions, selections.  See emitter.h. */
#include "models/arm968/translate/emitter.h"

#include "models/arm968/translate/op_registers.h"
#include "models/arm968/translate/region.h"
#include "models/common/bits.h"
#include "models/common/check.h"

#include <inttypes.h>
#include <string.h>

static const struct emit_counts NOTHING;

/* Whether an instruction is one operation that has been seen to access the ports.  Not in the body
 * of a loop, whose counts are derived from the budget. */
static bool asks_ports(const struct emitter *emitter, const struct block *block, unsigned insn,
                       struct emit_port *port, int index)
{
    const struct block_boundary *begin = &block->boundary[insn];
    const struct block_boundary *end = begin + 1;
    const int64_t owed = emitter->owed.cycles;
    const int64_t needs = emitter->region->blocks[index].needs;
    *port = (struct emit_port){.begins_cycles = owed + begin->cycles,
                               .too_small = owed + needs + end->cycles - end->latest,
                               .leave_behind = emit_where(NATIVE_AT, insn + 1, (uint32_t)index)};
    return (emitter->asks >> insn & 1) != 0 && insn + 1 < block->insn_count &&
           end->op == begin->op + 1 && emitter->loop == REGION_NONE;
}

/* Emits operations [first, end); true if they end with an exit from the block. */
static bool emit_ops(struct emitter *emitter, int index, unsigned first, unsigned end,
                     struct emit_flags *flags, unsigned insn)
{
    const struct block *block = emitter->region->blocks[index].block;
    struct emit_port port;
    const bool asks = asks_ports(emitter, block, insn, &port, index);
    struct emit_op emit = {.text = emitter->text,
                           .port = asks ? &port : NULL,
                           .memory = emitter->memory,
                           .code_base = emitter->code_base,
                           .flags = flags,
                           .temporaries = &emitter->temporaries,
                           .catch_up = emitter->catch_up.at,
                           .dirty = emitter->dirty,
                           .leave = &emitter->leave,
                           .leave_at = emit_where(NATIVE_AT, insn, (uint32_t)index)};
    for (unsigned i = first; i < end; i++) {
        const struct op *op = &block->ops[i];
        const enum op_code code = block->op_code[i];
        emitter->dirty |= op_registers_written(op, code);
        switch ((unsigned)code) {
        case OP_BRANCH:
            emit_edge(emitter, index, 1, flags);
            return true;
        case OP_FALL:
            emit_edge(emitter, index, 0, flags);
            return true;
        case OP_JUMP:
        case OP_JUMP_EXCHANGE:
        case OP_JUMP_LOADED:
            if (emitter->region->blocks[index].comes_back) {
                emit_edge(emitter, index, 1, flags);
            } else {
                emit_jump(emitter, index, op, code, flags);
            }
            return true;
        default:
            emit.access = &emitter->accesses.op[i];
            emit_op(&emit, op, code);
            break;
        }
    }
    return false;
}

/* Whether an instruction, if its condition holds, only sets registers: then both outcomes can be
 * computed, and the host has no branch to predict. */
static bool only_sets_registers(const struct block *block, unsigned insn)
{
    const unsigned first = block->boundary[insn].op;
    const unsigned code = block->op_code[first];
    if (code < OP_SKIP_EQ || code > OP_SKIP_LE || block->ops[first].imm != 0 ||
        insn + 1 == block->insn_count || !region_can_translate(block, insn)) {
        return false;
    }
    for (unsigned i = first + 1; i < block->boundary[insn + 1].op; i++) {
        if (!emit_op_is_pure(block->op_code[i])) {
            return false;
        }
    }
    return true;
}

/* The number of instructions from this one on that set registers on the same condition or its
 * opposite. */
static unsigned selected_together(const struct block *block, unsigned insn)
{
    const unsigned pair = ((unsigned)block->op_code[block->boundary[insn].op] - OP_SKIP_EQ) / 2;
    unsigned count = 0;
    while (only_sets_registers(block, insn + count) &&
           ((unsigned)block->op_code[block->boundary[insn + count].op] - OP_SKIP_EQ) / 2 == pair) {
        count++;
    }
    return count;
}

/* Emits those of `count` instructions that have this condition. */
static void emit_those(struct emitter *emitter, int index, unsigned insn, unsigned count,
                       unsigned condition, struct emit_flags *flags)
{
    const struct block *block = emitter->region->blocks[index].block;
    for (unsigned i = insn; i < insn + count; i++) {
        const unsigned first = block->boundary[i].op;
        if (block->op_code[first] == (unsigned)OP_SKIP_EQ + condition) {
            (void)emit_ops(emitter, index, first + 1, block->boundary[i + 1].op, flags, i);
        }
    }
}

/* Registers, and the scratch registers 15 to 17, that operations [first, end) write. */
static uint32_t written_by(const struct block *block, unsigned first, unsigned end)
{
    uint32_t written = 0;
    for (unsigned i = first; i < end; i++) {
        written |= op_registers_set(&block->ops[i], block->op_code[i]);
    }
    return written;
}

/* Keeps the values of registers before one outcome is computed. */
static void emit_keep(const struct emitter *emitter, uint32_t registers, unsigned number)
{
    for (uint32_t left = registers; left != 0; left &= left - 1) {
        text_add(emitter->text, "u32 o%u_%u=r%u;", number, bits_lowest(left), bits_lowest(left));
    }
}

/* Puts them back, and keeps those of the outcome. */
static void emit_take_back(const struct emitter *emitter, uint32_t registers, unsigned number)
{
    for (uint32_t left = registers; left != 0; left &= left - 1) {
        const unsigned reg = bits_lowest(left);
        text_add(emitter->text, "u32 n%u_%u=r%u;r%u=o%u_%u;", number, reg, reg, reg, number, reg);
    }
}

/* Takes those of the outcome if the comparison says so. */
static void emit_select(const struct emitter *emitter, uint32_t registers, const char *says,
                        unsigned number)
{
    for (uint32_t left = registers; left != 0; left &= left - 1) {
        const unsigned reg = bits_lowest(left);
        text_add(emitter->text, "SELECT(%s,r%u,n%u_%u,x%u,y%u);", says, reg, number, reg, number,
                 number);
    }
}

/* Computes what they come to if the condition of the first holds, and if it does not. */
static void emit_selected(struct emitter *emitter, int index, unsigned insn, unsigned count,
                          struct emit_flags *flags)
{
    const struct block *block = emitter->region->blocks[index].block;
    const unsigned condition = block->op_code[block->boundary[insn].op] - OP_SKIP_EQ;
    const unsigned number = ++emitter->temporaries;
    const uint32_t results =
        written_by(block, block->boundary[insn].op, block->boundary[insn + count].op);
    emit_flags_settle_for(emitter->text, flags, condition);
    const char *says = emit_flags_comparison(emitter->text, flags, condition, number);
    emit_keep(emitter, results, number);
    emit_those(emitter, index, insn, count, condition, flags);
    emit_take_back(emitter, results, number);
    emit_those(emitter, index, insn, count, condition ^ 1, flags);
    emit_select(emitter, results, says, number);
    text_add(emitter->text, "\n");
}

/* The operations of a conditional instruction in the middle of a block. */
static void emit_conditional(struct emitter *emitter, int index, unsigned at,
                             struct emit_flags *flags, unsigned insn)
{
    const struct block *block = emitter->region->blocks[index].block;
    const struct op *skip = &block->ops[at];
    emit_flags_settle_for(emitter->text, flags, block->op_code[at] - OP_SKIP_EQ);
    const struct emit_flags before = *flags;
    text_add(emitter->text, "if(");
    emit_flags_condition(emitter->text, flags, block->op_code[at] - OP_SKIP_EQ);
    text_add(emitter->text, "){");
    (void)emit_ops(emitter, index, at + 1, at + 1 + skip->rd, flags, insn);
    const bool changed = memcmp(&before, flags, sizeof before) != 0;
    if (changed) {
        emit_flags_assign(emitter->text, flags);
    }
    text_add(emitter->text, "}else{");
    if (changed) {
        emit_flags_assign(emitter->text, &before);
        emit_flags_any(flags);
    }
    if (skip->imm != 0) {
        const struct emit_counts credit = emit_counts_credit(&block->credit[skip->imm - 1]);
        emit_counts_add(emitter->text, &credit);
    }
    text_add(emitter->text, "}\n");
}

/* What it costs not to take a branch over selected instructions, beyond what it costs to take it.
 */
static struct emit_counts selected_counts(const struct region_block *from)
{
    const struct block_boundary *end = &from->selected->boundary[from->selected_insns];
    struct emit_counts counts = {.cycles = end->cycles, .counts = end->counts};
    counts = emit_counts_with(&counts, &from->block->edge[0]);
    counts.cycles -= from->block->edge[1].cycles;
    block_counts_subtract(&counts.counts, &from->block->edge[1].counts);
    return counts;
}

/* The first operations of a block, which only compute. */
static void emit_computed(struct emitter *emitter, const struct block *block, unsigned end,
                          struct emit_flags *flags)
{
    const struct emit_op emit = {
        .text = emitter->text, .flags = flags, .temporaries = &emitter->temporaries};
    for (unsigned i = 0; i < end; i++) {
        emit_op(&emit, &block->ops[i], block->op_code[i]);
    }
    emitter->dirty |= (uint16_t)(written_by(block, 0, end) & OP_REGISTERS_ALL);
}

/* A branch over instructions that are computed even if it is taken. */
static void emit_branch_over(struct emitter *emitter, int index, unsigned condition,
                             struct emit_flags *flags)
{
    const struct region *region = emitter->region;
    const struct region_block *from = &region->blocks[index];
    const struct block *block = from->selected;
    const unsigned end = block->boundary[from->selected_insns].op;
    const uint32_t results = written_by(block, 0, end);
    const unsigned number = ++emitter->temporaries;
    emit_flags_settle_for(emitter->text, flags, condition);
    const char *says = emit_flags_comparison(emitter->text, flags, condition ^ 1, number);
    struct emit_flags then = *flags;
    emit_keep(emitter, results, number);
    emit_computed(emitter, block, end, &then);
    emit_take_back(emitter, results, number);
    emit_select(emitter, results, says, number);
    const struct emit_flags before = *flags;
    const struct emit_outcomes outcomes = {&before, &then, says, number};
    if (memcmp(&then, flags, sizeof then) != 0) {
        if (selection_wants_flags(region->blocks[from->to[1]].block)) {
            emit_flags_select(emitter->text, flags, &then, says, number);
        } else {
            emit_flags_any(flags);
            emitter->late = &outcomes;
        }
    }
    const struct emit_counts counts = selected_counts(from);
    text_add(emitter->text, "u32 h%u=HOLDS_%s(x%u,y%u);", number, says, number, number);
    emit_counts_add_if(emitter->text, &counts, number);
    emit_edge(emitter, index, 1, flags);
    emitter->late = NULL;
}

/* One instruction; true when control does not go on behind it. */
static bool emit_insn(struct emitter *emitter, int index, unsigned insn, struct emit_flags *flags)
{
    const struct block *block = emitter->region->blocks[index].block;
    const bool last = insn + 1 == block->insn_count;
    const unsigned first = block->boundary[insn].op;
    const unsigned end = last ? block->op_count : block->boundary[insn + 1].op;
    if (!region_can_translate(block, insn)) {
        text_add(emitter->text, "%s", emitter->catch_up.at);
        emit_leave_here(emitter, flags, emit_where(NATIVE_AT, insn, (uint32_t)index));
        text_add(emitter->text, "\n");
        return true;
    }
    if (first == end) { /* it does nothing */
        return false;
    }
    const unsigned code = block->op_code[first];
    if (code >= OP_BRANCH_EQ && code <= OP_BRANCH_LE &&
        emitter->region->blocks[index].selected != NULL) {
        emit_branch_over(emitter, index, code - OP_BRANCH_EQ, flags);
        return true;
    }
    if (code >= OP_BRANCH_EQ && code <= OP_BRANCH_LE) {
        emit_flags_settle_for(emitter->text, flags, code - OP_BRANCH_EQ);
        text_add(emitter->text, "if(");
        emit_flags_condition(emitter->text, flags, code - OP_BRANCH_EQ);
        text_add(emitter->text, "){");
        emit_edge(emitter, index, 1, flags);
        text_add(emitter->text, "}");
        emit_edge(emitter, index, 0, flags);
        return true;
    }
    if (code >= OP_SKIP_EQ && code <= OP_SKIP_LE) {
        const unsigned behind = first + 1 + block->ops[first].rd;
        if (!last) {
            emit_conditional(emitter, index, first, flags, insn);
            return false;
        }
        emit_flags_settle_for(emitter->text, flags, code - OP_SKIP_EQ);
        text_add(emitter->text, "if(!");
        emit_flags_condition(emitter->text, flags, code - OP_SKIP_EQ);
        text_add(emitter->text, "){");
        (void)emit_ops(emitter, index, behind, end, flags, insn);
        text_add(emitter->text, "}");
        return emit_ops(emitter, index, first + 1, behind, flags, insn);
    }
    return emit_ops(emitter, index, first, end, flags, insn);
}

static void emit_insns(struct emitter *emitter, int index, struct emit_flags *flags)
{
    const struct block *block = emitter->region->blocks[index].block;
    emitter->asks = atomic_load_explicit(&block->asks, memory_order_relaxed);
    emit_note_owed(emitter);
    emit_accesses_find(&emitter->accesses, block, emitter->memory->flat, emitter->asks);
    for (unsigned insn = 0; insn < block->insn_count; insn++) {
        const unsigned together = selected_together(block, insn);
        if (together != 0) {
            emit_selected(emitter, index, insn, together, flags);
            insn += together - 1;
        } else if (emit_insn(emitter, index, insn, flags)) {
            return;
        }
    }
    CHECK(false, "a block without an end");
}

void emit_block(struct emitter *emitter, int index)
{
    const struct block *block = emitter->region->blocks[index].block;
    struct emit_flags flags = emitter->blocks[index].flags;
    text_add(emitter->text, "L%d:; /* %08" PRIx32 "%s */\n", index, block->pc,
             block->thumb ? " Thumb" : "");
    emitter->owed = emitter->blocks[index].owed;
    emitter->dirty = emitter->region->blocks[index].dirty;
    emitter->loop_kind = EMIT_FLAGS_EACH;
    emit_insns(emitter, index, &flags);
    emitter->owed = NOTHING;
    if (emitter->loop_kind != EMIT_FLAGS_EACH) {
        text_add(emitter->text, "M%d:;\n", index);
        flags = emit_loop_flags(emitter->loop_kind, index);
        emitter->loop = index;
        emit_insns(emitter, index, &flags);
        emitter->loop = REGION_NONE;
    }
}
