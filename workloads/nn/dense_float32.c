/* dense_float32.c - fully connected layers of singles, forward and back; images. */
#include "float32.h"

#include <stddef.h>

/* sum + each product, one after the other */
static float dot(float sum, const float *a, const float *b, uint32_t count)
{
    for (; count > 0; count--) {
        sum += *a++ * *b++;
    }
    return sum;
}

void nn_dense(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t inputs = nn_values(layer->input);
    const float *row = arguments->weights;
    float *output = arguments->output;
    for (uint32_t o = 0; o < layer->output.channels; o++, row += inputs) {
        const float bias = arguments->biases != NULL ? arguments->biases[o] : 0;
        const float sum = dot(bias, row, arguments->input, inputs);
        output[o] = layer->activation == NN_RELU && sum < 0 ? 0 : sum;
    }
}

/* sums += each value x factor, as words */
static void add_words(int32_t *sums, float factor, const float *values, uint32_t count)
{
    for (; count > 0; count--, sums++) {
        *sums =
            nn_wrapping_add(*sums, nn_float_word(factor * *values++, NN_FLOAT32_GRADIENT_FRACTION));
    }
}

void nn_dense_gradient_of(const struct nn_layer *layer, const float *inputs, uint32_t input_stride,
                          const float *errors, uint32_t error_stride, uint32_t images,
                          int32_t *weights, int32_t *biases)
{
    const uint32_t count = nn_values(layer->input);
    for (uint32_t n = 0; n < images; n++, inputs += input_stride, errors += error_stride) {
        int32_t *row = weights;
        for (uint32_t o = 0; o < layer->output.channels; o++, row += count) {
            if (errors[o] != 0) {
                add_words(row, errors[o], inputs, count);
            }
            if (biases != NULL) {
                biases[o] = nn_wrapping_add(biases[o],
                                            nn_float_word(errors[o], NN_FLOAT32_GRADIENT_FRACTION));
            }
        }
    }
}

void nn_dense_gradient(const struct nn_layer *layer, const float *input, const float *errors,
                       int32_t *weights, int32_t *biases)
{
    nn_dense_gradient_of(layer, input, 0, errors, 0, 1, weights, biases);
}

void nn_dense_input_sums(const struct nn_layer *layer, const float *weights, const float *errors,
                         float *sums)
{
    const uint32_t count = nn_values(layer->input);
    for (uint32_t i = 0; i < count; i++) {
        sums[i] = 0;
    }
    for (uint32_t o = 0; o < layer->output.channels; o++) {
        for (uint32_t i = 0; i < count; i++) {
            sums[i] += *weights++ * errors[o];
        }
    }
}

/* The sums are values already. */
void nn_round_errors(const float *sums, float *errors, uint32_t count, uint32_t shift,
                     struct nn_numerics *numerics)
{
    (void)shift;
    (void)numerics;
    for (uint32_t i = 0; i < count; i++) {
        errors[i] = sums[i];
    }
}

void nn_relu_back(const float *values, float *errors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        errors[i] = values[i] > 0 ? errors[i] : 0;
    }
}

/* A pixel p as p / 2^shift: put together from its bits, cheaper than a conversion. */
static float pixel_value(uint32_t pixel, uint32_t shift)
{
    if (pixel == 0) {
        return 0;
    }
    const uint32_t top = 31 - (uint32_t)__builtin_clz(pixel);
    const uint32_t mantissa = pixel << (NN_FLOAT_BITS - top);
    return nn_float_of((mantissa & ((1u << NN_FLOAT_BITS) - 1)) | (top + NN_FLOAT_BIAS - shift)
                                                                      << NN_FLOAT_BITS);
}

void nn_load_image(const struct nn_table *table, const uint8_t *image, float *values)
{
    for (uint32_t i = 0; i < table->image_pixels; i++) {
        values[i] = pixel_value(image[i], table->input_shift);
    }
}
