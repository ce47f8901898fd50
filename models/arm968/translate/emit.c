/* emit.c - see emit.h. */
#include "models/arm968/translate/emit.h"

#include "models/arm968/translate/emit_counts.h"
#include "models/arm968/translate/emit_op.h"
#include "models/arm968/translate/emit_prelude.h"
#include "models/arm968/translate/native.h"
#include "models/arm968/translate/op_registers.h"
#include "models/arm968/translate/selection.h"
#include "models/common/bits.h"
#include "models/common/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block whose place in the text has been decided, and what is known of the flags there. */
struct emit_block {
    struct emit_flags flags;
    struct emit_counts owed; /* by those before it */
    bool ready;              /* an edge to it has been emitted */
    bool emitted;
};

_Static_assert((int)EMIT_FLAGS_EACH == NATIVE_FLAGS_EACH &&
                   (int)EMIT_FLAGS_SUBTRACTED == NATIVE_FLAGS_SUBTRACTED &&
                   (int)EMIT_FLAGS_ADDED == NATIVE_FLAGS_ADDED &&
                   (int)EMIT_FLAGS_NZ_APART == NATIVE_FLAGS_NZ_APART &&
                   (int)EMIT_FLAGS_C_APART == NATIVE_FLAGS_C_APART,
               "generated code and the interpreter agree on what flags are made of");

/* Flags of two outcomes: emit_flags_select(). */
struct emit_outcomes {
    const struct emit_flags *flags, *then;
    const char *says;
    unsigned number;
};

struct emitter {
    struct text *text;
    const struct region *region;
    const struct emit_memory *memory;
    uint32_t code_base;
    struct emit_block *blocks; /* by number in the region */
    int function;
    unsigned temporaries;
    int *stack; /* blocks to be emitted */
    int depth;
    struct emit_leave leave; /* of the function under way */
    /* the block under way */
    uint16_t dirty; /* registers that have changed since the function was entered */
    struct emit_accesses accesses;
    uint32_t asks; /* as in struct block; other cores may add to that meanwhile */
    struct emit_counts owed;
    int loop; /* its number when it is emitted as the body of a loop, else REGION_NONE */
    enum emit_flags_kind loop_kind;   /* of the flags where the body begins; EACH: there is none */
    struct text catch_up;             /* statements that settle what is owed */
    const struct emit_outcomes *late; /* flags that only ways out want; NULL: none */
};

static uint64_t where(enum native_why why, uint32_t high, uint32_t low)
{
    return (uint64_t)why << NATIVE_WHY_SHIFT | (uint64_t)high << NATIVE_HIGH_SHIFT | low;
}

/* ---- edges ---- */

static const struct emit_counts NOTHING;

/* Makes the statements that settle what the block under way owes before its own way out. */
static void note_owed(struct emitter *emitter)
{
    emitter->catch_up.size = 0;
    text_add(&emitter->catch_up, "%s", "");
    emit_counts_add(&emitter->catch_up, &emitter->owed);
    if (emitter->loop != REGION_NONE) {
        const struct block *block = emitter->region->blocks[emitter->loop].block;
        const struct emit_counts round = emit_counts_with(&NOTHING, &block->edge[1]);
        emit_counts_add_rounds(&emitter->catch_up, &round, emitter->loop);
    }
}

/* Puts what a callee may want into the core, or takes back what it may have changed. */
static void emit_store(const struct emitter *emitter, uint16_t registers,
                       const struct emit_flags *flags)
{
    for (unsigned i = 0; i <= REGISTER_LR; i++) {
        if ((registers >> i & 1) != 0) {
            text_add(emitter->text, "R(%u)=r%u;", i, i);
        }
    }
    emit_flags_store(emitter->text, flags);
    const struct region_function *function = &emitter->region->functions[emitter->function];
    text_add(emitter->text, "COUNTS+=counts;%s%s", function->saturates ? "FQ=fq;" : "",
             function->reads_code ? "LITERALS+=literals;" : "");
}

static void emit_load(const struct emitter *emitter, uint16_t registers)
{
    for (unsigned i = 0; i <= REGISTER_LR; i++) {
        if ((registers >> i & 1) != 0) {
            text_add(emitter->text, "r%u=R(%u);", i, i);
        }
    }
    if (emitter->region->functions[emitter->function].saturates) {
        text_add(emitter->text, "fq=FQ;");
    }
}

/* A block that one edge only leads to. */
static bool is_alone(const struct emitter *emitter, int block)
{
    const struct region_block *target = &emitter->region->blocks[block];
    return target->preds == 1 && target->entry == REGION_NONE;
}

/* A block that is only begun with or returned to: its flags are in the core. */
static bool is_entered(const struct emitter *emitter, int block)
{
    return emitter->region->blocks[block].preds == 0;
}

static void go_to(struct emitter *emitter, int to, const struct emit_flags *flags,
                  const struct emit_counts *owed)
{
    struct emit_block *state = &emitter->blocks[to];
    const bool as_they_are = is_alone(emitter, to) || is_entered(emitter, to);
    if (!state->ready) {
        state->ready = true;
        state->owed = *owed;
        state->flags = *flags;
        if (!as_they_are) {
            emit_flags_any(&state->flags);
        }
        emitter->stack[emitter->depth++] = to;
    }
    if (!as_they_are) {
        emit_flags_assign(emitter->text, flags);
    }
    text_add(emitter->text, "goto L%d;", to);
}

/* Behind a call that may have changed these registers: on in this function if it has come back to
 * where it should. */
static void emit_return(struct emitter *emitter, int index, uint16_t changed)
{
    const struct region *region = emitter->region;
    const struct region_block *from = &region->blocks[index];
    text_add(emitter->text,
             "budget=result.budget;if(UNLIKELY(result.where!=0x%" PRIx64 "ull))return result;",
             where(NATIVE_JUMP, 0, from->lr));
    text_add(emitter->text, "if(UNLIKELY(budget<=%" PRId64 "))return result;",
             region->blocks[from->return_to].needs);
    text_add(emitter->text, "counts=(lanes){0};literals=0;");
    emit_load(emitter, region->functions[emitter->function].used & changed);
    struct emit_flags stored;
    emit_flags_stored(&stored);
    go_to(emitter, from->return_to, &stored, &NOTHING);
}

/* Leaves from the block under way. */
static void leave(struct emitter *emitter, const struct emit_flags *flags, uint64_t where)
{
    struct emit_flags selected;
    if (emitter->late != NULL) {
        selected = *emitter->late->flags;
        emit_flags_select(emitter->text, &selected, emitter->late->then, emitter->late->says,
                          emitter->late->number);
        flags = &selected;
    }
    emit_leave(emitter->text, &emitter->leave, flags, emitter->dirty, where);
}

/* A call of an address, `where`. */
static void emit_call_by_address(struct emitter *emitter, int index, const struct emit_flags *flags)
{
    emit_store(emitter, emitter->dirty, flags);
    text_add(emitter->text, "{struct result result=call_address(roots,cpu,(s32)budget,where);");
    emit_return(emitter, index, OP_REGISTERS_ALL);
    text_add(emitter->text, "}");
}

/* A call: the callee runs as a host function; when it comes back to the right place with enough
 * budget left, the caller goes on, otherwise everything returns to the interpreter. */
static void emit_call(struct emitter *emitter, int index, const struct emit_flags *flags)
{
    const struct region *region = emitter->region;
    const struct region_block *callee = &region->blocks[region->blocks[index].to[1]];
    emit_store(emitter, emitter->dirty, flags);
    text_add(emitter->text, "{struct result result=f%d(cpu,(s32)budget,%d);", callee->function,
             callee->entry);
    emit_return(emitter, index, region->functions[callee->function].changed);
    text_add(emitter->text, "}");
}

/* ---- loops of one block ---- */

static bool takes_back(const struct block *block)
{
    for (unsigned i = 0; i < block->op_count; i++) {
        const enum op_code code = block->op_code[i];
        if (code >= OP_SKIP_EQ && code <= OP_SKIP_LE && block->ops[i].imm != 0) {
            return true;
        }
    }
    return false;
}

/* Whether the edge that is taken leads back to the block, which is counted by rounds then: what a
 * round takes is a constant, and the flags at its end are those of a comparison or sum. */
static bool is_loop(const struct emitter *emitter, int index, const struct emit_flags *flags)
{
    const struct region_block *from = &emitter->region->blocks[index];
    return from->to[1] == index && from->how != LEAVES_CALLING && !takes_back(from->block) &&
           flags->apart == 0 &&
           (flags->kind == EMIT_FLAGS_SUBTRACTED || flags->kind == EMIT_FLAGS_ADDED) &&
           (emitter->loop == REGION_NONE || flags->kind == emitter->loop_kind);
}

/* The edge back: to the body of the loop, which hands its flags on in locals of its own. */
static void go_round(struct emitter *emitter, int index, const struct emit_flags *flags)
{
    text_add(emitter->text, "ka%d=%s;kb%d=%s;", index, flags->a, index, flags->b);
    if (emitter->loop == REGION_NONE) {
        text_add(emitter->text, "b%d=budget;", index);
        emitter->loop_kind = flags->kind;
    }
    text_add(emitter->text, "goto M%d;\n", index);
}

/* The flags at the beginning of a loop's body. */
static struct emit_flags loop_flags(enum emit_flags_kind kind, int index)
{
    struct emit_flags flags = {.kind = EMIT_FLAGS_EACH};
    char a[OPERAND_CHARS];
    char b[OPERAND_CHARS];
    char result[FLAG_CHARS];
    (void)snprintf(a, sizeof a, "ka%d", index);
    (void)snprintf(b, sizeof b, "kb%d", index);
    if (kind == EMIT_FLAGS_SUBTRACTED) {
        (void)snprintf(result, sizeof result, "(ka%d-kb%d)", index, index);
        emit_flags_subtract(&flags, a, b, result);
    } else {
        (void)snprintf(result, sizeof result, "(ka%d+kb%d)", index, index);
        emit_flags_add(&flags, a, b, result);
    }
    return flags;
}

/* ---- edges, again ---- */

/* `where` by an edge. */
static uint64_t edge_where(const struct emitter *emitter, int index, unsigned which)
{
    const struct region_block *from = &emitter->region->blocks[index];
    return from->comes_back && which == 1 ? where(NATIVE_JUMP, 0, from->lr)
                                          : where(NATIVE_EDGE, which, (uint32_t)index);
}

/* To a block of the same function that takes over what is owed: nothing is settled. */
static void emit_edge_owing(struct emitter *emitter, int index, unsigned which,
                            const struct emit_flags *flags, const struct emit_counts *owed)
{
    const int to = emitter->region->blocks[index].to[which];
    if (!emitter->region->blocks[index].covers[which]) {
        text_add(emitter->text, "if(UNLIKELY(budget<=%" PRId64 ")){",
                 emitter->region->blocks[to].needs + owed->cycles);
        emit_counts_add(emitter->text, owed);
        leave(emitter, flags, edge_where(emitter, index, which));
        text_add(emitter->text, "}");
    }
    go_to(emitter, to, flags, owed);
    text_add(emitter->text, "\n");
}

static void emit_edge(struct emitter *emitter, int index, unsigned which,
                      const struct emit_flags *flags)
{
    const struct region *region = emitter->region;
    const struct region_block *from = &region->blocks[index];
    const struct emit_counts owed = emit_counts_with(&emitter->owed, &from->block->edge[which]);
    const int to = from->to[which];
    const bool known = region_knows(region, to);
    const bool calls = known && which == 1 && from->how == LEAVES_CALLING;
    const bool inside = known && region->blocks[to].function == emitter->function && !calls;
    const bool back = inside && which == 1 && is_loop(emitter, index, flags);
    const bool body = emitter->loop != REGION_NONE;
    if (body && !back) {
        text_add(emitter->text, "%s", emitter->catch_up.at);
    }
    if (inside && is_alone(emitter, to) && owed.cycles <= EMIT_MOST_OWED_CYCLES) {
        emit_edge_owing(emitter, index, which, flags, &owed);
        return;
    }
    if (body && back) { /* counted by rounds */
        text_add(emitter->text, "budget-=%" PRId64 ";", owed.cycles);
    } else {
        emit_counts_add(emitter->text, &owed);
    }
    const struct edge *edge = &from->block->edge[which];
    if (!known && which == 1 && from->how == LEAVES_CALLING && from->return_to != REGION_NONE &&
        edge->pending == NULL) {
        text_add(emitter->text, "where=0x%" PRIx32 "u;", edge->pc | (edge->thumb ? 1u : 0u));
        emit_call_by_address(emitter, index, flags);
        text_add(emitter->text, "\n");
        return;
    }
    if (!known) {
        leave(emitter, flags, edge_where(emitter, index, which));
        text_add(emitter->text, "\n");
        return;
    }
    if (!from->covers[which]) {
        text_add(emitter->text, "if(UNLIKELY(budget<=%" PRId64 ")){%s", region->blocks[to].needs,
                 body && back ? emitter->catch_up.at : "");
        leave(emitter, flags, edge_where(emitter, index, which));
        text_add(emitter->text, "}");
    }
    if (back) {
        go_round(emitter, index, flags);
    } else if (calls) {
        text_add(emitter->text, "if(TOO_DEEP){");
        leave(emitter, flags, edge_where(emitter, index, which));
        text_add(emitter->text, "}");
        emit_call(emitter, index, flags);
    } else if (!inside) {
        emit_store(emitter, emitter->dirty, flags);
        text_add(emitter->text, "return f%d(cpu,(s32)budget,%d);", region->blocks[to].function,
                 region->blocks[to].entry);
    } else {
        go_to(emitter, to, flags, &NOTHING);
    }
    text_add(emitter->text, "\n");
}

/* A jump by a table: on in this function where the cases are known. */
static void emit_cases(struct emitter *emitter, int index, const struct emit_flags *flags)
{
    const struct region *region = emitter->region;
    const struct region_block *from = &region->blocks[index];
    struct emit_flags any;
    emit_flags_any(&any);
    emit_flags_assign(emitter->text, flags);
    text_add(emitter->text, "switch((u32)where){");
    for (int i = 0; i < from->cases; i++) {
        const int to = region->cases[from->first_case + i];
        const struct block *block = region->blocks[to].block;
        text_add(emitter->text, "case 0x%" PRIx32 "u:if(budget>%" PRId64 ")",
                 block->pc | (block->thumb ? 1u : 0u), region->blocks[to].needs);
        go_to(emitter, to, &any, &NOTHING);
        text_add(emitter->text, "break;");
    }
    text_add(emitter->text, "}");
}

/* A jump to a register's value; the target with the state in bit 0 goes to whoever called, unless
 * it is called itself or seems to be a function that takes the caller's place. */
static void emit_jump(struct emitter *emitter, int index, const struct op *op, enum op_code code,
                      const struct emit_flags *flags)
{
    struct text *text = emitter->text;
    const struct region *region = emitter->region;
    const struct region_block *from = &region->blocks[index];
    const struct edge *edge = &from->block->edge[1];
    const struct emit_counts owed = emit_counts_with(&emitter->owed, edge);
    emit_counts_add(text, &owed);
    text_add(text, "where=r%u%s;", op->rm,
             code != OP_JUMP      ? ""
             : from->block->thumb ? "|1"
                                  : "&~3u");
    if (from->cases != 0) {
        emit_cases(emitter, index, flags);
    }
    if (from->return_to != REGION_NONE) {
        emit_call_by_address(emitter, index, flags);
    }
    emit_store(emitter, emitter->dirty, flags);
    const bool goes_on = from->how == LEAVES_JUMPING && from->cases == 0;
    text_add(text, goes_on ? "return call_address(roots,cpu,(s32)budget,where);\n"
                           : "return (struct result){budget,where};\n");
}

/* ---- blocks ---- */

/* Whether an instruction is one operation that has been seen to access the ports; not in the body
 * of a loop, whose counts are what it takes off the budget. */
static bool asks_ports(const struct emitter *emitter, const struct block *block, unsigned insn,
                       struct emit_port *port, int index)
{
    const struct block_boundary *begin = &block->boundary[insn];
    const struct block_boundary *end = begin + 1;
    const int64_t owed = emitter->owed.cycles;
    const int64_t needs = emitter->region->blocks[index].needs;
    *port = (struct emit_port){.begins_cycles = owed + begin->cycles,
                               .too_small = owed + needs + end->cycles - end->latest,
                               .leave_behind = where(NATIVE_AT, insn + 1, (uint32_t)index)};
    return (emitter->asks >> insn & 1) != 0 && insn + 1 < block->insn_count &&
           end->op == begin->op + 1 && emitter->loop == REGION_NONE;
}

/* Emits operations [first, end); true when they end with a way out of the block. */
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
                           .leave_at = where(NATIVE_AT, insn, (uint32_t)index)};
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

/* Whether all that an instruction does, if its condition holds, is to set registers: then both
 * outcomes can be computed, and the host has no branch to guess. */
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

/* How many instructions from this one on set registers on the same condition or its opposite. */
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

/* Those of `count` instructions that have this condition. */
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
        leave(emitter, flags, where(NATIVE_AT, insn, (uint32_t)index));
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
    note_owed(emitter);
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

static void emit_block(struct emitter *emitter, int index)
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
        flags = loop_flags(emitter->loop_kind, index);
        emitter->loop = index;
        emit_insns(emitter, index, &flags);
        emitter->loop = REGION_NONE;
    }
}

/* ---- functions ---- */

static void emit_locals(const struct emitter *emitter, const struct region_function *function)
{
    struct text *text = emitter->text;
    for (unsigned i = 0; i <= REGISTER_LR; i++) {
        if ((function->used >> i & 1) != 0) {
            text_add(text, "u32 r%u=R(%u);", i, i);
        }
    }
    text_add(text, "u32 r15=0,r16=0,r17=0,fn,fz,fc,fv,fk,ja,jb,fq=FQ,literals=0;\n"
                   "s64 budget=budget_in;u64 where=0;lanes counts={0};u8*const memory=MEMORY;\n"
                   "const int ahead=JOURNAL!=0;\n"); /* for as long as the core runs */
    for (int i = 0; i < function->count; i++) {
        const int index = emitter->region->members[function->first + i];
        if (emitter->region->blocks[index].to[1] == index) {
            text_add(text, "u32 ka%d=0,kb%d=0;s64 b%d=0;\n", index, index, index);
        }
    }
}

static void emit_entry(const struct emitter *emitter, int index)
{
    text_add(emitter->text, "%sgoto L%d;", is_entered(emitter, index) ? "" : "LOAD_FLAGS;", index);
}

/* The beginning of a function is asked for first: calls lead there. */
static void emit_entries(struct emitter *emitter, const struct region_function *function)
{
    const struct region *region = emitter->region;
    text_add(emitter->text, "if(entry==%d){", region->blocks[function->root].entry);
    emit_entry(emitter, function->root);
    text_add(emitter->text, "}switch(entry){\n");
    for (int i = 0; i < function->count; i++) {
        const int index = region->members[function->first + i];
        if (region->blocks[index].entry != REGION_NONE) {
            if (is_entered(emitter, index)) {
                emit_flags_stored(&emitter->blocks[index].flags);
            } else {
                emit_flags_any(&emitter->blocks[index].flags);
            }
            emitter->blocks[index].ready = true;
            emitter->stack[emitter->depth++] = index;
            text_add(emitter->text, "case %d:", region->blocks[index].entry);
            emit_entry(emitter, index);
        }
    }
    text_add(emitter->text, "default:__builtin_unreachable();}\n");
}

/* Where ways out come together that have changed the same registers. */
static void emit_way_out(const struct emitter *emitter, unsigned set)
{
    const struct region_function *function = &emitter->region->functions[emitter->function];
    struct emit_flags flags;
    emit_flags_any(&flags);
    emit_leave_label(emitter->text, set, false);
    emit_flags_store(emitter->text, &flags);
    emit_flags_stored(&flags);
    emit_leave_label(emitter->text, set, true);
    text_add(emitter->text, "LEFT=self;");
    emit_store(emitter, emitter->leave.registers[set] & function->used, &flags);
    text_add(emitter->text, "return (struct result){budget,where};\n");
}

static void emit_function(struct emitter *emitter, int number)
{
    const struct region_function *function = &emitter->region->functions[number];
    emitter->function = number;
    emitter->leave.count = 0;
    emitter->temporaries = 0;
    text_add(emitter->text, "static struct result f%d(u8*cpu,s32 budget_in,u32 entry){\n", number);
    emit_locals(emitter, function);
    emit_entries(emitter, function);
    while (emitter->depth > 0) {
        const int index = emitter->stack[--emitter->depth];
        if (!emitter->blocks[index].emitted) {
            emitter->blocks[index].emitted = true;
            emit_block(emitter, index);
        }
    }
    for (unsigned i = 0; i < emitter->leave.count; i++) {
        emit_way_out(emitter, i);
    }
    text_add(emitter->text, "}\n");
}

void emit_region(struct text *text, const struct region *region, const struct emit_memory *memory)
{
    struct emitter emitter = {.text = text,
                              .region = region,
                              .memory = memory,
                              .code_base = code_memory(region->code).base,
                              .loop = REGION_NONE,
                              .blocks =
                                  calloc((size_t)region->block_count + 1, sizeof *emitter.blocks),
                              .stack = calloc(2 * (size_t)region->block_count + 1, sizeof(int))};
    CHECK(emitter.blocks != NULL && emitter.stack != NULL, "out of memory");
    emit_prelude(text);
    for (int f = 0; f < region->function_count; f++) {
        text_add(text, "static struct result f%d(u8*,s32,u32);\n", f);
    }
    text_add(text, "static u8*const*roots;static const void*self;"
                   "void spinnsim_bind(u8*const*r,const void*s){roots=r;self=s;}\n");
    for (int f = 0; f < region->function_count; f++) {
        emit_function(&emitter, f);
    }
    text_add(text, "struct result(*const spinnsim_functions[])(u8*,s32,u32)={");
    for (int f = 0; f < region->function_count; f++) {
        text_add(text, "f%d,", f);
    }
    text_add(text, "};\nconst u32 spinnsim_function_count=%d;\n", region->function_count);
    free(emitter.blocks);
    free(emitter.stack);
    free(emitter.catch_up.at);
}
