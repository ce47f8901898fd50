/* conv2d.c - two-dimensional convolution (cross-correlation, as all frameworks call it), every
 * output map linked to every input map, no padding.
 *
 * Four output maps are computed together, so that each input value is loaded once for four
 * products. */
#include "kernels.h"

enum { TOGETHER = 4 };

/* Sums of four output maps at one place.  w: the first weights of the first map; the others follow
 * `links` weights further each. */
struct sums {
    int32_t sum0, sum1, sum2, sum3;
};

NN_INLINE struct sums sum_four(struct sums s, const struct nn_layer *layer, uint32_t kernel,
                               const int16_t *w0, const int16_t *at)
{
    const uint32_t inputs = layer->input.channels;
    const uint32_t width = layer->input.width;
    const uint32_t map = layer->input.height * width;
    const uint32_t links = inputs * kernel * kernel;
    const int16_t *w1 = w0 + links;
    const int16_t *w2 = w1 + links;
    const int16_t *w3 = w2 + links;
    for (uint32_t i = 0; i < inputs; i++) {
        const int16_t *row = at + i * map;
        for (uint32_t y = 0; y < kernel; y++) {
#pragma GCC unroll 5
            for (uint32_t x = 0; x < kernel; x++) {
                const int16_t value = row[x];
                s.sum0 = nn_mac(s.sum0, w0[x], value);
                s.sum1 = nn_mac(s.sum1, w1[x], value);
                s.sum2 = nn_mac(s.sum2, w2[x], value);
                s.sum3 = nn_mac(s.sum3, w3[x], value);
            }
            row += width;
            w0 += kernel;
            w1 += kernel;
            w2 += kernel;
            w3 += kernel;
        }
    }
    return s;
}

NN_INLINE int32_t sum_one(int32_t sum, const struct nn_layer *layer, uint32_t kernel,
                          const int16_t *w, const int16_t *at)
{
    const uint32_t width = layer->input.width;
    const uint32_t map = layer->input.height * width;
    for (uint32_t i = 0; i < layer->input.channels; i++) {
        const int16_t *row = at + i * map;
        for (uint32_t y = 0; y < kernel; y++, row += width) {
#pragma GCC unroll 5
            for (uint32_t x = 0; x < kernel; x++) {
                sum = nn_mac(sum, *w++, row[x]);
            }
        }
    }
    return sum;
}

NN_INLINE void convolve(const struct nn_arguments *arguments, uint32_t kernel)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t links = layer->input.channels * kernel * kernel;
    const uint32_t places = (uint32_t)layer->output.height * layer->output.width;
    const uint32_t outputs = layer->output.channels;
    const uint32_t fours = outputs - outputs % TOGETHER;
    const uint32_t shift = layer->input_fraction;
    const int16_t *biases = arguments->biases;
    uint32_t place = 0;
    for (uint32_t y = 0; y < layer->output.height; y++) {
        const int16_t *at = arguments->input + y * layer->stride * layer->input.width;
        for (uint32_t x = 0; x < layer->output.width; x++, at += layer->stride, place++) {
            for (uint32_t m = 0; m < fours; m += TOGETHER) {
                struct sums s = {nn_align(biases[m], shift), nn_align(biases[m + 1], shift),
                                 nn_align(biases[m + 2], shift), nn_align(biases[m + 3], shift)};
                s = sum_four(s, layer, kernel, arguments->weights + m * links, at);
                nn_store(arguments, m * places + place, s.sum0);
                nn_store(arguments, (m + 1) * places + place, s.sum1);
                nn_store(arguments, (m + 2) * places + place, s.sum2);
                nn_store(arguments, (m + 3) * places + place, s.sum3);
            }
            for (uint32_t m = fours; m < outputs; m++) {
                const int32_t sum = sum_one(nn_align(biases[m], shift), layer, kernel,
                                            arguments->weights + m * links, at);
                nn_store(arguments, m * places + place, sum);
            }
        }
    }
}

/* The windows of LeCun's networks are 5 x 5: with the size known the inner loop is unrolled. */
enum { USUAL_KERNEL = 5 };

void nn_conv2d(const struct nn_arguments *arguments)
{
    if (arguments->layer->kernel == USUAL_KERNEL) {
        convolve(arguments, USUAL_KERNEL);
    } else {
        convolve(arguments, arguments->layer->kernel);
    }
}
