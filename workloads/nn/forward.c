/* forward.c - executes a layer table. */
#include "kernels.h"

#include <stddef.h>

static void load_image(const struct nn_table *table, const uint8_t *image, int16_t *to)
{
    for (uint32_t i = 0; i < table->image_pixels; i++) {
        to[i] = (int16_t)(image[i] << table->input_shift);
    }
}

static void run_layer(const struct nn_arguments *arguments)
{
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
    default:
        break;
    }
}

void nn_forward(const struct nn_table *table, const uint8_t *parameters, uint8_t *activations,
                const uint8_t *image, void (*mark)(uint32_t layer), struct nn_numerics *numerics)
{
    load_image(table, image, (int16_t *)(void *)(activations + table->layer[0].from));
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        if (mark != NULL) {
            mark(i);
        }
        nn_sum_begin(numerics);
        const struct nn_arguments arguments = {
            .layer = layer,
            .weights = (const int16_t *)(const void *)(parameters + layer->weights),
            .biases = (const int16_t *)(const void *)(parameters + layer->biases),
            .input = (const int16_t *)(const void *)(activations + layer->from),
            .output = activations + layer->to,
            .numerics = numerics};
        run_layer(&arguments);
        numerics->overflows += nn_sum_overflow(numerics);
    }
}
