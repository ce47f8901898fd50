/* int16_map.h - one map of a convolution in int16, for int8, whose weights and values are widened
 * to it. */
#pragma once
#include "fixed_point.h"
#include "layer_table.h"

/* `layer` has one output map. */
struct nn_int16_map {
    const struct nn_layer *layer;
    const int16_t *weights, *input;
    int16_t bias;
    int16_t *output;
};

void nn_int16_map(const struct nn_int16_map *map, struct nn_numerics *numerics);
