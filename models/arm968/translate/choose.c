/* choose.c - see choose.h. */
#include "models/arm968/translate/choose.h"

#include "models/arm968/translate/leaving.h"
#include "models/common/memory.h"

#include <stdlib.h>

enum {
    HOT_SHARE = 1000,  /* a block with one in this many samples is translated */
    MOST_INSNS = 6000, /* guest instructions in one translation */
    FEW_INSNS = 300,   /* the same in a hurry: no function is added beyond this */
};

static bool is_hot(const struct block *block, uint64_t total, bool all)
{
    const uint64_t samples = atomic_load_explicit(&block->samples, memory_order_relaxed);
    return all || samples * HOT_SHARE > total;
}

/* The start of the function to which a block seems to belong: the nearest one before it. */
static struct block *function_of(struct code *code, struct block *block)
{
    struct block *root = block;
    bool found = false;
    for (struct block *it = code_first_block(code); it != NULL; it = it->next) {
        if (it->begins_function && it->thumb == block->thumb && it->pc <= block->pc &&
            (!found || it->pc > root->pc)) {
            root = it;
            found = true;
        }
    }
    return root;
}

struct hot {
    struct block *block;
};

static int by_samples(const void *a, const void *b)
{
    const struct block *first = ((const struct hot *)a)->block;
    const struct block *second = ((const struct hot *)b)->block;
    const uint32_t x = atomic_load_explicit(&first->samples, memory_order_relaxed);
    const uint32_t y = atomic_load_explicit(&second->samples, memory_order_relaxed);
    if (x != y) {
        return x < y ? 1 : -1;
    }
    return (first->pc > second->pc) - (first->pc < second->pc);
}

/* Adds the functions called by hot functions, however short: leaving native code for a call costs
 * more than executing most of them. */
static void add_called(struct region *region, int most_insns)
{
    for (int i = 0; i < region->block_count && region->insns < most_insns; i++) {
        struct block *called = region_called(region, i);
        if (called != NULL && !atomic_load_explicit(&called->translated, memory_order_relaxed)) {
            region_add_function(region, called);
        }
    }
}

void choose(struct region *region, const struct choice *choice)
{
    const int most_insns = choice->hurry ? FEW_INSNS : MOST_INSNS;
    size_t count = 0;
    uint64_t total = 0;
    functions_find(region->code, region->memory);
    for (struct block *it = code_first_block(region->code); it != NULL; it = it->next) {
        count++;
        total += atomic_load_explicit(&it->samples, memory_order_relaxed);
    }
    struct hot *hot = malloc((count + 1) * sizeof *hot);
    memory_need(hot);
    count = 0;
    for (struct block *it = code_first_block(region->code); it != NULL; it = it->next) {
        const bool done = atomic_load_explicit(&it->translated, memory_order_relaxed);
        if (!done && region_can_hold(it) && is_hot(it, total, choice->everything)) {
            hot[count++].block = it;
        }
    }
    qsort(hot, count, sizeof *hot, by_samples);
    for (size_t i = 0; i < count && region->insns < most_insns; i++) {
        region_add_function(region, function_of(region->code, hot[i].block));
        region_add_function(region, hot[i].block); /* not reached from there */
    }
    free(hot);
    add_called(region, most_insns);
    region_finish(region);
}
