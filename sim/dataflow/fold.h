/* fold.h - which core has which node of a graph.  A variable has its Reads and Assigns with it, and
 * a machine its phases. */
#pragma once
#include "sim/dataflow/graph.h"
C_LINKAGE_BEGIN

enum dataflow_folding {
    DATAFLOW_FOLD_LIST,  /* list scheduling: the most urgent node first, on the core where it ends
                            soonest */
    DATAFLOW_FOLD_RANDOM /* dealt round the cores, in an order that is drawn */
};

/* The core of each node, below `cores`; in malloc'ed memory.  The costs that list scheduling counts
 * with are estimates; they change no answer.  STATUS_INTERNAL when out of memory. */
enum status dataflow_fold(const struct dataflow_graph *graph, enum dataflow_folding folding,
                          uint64_t seed, uint32_t cores, uint32_t **core_of,
                          struct diagnostic *diagnostic);

C_LINKAGE_END
