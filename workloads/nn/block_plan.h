/* block_plan.h - the plan of a core when each chip has a block of the units of every hidden layer,
 * and the chip's cores share the images of a batch (mappings neuron_blocks and neuron_columns).
 *
 * Image number i of core j (of every chip) is image i x groups + j of its batch.  Each chip
 * computes the values of its own units for it.  These values go around the ring of the chips' cores
 * j (workloads/exchange), so that every chip has the values of all units; so do the errors of an
 * inner layer's units.  Slice s of the ring's array has the values of one chip, image after image.
 *
 * In neuron_columns the rings add up the sums of the next layer's units instead; slices are the
 * same.  The sums of the logits have slices by image: some of each core's images are one chip's. */
#pragma once
#include "exchange_plan.h"
#include "train_memory.h"
#include "train_plan.h"

enum {
    NN_BLOCK_SUMS = 1024,   /* gradients that are summed at a time: words of a buffer, of two */
    NN_BLOCK_ROWS = 64,     /* their rows, at most */
    NN_BLOCK_VALUES = 3072, /* pixels converted for them, of all images, at most */
    NN_COLUMN_KEPT_BYTES =
        24 * 1024 /* mapping neuron_columns: of the values of all pixels, if kept */
};

/* A layer, as a chip has it. */
struct nn_block_layer {
    uint32_t units;        /* of the whole layer */
    uint32_t first, count; /* units of this chip; the last layer is on every chip */
    uint32_t most;         /* units of the largest block */
    uint32_t columns;      /* inner layers: first value in the parameters of the copy of the weights
                              [own unit of the layer before][unit] */
};

/* Places of the role's own arrays in the same memory as those of struct nn_train_memory.  `bounds`:
 * first words of the slices of each hidden layer's array, and its end; `biases`: gradients;
 * `delta`: errors of the own units of the first layer; `all` (of inner layers): errors of all
 * units.  Mapping neuron_columns: `all` of the first layer are the images' labels, of the last one
 * errors as they come around the ring. */
struct nn_block_memory {
    uint32_t slices, bounds, biases, errors, delta, pixels;
    uint32_t ring, hidden[NN_TRAIN_STAGES], all[NN_TRAIN_STAGES];
    uint32_t buffer[2], values;
};

struct nn_block_plan {
    uint32_t images;      /* of a core in a batch, at most */
    uint32_t chips, chip; /* chips with blocks; number of this chip */
    uint32_t layers;
    uint32_t slices; /* address: struct nn_block_slice[layers - 1][chips], in the ring's order */
    struct nn_block_layer layer[NN_TRAIN_STAGES];
    struct nn_block_memory at;
};

struct nn_block_slice {
    uint16_t first, count; /* units */
};

static inline uint32_t nn_block_even(uint32_t values)
{
    return (values + 1) & ~1u;
}

/* Values of a layer's array on the ring, at most: slices are whole packets. */
static inline uint32_t nn_block_ring_values(const struct nn_block_plan *plan, uint32_t layer)
{
    const uint32_t padding = plan->chips > 1 ? plan->chips * (EXCHANGE_UNIT - 1) : 0;
    return nn_block_even(plan->images * plan->layer[layer].units + padding);
}

/* Mapping neuron_columns: whether a core keeps the values of all its images' pixels from the
 * forward pass to the gradients.  Then they take the place of the pixels, image by image. */
static inline uint32_t nn_column_keeps(const struct nn_block_plan *plan, uint32_t pixels,
                                       uint32_t value_bytes)
{
    return plan->images * nn_block_even(pixels) * value_bytes <= NN_COLUMN_KEPT_BYTES;
}

/* Mapping neuron_columns: values of an image's logits on the ring, whole packets. */
static inline uint32_t nn_column_classes(uint32_t classes)
{
    return (classes + EXCHANGE_UNIT - 1) / EXCHANGE_UNIT * EXCHANGE_UNIT;
}

/* Values of a slice: of a hidden layer's units, so many of all images; of so many images' logits.
 */
static inline uint32_t nn_column_slice(const struct nn_block_plan *plan, uint32_t layer,
                                       uint32_t count)
{
    return layer + 1 == plan->layers ? count * nn_column_classes(plan->layer[layer].units)
                                     : nn_column_classes(plan->images * count);
}

/* Values of a layer's array, at most. */
static inline uint32_t nn_column_ring_values(const struct nn_block_plan *plan, uint32_t layer)
{
    return layer + 1 == plan->layers ? nn_column_slice(plan, layer, plan->images)
                                     : nn_block_ring_values(plan, layer);
}

/* Columns of a matrix that are treated at a time: a multiple of 8 values, or all. */
static inline uint32_t nn_block_columns(uint32_t most, uint32_t columns)
{
    const uint32_t multiple = 8;
    const uint32_t whole = most < multiple ? multiple : most / multiple * multiple;
    return whole < columns ? whole : columns;
}

/* Rows and columns of the first layer's gradients that are summed at a time. */
static inline uint32_t nn_block_pixel_columns(const struct nn_block_plan *plan, uint32_t pixels)
{
    const uint32_t most = NN_BLOCK_ROWS;
    const uint32_t rows = plan->layer[0].most < most ? plan->layer[0].most : most;
    const uint32_t of_sums = NN_BLOCK_SUMS / rows;
    const uint32_t of_values = NN_BLOCK_VALUES / plan->images; /* there are images */
    return nn_block_columns(of_sums < of_values ? of_sums : of_values, pixels);
}
