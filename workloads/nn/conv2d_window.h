/* conv2d_window.h - inside of the convolutions: windows of 5 x 5, word by word. */
#pragma once
#include "rounding.h"

#include <stddef.h>

/* The windows of LeCun's networks.  Weights and inputs are loaded in pairs, and one map is computed
 * at four neighbouring places: 7 loads, or 6, for a window's row of 20 products.  A map's 25
 * weights begin on a word or in the middle of one. */
enum { SIDE = 5, WINDOW = SIDE * SIDE, PAIR = 2, FOUR = 4 };

/* Sums at neighbouring places. */
struct sums {
    struct nn_sum sum0, sum1, sum2, sum3;
};

/* The words over the weights of a row; odd: it begins in the upper half of the first. */
struct row {
    uint32_t w0, w1, w2;
    bool odd;
};

/* A row times five values from the words x0 .. x2; odd: they begin in the upper half of x0. */
NN_INLINE struct nn_sum dot_row(struct nn_sum sum, struct row row, uint32_t x0, uint32_t x1,
                                uint32_t x2, bool odd)
{
    if (!row.odd && !odd) {
        sum = nn_mac_ll(sum, row.w0, x0);
        sum = nn_mac_uu(sum, row.w0, x0);
        sum = nn_mac_ll(sum, row.w1, x1);
        sum = nn_mac_uu(sum, row.w1, x1);
        sum = nn_mac_ll(sum, row.w2, x2);
    } else if (!row.odd) {
        sum = nn_mac_lu(sum, row.w0, x0);
        sum = nn_mac_ul(sum, row.w0, x1);
        sum = nn_mac_lu(sum, row.w1, x1);
        sum = nn_mac_ul(sum, row.w1, x2);
        sum = nn_mac_lu(sum, row.w2, x2);
    } else if (!odd) {
        sum = nn_mac_ul(sum, row.w0, x0);
        sum = nn_mac_lu(sum, row.w1, x0);
        sum = nn_mac_ul(sum, row.w1, x1);
        sum = nn_mac_lu(sum, row.w2, x1);
        sum = nn_mac_ul(sum, row.w2, x2);
    } else {
        sum = nn_mac_uu(sum, row.w0, x0);
        sum = nn_mac_ll(sum, row.w1, x1);
        sum = nn_mac_uu(sum, row.w1, x1);
        sum = nn_mac_ll(sum, row.w2, x2);
        sum = nn_mac_uu(sum, row.w2, x2);
    }
    return sum;
}

/* One row of the window at one, two or four places. */
NN_INLINE struct sums add_row(struct sums s, struct row row, const int16_t *at, uint32_t places)
{
    const uint32_t x0 = nn_pair(at);
    const uint32_t x1 = nn_pair(at + 2);
    const uint32_t x2 = nn_pair(at + 4);
    s.sum0 = dot_row(s.sum0, row, x0, x1, x2, false);
    if (places >= PAIR) {
        s.sum1 = dot_row(s.sum1, row, x0, x1, x2, true);
    }
    if (places == FOUR) {
        const uint32_t x3 = nn_pair(at + 6);
        s.sum2 = dot_row(s.sum2, row, x1, x2, x3, false);
        s.sum3 = dot_row(s.sum3, row, x1, x2, x3, true);
    }
    return s;
}

/* The weights of one input map, which begin with w; odd: in the middle of a word. */
NN_INLINE struct sums add_window(struct sums s, const int16_t *w, bool odd, const int16_t *at,
                                 uint32_t width, uint32_t places)
{
#pragma GCC unroll 5
    for (size_t y = 0; y < SIDE; y++) {
        const bool odd_row = odd != (y % 2 == 1);
        const int16_t *first = w + y * SIDE - (odd_row ? 1 : 0);
        /* The last weight of all may stand at the end of memory. */
        const bool alone = y + 1 == SIDE && !odd_row;
        const struct row row = {nn_pair(first), nn_pair(first + 2),
                                alone ? (uint16_t)first[4] : nn_pair(first + 4), odd_row};
        s = add_row(s, row, at, places);
        at = nn_opaque(at + width);
    }
    return s;
}
