/* dense_s1615.c - fully connected layers of s16.15 values, forward and back; rounding, images. */
#include "s1615.h"

#include <stddef.h>

/* sum += product of each pair, each rounded */
static int32_t dot(int32_t sum, const nn_value *a, const nn_value *b, uint32_t count)
{
    for (; count > 0; count--) {
        sum = nn_wrapping_add(sum, nn_s1615_product(*a++, *b++));
    }
    return sum;
}

void nn_dense(const struct nn_arguments *arguments)
{
    const struct nn_layer *layer = arguments->layer;
    const uint32_t inputs = nn_values(layer->input);
    const nn_value *row = arguments->weights;
    int32_t *output = arguments->output;
    for (uint32_t o = 0; o < layer->output.channels; o++, row += inputs) {
        const int32_t bias = arguments->biases != NULL ? arguments->biases[o] : 0;
        const int32_t sum = dot(bias, row, arguments->input, inputs);
        output[o] = layer->is_last ? sum : nn_s1615_activated(layer, sum);
    }
}

/* sums += each value x factor, each rounded */
static void add_row(int32_t *sums, nn_value factor, const nn_value *values, uint32_t count)
{
    for (; count > 0; count--, sums++) {
        *sums = nn_wrapping_add(*sums, nn_s1615_product(factor, *values++));
    }
}

void nn_dense_gradient_of(const struct nn_layer *layer, const nn_value *inputs,
                          uint32_t input_stride, const nn_value *errors, uint32_t error_stride,
                          uint32_t images, int32_t *weights, int32_t *biases)
{
    const uint32_t count = nn_values(layer->input);
    for (uint32_t n = 0; n < images; n++, inputs += input_stride, errors += error_stride) {
        int32_t *row = weights;
        for (uint32_t o = 0; o < layer->output.channels; o++, row += count) {
            if (errors[o] != 0) {
                add_row(row, errors[o], inputs, count);
            }
            if (biases != NULL) {
                biases[o] = nn_wrapping_add(biases[o], errors[o]);
            }
        }
    }
}

void nn_dense_gradient(const struct nn_layer *layer, const nn_value *input, const nn_value *errors,
                       int32_t *weights, int32_t *biases)
{
    nn_dense_gradient_of(layer, input, 0, errors, 0, 1, weights, biases);
}

void nn_dense_input_sums(const struct nn_layer *layer, const nn_value *weights,
                         const nn_value *errors, int32_t *sums)
{
    const uint32_t count = nn_values(layer->input);
    for (uint32_t i = 0; i < count; i++) {
        sums[i] = 0;
    }
    for (uint32_t o = 0; o < layer->output.channels; o++, weights += count) {
        add_row(sums, errors[o], weights, count);
    }
}

/* The sums are s16.15 already. */
void nn_round_errors(const int32_t *sums, nn_value *errors, uint32_t count, uint32_t shift,
                     struct nn_numerics *numerics)
{
    (void)shift;
    (void)numerics;
    for (uint32_t i = 0; i < count; i++) {
        errors[i] = sums[i];
    }
}

void nn_relu_back(const nn_value *values, nn_value *errors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        errors[i] = values[i] > 0 ? errors[i] : 0;
    }
}

void nn_finish_sums(const struct nn_layer *layer, const int32_t *sums, const nn_value *biases,
                    void *output, struct nn_numerics *numerics)
{
    const uint32_t area = (uint32_t)layer->output.height * layer->output.width;
    int32_t *out = output;
    (void)numerics;
    for (uint32_t c = 0; c < layer->output.channels; c++) {
        const int32_t bias = biases != NULL ? biases[c] : 0;
        for (uint32_t i = 0; i < area; i++, out++, sums++) {
            const int32_t sum = nn_wrapping_add(*sums, bias);
            *out = layer->is_last ? sum : nn_s1615_activated(layer, sum);
        }
    }
}

void nn_load_image(const struct nn_table *table, const uint8_t *image, nn_value *values)
{
    for (uint32_t i = 0; i < table->image_pixels; i++) {
        values[i] = image[i] << table->input_shift;
    }
}
