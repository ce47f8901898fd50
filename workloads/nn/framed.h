/* framed.h - the input of a convolution in inference, laid out again for conv2d_framed.c: with the
 * zeros around it, and with rows of an even number of values, so that each begins on a word.
 * It is moved in place: the input's room in the activations has the frame's size, and the frame
 * begins where the input does. Written by the host, executed by the programs. */
#pragma once
#include "layer_table.h"

/* Values from one row to the next, and those of all maps. */
static inline uint32_t nn_framed_width(const struct nn_layer *layer)
{
    return (layer->input.width + 2u * layer->padding + 1) & ~1u;
}

static inline uint32_t nn_framed_values(const struct nn_layer *layer)
{
    return layer->input.channels * (layer->input.height + 2u * layer->padding) *
           nn_framed_width(layer);
}

/* Whether all input maps feed all output maps, by kernels that are not the layer's own. */
static inline bool nn_is_plain_convolution(const struct nn_layer *layer)
{
    return layer->kind == NN_CONV2D && !layer->is_last && nn_links(layer) == NULL &&
           nn_kernels_of(layer) == 0;
}

/* Whether the input has to be moved. */
static inline bool nn_needs_frame(const struct nn_layer *layer)
{
    return nn_is_plain_convolution(layer) && (layer->padding > 0 || layer->input.width % 2 != 0);
}

/* Whether conv2d_int16.c has no loops for it but plain ones. */
static inline bool nn_is_unusual_convolution(const struct nn_layer *layer)
{
    enum { USUAL_SIDE = 5 };
    return nn_is_plain_convolution(layer) &&
           (nn_needs_frame(layer) || layer->stride != 1 || layer->kernel != USUAL_SIDE);
}

/* Values of a layer's input, at most: as they come, or in their frame. */
static inline uint32_t nn_input_values(const struct nn_layer *layer)
{
    return nn_needs_frame(layer) ? nn_framed_values(layer) : nn_values(layer->input);
}
