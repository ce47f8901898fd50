/* discovery.c - which blocks belong to a function: those that it reaches without calls. */
#include "models/arm968/translate/leaving.h"
#include "models/arm968/translate/region.h"

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
    const int index = region_add_block(region, block);
    if (region->blocks[index].function != REGION_NONE) {
        return region->blocks[index].function == function;
    }
    if (region->functions[function].insns >= FUNCTION_INSNS_MOST) {
        return false;
    }
    region->blocks[index].function = function;
    region->functions[function].insns += block->insn_count;
    region_add_member(region, function, index);
    return true;
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
            region_add_case(region, to->region_index);
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
        target = region_add_block(region, to);
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
        const int to_index = to == NULL ? REGION_NONE : region_add_block(region, to);
        region->blocks[index].to[which] = to_index;
    }
}

void region_add_function(struct region *region, struct block *root)
{
    if (!region_can_hold(root) || (root->region_index != REGION_NONE &&
                                   region->blocks[root->region_index].function != REGION_NONE)) {
        return;
    }
    const int function = region_new_function(region);
    (void)reach(region, function, root);
    region->functions[function].root = root->region_index;
    for (int i = 0; i < region->functions[function].count; i++) {
        follow_edges(region, function, region->members[region->functions[function].first + i]);
    }
}
