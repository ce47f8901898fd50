/* float32_kernels.h - the arithmetic of the float32 training, for vectors of `lanes` images.
 *
 * Values lie in blocks of `lanes` images: a value of all images of a block is one vector.  Each sum
 * of products has a fixed order, so results depend neither on how work is cut into calls nor on
 * threads.  float32_kernels.c is compiled once for each instruction set. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { FLOAT32_MOST_LANES = 16, FLOAT32_ALIGNMENT = 64 };

/* Sums of products of weights (numbers) and inputs (vectors): a convolution's row of outputs, or a
 * dense layer's outputs for several blocks.  All steps count floats.
 *
 *     out[r out_row + p out_place] = begin + sum of weights[r row + t term] in[at(t) + p in_place]
 */
struct float32_products {
    const float *weights;
    size_t row, term;
    const float *in;
    const uint32_t *at; /* of each term; NULL: one vector after the other */
    size_t in_place;
    float *out;
    size_t out_row, out_place;
    size_t rows, places, terms;
    const float *biases; /* [rows]: begin; NULL: what `out` holds, or 0 if `fresh` */
    bool fresh;
    bool relu; /* the result's negative values become 0 */
};

/* A convolution's gradients of one block: to sums[r row + t] (vectors) is written
 * the sum over `height` rows of `width` places of errors[r] in[at[t]]. */
struct float32_windows {
    const float *errors; /* of the first place of the first output map */
    size_t error_map, error_line;
    const float *in;
    size_t in_line;
    const uint32_t *at;
    size_t maps, taps, height, width;
    float *sums;
    size_t row; /* vectors between two output maps */
};

/* A dense layer's gradients, for `inputs` of its inputs: sum over images of errors x inputs. */
struct float32_outer {
    const float *errors, *in; /* of the first block; [value][lane] */
    size_t errors_block, in_block, blocks;
    size_t outputs, inputs;
    float *panel;     /* room for FLOAT32_PANEL floats, aligned */
    float *gradients; /* [output][input] */
    size_t row;       /* floats between two outputs */
};
enum { FLOAT32_PANEL_INPUTS = 96, FLOAT32_PANEL = 64 * FLOAT32_PANEL_INPUTS };

/* A pooling layer of one block; planes without a border on the input's side. */
struct float32_pool {
    const float *in, *out;
    const float *out_gradient;
    float *target; /* forward: out; backward: the input's gradient, set */
    size_t maps, in_height, in_width, in_map, in_line;
    size_t height, width, out_map, out_line; /* of `out`, or of `target` forward */
    size_t gradient_map, gradient_line;      /* of out_gradient */
    size_t target_map, target_line;          /* of `target` backward */
    size_t window, stride;
    bool relu; /* backward: inputs that are not above 0 get no gradient */
};

/* Softmax and cross-entropy of one block, of which `images` are in use. */
struct float32_loss {
    const float *logits; /* [class] */
    size_t classes, images;
    const uint8_t *labels;
    float *errors; /* set; of images not in use: 0.  NULL: the next two are set */
    uint32_t *found;
    double *losses;
};

struct float32_step {
    float momentum, rate;
    float weight, coupling; /* of AcceleGrad: the step's a, and 1 / a of the next one */
};

struct float32_kernels {
    const char *name; /* of the instruction set */
    size_t lanes;
    void (*load)(const uint8_t *const *images, size_t count, const uint32_t *places, size_t pixels,
                 float unit, float *out);
    void (*products)(const struct float32_products *products);
    void (*windows)(const struct float32_windows *windows);
    void (*outer)(const struct float32_outer *outer);
    void (*pool)(const struct float32_pool *pool);
    void (*pool_back)(const struct float32_pool *pool);
    /* gradient[i] = 0 where value[i] is not above 0; `vectors` of both */
    void (*relu_back)(const float *values, float *gradients, size_t vectors);
    void (*loss)(const struct float32_loss *loss);
    /* out[i] = sum of the lanes of vector i */
    void (*lane_sums)(const float *vectors, size_t count, float *out);
    /* Gradient descent and momentum; AcceleGrad, whose state is z - w and the sum of squares
     * (workloads/nn/optimizers/accelegrad.c). */
    void (*update)(const struct float32_step *step, size_t count, const float *gradients,
                   float *velocity, float *parameters);
    void (*accelegrad)(const struct float32_step *step, size_t count, const float *gradients,
                       float *ahead, float *squares, float *parameters);
};

/* The fastest that this processor has; `name` chooses one (NULL if it does not have it). */
const struct float32_kernels *float32_kernels_of(const char *name);

C_LINKAGE_END
