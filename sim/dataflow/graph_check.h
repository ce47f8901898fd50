/* graph_check.h - completes a graph that was made, and checks it. */
#pragma once
#include "sim/dataflow/graph.h"
C_LINKAGE_BEGIN

/* Checks that there are one source and one sink, that edges go from and to ports of their type,
 * that nothing waits for itself, that widths agree, and that the input has the source's words; sets
 * the widths and the states of machines, adds the implied control edges, and sorts the edges by the
 * node that they go to, and there by port.  STATUS_CONFIGURATION with file, line and column of the
 * node or edge; the graph is then only to be freed. */
enum status dataflow_check(struct dataflow_graph *graph, struct diagnostic *diagnostic);

/* Pairs of a Read or Assign and an Assign of one variable that nothing puts in an order, and that
 * do not commute: what the step leaves may depend on the order of firing.  Writes up to `most`
 * pairs of node numbers, and returns how many there are. */
struct dataflow_race {
    uint32_t first, second;
};
size_t dataflow_races(const struct dataflow_graph *graph, struct dataflow_race *race, size_t most);

C_LINKAGE_END
