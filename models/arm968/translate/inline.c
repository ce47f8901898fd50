/* inline.c - see region.h. */
#include "models/arm968/translate/region.h"

#include "models/arm968/translate/op_registers.h"

enum { MOST_BLOCKS = 8, MOST_INSNS = 32 };

/* A function's blocks in order of discovery. */
struct leaf {
    const struct region *region;
    uint32_t lr;
    const struct block *blocks[MOST_BLOCKS];
    int to[MOST_BLOCKS][2]; /* numbers in `blocks`, REGION_NONE: no edge */
    bool returns[MOST_BLOCKS];
    int count, insns;
};

/* Adds a block, or finds it; REGION_NONE: there are too many. */
static int number_of(struct leaf *leaf, const struct block *block)
{
    for (int i = 0; i < leaf->count; i++) {
        if (leaf->blocks[i] == block) {
            return i;
        }
    }
    if (leaf->count == MOST_BLOCKS || leaf->insns + block->insn_count > MOST_INSNS) {
        return REGION_NONE;
    }
    leaf->blocks[leaf->count] = block;
    leaf->insns += block->insn_count;
    return leaf->count++;
}

static bool is_plain(const struct block *block)
{
    for (unsigned i = 0; i < block->op_count; i++) {
        const enum op_code code = block->op_code[i];
        if ((op_registers_written(&block->ops[i], code) >> REGISTER_LR & 1) != 0) {
            return false;
        }
    }
    return region_can_hold(block) && region_can_translate_all(block);
}

/* Whether the jump that ends a block returns to the caller. */
static bool comes_back(const struct leaf *leaf, const struct block *block,
                       const struct leaving *leaving)
{
    return leaving->how == LEAVES_RETURNING && leaving->by_link &&
           (!leaving->keeps_state || block->thumb == ((leaf->lr & 1) != 0));
}

/* Only blocks with forward edges are followed: loops would need entries. */
static bool follow(struct leaf *leaf, int i)
{
    const struct block *block = leaf->blocks[i];
    const struct region *region = leaf->region;
    const struct leaving leaving =
        leaving_of(block, region->memory, code_memory(region->code).base);
    leaf->returns[i] = comes_back(leaf, block, &leaving);
    bool good = is_plain(block) && (leaf->returns[i] || leaving.how == LEAVES_BY_EDGES);
    for (unsigned which = 0; which < 2; which++) {
        const struct edge *edge = &block->edge[which];
        leaf->to[i][which] = REGION_NONE;
        if (!good || !block_has_edge(block, which) || (which == 1 && leaf->returns[i])) {
            continue;
        }
        const struct block *to = code_find(region->code, edge->pc, edge->thumb, edge->pending);
        const bool forward = to == NULL || to->pc > block->pc;
        if (to != NULL && forward) {
            leaf->to[i][which] = number_of(leaf, to);
        }
        good = forward && (to == NULL || leaf->to[i][which] != REGION_NONE);
    }
    return good;
}

int inline_function(struct region *region, int function, const struct block *root, uint32_t lr,
                    int return_to)
{
    struct leaf leaf = {.region = region, .lr = lr};
    bool good = number_of(&leaf, root) != REGION_NONE;
    for (int i = 0; good && i < leaf.count; i++) {
        good = follow(&leaf, i);
    }
    if (!good) {
        return REGION_NONE;
    }
    const int first = region->block_count;
    for (int i = 0; i < leaf.count; i++) {
        struct region_block copy = {.block = (struct block *)leaf.blocks[i],
                                    .function = function,
                                    .how = LEAVES_BY_EDGES,
                                    .to = {REGION_NONE, REGION_NONE},
                                    .return_to = REGION_NONE,
                                    .entry = REGION_NONE,
                                    .lr = lr,
                                    .copied = true,
                                    .comes_back = leaf.returns[i]};
        for (unsigned which = 0; which < 2; which++) {
            const int to = leaf.to[i][which];
            copy.to[which] = to == REGION_NONE ? REGION_NONE : first + to;
        }
        copy.to[1] = leaf.returns[i] ? return_to : copy.to[1];
        region_add_copy(region, &copy);
    }
    return first;
}
