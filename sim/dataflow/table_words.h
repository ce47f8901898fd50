/* table_words.h - part of tables.c: which word of which node is needed on which core. */
#pragma once
#include "sim/dataflow/graph.h"
C_LINKAGE_BEGIN

/* Outputs of a folded graph.  A node has its words and, numbered behind them, its control word.
 * Behind the nodes there is one more for each core, whose control word says that the core
 * receives. */
struct dataflow_uses {
    const struct dataflow_graph *graph;
    const uint32_t *core_of;
    uint32_t cores;
    struct dataflow_use {
        uint32_t core, node, word;
        uint32_t slot; /* of the core */
    } * use;           /* sorted by core, node, word */
    size_t count;
    size_t *first; /* [cores + 1] */
};

/* STATUS_INTERNAL when out of memory. */
enum status dataflow_uses_make(struct dataflow_uses *uses, const struct dataflow_graph *graph,
                               const uint32_t *core_of, uint32_t cores,
                               struct diagnostic *diagnostic);
void dataflow_uses_deinit(struct dataflow_uses *uses);

/* The core that has an output's node. */
static inline uint32_t dataflow_uses_home(const struct dataflow_uses *uses, uint32_t node)
{
    return node < uses->graph->nodes.count ? uses->core_of[node]
                                           : node - (uint32_t)uses->graph->nodes.count;
}

/* The number of a node's control word. */
static inline uint32_t dataflow_control_word(const struct dataflow_graph *graph, uint32_t node)
{
    return node < graph->nodes.count ? graph->node[node].words : 0;
}

/* The slot of a word on a core; DATAFLOW_NO_SLOT: it has none. */
#define DATAFLOW_NO_SLOT 0xffffffffu
uint32_t dataflow_uses_slot(const struct dataflow_uses *uses, uint32_t core, uint32_t node,
                            uint32_t word);

C_LINKAGE_END
