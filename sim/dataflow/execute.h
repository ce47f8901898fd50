/* execute.h - executes a graph on the host: the reference for the machine's answers.
 *
 * Which of the nodes that could fire does so next is free; a schedule says it.  The answers of a
 * graph without races (graph_check.h) are the same in all schedules. */
#pragma once
#include "sim/dataflow/graph.h"
C_LINKAGE_BEGIN

/* ---- node by node ---- */

enum { DATAFLOW_FIRED = UINT32_MAX };

/* A step of an execution.  Read it only; what an order changes is in `missing`, `value` and
 * `state`, which may be saved and put back between firings, where dataflow_run_reset_ready()
 * follows. */
struct dataflow_run {
    const struct dataflow_graph *graph; /* the caller's */
    uint32_t step;
    uint32_t *missing;   /* [nodes]: inputs that are not there yet, or DATAFLOW_FIRED */
    int32_t *value;      /* of all outputs */
    size_t *first_value; /* [nodes + 1]: in value */
    int32_t *state;      /* as graph.state; goes on from step to step */
    uint32_t *ready;     /* nodes that can fire, in no order that means anything */
    size_t ready_count;
    int32_t *scratch; /* the inputs of a firing */
    uint32_t *exp_table;
};

/* STATUS_INTERNAL when out of memory.  The state is the graph's. */
enum status dataflow_run_init(struct dataflow_run *run, const struct dataflow_graph *graph,
                              struct diagnostic *diagnostic);
void dataflow_run_deinit(struct dataflow_run *run);

/* Begins a step, below graph.steps: the source can fire. */
void dataflow_run_begin(struct dataflow_run *run, uint32_t step);

/* Fires ready[place]. */
void dataflow_run_fire(struct dataflow_run *run, size_t place);

/* Finds the nodes that can fire, in the order of the graph. */
void dataflow_run_reset_ready(struct dataflow_run *run);

/* The words of a node's output; of the sink: the answer. */
static inline const int32_t *dataflow_run_value(const struct dataflow_run *run, uint32_t node)
{
    return run->value + run->first_value[node];
}

/* ---- whole executions ---- */

/* What an execution leaves. */
struct dataflow_answers {
    int32_t *answer; /* [steps][words of the sink] */
    int32_t *state;  /* as graph.state: variables and machines */
    uint64_t firings;
};

/* Fires ready nodes in the order in which they became ready, or, with a seed that is not 0, any of
 * them, as drawn.  STATUS_INTERNAL when out of memory. */
enum status dataflow_execute(const struct dataflow_graph *graph, uint64_t seed,
                             struct dataflow_answers *answers, struct diagnostic *diagnostic);
void dataflow_answers_deinit(struct dataflow_answers *answers);

/* Whether two executions of a graph left the same bits. */
bool dataflow_answers_equal(const struct dataflow_graph *graph, const struct dataflow_answers *a,
                            const struct dataflow_answers *b);

C_LINKAGE_END
