/* maps_host.c - see maps_host.h.
 *
 * A sum of products is the same in any order, modulo 2^32.  Whether a partial sum has wrapped does
 * depend on the order.  So vectors add, and a bound on the products' magnitudes says that no order
 * wraps: first one for the whole map, of the largest values; where that is beyond 2^31, the sum of
 * the magnitudes at each place.  At places where that is too large, too, the products are added one
 * by one. */
#include "maps_host.h"

#include "kernels.h"
#include "vectors_host.h"

#include <stdlib.h>

enum { ROOM = INT32_MAX, SLACK = 3 * VALUES /* what the last vectors of a map read beyond it */ };

/* ---- the frame ---- */

/* Weights of a window's row come in pairs, the last one beside a nought. */
static uint32_t pairs_of_row(const struct nn_layer *layer)
{
    return (layer->kernel + 1u) / 2;
}

static size_t pairs_of_map(const struct nn_layer *layer)
{
    return (size_t)layer->input.channels * layer->kernel * pairs_of_row(layer);
}

/* Takes the next part of the room, which begins on a vector. */
static void *take(uint8_t **at, size_t bytes)
{
    void *taken = *at;
    *at += (bytes + sizeof(int16x8) - 1) / sizeof(int16x8) * sizeof(int16x8);
    return taken;
}

/* Without room: returns its bytes. */
static size_t lay_out(struct nn_maps *maps, uint8_t *room)
{
    const struct nn_shape input = maps->layer->input;
    const struct nn_shape output = maps->layer->output;
    const size_t values = (size_t)input.channels * maps->area + SLACK;
    uint8_t *at = room;
    maps->pair = take(&at, pairs_of_map(maps->layer) * sizeof(int16x8));
    maps->value = take(&at, values * sizeof *maps->value);
    maps->size = take(&at, values * sizeof *maps->size);
    maps->most = take(&at, input.channels * sizeof *maps->most);
    maps->sum = take(&at, (size_t)output.height * output.width * sizeof *maps->sum);
    return (size_t)(at - room);
}

static uint32_t largest(const int16_t *value, size_t count)
{
    int32_t most = 0;
    int32_t least = 0;
    for (size_t i = 0; i < count; i++) {
        most = value[i] > most ? value[i] : most;
        least = value[i] < least ? value[i] : least;
    }
    return (uint32_t)(most > -least ? most : -least);
}

bool nn_maps_frame(struct nn_maps *maps, const struct nn_layer *layer, const int16_t *input)
{
    const uint32_t edge = layer->padding;
    const uint32_t width = layer->input.width + 2 * edge;
    const uint32_t height = layer->input.height + 2 * edge;
    const size_t inner = (size_t)layer->input.width * layer->input.height;
    *maps = (struct nn_maps){.layer = layer, .width = width, .area = width * height};
    maps->room = calloc(1, lay_out(maps, NULL));
    if (maps->room == NULL) {
        return false;
    }
    (void)lay_out(maps, maps->room);
    int16_t *map = maps->value;
    for (uint32_t c = 0; c < layer->input.channels; c++, map += maps->area, input += inner) {
        for (uint32_t y = 0; y < layer->input.height; y++) {
            memcpy(map + (size_t)(y + edge) * width + edge, input + (size_t)y * layer->input.width,
                   layer->input.width * sizeof *input);
        }
        maps->most[c] = largest(input, inner);
    }
    return true;
}

void nn_maps_drop(struct nn_maps *maps)
{
    free(maps->room);
}

/* ---- bounds ---- */

static uint32_t magnitude(int32_t value)
{
    return value < 0 ? 0 - (uint32_t)value : (uint32_t)value;
}

/* The largest magnitude of int16 is one less: products of it are too small by 2^16 at most. */
static int16_t size_of(int16_t value)
{
    return value == INT16_MIN ? INT16_MAX : (int16_t)(value < 0 ? -value : value);
}

/* Not less than the magnitudes of a place's products together: for each input map, those of its
 * weights times that of its largest value. */
static uint64_t bound_of(const struct nn_maps *maps, const int16_t *weights)
{
    const uint32_t window = (uint32_t)maps->layer->kernel * maps->layer->kernel;
    uint64_t bound = 0;
    for (uint32_t c = 0; c < maps->layer->input.channels; c++) {
        uint32_t of_map = 0;
        for (const int16_t *end = weights + window; weights != end; weights++) {
            of_map += magnitude(*weights);
        }
        bound += (uint64_t)of_map * maps->most[c];
    }
    return bound;
}

static void fill_sizes(struct nn_maps *maps)
{
    const size_t values = (size_t)maps->layer->input.channels * maps->area;
    for (size_t i = 0; i < values && !maps->has_sizes; i++) {
        maps->size[i] = size_of(maps->value[i]);
    }
    maps->has_sizes = true;
}

/* ---- vectors of eight places ---- */

static void fill_pairs(struct nn_maps *maps, const int16_t *w, bool sizes)
{
    const uint32_t side = maps->layer->kernel;
    const uint32_t rows = maps->layer->input.channels * side;
    int16x8 *at = maps->pair;
    for (uint32_t r = 0; r < rows; r++, w += side) {
        for (uint32_t i = 0; i < side; i += 2) {
            const int16_t first = w[i];
            const int16_t second = i + 1 < side ? w[i + 1] : (int16_t)0;
            *at++ = sizes ? pair(size_of(first), size_of(second)) : pair(first, second);
        }
    }
}

/* Sums at eight neighbouring places, of which those at even places stand in `even`. */
struct eight {
    uint32x4 even, odd;
};

/* The products of eight windows; `shift`, `more`: of magnitudes, each two shifted and rounded up.
 */
static inline __attribute__((always_inline)) struct eight eight_of(const struct nn_maps *maps,
                                                                   const int16_t *at,
                                                                   uint32_t pairs, uint32_t shift,
                                                                   uint32_t more)
{
    const int16x8 *two = maps->pair;
    const uint32_t side = maps->layer->kernel;
    struct eight sums = {{0}, {0}};
    for (uint32_t c = maps->layer->input.channels; c > 0; c--, at += maps->area) {
        const int16_t *line = at;
        for (uint32_t r = side; r > 0; r--, line += maps->width) {
            for (uint32_t i = 0; i < pairs; i++, two++) {
                sums.even += (products(*two, load(line + 2 * (size_t)i)) >> shift) + more;
                sums.odd += (products(*two, load(line + 2 * (size_t)i + 1)) >> shift) + more;
            }
        }
    }
    return sums;
}

/* By the windows of most networks, whose inner loop needs no counter. */
static inline struct eight products_of(const struct nn_maps *maps, const int16_t *at)
{
    enum { TO_2 = 1, TO_4 = 2, TO_6 = 3, TO_8 = 4 };
    switch (pairs_of_row(maps->layer)) {
    case TO_2:
        return eight_of(maps, at, TO_2, 0, 0);
    case TO_4:
        return eight_of(maps, at, TO_4, 0, 0);
    case TO_6:
        return eight_of(maps, at, TO_6, 0, 0);
    case TO_8:
        return eight_of(maps, at, TO_8, 0, 0);
    default:
        return eight_of(maps, at, pairs_of_row(maps->layer), 0, 0);
    }
}

/* In the order of places. */
static inline void put_eight(struct eight sums, uint32_t place[VALUES])
{
    const uint32x4 halves[2] = {__builtin_shufflevector(sums.even, sums.odd, 0, 4, 1, 5),
                                __builtin_shufflevector(sums.even, sums.odd, 2, 6, 3, 7)};
    memcpy(place, halves, sizeof halves);
}

/* ---- one product after the other ---- */

static struct nn_sum sum_in_order(const struct nn_maps *maps, const int16_t *w, int32_t bias,
                                  const int16_t *at)
{
    const uint32_t side = maps->layer->kernel;
    struct nn_sum sum = nn_sum_from(bias);
    for (uint32_t c = 0; c < maps->layer->input.channels; c++, at += maps->area) {
        for (uint32_t r = 0; r < side; r++) {
            for (uint32_t i = 0; i < side; i++) {
                sum = nn_mac(sum, *w++, at[(size_t)r * maps->width + i]);
            }
        }
    }
    return sum;
}

/* Adds those sums again in order whose products' magnitudes, with their bias, may be beyond 2^31;
 * returns whether one wraps. */
static uint32_t look_for_wraps(struct nn_maps *maps, const int16_t *weights, int32_t bias,
                               uint64_t bound)
{
    enum { CLIPPED = 1 << 16, SUM_BITS = 32 };
    const struct nn_shape output = maps->layer->output;
    const uint32_t stride = maps->layer->stride;
    const uint64_t pairs = pairs_of_map(maps->layer);
    const int64_t room = (int64_t)ROOM - magnitude(bias) - (int64_t)(2 * pairs * CLIPPED);
    uint32_t shift = 0;
    while (((bound >> shift) + pairs) >> SUM_BITS != 0) {
        shift++;
    }
    const int64_t most = room >> shift;
    uint32_t wrapped = 0;
    fill_sizes(maps);
    fill_pairs(maps, weights, true);
    for (uint32_t y = 0; y < output.height; y++) {
        const size_t line = (size_t)y * stride * maps->width;
        uint32_t sizes[VALUES];
        uint32_t from = 0; /* the place of the first */
        for (uint32_t x = 0; x < output.width; x++) {
            if (x == 0 || x * stride - from >= VALUES) {
                from = x * stride;
                put_eight(
                    eight_of(maps, maps->size + line + from, pairs_of_row(maps->layer), shift, 1),
                    sizes);
            }
            if (sizes[x * stride - from] >= most) {
                wrapped |=
                    sum_in_order(maps, weights, bias, maps->value + line + (size_t)x * stride)
                        .wrapped;
            }
        }
    }
    return wrapped;
}

uint32_t nn_maps_sum(struct nn_maps *maps, const int16_t *weights, int32_t bias)
{
    const struct nn_shape output = maps->layer->output;
    const uint32_t stride = maps->layer->stride;
    const uint64_t bound = bound_of(maps, weights);
    int32_t *sum = maps->sum;
    fill_pairs(maps, weights, false);
    for (uint32_t y = 0; y < output.height; y++) {
        const int16_t *line = maps->value + (size_t)y * stride * maps->width;
        uint32_t sums[VALUES];
        uint32_t from = 0; /* the place of the first */
        for (uint32_t x = 0; x < output.width; x++) {
            if (x == 0 || x * stride - from >= VALUES) {
                from = x * stride;
                put_eight(products_of(maps, line + from), sums);
            }
            *sum++ = (int32_t)((uint32_t)bias + sums[x * stride - from]);
        }
    }
    return bound + magnitude(bias) < ROOM ? 0 : look_for_wraps(maps, weights, bias, bound);
}
