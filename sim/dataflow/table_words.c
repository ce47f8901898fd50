/* table_words.c - see table_words.h. */
#include "sim/dataflow/table_words.h"

#include "sim/grow.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

struct collecting {
    struct dataflow_uses *uses;
    size_t room;
    bool lost;
};

static void add(struct collecting *to, uint32_t core, uint32_t node, uint32_t first, uint32_t words)
{
    struct dataflow_uses *uses = to->uses;
    for (uint32_t i = 0; i < words && !to->lost; i++) {
        struct dataflow_use *grown = grow(uses->use, &to->room, uses->count, sizeof *uses->use);
        to->lost = grown == NULL;
        if (grown != NULL) {
            uses->use = grown;
            uses->use[uses->count++] =
                (struct dataflow_use){.core = core, .node = node, .word = first + i};
        }
    }
}

/* What the edges carry.  A node some of whose words its own core needs has slots for all of them,
 * so that it can put them there as it makes them. */
static void collect(struct collecting *to)
{
    const struct dataflow_graph *graph = to->uses->graph;
    const uint32_t *core_of = to->uses->core_of;
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct dataflow_edge *edge = &graph->edge[i];
        const uint32_t core = core_of[edge->to];
        const bool local = core == core_of[edge->from];
        if (edge->port == DATAFLOW_CONTROL) {
            add(to, core, edge->from, dataflow_control_word(graph, edge->from), 1);
        } else if (dataflow_is_data(edge)) {
            add(to, core, edge->from, local ? 0 : edge->first,
                local ? graph->node[edge->from].words : edge->words);
        }
    }
}

/* The sink lets the source begin the next step, and each core the first. */
static void collect_steps(struct collecting *to)
{
    const struct dataflow_graph *graph = to->uses->graph;
    const uint32_t *core_of = to->uses->core_of;
    const uint32_t home = core_of[graph->source];
    bool *used = calloc(to->uses->cores, sizeof *used);
    to->lost = to->lost || used == NULL;
    if (used == NULL) {
        return;
    }
    add(to, home, graph->sink, dataflow_control_word(graph, graph->sink), 1);
    for (size_t n = 0; n < graph->nodes.count; n++) {
        used[core_of[n]] = true;
    }
    for (uint32_t core = 0; core < to->uses->cores; core++) {
        if (used[core] && core != home) {
            add(to, home, (uint32_t)graph->nodes.count + core, 0, 1);
        }
    }
    free(used);
}

static int compare(const void *a, const void *b)
{
    const struct dataflow_use *first = a, *second = b;
    if (first->core != second->core) {
        return first->core < second->core ? -1 : 1;
    }
    if (first->node != second->node) {
        return first->node < second->node ? -1 : 1;
    }
    return first->word == second->word ? 0 : first->word < second->word ? -1 : 1;
}

/* Sorts, leaves one of equals, and numbers the slots. */
static void finish(struct dataflow_uses *uses)
{
    size_t kept = 0;
    if (uses->count > 0) {
        qsort(uses->use, uses->count, sizeof *uses->use, compare);
    }
    for (size_t i = 0; i < uses->count; i++) {
        if (kept == 0 || compare(&uses->use[kept - 1], &uses->use[i]) != 0) {
            uses->use[kept++] = uses->use[i];
        }
    }
    uses->count = kept;
    for (size_t i = 0; i < kept; i++) {
        uses->first[uses->use[i].core + 1] = i + 1;
    }
    for (uint32_t core = 0; core < uses->cores; core++) {
        const size_t first = uses->first[core];
        uses->first[core + 1] = uses->first[core + 1] < first ? first : uses->first[core + 1];
        for (size_t i = first; i < uses->first[core + 1]; i++) {
            uses->use[i].slot = (uint32_t)(i - first);
        }
    }
}

enum status dataflow_uses_make(struct dataflow_uses *uses, const struct dataflow_graph *graph,
                               const uint32_t *core_of, uint32_t cores,
                               struct diagnostic *diagnostic)
{
    *uses = (struct dataflow_uses){.graph = graph,
                                   .core_of = core_of,
                                   .cores = cores,
                                   .first = calloc((size_t)cores + 1, sizeof *uses->first)};
    struct collecting to = {.uses = uses, .lost = uses->first == NULL};
    collect(&to);
    collect_steps(&to);
    if (to.lost) {
        dataflow_uses_deinit(uses);
        return no_memory(diagnostic);
    }
    finish(uses);
    return STATUS_OK;
}

void dataflow_uses_deinit(struct dataflow_uses *uses)
{
    free(uses->use);
    free(uses->first);
    *uses = (struct dataflow_uses){.graph = NULL};
}

uint32_t dataflow_uses_slot(const struct dataflow_uses *uses, uint32_t core, uint32_t node,
                            uint32_t word)
{
    const struct dataflow_use wanted = {.core = core, .node = node, .word = word};
    const size_t count = uses->first[core + 1] - uses->first[core];
    const struct dataflow_use *found =
        count == 0 ? NULL
                   : bsearch(&wanted, uses->use + uses->first[core], count, sizeof wanted, compare);
    return found == NULL ? DATAFLOW_NO_SLOT : found->slot;
}
