/* graph_counts.h - the size of a graph. */
#pragma once
#include "sim/dataflow/graph.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct dataflow_counts {
    uint64_t nodes[DATAFLOW_KINDS]; /* DATAFLOW_PHASE: machines */
    uint64_t all_nodes;
    uint64_t data_edges, words; /* and how many words they carry in a step */
    uint64_t weighted_edges;    /* words that a node multiplies by a weight of its own */
    uint64_t control_edges, implied_edges, references;
    uint64_t variable_words, machine_words;
    uint64_t races; /* pairs of dataflow_races() */
};

struct dataflow_counts dataflow_counts_of(const struct dataflow_graph *graph);

/* Writes the counts, aligned or as CSV, and as text the first races. */
void dataflow_counts_print(const struct dataflow_graph *graph, bool csv, FILE *out);

C_LINKAGE_END
