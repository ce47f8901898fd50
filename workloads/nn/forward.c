/* forward.c - executes a layer table. */
#include "activation.h"
#include "run_layer.h"
#include "words.h"

#include <stddef.h>

/* Clears the first layer's input, of which an image fills all but the frame. */
NN_RARE void clear_frame(const struct nn_shape framed, nn_value *values)
{
    const uint32_t bytes = nn_values(framed) * (uint32_t)sizeof *values;
    nn_clear_words((int32_t *)(void *)values, (bytes + 3) / 4);
}

/* An image without a frame is one long row. */
void nn_load_image(const struct nn_table *table, const uint8_t *image, nn_value *values)
{
    const uint32_t frame = table->frame;
    struct nn_shape rows = {1, 1, 0, 0};
    uint32_t width = table->image_pixels;
    if (frame != 0) {
        rows = table->layer[0].input;
        clear_frame(rows, values);
        width = rows.width - 2 * frame;
        values += (size_t)frame * rows.width + frame;
    }
    for (uint32_t map = 0; map < rows.channels; map++, values += (size_t)2 * frame * rows.width) {
        for (uint32_t y = 2 * frame; y < rows.height; y++, image += width, values += rows.width) {
            nn_load_pixels(image, width, table->input_shift, values);
        }
    }
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
