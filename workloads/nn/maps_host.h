/* maps_host.h - convolutions on the computer that simulates: all places of an output map at once,
 * with vectors.  The same bits as conv2d_int16.c, and the same notice of a wrap. */
#pragma once
#include "layer_table.h"
#include "number.h"
NN_LINKAGE_BEGIN

/* The input of a convolution all of whose maps feed all output maps, framed by its zeros. */
struct nn_maps {
    const struct nn_layer *layer;
    uint32_t width, area;  /* of a framed map, in values */
    int16_t *value, *size; /* [map][row][column]: the input, and its magnitudes */
    uint32_t *most;        /* the largest magnitude of each map */
    int32_t *sum;          /* of an output map: [row][column] */
    void *pair, *room;     /* room: owned; everything lies in it */
    bool has_sizes;
};

/* Frames an input.  Returns false, with nothing to drop, when out of memory. */
bool nn_maps_frame(struct nn_maps *maps, const struct nn_layer *layer, const int16_t *input);
void nn_maps_drop(struct nn_maps *maps);

/* Fills maps->sum with the sums of an output map, of its weights ([input map][row][column]) and its
 * bias in the format of sums.  Returns whether one wraps while its products are added one by one in
 * this order. */
uint32_t nn_maps_sum(struct nn_maps *maps, const int16_t *weights, int32_t bias);

NN_LINKAGE_END
