/* part_table.h - the layer table and the parameters of some maps of a network: a table of its own,
 * which the same kernels execute. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/mapping/plan_stages.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

/* Layers of a stage for the maps or units of a slice, in malloc'ed memory; NULL: out of memory.
 * Parameters lie packed, weights before biases, each on a word.  Of the activations, the image (of
 * a part that takes one) and what a layer hands to the next have places; the last layer's output
 * has none: it goes where the program says.  value_bytes: network_value_bytes(), 2 or 1. */
struct nn_table *part_table_make(const struct nn_table *table, const struct plan_stage *stage,
                                 struct plan_slice slice, uint32_t value_bytes);

/* Copies the slice's parameters out of the network's: `to` has part->parameter_bytes. */
void part_parameters(const struct nn_table *table, const uint8_t *parameters,
                     const struct plan_stage *stage, struct plan_slice slice,
                     const struct nn_table *part, uint32_t value_bytes, uint8_t *to);

/* Values of the input of a stage, for one image. */
static inline uint32_t part_input_values(const struct nn_table *part)
{
    const struct nn_shape input = part->layer[0].input;
    return (uint32_t)input.channels * input.height * input.width;
}

C_LINKAGE_END
