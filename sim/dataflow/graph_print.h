/* graph_print.h - what `spinnsim dataflow` prints beside counts. */
#pragma once
#include "sim/dataflow/execute.h"
#include "sim/dataflow/interleave.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* The rows of actions.def and machines.def: ports, parameters, what they do. */
void dataflow_print_rows(FILE *out);

/* A line for each step's answer, and for each variable. */
void dataflow_print_answers(const struct dataflow_graph *graph,
                            const struct dataflow_answers *answers, FILE *out);

/* A line for each ending, and one for their number. */
void dataflow_print_endings(const struct dataflow_graph *graph,
                            const struct dataflow_endings *endings, FILE *out);

/* Executes the graph in `count` orders, drawn with the seeds `seed` and on, and prints how many
 * leave other bits than the order in which nodes become ready.  STATUS_INTERNAL when out of memory.
 */
enum status dataflow_print_schedules(const struct dataflow_graph *graph, uint64_t count,
                                     uint64_t seed, FILE *out, struct diagnostic *diagnostic);

C_LINKAGE_END
