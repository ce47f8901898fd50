/* layer_table.h - a network as data: what the mapper writes and the guest programs execute.
 *
 * One block of little-endian memory, the same on the host and on the ARM, without pointers: a head,
 * then its layers in the order of execution.  Offsets of parameters and activations are bytes from
 * the start of two blocks that the table gives the sizes of. Numbers: weights and biases int16 with
 * `weight_fraction` fractional bits, activations int16 with `fraction` bits, channel after channel,
 * row after row; the last layer leaves its 32-bit sums.  In s16.15 the same offsets stand for
 * 16-bit places that hold 32 bits each.  With singles, too; a fraction is then that of logits as
 * results have them, and a pixel is divided by 2^input_shift.  In int8 the offsets are bytes of
 * values of 8 bits and biases of 16, fractions are as int8.h says, and what the kernels need beside
 * is behind the activations.  Compiled for the host and for the ARM. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NN_TABLE_MAGIC 0x314e4e53u /* "SNN1" */

enum { NN_TABLE_VERSION = 1, NN_NAME_CHARS = 16, NN_MAX_LAYERS = 32 };

/* Classes.  The results of a program have room for the logits of few, so that they are short; a
 * network of more has a program of parts compiled with NN_MANY (scripts/cmake/AddWorkload.cmake),
 * whose results have room for many.  The host's have, too. */
enum { NN_FEW_CLASSES = 10, NN_MANY_CLASSES = 256 };
#if __STDC_HOSTED__ || defined(NN_MANY)
enum { NN_RESULT_CLASSES = NN_MANY_CLASSES, NN_MAX_CLASSES = NN_MANY_CLASSES };
#else
enum { NN_RESULT_CLASSES = NN_FEW_CLASSES, NN_MAX_CLASSES = 64 };
#endif
enum { NN_MAX_LINKED = 32 /* input maps of a convolution with a table of links */ };

/* The rows of layer_kinds.def, from 1. */
enum {
    NN_NO_KIND,
#define KIND(NAME, kernel, HAS) NN_PLACE_OF_##NAME,
#include "layer_kinds.def"
};
enum nn_layer_kind {
#define KIND(NAME, kernel, HAS) NN_##NAME = NN_PLACE_OF_##NAME,
#include "layer_kinds.def"
};
/* The rows of activations.def. */
enum nn_activation {
#define ACTIVATION(NAME, name) NN_##NAME,
#include "activations.def"
    NN_ACTIVATIONS
};
/* A program has places for activations beside those that kernels compute (OF_KERNELS), and for
 * layers' own kernels.  The table that it reads has NN_RELU + 1, + 2, ..., or 1, 2, ..., for the
 * network's first, second, ... in the order of the rows. */
enum { NN_ACTIVATION_PLACES = 3, NN_KERNEL_PLACES = 3 };
/* The rows of losses.def. */
enum nn_loss {
#define LOSS(NAME, name, kernel, HAS) NN_##NAME,
#include "losses.def"
};

/* A block of values: channels x height x width.  A vector is channels x 1 x 1. */
struct nn_shape {
    uint16_t channels, height, width;
    uint16_t links; /* for a convolution's output: words from its row to its table of links; for
                       its input: its kernels (layers/layer_kernels.h), 0: those of convolutions */
};

struct nn_layer {
    char name[NN_NAME_CHARS];
    uint8_t kind;       /* enum nn_layer_kind */
    uint8_t activation; /* enum nn_activation; in programs: see NN_ACTIVATION_PLACES */
    uint8_t is_last;    /* its output is int32 sums, not rounded */
    uint8_t kernel;     /* side of the square window, 0 for dense */
    uint8_t stride;
    uint8_t padding; /* zeros around the input, each side; of the last layer, which has none, its
                        loss: nn_loss_of() */
    uint8_t weight_fraction;
    uint8_t input_fraction; /* that a product has beyond weight_fraction; s16.15: 0, rounded */
    uint8_t output_fraction;
    uint8_t dropout_share, dropout_gain; /* see dropout.h; 0: none */
    uint8_t one_weight; /* 1: each link of a convolution has one weight for its whole window */
    struct nn_shape input, output;
    uint32_t weights; /* offset in the parameters: [output][input][row][column], or [output][input];
                         where there is a table of links, only of inputs that are linked */
    uint32_t biases;  /* offset in the parameters: [output] */
    uint32_t from;    /* offset of the input in the activations */
    uint32_t to;      /* offset of the output */
};

struct nn_table {
    uint32_t magic, version;
    uint32_t bytes; /* of the whole table */
    uint32_t layers;
    uint32_t parameter_bytes;
    uint32_t activation_bytes;
    uint32_t classes;
    uint32_t image_pixels; /* bytes of one input image, 8 bits each */
    uint16_t input_shift;  /* a pixel enters as pixel << input_shift */
    uint16_t frame;        /* zeros around each map of the image, each side: part of the first
                              layer's input */
    char name[NN_NAME_CHARS];
    struct nn_layer layer[];
};

/* What a training makes small, of a network's last row. */
static inline enum nn_loss nn_loss_of(const struct nn_layer *last)
{
    return (enum nn_loss)last->padding;
}

static inline uint32_t nn_values(struct nn_shape shape)
{
    return (uint32_t)shape.channels * shape.height * shape.width;
}

/* Whether all inputs feed all outputs. */
static inline bool nn_is_dense(const struct nn_layer *layer)
{
    return layer->kind == NN_DENSE || layer->kind == NN_RBF;
}

/* Number of weights of a link of a convolution. */
static inline uint32_t nn_link_weights(const struct nn_layer *layer)
{
    return layer->one_weight ? 1 : (uint32_t)layer->kernel * layer->kernel;
}

/* A convolution's table of links: a word for each output map, bit i for input map i.  NULL: all
 * input maps feed all. */
static inline const uint32_t *nn_links(const struct nn_layer *layer)
{
    return layer->output.links == 0 ? NULL
                                    : (const uint32_t *)(const void *)layer + layer->output.links;
}

/* Kernels of its own that a convolution has: enum nn_kernels, in programs a place; 0: none. */
static inline uint32_t nn_kernels_of(const struct nn_layer *layer)
{
    return layer->input.links;
}

static inline bool nn_is_linked(const uint32_t *links, uint32_t output, uint32_t input)
{
    return links == NULL || (links[output] >> input & 1u) != 0;
}
