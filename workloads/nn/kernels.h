/* kernels.h - the forward pass of a network's layers. A kernel takes its layer's row of the table,
 * its input, its output and its parameters, all aligned to 4 bytes; it allocates nothing.  The same
 * sources run on the ARM, as the host backend, and in the tests. */
#pragma once
#include "fixed_point.h"
#include "layer_table.h"
#include "number.h"
#include "operators.h"
#include NN_FORMAT_HEADER(format)

#include <stddef.h>
NN_LINKAGE_BEGIN

/* Additional member in some formats. */
#ifndef NN_SCRATCH_MEMBER
#define NN_SCRATCH_MEMBER
#define NN_SCRATCH(place)
#define NN_SCRATCH_BYTES(table) 0
#endif
#ifndef NN_FLOATS
#define NN_FLOATS 0
#endif

/* Which section of a rule or a loss is compiled: doubles.h. */
#ifndef NN_DOUBLES
#define NN_DOUBLES 0
#endif
#define NN_INTEGERS (!NN_FLOATS && !NN_DOUBLES)

struct nn_arguments {
    const struct nn_layer *layer;
    const nn_value *weights;
    const nn_bias *biases; /* NULL: 0, of a dense layer in parts */
    const nn_value *input;
    void *output; /* values, or nn_total of the last layer */
    struct nn_numerics *numerics;
    NN_SCRATCH_MEMBER
};

void nn_conv2d(const struct nn_arguments *arguments) NN_SYMBOL(nn_conv2d) NN_OPTIONAL;
void nn_max_pool2d(const struct nn_arguments *arguments) NN_SYMBOL(nn_max_pool2d) NN_OPTIONAL;
void nn_dense(const struct nn_arguments *arguments) NN_SYMBOL(nn_dense);
void nn_average_pool2d(const struct nn_arguments *arguments) NN_OPTIONAL; /* average_pool.h */

/* Convolution for layers with a table of links; also correct for other layers, but slower. */
void nn_conv2d_linked(const struct nn_arguments *arguments) NN_SYMBOL(nn_conv2d_linked);

/* Convolution that frames its input in place, for inference (framed.h): `input` is at the layer's
 * `from` and `output` at its `to` of the same activations, where the row has both. */
void nn_conv2d_framed(const struct nn_arguments *arguments) NN_SYMBOL(nn_conv2d_framed);

/* Convolution by the kernels that its row names (layers/layer_kernels.h), or nn_conv2d_linked(). */
void nn_conv2d_chosen(const struct nn_arguments *arguments) NN_SYMBOL(nn_conv2d_chosen);

static inline bool nn_is_pool(const struct nn_layer *layer)
{
    return layer->kind == NN_MAX_POOL2D ||
           (NN_HAS(nn_average_pool2d) && layer->kind == NN_AVERAGE_POOL2D);
}

static inline bool nn_averages(const struct nn_layer *layer)
{
    return NN_HAS(nn_average_pool2d) && layer->kind == NN_AVERAGE_POOL2D;
}

/* exp(-i/64) with 16 fractional bits, i = 0..1024: computed once, in integers. */
enum { NN_EXP_STEPS = 1024, NN_EXP_STEPS_PER_UNIT = 64, NN_PROBABILITY_FRACTION = 16 };
void nn_exp_table(uint32_t table[NN_EXP_STEPS + 1]) NN_SYMBOL(nn_exp_table);
enum { NN_EXP_WORDS = NN_FLOATS ? 0 : NN_EXP_STEPS + 1 }; /* floats need no table */
/* exp(-below) by linear interpolation; `below` >= 0 has `fraction` fractional bits, at least 16. */
uint32_t nn_exponential(uint32_t below, uint32_t fraction, const uint32_t *table)
    NN_SYMBOL(nn_exponential);

/* Probabilities with 16 fractional bits of logits with `fraction` fractional bits; they add up to
 * 2^16 within a unit for each class.  Returns the most probable class, the first of equals. */
uint32_t nn_softmax(const nn_total *logits, uint32_t classes, uint32_t fraction,
                    const uint32_t *exp_table, uint32_t *probabilities) NN_SYMBOL(nn_softmax);

/* A whole network: image of 8-bit pixels in, logits (the last layer's sums) out at the last layer's
 * `to`.  `mark`, if not NULL, is called before each layer. */
void nn_forward(const struct nn_table *table, const uint8_t *parameters, uint8_t *activations,
                const uint8_t *image, void (*mark)(uint32_t layer), struct nn_numerics *numerics)
    NN_SYMBOL(nn_forward);

/* The two parts of nn_forward().  nn_load_image() converts an image's pixels to values;
 * nn_forward_values() runs the layers of a table, with `input` and `output` in place of the first
 * layer's `from` and the last one's `to`. */
void nn_load_image(const struct nn_table *table, const uint8_t *image, nn_value *values)
    NN_SYMBOL(nn_load_image);
void nn_forward_values(const struct nn_table *table, const uint8_t *parameters,
                       uint8_t *activations, const nn_value *input, void *output,
                       void (*mark)(uint32_t layer), struct nn_numerics *numerics)
    NN_SYMBOL(nn_forward_values);

/* Where nn_forward leaves the logits. */
static inline const nn_total *nn_logits(const struct nn_table *table, const uint8_t *activations)
{
    return (const nn_total *)(const void *)(activations + table->layer[table->layers - 1].to);
}

NN_LINKAGE_END
