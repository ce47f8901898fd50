/* chain.h - a lowered model (sim/import/lower.h), computed in doubles from any input. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/reference.h"
#include "sim/import/lower.h"
C_LINKAGE_BEGIN

/* What follows the last sums in the model. */
enum chain_end { CHAIN_SUMS, CHAIN_SOFTMAX, CHAIN_LOG_SOFTMAX };

struct chain {
    struct network network;
    double *parameters; /* owned */
    struct reference_pass pass;
    enum chain_end end;
};

/* STATUS_CONFIGURATION where a network of ours has no room for it. */
enum status chain_make(struct chain *chain, const struct lowered *lowered, enum chain_end end,
                       struct diagnostic *diagnostic);
void chain_deinit(struct chain *chain);

size_t chain_inputs(const struct chain *chain);

/* Whether the model has so many outputs for an input: the network's sums or, of a model with one
 * output and a sigmoid, one (the network has two sums then, 0 and the sigmoid's). */
bool chain_gives(const struct chain *chain, size_t outputs);

/* input [chain_inputs()], output [outputs]. */
void chain_run(struct chain *chain, const double *input, size_t outputs, double *output);

C_LINKAGE_END
