/* digits.c - see digits.h.  Lengths are in 1/256 pixel (`_q8`), ratios in 1/1024 (`_q10`).
 * Divisions instead of right shifts of signed numbers: C17 defines them for every sign. */
#include "sim/data/digits.h"

#include "models/common/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    PIXEL_Q8 = 256,
    SIDE_Q8 = DIGITS_SIDE * PIXEL_Q8,
    MARGIN_Q8 = 2 * PIXEL_Q8,
    ONE_Q10 = 1024,
    /* Scale of the glyph grid: 96 units are 18 pixels, so that a digit fills MNIST's 20x20 box. */
    UNIT_Q8 = 48,
    GRID_CENTRE_X = 32,
    GRID_CENTRE_Y = 48,
    CURVE_STEPS = 5,
    GLYPH_POINTS = 20,
    /* Every curve between two points of a glyph becomes CURVE_STEPS pieces. */
    MAX_SEGMENTS = GLYPH_POINTS * CURVE_STEPS,
    LABEL_STREAM = 1 << 30
};

/* Maximum deviations of a digit from its skeleton (half widths of the distributions). */
enum {
    WOBBLE_UNITS = 14,     /* each point of the skeleton, each direction */
    SCALE_X_Q10 = 320,     /* of the width */
    SCALE_Y_Q10 = 220,     /* of the height */
    SLANT_Q10 = 640,       /* x per y: italics and back-slant */
    TILT_Q10 = 340,        /* y per x, and -x per y: a small rotation */
    SHIFT_Q8 = 860,        /* from the centre of mass */
    RADIUS_LEAST_Q8 = 200, /* half the width of the pen */
    RADIUS_RANGE_Q8 = 200,
    SOFT_EDGE_Q8 = 160, /* from full ink to the contour, and from there to none */
    INK_LEAST = 220,    /* darkness of a digit's ink, up to 255 */
    INK_NOISE = 32      /* by which a pixel of ink may be fainter */
};

enum point_kind { POINT_NONE, POINT_START, POINT_LINE, POINT_CURVE };

struct glyph_point {
    int8_t x;
    int8_t y;
    uint8_t kind;
};

struct glyph {
    uint8_t digit;
    struct glyph_point point[GLYPH_POINTS]; /* POINT_NONE ends the list */
};

#define START(x, y)          {x, y, POINT_START},
#define LINE(x, y)           {x, y, POINT_LINE},
#define CURVE(x, y)          {x, y, POINT_CURVE},
#define GLYPH(digit, points) {digit, {points}},
static const struct glyph GLYPHS[] = {
#include "sim/data/digits_glyphs.def"
};
#undef GLYPH
#undef CURVE
#undef LINE
#undef START

enum { GLYPH_COUNT = sizeof GLYPHS / sizeof GLYPHS[0] };

struct place {
    int32_t x_q8;
    int32_t y_q8;
};

struct segment {
    struct place from;
    struct place to;
};

struct skeleton {
    unsigned count;
    struct segment segment[MAX_SEGMENTS];
};

/* ---- random numbers ---- */

struct draws {
    uint64_t key;
    uint64_t taken;
};

static uint64_t mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

static struct draws draws_of(uint64_t seed, uint32_t stream, uint32_t index)
{
    return (struct draws){.key = mix(mix(seed) ^ ((uint64_t)stream << 32 | index))};
}

/* 0 .. bound - 1. */
static uint32_t draw_below(struct draws *draws, uint32_t bound)
{
    draws->taken++;
    const uint64_t word = mix(draws->key + draws->taken * 0x9e3779b97f4a7c15u);
    return (uint32_t)(((word >> 32) * bound) >> 32);
}

/* A random number in -side .. side, more likely near 0. */
static int32_t draw_around(struct draws *draws, int32_t side)
{
    const int32_t first = (int32_t)draw_below(draws, (uint32_t)side + 1);
    return first - (int32_t)draw_below(draws, (uint32_t)side + 1);
}

/* ---- which digit ---- */

static uint8_t label_at(uint64_t seed, uint32_t stream, uint32_t index)
{
    struct draws draws = draws_of(seed, stream + LABEL_STREAM, index / DIGITS_CLASSES);
    uint8_t order[DIGITS_CLASSES];
    for (unsigned i = 0; i < DIGITS_CLASSES; i++) {
        order[i] = (uint8_t)i;
    }
    for (unsigned left = DIGITS_CLASSES; left > 1; left--) {
        const uint32_t chosen = draw_below(&draws, left);
        const uint8_t swapped = order[chosen];
        order[chosen] = order[left - 1];
        order[left - 1] = swapped;
    }
    return order[index % DIGITS_CLASSES];
}

static const struct glyph *choose_glyph(struct draws *draws, uint8_t digit)
{
    unsigned first = 0;
    while (GLYPHS[first].digit != digit) {
        first++;
    }
    unsigned ways = 1;
    while (first + ways < GLYPH_COUNT && GLYPHS[first + ways].digit == digit) {
        ways++;
    }
    return &GLYPHS[first + draw_below(draws, ways)];
}

/* ---- from the glyph to straight segments ---- */

struct deformation {
    int32_t xx_q10;
    int32_t xy_q10;
    int32_t yx_q10;
    int32_t yy_q10;
};

static struct deformation draw_deformation(struct draws *draws)
{
    const int32_t tilt_q10 = draw_around(draws, TILT_Q10);
    return (struct deformation){.xx_q10 = ONE_Q10 + draw_around(draws, SCALE_X_Q10),
                                .xy_q10 = draw_around(draws, SLANT_Q10) - tilt_q10,
                                .yx_q10 = tilt_q10,
                                .yy_q10 = ONE_Q10 + draw_around(draws, SCALE_Y_Q10)};
}

static struct place place_point(struct draws *draws, const struct deformation *deformation,
                                const struct glyph_point *point)
{
    const int32_t x_q8 =
        (point->x - GRID_CENTRE_X) * UNIT_Q8 + draw_around(draws, WOBBLE_UNITS * UNIT_Q8);
    const int32_t y_q8 =
        (point->y - GRID_CENTRE_Y) * UNIT_Q8 + draw_around(draws, WOBBLE_UNITS * UNIT_Q8);
    return (struct place){
        .x_q8 = (deformation->xx_q10 * x_q8 + deformation->xy_q10 * y_q8) / ONE_Q10,
        .y_q8 = (deformation->yx_q10 * x_q8 + deformation->yy_q10 * y_q8) / ONE_Q10};
}

static void add_line(struct skeleton *skeleton, struct place from, struct place to)
{
    CHECK(skeleton->count < MAX_SEGMENTS, "a glyph has more points than the table allows");
    skeleton->segment[skeleton->count++] = (struct segment){from, to};
}

static void add_curve(struct skeleton *skeleton, struct place from, struct place control,
                      struct place to)
{
    const int32_t steps = CURVE_STEPS;
    struct place last = from;
    for (int32_t i = 1; i <= steps; i++) {
        const int32_t a = (steps - i) * (steps - i);
        const int32_t b = 2 * i * (steps - i);
        const int32_t c = i * i;
        const struct place next = {
            .x_q8 = (a * from.x_q8 + b * control.x_q8 + c * to.x_q8) / (steps * steps),
            .y_q8 = (a * from.y_q8 + b * control.y_q8 + c * to.y_q8) / (steps * steps)};
        add_line(skeleton, last, next);
        last = next;
    }
}

static void trace_glyph(struct draws *draws, const struct glyph *glyph, struct skeleton *skeleton)
{
    const struct deformation deformation = draw_deformation(draws);
    struct place at = {0, 0};
    struct place control = {0, 0};
    bool curved = false;
    for (unsigned i = 0; i < GLYPH_POINTS && glyph->point[i].kind != POINT_NONE; i++) {
        const struct place point = place_point(draws, &deformation, &glyph->point[i]);
        if (glyph->point[i].kind == POINT_START) {
            at = point;
        } else if (glyph->point[i].kind == POINT_LINE) {
            if (curved) {
                add_curve(skeleton, at, control, point);
            } else {
                add_line(skeleton, at, point);
            }
            at = point;
        } else {
            if (curved) {
                const struct place middle = {.x_q8 = (control.x_q8 + point.x_q8) / 2,
                                             .y_q8 = (control.y_q8 + point.y_q8) / 2};
                add_curve(skeleton, at, control, middle);
                at = middle;
            }
            control = point;
        }
        curved = glyph->point[i].kind == POINT_CURVE;
    }
}

static int32_t magnitude(int32_t value)
{
    return value < 0 ? -value : value;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The displacement for strokes that extend from `least` to `most` with the centre of mass `centre`:
 * it moves the centre to the middle of the image + shift, but keeps both ends at least MARGIN_Q8
 * from the border. */
static int32_t offset_along(int32_t least_q8, int32_t most_q8, int32_t centre_q8, int32_t shift_q8)
{
    const int32_t wanted_q8 = SIDE_Q8 / 2 + shift_q8 - centre_q8;
    const int32_t lowest_q8 = MARGIN_Q8 - least_q8;
    const int32_t highest_q8 = SIDE_Q8 - MARGIN_Q8 - most_q8;
    if (lowest_q8 > highest_q8) {
        return (lowest_q8 + highest_q8) / 2;
    }
    const int32_t raised_q8 = wanted_q8 < lowest_q8 ? lowest_q8 : wanted_q8;
    return raised_q8 > highest_q8 ? highest_q8 : raised_q8;
}

/* For the centre of mass the length of a segment is taken as the longer side + half the shorter
 * one. */
static struct place offset_to_centre(struct draws *draws, const struct skeleton *skeleton)
{
    struct place least = skeleton->segment[0].from;
    struct place most = least;
    int64_t mass = 1;
    int64_t x_sum = 0;
    int64_t y_sum = 0;
    for (unsigned i = 0; i < skeleton->count; i++) {
        const struct place from = skeleton->segment[i].from;
        const struct place to = skeleton->segment[i].to;
        const int32_t width_q8 = magnitude(to.x_q8 - from.x_q8);
        const int32_t height_q8 = magnitude(to.y_q8 - from.y_q8);
        const int64_t length_q8 =
            width_q8 > height_q8 ? width_q8 + height_q8 / 2 : height_q8 + width_q8 / 2;
        mass += length_q8;
        x_sum += length_q8 * (from.x_q8 + to.x_q8) / 2;
        y_sum += length_q8 * (from.y_q8 + to.y_q8) / 2;
        least = (struct place){smaller(least.x_q8, smaller(from.x_q8, to.x_q8)),
                               smaller(least.y_q8, smaller(from.y_q8, to.y_q8))};
        most = (struct place){larger(most.x_q8, larger(from.x_q8, to.x_q8)),
                              larger(most.y_q8, larger(from.y_q8, to.y_q8))};
    }
    const int32_t shift_x_q8 = draw_around(draws, SHIFT_Q8);
    const int32_t shift_y_q8 = draw_around(draws, SHIFT_Q8);
    return (struct place){
        .x_q8 = offset_along(least.x_q8, most.x_q8, (int32_t)(x_sum / mass), shift_x_q8),
        .y_q8 = offset_along(least.y_q8, most.y_q8, (int32_t)(y_sum / mass), shift_y_q8)};
}

/* ---- from segments to pixels ---- */

/* Ink is full up to `inner` from the stroke's middle line and none from `outer` on; in between it
 * falls linearly with the square of the distance, which needs no square root. */
struct pen {
    int32_t outer_q8;
    int64_t inner_squared;
    int64_t outer_squared;
};

static struct pen draw_pen(struct draws *draws)
{
    const int32_t radius_q8 = RADIUS_LEAST_Q8 + (int32_t)draw_below(draws, RADIUS_RANGE_Q8 + 1);
    const int64_t inner_q8 = radius_q8 - SOFT_EDGE_Q8;
    const int32_t outer_q8 = radius_q8 + SOFT_EDGE_Q8;
    return (struct pen){.outer_q8 = outer_q8,
                        .inner_squared = inner_q8 * inner_q8,
                        .outer_squared = (int64_t)outer_q8 * outer_q8};
}

/* 0 .. 255 at a distance of numerator / denominator (both squares). */
static uint8_t ink_at(const struct pen *pen, int64_t numerator, int64_t denominator)
{
    if (numerator >= pen->outer_squared * denominator) {
        return 0;
    }
    if (numerator <= pen->inner_squared * denominator) {
        return 255;
    }
    const int64_t left = pen->outer_squared - numerator / denominator;
    return (uint8_t)(255 * left / (pen->outer_squared - pen->inner_squared));
}

/* The ink that a segment leaves at (x, y), both relative to its start. */
static uint8_t ink_of_segment(const struct pen *pen, struct place along, int64_t x, int64_t y)
{
    const int64_t length_squared =
        (int64_t)along.x_q8 * along.x_q8 + (int64_t)along.y_q8 * along.y_q8;
    const int64_t dot = x * along.x_q8 + y * along.y_q8;
    if (dot <= 0) {
        return ink_at(pen, x * x + y * y, 1);
    }
    if (dot >= length_squared) {
        const int64_t end_x = x - along.x_q8;
        const int64_t end_y = y - along.y_q8;
        return ink_at(pen, end_x * end_x + end_y * end_y, 1);
    }
    const int64_t cross = x * along.y_q8 - y * along.x_q8;
    return ink_at(pen, cross * cross, length_squared);
}

/* The first and last pixel whose centre may lie within `reach` of a .. b, cut to the image. */
static void pixel_range(int32_t a_q8, int32_t b_q8, int32_t reach_q8, int32_t *first, int32_t *last)
{
    *first = larger(smaller(a_q8, b_q8) - reach_q8, 0) / PIXEL_Q8;
    *last = smaller(larger(a_q8, b_q8) + reach_q8, SIDE_Q8 - 1) / PIXEL_Q8;
}

static void stroke_segment(uint8_t *image, const struct pen *pen, struct place from,
                           struct place to)
{
    const struct place along = {.x_q8 = to.x_q8 - from.x_q8, .y_q8 = to.y_q8 - from.y_q8};
    int32_t left;
    int32_t right;
    int32_t top;
    int32_t bottom;
    pixel_range(from.x_q8, to.x_q8, pen->outer_q8, &left, &right);
    pixel_range(from.y_q8, to.y_q8, pen->outer_q8, &top, &bottom);
    for (int32_t row = top; row <= bottom; row++) {
        for (int32_t column = left; column <= right; column++) {
            const int32_t x_q8 = column * PIXEL_Q8 + PIXEL_Q8 / 2 - from.x_q8;
            const int32_t y_q8 = row * PIXEL_Q8 + PIXEL_Q8 / 2 - from.y_q8;
            uint8_t *pixel = &image[row * DIGITS_SIDE + column];
            const uint8_t ink = *pixel == 255 ? 255 : ink_of_segment(pen, along, x_q8, y_q8);
            *pixel = ink > *pixel ? ink : *pixel;
        }
    }
}

/* Varies the darkness of the ink; the background stays exactly 0, as in MNIST. */
static void roughen(struct draws *draws, uint8_t *image)
{
    const uint32_t darkness = INK_LEAST + draw_below(draws, 256 - INK_LEAST);
    for (unsigned i = 0; i < DIGITS_PIXELS; i++) {
        if (image[i] != 0) {
            const uint32_t grain = 256 - draw_below(draws, INK_NOISE + 1);
            image[i] = (uint8_t)(image[i] * darkness * grain / (255 * 256));
        }
    }
}

static void draw_digit(struct draws *draws, uint8_t digit, uint8_t *image)
{
    struct skeleton skeleton = {0};
    trace_glyph(draws, choose_glyph(draws, digit), &skeleton);
    const struct place offset = offset_to_centre(draws, &skeleton);
    const struct pen pen = draw_pen(draws);
    memset(image, 0, DIGITS_PIXELS);
    for (unsigned i = 0; i < skeleton.count; i++) {
        const struct segment *segment = &skeleton.segment[i];
        stroke_segment(
            image, &pen,
            (struct place){segment->from.x_q8 + offset.x_q8, segment->from.y_q8 + offset.y_q8},
            (struct place){segment->to.x_q8 + offset.x_q8, segment->to.y_q8 + offset.y_q8});
    }
    roughen(draws, image);
}

void digits_generate(const struct digits_range *range, uint8_t *images, uint8_t *labels)
{
    CHECK(range->stream < LABEL_STREAM, "digits: no such stream");
    for (uint32_t i = 0; i < range->count; i++) {
        const uint32_t index = range->first + i;
        struct draws draws = draws_of(range->seed, range->stream, index);
        labels[i] = label_at(range->seed, range->stream, index);
        draw_digit(&draws, labels[i], images + (size_t)i * DIGITS_PIXELS);
    }
}
