/* deform.h - images deformed by a random affine map: shifted, scaled, squeezed and sheared, in
 * integers, so that every computer makes the same pixels.
 *
 * The deformed image is read from the original: for a pixel dx to the right of the centre and dy
 * below it, at (xx dx + xy dy + x, yy dy + y) from the centre, between four pixels in steps of
 * 1/256 of a pixel, rounded to nearest.  Outside the original there is background, 0. */
#pragma once
#include "number.h"
NN_LINKAGE_BEGIN

enum { NN_DEFORM_FRACTION = 16, NN_DEFORM_ONE = 1 << NN_DEFORM_FRACTION };

/* The largest magnitudes, each at most NN_DEFORM_ONE (shift: in pixels, at most 2^13 of them), with
 * 16 fractional bits.  scale + squeeze must be below 1. */
struct nn_deformation {
    uint32_t shift;   /* of both coordinates */
    uint32_t scale;   /* the same change of both */
    uint32_t squeeze; /* one grows as the other shrinks */
    uint32_t shear;   /* rows move sideways by this times their distance from the centre */
};

/* With 16 fractional bits. */
struct nn_affine {
    int32_t xx, xy, yy, x, y;
};

/* The map of image `index` of a stream: drawn uniformly within the limits, from (seed, index)
 * alone. */
struct nn_affine nn_affine_draw(const struct nn_deformation *limits, uint32_t seed, uint32_t index);

/* `from` and `to` are width x height pixels, row by row, and do not overlap. */
void nn_deform(const struct nn_affine *affine, uint32_t width, uint32_t height, const uint8_t *from,
               uint8_t *to);

NN_LINKAGE_END
