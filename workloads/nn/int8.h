/* int8.h - inference on values of 8 bits, in formats that each layer has for itself.
 *
 * A weight b stands for the int16 weight b x 256 of 8 more fractional bits: a layer's
 * weight_fraction is that of the latter, and its biases are int16 in it.  So sums, logits and their
 * rounding are those of int16; values are cut to 8 bits in the end.  In a word of four weights
 * every second byte is such an int16 once the byte below it is masked away, and the others are
 * after a shift: no weight is unpacked.  Values are widened once a layer, into a scratch place. */
#pragma once
#include "fixed_point.h"
#include "layer_table.h"
NN_LINKAGE_BEGIN

enum { NN_INT8_SHIFT = 8 /* bits that a weight of int16 has beyond one of int8 */ };

static inline uint32_t nn_int8_widened(uint32_t values)
{
    return (values * (uint32_t)sizeof(int16_t) + 3) & ~3u;
}

/* Bytes of the scratch place that a layer needs: its input; of a convolution also one map's weights
 * and outputs. */
static inline uint32_t nn_int8_layer_scratch(const struct nn_layer *layer)
{
    const uint32_t input = nn_int8_widened(nn_values(layer->input));
    if (layer->kind == NN_DENSE) {
        return input;
    }
    return layer->kind != NN_CONV2D
               ? 0
               : input +
                     nn_int8_widened((uint32_t)layer->input.channels * layer->kernel *
                                     layer->kernel) +
                     nn_int8_widened((uint32_t)layer->output.height * layer->output.width);
}

/* Of all layers, one after the other. */
static inline uint32_t nn_int8_scratch(const struct nn_table *table)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < table->layers; i++) {
        const uint32_t bytes = nn_int8_layer_scratch(&table->layer[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* wide[i] = values[i]; both on words. */
void nn_int8_widen(const int8_t *values, int16_t *wide, uint32_t count);

/* One map of a convolution in int16, for int8, whose weights and values are widened to it.
 * `layer` has one output map. */
struct nn_int16_map {
    const struct nn_layer *layer;
    const int16_t *weights, *input;
    int16_t bias;
    int16_t *output;
};

void nn_int16_map(const struct nn_int16_map *map, struct nn_numerics *numerics);

NN_LINKAGE_END
