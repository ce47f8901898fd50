/* functions.c - see functions.h. */
#include "models/arm968/translate/functions.h"

#include <string.h>

/* ---- jumps by a table ---- */

enum {
    MOST_CASES = 256,
    NEAR_BYTES = 65536, /* what is farther away is no case */
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

/* Whether a call has ever come back: in Thumb state BL is a far branch, too. */
static bool has_come_back(struct code *code, const struct leaving *leaving)
{
    return code_find(code, leaving->lr & ~1u, (leaving->lr & 1) != 0, NULL) != NULL;
}

/* What leads to a block by an edge of its own function, or by its table, or returns to it, is no
 * beginning. */
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

/* A branch out of the function that it seems to lie in is a call that does not come back. */
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
