/* graph_order.h - what comes before what in a graph.  References put nothing in an order. */
#pragma once
#include "sim/dataflow/graph.h"
C_LINKAGE_BEGIN

/* Part of dataflow_check(): sorts the edges by the node that they go to and by port, in the order
 * in which they were added, and makes the lists of each node's edges. */
void dataflow_sort_edges(struct dataflow_graph *graph);

/* The nodes in an order of firing: of those that could be next, the first in the graph.
 * STATUS_CONFIGURATION when nodes wait for each other in a circle; the message names them. */
enum status dataflow_order(const struct dataflow_graph *graph, uint32_t *order,
                           struct diagnostic *diagnostic);

/* Marks the nodes that come behind a node, or before it, but not the node.  `stack` has room for
 * all nodes. */
void dataflow_reach(const struct dataflow_graph *graph, uint32_t node, bool behind, bool *reached,
                    uint32_t *stack);

C_LINKAGE_END
