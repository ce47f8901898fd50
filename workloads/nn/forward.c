/* forward.c - executes a layer table. */
#include "kernels.h"
#ifdef NN_INT8
#include "int8.h"
#endif

#include "activation.h"
#include "average_pool.h"

#include <stddef.h>

#ifndef NN_NAME /* those of other numbers are in dense_s1615.c, dense_float32.c, dense_int8.c */
/* Two values that stand on a word. */
NN_INLINE void put_pair(int16_t *at, uint32_t word)
{
    __builtin_memcpy(__builtin_assume_aligned(at, 4), &word, sizeof word);
}

enum { BLOCK = 4 };

void nn_load_image(const struct nn_table *table, const uint8_t *image, int16_t *values)
{
    const uint32_t shift = table->input_shift;
    const uint8_t *const end = image + table->image_pixels;
    const uint8_t *const blocks = end - table->image_pixels % BLOCK;
    for (; image != blocks; image += BLOCK, values += BLOCK) {
        const uint32_t first = image[0] | (uint32_t)image[1] << 16;
        const uint32_t second = image[2] | (uint32_t)image[3] << 16;
        put_pair(values, first << shift);
        put_pair(values + 2, second << shift);
    }
    for (; image != end; image++, values++) {
        *values = (int16_t)(*image << shift);
    }
}
#endif

static void run_layer(const struct nn_arguments *arguments)
{
#ifdef NN_FLOAT32 /* dense layers only */
    nn_dense(arguments);
#else
    switch ((enum nn_layer_kind)arguments->layer->kind) {
    case NN_CONV2D:
        nn_conv2d(arguments);
        break;
    case NN_MAX_POOL2D:
        nn_max_pool2d(arguments);
        break;
    case NN_DENSE:
        nn_dense(arguments);
        break;
    case NN_AVERAGE_POOL2D:
        if (NN_HAS_OPERATORS) {
            nn_average_pool2d(arguments);
        }
        break;
    default:
        break;
    }
#endif
}

void nn_forward_values(const struct nn_table *table, const uint8_t *parameters,
                       uint8_t *activations, const nn_value *input, void *output,
                       void (*mark)(uint32_t layer), struct nn_numerics *numerics)
{
#ifdef NN_INT8
    const uint32_t scratch = table->activation_bytes - nn_int8_scratch(table);
#endif
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        if (mark != NULL) {
            mark(i);
        }
        nn_sum_begin(numerics);
        const struct nn_arguments arguments = {
            .layer = layer,
            .weights = (const nn_value *)(const void *)(parameters + layer->weights),
            .biases = (const nn_bias *)(const void *)(parameters + layer->biases),
            .input = input,
            .output = i + 1 == table->layers ? output : activations + layer->to,
#ifdef NN_INT8
            .scratch = (int16_t *)(void *)(activations + scratch),
#endif
            .numerics = numerics};
        run_layer(&arguments);
        if (nn_has_table_activation(layer)) {
            nn_activate((enum nn_activation)layer->activation, layer->output_fraction,
                        arguments.output, nn_values(layer->output));
        }
        numerics->overflows += nn_sum_overflow(numerics);
        input = (const nn_value *)(const void *)(activations + layer->to);
    }
}

void nn_forward(const struct nn_table *table, const uint8_t *parameters, uint8_t *activations,
                const uint8_t *image, void (*mark)(uint32_t layer), struct nn_numerics *numerics)
{
    nn_value *input = (nn_value *)(void *)(activations + table->layer[0].from);
    nn_load_image(table, image, input);
    nn_forward_values(table, parameters, activations, input,
                      activations + table->layer[table->layers - 1].to, mark, numerics);
}
