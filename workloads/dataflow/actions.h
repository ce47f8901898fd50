/* actions.h - the kernels of actions.def: what a node of a dataflow graph does when it fires.
 * Compiled for the host and for the ARM; the same bits on both.  A kernel allocates nothing and
 * keeps nothing between calls; only an Assign and a phase of a machine change the state. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DATAFLOW_PORTS = 3 }; /* most data inputs of a row */

/* A firing.  All arrays are the caller's. */
struct dataflow_call {
    const int32_t *in[DATAFLOW_PORTS]; /* the ports, in the row's order */
    uint32_t words[DATAFLOW_PORTS];
    int32_t *out; /* out_words of them */
    uint32_t out_words;
    const int32_t *parameter; /* the row's parameters, then the weights; or the values */
    uint32_t parameters;
    int32_t *state; /* of an Assign: its variable; of a phase: its machine; else NULL */
    uint32_t state_words;
    const uint32_t *exp_table; /* nn_exp_table(): of rows that DATAFLOW_USES_EXP() */
};

typedef void dataflow_kernel(const struct dataflow_call *call);

enum dataflow_action {
#define ACTION(NAME, KIND, name, ports, OUT, parameters, WEIGHTS, COMMUTES, kernel, help)          \
    DATAFLOW_##NAME,
#include "actions.def"
#define PHASE(NAME, machine, name, ports, OUT, kernel, help) DATAFLOW_##NAME,
#include "machines.def"
    DATAFLOW_ACTIONS
};

#define ACTION(NAME, KIND, name, ports, OUT, parameters, WEIGHTS, COMMUTES, kernel, help)          \
    dataflow_kernel kernel;
#include "actions.def"
#define PHASE(NAME, machine, name, ports, OUT, kernel, help) dataflow_kernel kernel;
#include "machines.def"

/* The kernel of each row. */
extern dataflow_kernel *const DATAFLOW_KERNEL[DATAFLOW_ACTIONS];

/* Whether a row needs the table of exponentials. */
static inline bool dataflow_uses_exp(enum dataflow_action action)
{
    return action == DATAFLOW_SOFTMAX || action == DATAFLOW_SOFTMAX_ERROR;
}

/* Inputs of a machine, and words of its state: weights and bias, inputs, output, gradient. */
static inline uint32_t dataflow_neuron_inputs(uint32_t state_words)
{
    return (state_words - 3) / 3;
}
static inline uint32_t dataflow_neuron_words(uint32_t inputs)
{
    return 3 * inputs + 3;
}

#ifdef __cplusplus
}
#endif
