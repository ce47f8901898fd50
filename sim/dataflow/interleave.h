/* interleave.h - every order in which the nodes of a step can fire, and what the step leaves. */
#pragma once
#include "sim/dataflow/graph.h"
C_LINKAGE_BEGIN

enum { DATAFLOW_STATES_MOST = 1 << 20 }; /* that an order can be in behind as many firings */

/* Executions of the first step that leave the same words in the sink and in all variables. */
struct dataflow_ending {
    int32_t *answer; /* of the sink */
    int32_t *state;  /* as graph.state */
    double orders;   /* how many orders end so; exact below 2^53 */
};

struct dataflow_endings {
    struct dataflow_ending *ending; /* sorted by answer, then by state */
    size_t count;
    double orders; /* of all */
};

/* STATUS_LIMIT when there are more than DATAFLOW_STATES_MOST states; STATUS_INTERNAL when out of
 * memory. */
enum status dataflow_interleave(const struct dataflow_graph *graph,
                                struct dataflow_endings *endings, struct diagnostic *diagnostic);
void dataflow_endings_deinit(struct dataflow_endings *endings);

C_LINKAGE_END
