/* region.c - see region.h. */
#include "models/arm968/translate/region.h"

#include "models/arm968/translate/leaving.h"
#include "models/arm968/translate/op_registers.h"
#include "models/common/bits.h"
#include "models/common/check.h"
#include "models/common/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

static void *grown(void *list, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return list;
    }
    *capacity = *capacity == 0 ? 256 : 2 * *capacity;
    list = realloc(list, (size_t)*capacity * size);
    memory_need(list);
    return list;
}

void region_forget(struct region *region)
{
    for (int i = 0; i < region->block_count; i++) {
        region->blocks[i].block->region_index = REGION_NONE;
    }
}

void region_free(struct region *region)
{
    free(region->blocks);
    free(region->functions);
    free(region->members);
    free(region->cases);
}

static struct region_block *new_block(struct region *region)
{
    region->blocks =
        grown(region->blocks, region->block_count, &region->block_capacity, sizeof *region->blocks);
    return &region->blocks[region->block_count];
}

static int add_block(struct region *region, struct block *block)
{
    if (block->region_index == REGION_NONE) {
        *new_block(region) = (struct region_block){.block = block,
                                                   .function = REGION_NONE,
                                                   .to = {REGION_NONE, REGION_NONE},
                                                   .return_to = REGION_NONE,
                                                   .entry = REGION_NONE};
        block->region_index = region->block_count++;
    }
    return block->region_index;
}

bool region_can_translate(const struct block *block, unsigned insn)
{
    bool written = false;
    const unsigned end =
        insn + 1 == block->insn_count ? block->op_count : block->boundary[insn + 1].op;
    for (unsigned i = block->boundary[insn].op; i < end; i++) {
        const enum op_code code = block->op_code[i];
        switch ((unsigned)code) {
        case OP_MRS_CPSR:
        case OP_MRS_SPSR:
        case OP_MSR_CPSR:
        case OP_MSR_SPSR:
        case OP_USER_ACCESS:
        case OP_UNPREDICTABLE:
        case OP_SWP:
        case OP_SWPB:
        case OP_CP15_READ:
        case OP_CP15_WRITE:
        case OP_UNDEFINED:
        case OP_JUMP_RESTORE:
        case OP_LEAVE:
        case OP_SWI:
        case OP_BKPT:
        case OP_DELAY:
        case OP_MARK:
        case OP_STOP:
            return false;
        case OP_LDM:
        case OP_STM:
            if ((block->ops[i].rm & BLOCK_USER) != 0) {
                return false;
            }
            break;
        case OP_JUMP:
        case OP_JUMP_EXCHANGE:
        case OP_JUMP_LOADED:
            if (block->edge[1].pending != NULL) {
                return false;
            }
            break;
        default:
            break;
        }
        const bool may_fail = code >= OP_LDR_OFF_IMM && code <= OP_STM;
        if (may_fail && written) {
            return false;
        }
        written = written || op_registers_written(&block->ops[i], code) != 0 || may_fail;
    }
    return true;
}

bool region_can_translate_all(const struct block *block)
{
    for (unsigned insn = 0; insn < block->insn_count; insn++) {
        if (!region_can_translate(block, insn)) {
            return false;
        }
    }
    return true;
}

bool region_can_hold(const struct block *block)
{
    return block->op_code[0] != OP_MARK && block->op_code[0] != OP_DELAY;
}

/* Limit of a function's instructions: the compile time grows out of proportion for huge functions.
 * Blocks beyond the limit begin functions of their own. */
enum { FUNCTION_INSNS_MOST = 8000 };

/* Adds a block to a function unless it is in another one, or the function is full; true if it is
 * now in this one. */
static bool reach(struct region *region, int function, struct block *block)
{
    if (block == NULL || !region_can_hold(block)) {
        return false;
    }
    const int index = add_block(region, block);
    if (region->blocks[index].function != REGION_NONE) {
        return region->blocks[index].function == function;
    }
    if (region->functions[function].insns >= FUNCTION_INSNS_MOST) {
        return false;
    }
    region->blocks[index].function = function;
    region->members = grown(region->members, region->member_count, &region->member_capacity,
                            sizeof *region->members);
    region->members[region->member_count++] = index;
    region->functions[function].count++;
    region->functions[function].insns += block->insn_count;
    region->insns += block->insn_count;
    return true;
}

/* ---- discovery ---- */

void region_add_copy(struct region *region, const struct region_block *copy)
{
    *new_block(region) = *copy;
    region->members = grown(region->members, region->member_count, &region->member_capacity,
                            sizeof *region->members);
    region->members[region->member_count++] = region->block_count++;
    region->functions[copy->function].count++;
    region->insns += copy->block->insn_count;
}

static bool is_case(const struct region *region, int first, int index)
{
    for (int n = first; n < region->case_count; n++) {
        if (region->cases[n] == index) {
            return true;
        }
    }
    return false;
}

/* Finds a block's cases among the targets that have been run.  They are only guesses: the jump
 * itself compares the address that it has loaded. */
static void find_cases(struct region *region, int function, int index,
                       const struct leaving *leaving)
{
    const struct block *block = region->blocks[index].block;
    const int first = region->case_count;
    struct block *to;
    for (uint32_t i = 0; functions_case(region->code, region->memory, block, leaving, i, &to);
         i++) {
        if (reach(region, function, to) && !is_case(region, first, to->region_index)) {
            region->cases =
                grown(region->cases, region->case_count, &region->case_capacity, sizeof(int));
            region->cases[region->case_count++] = to->region_index;
        }
    }
    region->blocks[index].first_case = first;
    region->blocks[index].cases = region->case_count - first;
}

/* The block to which a call returns, if it is in the same function. */
static int reach_return(struct region *region, int function, uint32_t lr)
{
    struct block *back = code_find(region->code, lr & ~1u, (lr & 1) != 0, NULL);
    return reach(region, function, back) ? back->region_index : REGION_NONE;
}

/* A call of a block, or of an unknown target (NULL).  Thumb code also uses BL as a far branch: a BL
 * that has never returned is a branch, into this function unless a function begins there. */
static void follow_call(struct region *region, int function, int index, struct block *to)
{
    const uint32_t lr = region->blocks[index].lr;
    const int back = reach_return(region, function, lr);
    const bool stays = region_can_translate_all(region->blocks[index].block);
    int target = REGION_NONE;
    if (to != NULL && back != REGION_NONE && stays) {
        target = inline_function(region, function, to, lr, back);
    }
    if (back == REGION_NONE || target != REGION_NONE) {
        region->blocks[index].how = LEAVES_BY_EDGES;
    }
    if (to != NULL && target == REGION_NONE) {
        if (back == REGION_NONE && !to->begins_function) {
            (void)reach(region, function, to);
        }
        target = add_block(region, to);
    }
    region->blocks[index].return_to =
        target == REGION_NONE || region->blocks[target].copied ? REGION_NONE : back;
    region->blocks[index].to[1] = target;
}

/* Follows the edges of a block within the function; its calls are only recorded. */
static void follow_edges(struct region *region, int function, int index)
{
    struct block *block = region->blocks[index].block;
    if (region->blocks[index].copied) { /* all is known */
        return;
    }
    const struct leaving leaving =
        leaving_of(block, region->memory, code_memory(region->code).base);
    region->blocks[index].how = leaving.how;
    region->blocks[index].lr = leaving.lr;
    if (leaving.how == LEAVES_CALLING_REGISTER) {
        const int back = reach_return(region, function, leaving.lr); /* may move the blocks */
        region->blocks[index].return_to = back;
    }
    if (leaving.kind != TABLE_NONE) {
        find_cases(region, function, index, &leaving);
    }
    for (unsigned which = 0; which < 2; which++) {
        const struct edge *edge = &block->edge[which];
        if (!block_has_edge(block, which) || (which == 1 && leaving_goes_indirectly(block))) {
            continue;
        }
        struct block *to = code_find(region->code, edge->pc, edge->thumb, edge->pending);
        if (which == 1 && leaving.how == LEAVES_CALLING) {
            follow_call(region, function, index, to);
            continue;
        }
        (void)reach(region, function, to);
        const int to_index = to == NULL ? REGION_NONE : add_block(region, to);
        region->blocks[index].to[which] = to_index;
    }
}

struct block *region_called(const struct region *region, int index)
{
    const struct region_block *from = &region->blocks[index];
    switch (from->how) {
    case LEAVES_CALLING:
        return from->to[1] == REGION_NONE ? NULL : region->blocks[from->to[1]].block;
    case LEAVES_CALLING_REGISTER:
        return functions_last_target(from->block);
    case LEAVES_JUMPING:
        return from->cases == 0 ? functions_last_target(from->block) : NULL;
    case LEAVES_BY_EDGES:
    case LEAVES_RETURNING:
    case LEAVES_OTHERWISE:
    default:
        return NULL;
    }
}

void region_add_function(struct region *region, struct block *root)
{
    if (!region_can_hold(root) || (root->region_index != REGION_NONE &&
                                   region->blocks[root->region_index].function != REGION_NONE)) {
        return;
    }
    region->functions = grown(region->functions, region->function_count, &region->function_capacity,
                              sizeof *region->functions);
    const int function = region->function_count++;
    region->functions[function] = (struct region_function){.first = region->member_count};
    (void)reach(region, function, root);
    region->functions[function].root = root->region_index;
    for (int i = 0; i < region->functions[function].count; i++) {
        follow_edges(region, function, region->members[region->functions[function].first + i]);
    }
}

/* ---- entries ---- */

static void make_entry(struct region *region, int index)
{
    struct region_block *block = &region->blocks[index];
    CHECK(!block->copied, "copies are not entered");
    if (block->entry == REGION_NONE && block->function != REGION_NONE) {
        block->entry = region->functions[block->function].entries++;
    }
}

enum { NEW, BEING_VISITED, DONE, NOTED };

/* How far native code may look ahead with its budget: code that is stopped more often leaves
 * earlier. */
enum { MOST_NEEDED_CYCLES = 100 };

/* A block's required budget also covers the blocks after it that have been visited, so that the
 * budget is checked only in loops, after calls and now and then. */
static void note_needs(struct region *region, int index, const uint8_t *state)
{
    struct region_block *block = &region->blocks[index];
    const struct block_boundary *last = &block->block->boundary[block->block->insn_count - 1];
    const int64_t later = (int64_t)last->latest - last->cycles; /* when conditions fail */
    block->needs = last->latest; /* not last_start, which has no meaning once a block was dropped */
    if (block->selected != NULL) {
        const int64_t needs = block->block->edge[0].cycles + selection_cycles(block);
        block->needs = needs > block->needs ? needs : block->needs;
    }
    for (unsigned which = 0; which < 2; which++) {
        const int to = block->to[which];
        if (!region_knows(region, to) || state[to] < DONE) {
            continue;
        }
        const int64_t cycles =
            block->block->edge[which].cycles + later + (which == 0 ? selection_cycles(block) : 0);
        const int64_t needs = cycles + region->blocks[to].needs;
        block->covers[which] = needs <= MOST_NEEDED_CYCLES;
        block->needs = block->covers[which] && needs > block->needs ? needs : block->needs;
    }
    block->covers[1] = block->covers[1] && (block->selected == NULL || block->covers[0]);
}

/* Visits a function's blocks, each after those it leads to.  Loops have an entry at their heads:
 * targets of edges to a block that is being visited. */
static void visit(struct region *region, int start, uint8_t *state)
{
    int *stack = malloc((((size_t)region->block_count + 1) * 4 + (size_t)region->case_count) *
                        sizeof *stack);
    memory_need(stack);
    int depth = 0;
    stack[depth++] = start;
    while (depth > 0) {
        const int index = stack[depth - 1];
        const struct region_block *block = &region->blocks[index];
        if (state[index] != NEW) {
            if (state[index] == BEING_VISITED) {
                note_needs(region, index, state);
            }
            state[index] = DONE;
            depth--;
            continue;
        }
        state[index] = BEING_VISITED;
        const int next[3] = {block->to[0],
                             block->how == LEAVES_CALLING ? REGION_NONE : block->to[1],
                             block->return_to};
        for (int i = 0; i < 3 + block->cases; i++) {
            const int to = i < 3 ? next[i] : region->cases[block->first_case + i - 3];
            if (to == REGION_NONE || region->blocks[to].function != block->function) {
                continue;
            }
            if (state[to] == BEING_VISITED) {
                make_entry(region, to);
            } else if (state[to] == NEW) {
                stack[depth++] = to;
            }
        }
    }
    free(stack);
}

static bool sets_q(enum op_code code)
{
    return (code >= OP_SMLABB && code <= OP_SMLATT) || code == OP_SMLAWB || code == OP_SMLAWT ||
           (code >= OP_QADD && code <= OP_QDSUB);
}

static void note_operations(struct region *region, const struct region_block *block)
{
    struct region_function *function = &region->functions[block->function];
    for (unsigned which = 0; which < 2; which++) {
        function->reads_code |= block->block->edge[which].counts.literals != 0;
    }
    for (unsigned i = 0; i < block->block->op_count; i++) {
        const struct op *op = &block->block->ops[i];
        const enum op_code code = block->block->op_code[i];
        function->used |= op_registers_used(op, code);
        function->changed |= op_registers_written(op, code);
        function->saturates |= sets_q(code);
    }
}

bool region_knows(const struct region *region, int index)
{
    return index != REGION_NONE && region->blocks[index].function != REGION_NONE;
}

/* Whether functions outside the region may run before control returns. */
static bool calls_anything(const struct region *region, const struct region_block *block)
{
    return block->how == LEAVES_CALLING_REGISTER || block->how == LEAVES_JUMPING ||
           (block->how == LEAVES_CALLING && !region_knows(region, block->to[1]));
}

/* Registers that functions reached from a block may change. */
static uint16_t changed_behind(const struct region *region, const struct region_block *block)
{
    uint16_t changed = calls_anything(region, block) ? OP_REGISTERS_ALL : 0;
    for (unsigned which = 0; which < 2; which++) {
        const int to = block->to[which];
        if (region_knows(region, to)) {
            changed |= region->functions[region->blocks[to].function].changed;
        }
    }
    return changed;
}

/* The least solution. */
static void note_changed(struct region *region)
{
    bool more = true;
    while (more) {
        more = false;
        for (int i = 0; i < region->block_count; i++) {
            const struct region_block *block = &region->blocks[i];
            if (block->function == REGION_NONE) {
                continue;
            }
            struct region_function *function = &region->functions[block->function];
            const uint16_t all = function->changed | changed_behind(region, block);
            more = more || all != function->changed;
            function->changed = all;
        }
    }
}

/* Computes which registers may have changed at the end of each block since the function was entered
 * or a call returned: the least solution. */
static void note_dirty(struct region *region, int function)
{
    const struct region_function *it = &region->functions[function];
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < it->count; i++) {
            struct region_block *block = &region->blocks[region->members[it->first + i]];
            uint16_t out = block->dirty;
            for (unsigned n = 0; n < block->block->op_count; n++) {
                out |= op_registers_written(&block->block->ops[n], block->block->op_code[n]);
            }
            out |= selection_written(block);
            for (int which = 0; which < 2 + block->cases; which++) {
                const int to =
                    which < 2 ? block->to[which] : region->cases[block->first_case + which - 2];
                if (to == REGION_NONE || (which == 1 && block->how == LEAVES_CALLING) ||
                    region->blocks[to].function != function) {
                    continue;
                }
                struct region_block *next = &region->blocks[to];
                changed = changed || (next->dirty | out) != next->dirty;
                next->dirty |= out;
            }
        }
    }
}

/* Determines the targets of a block's edges in translated code. */
static void note_edges(struct region *region, int index)
{
    const struct region_block *block = &region->blocks[index];
    const bool all = region_can_translate_all(block->block);
    for (unsigned which = block->selected != NULL ? 1 : 0; which < 2; which++) {
        const int to = block->to[which];
        if (!region_knows(region, to)) {
            continue;
        }
        const bool inside = region->blocks[to].function == block->function;
        if (!inside || (which == 1 && block->how == LEAVES_CALLING)) {
            make_entry(region, to);
            continue;
        }
        region->blocks[to].preds += block->to[1] == index ? 2 : 1; /* loops are emitted twice */
        if (!all) { /* the interpreter continues from there */
            make_entry(region, to);
        }
    }
}

/* Visits the blocks that can be entered and have not been visited; false: there are none. */
static bool visit_entries(struct region *region, uint8_t *state)
{
    bool any = false;
    for (int i = 0; i < region->block_count; i++) {
        if (region->blocks[i].entry != REGION_NONE && state[i] == NEW) {
            visit(region, i, state);
            any = true;
        }
    }
    return any;
}

/* Determines what the visited blocks can reach.  Other blocks are not emitted: the branches to them
 * have become selections (selection.c). */
static void note_visited(struct region *region, uint8_t *state)
{
    for (int i = 0; i < region->block_count; i++) {
        const struct region_block *block = &region->blocks[i];
        if (state[i] != DONE) {
            continue;
        }
        state[i] = NOTED;
        if (block->return_to != REGION_NONE) {
            make_entry(region, block->return_to);
        }
        for (int n = 0; n < block->cases; n++) {
            region->blocks[region->cases[block->first_case + n]].preds += 2; /* never alone */
        }
        note_edges(region, i);
    }
}

void region_finish(struct region *region)
{
    uint8_t *state = calloc((size_t)region->block_count + 1, sizeof *state);
    memory_need(state);
    for (int i = 0; i < region->block_count; i++) {
        selection_find(region, i);
        if (region->blocks[i].function != REGION_NONE) {
            note_operations(region, &region->blocks[i]);
        }
    }
    for (int f = 0; f < region->function_count; f++) {
        make_entry(region, region->functions[f].root);
    }
    while (visit_entries(region, state)) {
        note_visited(region, state);
    }
    free(state);
    for (int f = 0; f < region->function_count; f++) {
        note_dirty(region, f);
    }
    note_changed(region);
}
