/* table_keys.c - see table_keys.h. */
#include "sim/dataflow/table_keys.h"

#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- who needs what ---- */

static int by_word(const void *a, const void *b)
{
    const struct dataflow_use *first = a, *second = b;
    if (first->node != second->node) {
        return first->node < second->node ? -1 : 1;
    }
    if (first->word != second->word) {
        return first->word < second->word ? -1 : 1;
    }
    return first->core == second->core ? 0 : first->core < second->core ? -1 : 1;
}

static bool is_control(const struct dataflow_uses *uses, uint32_t node, uint32_t word)
{
    return word == dataflow_control_word(uses->graph, node);
}

/* From uses on other cores to words that are sent, with their targets. */
static enum status list_sent(struct dataflow_keys *keys, const struct dataflow_uses *uses,
                             struct dataflow_tables *tables, struct diagnostic *diagnostic)
{
    FREED struct dataflow_use *use = malloc((uses->count + 1) * sizeof *use);
    keys->sent = calloc(uses->count + 1, sizeof *keys->sent);
    tables->target = calloc(uses->count + 1, sizeof *tables->target);
    if (use == NULL || keys->sent == NULL || tables->target == NULL) {
        return no_memory(diagnostic);
    }
    size_t count = 0;
    for (size_t i = 0; i < uses->count; i++) {
        if (uses->use[i].core != dataflow_uses_home(uses, uses->use[i].node)) {
            use[count++] = uses->use[i];
        }
    }
    qsort(use, count, sizeof *use, by_word);
    for (size_t i = 0; i < count; i++) {
        struct dataflow_sent *sent = &keys->sent[keys->count];
        if (keys->count == 0 || sent[-1].node != use[i].node || sent[-1].word != use[i].word) {
            *sent =
                (struct dataflow_sent){.node = use[i].node, .word = use[i].word, .first_target = i};
            keys->count++;
        }
        keys->sent[keys->count - 1].targets++;
        tables->target[i] = use[i].core;
    }
    return STATUS_OK;
}

/* ---- groups ---- */

struct grouping {
    const struct dataflow_uses *uses;
    const uint32_t *target;
};

static int compare_targets(const struct dataflow_sent *a, const struct dataflow_sent *b,
                           const uint32_t *target)
{
    if (a->targets != b->targets) {
        return a->targets < b->targets ? -1 : 1;
    }
    for (size_t i = 0; i < a->targets; i++) {
        const uint32_t first = target[a->first_target + i], second = target[b->first_target + i];
        if (first != second) {
            return first < second ? -1 : 1;
        }
    }
    return 0;
}

/* By source core, data before control, and targets: 0 within a group. */
static int compare_groups(const struct dataflow_sent *a, const struct dataflow_sent *b,
                          const struct grouping *grouping)
{
    const uint32_t first = dataflow_uses_home(grouping->uses, a->node);
    const uint32_t second = dataflow_uses_home(grouping->uses, b->node);
    const bool control = is_control(grouping->uses, a->node, a->word);
    if (first != second) {
        return first < second ? -1 : 1;
    }
    if (control != is_control(grouping->uses, b->node, b->word)) {
        return control ? 1 : -1;
    }
    return compare_targets(a, b, grouping->target);
}

static int compare_sent(const void *a, const void *b, void *grouping)
{
    const struct dataflow_sent *const *first = a, *const *second = b;
    const int by_group = compare_groups(*first, *second, grouping);
    return by_group != 0 ? by_group : *first == *second ? 0 : *first < *second ? -1 : 1;
}

static uint32_t power_of_two(uint32_t least)
{
    uint32_t power = 1;
    while (power < least) {
        power *= 2;
    }
    return power;
}

/* Numbers a group's words from the next key that is a multiple of its block. */
static void close_group(struct dataflow_tables *tables, struct dataflow_sent *const *sent,
                        uint32_t count, const struct dataflow_uses *uses, uint32_t *next_key)
{
    const uint32_t block = power_of_two(count);
    const uint32_t key = (*next_key + block - 1) & ~(block - 1);
    for (uint32_t i = 0; i < count; i++) {
        sent[i]->key = key + i;
    }
    tables->group[tables->groups++] =
        (struct dataflow_group){.source = dataflow_uses_home(uses, sent[0]->node),
                                .first_target = sent[0]->first_target,
                                .targets = sent[0]->targets,
                                .key = key,
                                .keys = count,
                                .control = is_control(uses, sent[0]->node, sent[0]->word)};
    *next_key = key + block;
}

static enum status number(struct dataflow_keys *keys, const struct dataflow_uses *uses,
                          struct dataflow_tables *tables, struct diagnostic *diagnostic)
{
    struct grouping grouping = {uses, tables->target};
    FREED struct dataflow_sent **order = calloc(keys->count + 1, sizeof *order);
    tables->group = calloc(keys->count + 1, sizeof *tables->group);
    if (order == NULL || tables->group == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < keys->count; i++) {
        order[i] = &keys->sent[i];
    }
    qsort_r(order, keys->count, sizeof *order, compare_sent, &grouping);
    uint32_t next_key = DATAFLOW_FIRST_KEY;
    for (size_t first = 0, end; first < keys->count; first = end) {
        for (end = first + 1;
             end < keys->count && compare_groups(order[first], order[end], &grouping) == 0; end++) {
        }
        close_group(tables, order + first, (uint32_t)(end - first), uses, &next_key);
    }
    return STATUS_OK;
}

enum status dataflow_keys_make(struct dataflow_keys *keys, const struct dataflow_uses *uses,
                               struct dataflow_tables *tables, struct diagnostic *diagnostic)
{
    *keys = (struct dataflow_keys){.count = 0};
    enum status status = list_sent(keys, uses, tables, diagnostic);
    if (status == STATUS_OK) {
        status = number(keys, uses, tables, diagnostic);
    }
    for (size_t i = 0; i < keys->count && status == STATUS_OK; i++) {
        if (keys->sent[i].node >= uses->graph->nodes.count) {
            break; /* once only */
        }
        tables->packets++;
        tables->deliveries += keys->sent[i].targets;
    }
    if (status != STATUS_OK) {
        dataflow_keys_deinit(keys);
    }
    return status;
}

void dataflow_keys_deinit(struct dataflow_keys *keys)
{
    free(keys->sent);
    *keys = (struct dataflow_keys){.count = 0};
}

size_t dataflow_keys_of(const struct dataflow_keys *keys, uint32_t node)
{
    size_t low = 0, high = keys->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keys->sent[middle].node < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
