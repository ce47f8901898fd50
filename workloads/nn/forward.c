/* forward.c - executes a layer table. */
#include "activation.h"
#include "run_layer.h"

#include <stddef.h>

void nn_load_image(const struct nn_table *table, const uint8_t *image, nn_value *values)
{
    nn_load_pixels(table, image, values);
}

void nn_forward_values(const struct nn_table *table, const uint8_t *parameters,
                       uint8_t *activations, const nn_value *input, void *output,
                       void (*mark)(uint32_t layer), struct nn_numerics *numerics)
{
    uint8_t *const scratch = activations + table->activation_bytes - NN_SCRATCH_BYTES(table);
    (void)scratch;
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
            NN_SCRATCH(scratch).numerics = numerics};
        nn_run_layer(&arguments);
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
