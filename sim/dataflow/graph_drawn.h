/* graph_drawn.h - a network's graph with weights and images that are drawn or from files. */
#pragma once
#include "sim/dataflow/graph_network.h"
C_LINKAGE_BEGIN

struct dataflow_drawn_request {
    const char *path;    /* of the network's YAML file */
    const char *weights; /* an .npz file (sim/networks/weights.h); NULL: drawn (he) */
    enum dataflow_form form;
    uint32_t images; /* at least 1: of the generated digits, if the network takes 28 x 28 pixels,
                        else drawn with their labels */
    uint32_t rate;
    uint32_t error_fraction;
    uint64_t seed;
};

/* STATUS_CONFIGURATION with file and place; the graph is then empty. */
enum status dataflow_drawn_load(const struct dataflow_drawn_request *request,
                                struct dataflow_graph *graph, struct diagnostic *diagnostic);

C_LINKAGE_END
