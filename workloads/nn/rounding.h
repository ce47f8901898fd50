/* rounding.h - from the sums of a layer to its output, where they have the fractional bits of both
 * factors: int16 and int8. */
#pragma once
#include "kernels.h"

/* From a layer's sums to its output: format and activation. */
struct nn_rounding {
    uint32_t shift;
    int32_t least; /* of a rounded value */
};

static inline struct nn_rounding nn_rounding_of(const struct nn_layer *layer)
{
    return (struct nn_rounding){(uint32_t)layer->weight_fraction + layer->input_fraction -
                                    layer->output_fraction,
                                layer->activation == NN_RELU ? 0 : INT32_MIN};
}

static inline nn_value nn_round(const struct nn_rounding *rounding, struct nn_sum sum,
                                struct nn_numerics *numerics)
{
    const int32_t value = nn_round_shift(nn_sum_end(sum, numerics), rounding->shift);
    return nn_saturate(value < rounding->least ? rounding->least : value, numerics);
}

/* Rounds a sum to the layer's output format and applies its activation, or stores it as it is. */
static inline void nn_store(const struct nn_arguments *arguments, uint32_t index, struct nn_sum sum)
{
    if (arguments->layer->is_last) {
        ((nn_total *)arguments->output)[index] = nn_sum_end(sum, arguments->numerics);
        return;
    }
    const struct nn_rounding rounding = nn_rounding_of(arguments->layer);
    ((nn_value *)arguments->output)[index] = nn_round(&rounding, sum, arguments->numerics);
}
