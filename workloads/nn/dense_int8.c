/* dense_int8.c - fully connected layers of 8-bit values, two outputs side by side. */
#include "rounding.h"

#include <stddef.h>

enum { FOUR = 4, EIGHT = 8, ROWS = 2 };

/* The upper bytes of both halves of a word. */
#define UPPER 0xff00ff00u

static uint32_t word_at(const void *at)
{
    uint32_t word;
    __builtin_memcpy(&word, __builtin_assume_aligned(at, 4), sizeof word);
    return word;
}

void nn_int8_widen(const int8_t *values, int16_t *wide, uint32_t count)
{
    const int8_t *const end = values + count;
    const int8_t *const fours = values + (size_t)(count / FOUR) * FOUR;
    for (; values != fours; values += FOUR, wide += FOUR) {
        const int16_t first = values[0];
        const int16_t second = values[1];
        const int16_t third = values[2];
        const int16_t fourth = values[3];
        wide[0] = first;
        wide[1] = second;
        wide[2] = third;
        wide[3] = fourth;
    }
    while (values != end) {
        *wide++ = *values++;
    }
}

/* nn_opaque() of weights. */
static inline const int8_t *opaque(const int8_t *at)
{
    __asm__("" : "+r"(at));
    return at;
}

/* A sum and four products. */
NN_INLINE struct nn_sum four(struct nn_sum sum, uint32_t weights, uint32_t x01, uint32_t x23)
{
    const uint32_t even = weights << NN_INT8_SHIFT & UPPER;
    const uint32_t odd = weights & UPPER;
    sum = nn_mac_ll(sum, even, x01);
    sum = nn_mac_lu(sum, odd, x01);
    sum = nn_mac_ul(sum, even, x23);
    return nn_mac_uu(sum, odd, x23);
}

/* Two rows on their way along the values. */
struct strip {
    const int8_t *row, *second;
    const int16_t *x;
    struct nn_sum sum0, sum1;
};

/* One moving pointer to each, or they are spilt. */
NN_INLINE struct strip add_four(struct strip s)
{
    const uint32_t x01 = nn_pair(s.x);
    const uint32_t x23 = nn_pair(s.x + 2);
    const uint32_t w0 = word_at(s.row);
    const uint32_t w1 = word_at(s.second);
    s.x = nn_opaque(s.x + FOUR);
    s.row = opaque(s.row + FOUR);
    s.second = opaque(s.second + FOUR);
    s.sum0 = four(s.sum0, w0, x01, x23);
    s.sum1 = four(s.sum1, w1, x01, x23);
    return s;
}

/* Two rows, or one that is given twice, times the first `count` values, a multiple of eight. */
static __attribute__((noinline, hot)) void dot_rows(const int8_t *row, const int8_t *second,
                                                    const int16_t *x, uint32_t count,
                                                    struct nn_sum sums[ROWS])
{
    struct strip s = {row, second, x, sums[0], sums[1]};
    const int16_t *const end = x + count;
    while (s.x != end) {
        s = add_four(add_four(s));
    }
    sums[0] = s.sum0;
    sums[1] = s.sum1;
}

/* What is left of a row, or all of one that does not begin on a word. */
NN_RARE struct nn_sum dot_rest(struct nn_sum sum, const int8_t *row, const int16_t *x,
                               uint32_t count)
{
    for (; count > 0; count--) {
        sum = nn_mac(sum, (int16_t)(*row++ * (1 << NN_INT8_SHIFT)), *x++);
    }
    return sum;
}

/* nn_store() in an order that costs a cycle less here. */
static void store(const struct nn_arguments *arguments, uint32_t index, struct nn_sum sum)
{
    const struct nn_layer *layer = arguments->layer;
    struct nn_numerics *numerics = arguments->numerics;
    if (layer->is_last) {
        ((nn_total *)arguments->output)[index] = nn_sum_end(sum, numerics);
        return;
    }
    const struct nn_rounding rounding = nn_rounding_of(layer);
    ((nn_value *)arguments->output)[index] = nn_round(&rounding, sum, numerics);
}

void nn_dense(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t inputs = nn_values(layer->input);
    const uint32_t outputs = layer->output.channels;
    const uint32_t by_words = inputs % FOUR == 0 ? inputs / EIGHT * EIGHT : 0;
    int16_t *x = arguments->scratch;
    const int8_t *row = arguments->weights;
    nn_int8_widen(arguments->input, x, inputs);
    for (uint32_t o = 0; o < outputs; o += ROWS, row += ROWS * (size_t)inputs) {
        const uint32_t count = outputs - o < ROWS ? 1 : ROWS;
        const int8_t *second = row + (size_t)inputs * (count - 1);
        struct nn_sum sums[ROWS];
        for (uint32_t r = 0; r < ROWS; r++) {
            const uint32_t at = o + (r < count ? r : 0);
            sums[r] = nn_sum_from(nn_align(arguments->biases[at], layer->input_fraction));
        }
        dot_rows(row, second, x, by_words, sums);
        for (uint32_t r = 0; r < count; r++) {
            const struct nn_sum sum = dot_rest(sums[r], (r == 0 ? row : second) + by_words,
                                               x + by_words, inputs - by_words);
            store(arguments, o + r, sum);
        }
    }
}
