/* deform.c - see deform.h. */
#include "deform.h"

#include "hash.h"

enum draw { DRAW_X, DRAW_Y, DRAW_SCALE, DRAW_SQUEEZE, DRAW_SHEAR };

/* Uniform in -limit .. limit. */
static int32_t draw(uint32_t key, enum draw which, uint32_t limit)
{
    const uint64_t word = nn_hash_with(key, (uint32_t)which);
    return (int32_t)(word * (2 * (uint64_t)limit + 1) >> 32) - (int32_t)limit;
}

struct nn_affine nn_affine_draw(const struct nn_deformation *limits, uint32_t seed, uint32_t index)
{
    enum { STREAM = 0x5eed /* not the chains of dropout and of the order of images */ };
    const uint32_t key = nn_hash_with(nn_hash_with(nn_hash(seed), STREAM), index);
    const int32_t scale = draw(key, DRAW_SCALE, limits->scale);
    const int32_t squeeze = draw(key, DRAW_SQUEEZE, limits->squeeze);
    return (struct nn_affine){.xx = NN_DEFORM_ONE + scale + squeeze,
                              .xy = draw(key, DRAW_SHEAR, limits->shear),
                              .yy = NN_DEFORM_ONE + scale - squeeze,
                              .x = draw(key, DRAW_X, limits->shift),
                              .y = draw(key, DRAW_Y, limits->shift)};
}

struct picture {
    const uint8_t *pixels;
    int32_t width, height;
};

static uint32_t pixel_at(const struct picture *picture, int32_t x, int32_t y)
{
    const int outside = x < 0 || y < 0 || x >= picture->width || y >= picture->height;
    return outside ? 0 : picture->pixels[y * picture->width + x];
}

/* Coordinates from the corner, with 17 fractional bits. */
static uint8_t between(const struct picture *picture, int32_t x, int32_t y)
{
    enum { FRACTION = NN_DEFORM_FRACTION + 1, STEPS = 256, STEP_SHIFT = FRACTION - 8 };
    const int32_t column = x >> FRACTION;
    const int32_t row = y >> FRACTION;
    const uint32_t right = (uint32_t)x >> STEP_SHIFT & (STEPS - 1);
    const uint32_t below = (uint32_t)y >> STEP_SHIFT & (STEPS - 1);
    const uint32_t upper = pixel_at(picture, column, row) * (STEPS - right) +
                           pixel_at(picture, column + 1, row) * right;
    const uint32_t lower = pixel_at(picture, column, row + 1) * (STEPS - right) +
                           pixel_at(picture, column + 1, row + 1) * right;
    return (uint8_t)((upper * (STEPS - below) + lower * below + STEPS * STEPS / 2) /
                     (STEPS * STEPS));
}

void nn_deform(const struct nn_affine *affine, uint32_t width, uint32_t height, const uint8_t *from,
               uint8_t *to)
{
    const struct picture picture = {from, (int32_t)width, (int32_t)height};
    for (int32_t row = 0; row < picture.height; row++) {
        /* Twice the distance from the centre is a whole number: hence 17 fractional bits. */
        const int32_t down = 2 * row - (picture.height - 1);
        const int32_t y = (picture.height - 1) * NN_DEFORM_ONE + affine->yy * down + 2 * affine->y;
        for (int32_t column = 0; column < picture.width; column++) {
            const int32_t across = 2 * column - (picture.width - 1);
            const int32_t x = (picture.width - 1) * NN_DEFORM_ONE + affine->xx * across +
                              affine->xy * down + 2 * affine->x;
            *to++ = between(&picture, x, y);
        }
    }
}
