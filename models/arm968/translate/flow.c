/* flow.c - what holds along the edges of a region's functions: entries, budgets, registers that
 * change. */
#include "models/arm968/translate/op_registers.h"
#include "models/arm968/translate/region.h"
#include "models/common/check.h"
#include "models/common/memory.h"

#include <stdlib.h>

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
