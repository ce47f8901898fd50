/* kernels.h - the layers of a network, forward.
 * A kernel takes its layer's row of the table, its input, its output and its parameters, all
 * aligned to 4 bytes; it allocates nothing.  The same sources run on the ARM, as the host backend,
 * and in the tests. */
#pragma once
#include "fixed_point.h"
#include "layer_table.h"
#include "number.h"
#include "operators.h"
#ifdef __cplusplus
extern "C" {
#endif

struct nn_arguments {
    const struct nn_layer *layer;
    const nn_value *weights;
    const nn_bias *biases; /* NULL: 0, of a dense layer in parts */
    const nn_value *input;
    void *output; /* values, or nn_total of the last layer */
    struct nn_numerics *numerics;
#ifdef NN_INT8
    int16_t *scratch; /* nn_int8_layer_scratch() bytes */
#endif
};

static inline uint32_t nn_values(struct nn_shape shape)
{
    return (uint32_t)shape.channels * shape.height * shape.width;
}

void nn_conv2d(const struct nn_arguments *arguments);
void nn_max_pool2d(const struct nn_arguments *arguments);
void nn_dense(const struct nn_arguments *arguments);

/* The same for layers with a table of links, and slower for others; instead of the former in
 * programs with NN_OPERATORS. */
#if NN_HAS_OPERATORS && !__STDC_HOSTED__
#define nn_conv2d_linked nn_conv2d /* NOLINT(readability-identifier-naming) */
#endif
void nn_conv2d_linked(const struct nn_arguments *arguments);

static inline bool nn_is_pool(const struct nn_layer *layer)
{
    return layer->kind == NN_MAX_POOL2D || (NN_HAS_OPERATORS && layer->kind == NN_AVERAGE_POOL2D);
}

static inline bool nn_averages(const struct nn_layer *layer)
{
    return NN_HAS_OPERATORS && layer->kind == NN_AVERAGE_POOL2D;
}

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

static inline int16_t nn_round(const struct nn_rounding *rounding, struct nn_sum sum,
                               struct nn_numerics *numerics)
{
    const int32_t value = nn_round_shift(nn_sum_end(sum, numerics), rounding->shift);
    return nn_saturate(value < rounding->least ? rounding->least : value, numerics);
}

/* Rounds a sum to the layer's output format and applies its activation, or stores it as it is. */
static inline void nn_store(const struct nn_arguments *arguments, uint32_t index, struct nn_sum sum)
{
    if (arguments->layer->is_last) {
        ((int32_t *)arguments->output)[index] = nn_sum_end(sum, arguments->numerics);
        return;
    }
    const struct nn_rounding rounding = nn_rounding_of(arguments->layer);
    ((int16_t *)arguments->output)[index] = nn_round(&rounding, sum, arguments->numerics);
}

/* exp(-i/64) with 16 fractional bits, i = 0..1024: computed once, in integers. */
enum { NN_EXP_STEPS = 1024, NN_EXP_STEPS_PER_UNIT = 64, NN_PROBABILITY_FRACTION = 16 };
void nn_exp_table(uint32_t table[NN_EXP_STEPS + 1]);
/* exp(-below) by linear interpolation; `below` >= 0 has `fraction` fractional bits, at least 16. */
uint32_t nn_exponential(uint32_t below, uint32_t fraction, const uint32_t *table);

/* Probabilities with 16 fractional bits of logits with `fraction` fractional bits; they add up to
 * 2^16 within a unit for each class.  Returns the most probable class, the first of equals. */
uint32_t nn_softmax(const nn_total *logits, uint32_t classes, uint32_t fraction,
                    const uint32_t *exp_table, uint32_t *probabilities);

/* A whole network: image of 8-bit pixels in, logits (the last layer's sums) out at the last layer's
 * `to`.  `mark`, if not NULL, is called before each layer. */
void nn_forward(const struct nn_table *table, const uint8_t *parameters, uint8_t *activations,
                const uint8_t *image, void (*mark)(uint32_t layer), struct nn_numerics *numerics);

/* Its two parts.  An image's pixels as values; then the layers of a table, in which `input` and
 * `output` stand for the first layer's `from` and the last one's `to`. */
void nn_load_image(const struct nn_table *table, const uint8_t *image, nn_value *values);
void nn_forward_values(const struct nn_table *table, const uint8_t *parameters,
                       uint8_t *activations, const nn_value *input, void *output,
                       void (*mark)(uint32_t layer), struct nn_numerics *numerics);

/* Where nn_forward leaves the logits. */
static inline const nn_total *nn_logits(const struct nn_table *table, const uint8_t *activations)
{
    return (const nn_total *)(const void *)(activations + table->layer[table->layers - 1].to);
}

#ifdef __cplusplus
}
#endif
