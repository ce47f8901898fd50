/* emit_edge.c - how blocks are left: edges, loops of one block, calls, jumps.  See emitter.h. */
#include "models/arm968/translate/emitter.h"

#include "models/arm968/translate/op_registers.h"

#include <inttypes.h>
#include <stdio.h>

static const struct emit_counts NOTHING;

/* Creates the statements that settle what the current block owes, before an exit of its own. */
void emit_note_owed(struct emitter *emitter)
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

/* Stores in the core what a callee may need, or reloads what it may have changed. */
void emit_store_state(const struct emitter *emitter, uint16_t registers,
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

/* Whether only one edge leads to a block. */
static bool is_alone(const struct emitter *emitter, int block)
{
    const struct region_block *target = &emitter->region->blocks[block];
    return target->preds == 1 && target->entry == REGION_NONE;
}

/* Whether control reaches a block only by an entry or a return: its flags are in the core. */
bool emit_is_entered(const struct emitter *emitter, int block)
{
    return emitter->region->blocks[block].preds == 0;
}

static void go_to(struct emitter *emitter, int to, const struct emit_flags *flags,
                  const struct emit_counts *owed)
{
    struct emit_block *state = &emitter->blocks[to];
    const bool as_they_are = is_alone(emitter, to) || emit_is_entered(emitter, to);
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

/* After a call that may have changed these registers: continues in this function if the callee has
 * returned to the expected address. */
static void emit_return(struct emitter *emitter, int index, uint16_t changed)
{
    const struct region *region = emitter->region;
    const struct region_block *from = &region->blocks[index];
    text_add(emitter->text,
             "budget=result.budget;if(UNLIKELY(result.where!=0x%" PRIx64 "ull))return result;",
             emit_where(NATIVE_JUMP, 0, from->lr));
    text_add(emitter->text, "if(UNLIKELY(budget<=%" PRId64 "))return result;",
             region->blocks[from->return_to].needs);
    text_add(emitter->text, "counts=(lanes){0};literals=0;");
    emit_load(emitter, region->functions[emitter->function].used & changed);
    struct emit_flags stored;
    emit_flags_stored(&stored);
    go_to(emitter, from->return_to, &stored, &NOTHING);
}

/* Leaves from the current block. */
void emit_leave_here(struct emitter *emitter, const struct emit_flags *flags, uint64_t where)
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
    emit_store_state(emitter, emitter->dirty, flags);
    text_add(emitter->text, "{struct result result=call_address(roots,cpu,(s32)budget,where);");
    emit_return(emitter, index, OP_REGISTERS_ALL);
    text_add(emitter->text, "}");
}

/* A call: the callee runs as a host function.  If it returns to the right place with enough budget
 * left, the caller continues; otherwise everything returns to the interpreter. */
static void emit_call(struct emitter *emitter, int index, const struct emit_flags *flags)
{
    const struct region *region = emitter->region;
    const struct region_block *callee = &region->blocks[region->blocks[index].to[1]];
    emit_store_state(emitter, emitter->dirty, flags);
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
struct emit_flags emit_loop_flags(enum emit_flags_kind kind, int index)
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
    return from->comes_back && which == 1 ? emit_where(NATIVE_JUMP, 0, from->lr)
                                          : emit_where(NATIVE_EDGE, which, (uint32_t)index);
}

/* An edge to a block of the same function that takes over what is owed: nothing is settled. */
static void emit_edge_owing(struct emitter *emitter, int index, unsigned which,
                            const struct emit_flags *flags, const struct emit_counts *owed)
{
    const int to = emitter->region->blocks[index].to[which];
    if (!emitter->region->blocks[index].covers[which]) {
        text_add(emitter->text, "if(UNLIKELY(budget<=%" PRId64 ")){",
                 emitter->region->blocks[to].needs + owed->cycles);
        emit_counts_add(emitter->text, owed);
        emit_leave_here(emitter, flags, edge_where(emitter, index, which));
        text_add(emitter->text, "}");
    }
    go_to(emitter, to, flags, owed);
    text_add(emitter->text, "\n");
}

void emit_edge(struct emitter *emitter, int index, unsigned which, const struct emit_flags *flags)
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
        emit_leave_here(emitter, flags, edge_where(emitter, index, which));
        text_add(emitter->text, "\n");
        return;
    }
    if (!from->covers[which]) {
        text_add(emitter->text, "if(UNLIKELY(budget<=%" PRId64 ")){%s", region->blocks[to].needs,
                 body && back ? emitter->catch_up.at : "");
        emit_leave_here(emitter, flags, edge_where(emitter, index, which));
        text_add(emitter->text, "}");
    }
    if (back) {
        go_round(emitter, index, flags);
    } else if (calls) {
        text_add(emitter->text, "if(TOO_DEEP){");
        emit_leave_here(emitter, flags, edge_where(emitter, index, which));
        text_add(emitter->text, "}");
        emit_call(emitter, index, flags);
    } else if (!inside) {
        emit_store_state(emitter, emitter->dirty, flags);
        text_add(emitter->text, "return f%d(cpu,(s32)budget,%d);", region->blocks[to].function,
                 region->blocks[to].entry);
    } else {
        go_to(emitter, to, flags, &NOTHING);
    }
    text_add(emitter->text, "\n");
}

/* A jump by a table: continues in this function if the case is known. */
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
void emit_jump(struct emitter *emitter, int index, const struct op *op, enum op_code code,
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
    emit_store_state(emitter, emitter->dirty, flags);
    const bool goes_on = from->how == LEAVES_JUMPING && from->cases == 0;
    text_add(text, goes_on ? "return call_address(roots,cpu,(s32)budget,where);\n"
                           : "return (struct result){budget,where};\n");
}
