/* layer.c - see layer.h: the table of types, and code that several types share. */
#include "sim/networks/layer.h"

#define LAYER(NAME, name) extern const struct layer_kind LAYER_##NAME;
#include LAYERS_DEF

const struct layer_kind *layer_kind_of(enum network_layer_type type)
{
    static const struct layer_kind *const KIND[] = {
#define LAYER(NAME, name) [NETWORK_##NAME] = &LAYER_##NAME,
#include LAYERS_DEF
    };
    return KIND[type];
}

const char *const LAYER_TYPES[] = {
#define LAYER(NAME, name) #name,
#include LAYERS_DEF
    NULL};

const char *const LAYER_ACTIVATIONS[] = {
#define ACTIVATION(NAME, name, ...) #name,
#include LAYERS_DEF
    NULL};

enum status layer_finish_pool(struct layer_entry *entry, struct config_arena *arena,
                              struct diagnostic *diagnostic)
{
    (void)arena;
    (void)diagnostic;
    entry->layer.stride = entry->layer.stride == 0 ? entry->layer.kernel : entry->layer.stride;
    return STATUS_OK;
}

enum status layer_shape_window(struct network *network, struct network_layer *layer,
                               uint32_t outputs, struct diagnostic *diagnostic)
{
    const uint32_t height = layer->input.height + 2 * layer->padding;
    const uint32_t width = layer->input.width + 2 * layer->padding;
    if (layer->kernel > height || layer->kernel > width) {
        const enum status status = network_refuse_layer(
            network, layer, NULL, diagnostic,
            "a window of %u x %u does not fit its input of %u x %u", layer->kernel, layer->kernel,
            layer->input.height, layer->input.width);
        diagnostic_hint(diagnostic, "its input has %u maps of %u x %u values",
                        layer->input.channels, layer->input.height, layer->input.width);
        return status;
    }
    layer->outputs = outputs;
    layer->output = (struct network_shape){outputs, (height - layer->kernel) / layer->stride + 1,
                                           (width - layer->kernel) / layer->stride + 1};
    return STATUS_OK;
}

enum status layer_shape_pool(struct network *network, struct network_layer *layer,
                             struct diagnostic *diagnostic)
{
    return layer_shape_window(network, layer, layer->input.channels, diagnostic);
}

double layer_window_sum(const struct network_layer *layer, const double *window)
{
    double sum = 0;
    for (size_t i = 0; i < layer->kernel; i++, window += layer->input.width) {
        for (size_t j = 0; j < layer->kernel; j++) {
            sum += window[j];
        }
    }
    return sum;
}

void layer_window_add(const struct network_layer *layer, double value, double *window)
{
    for (size_t i = 0; i < layer->kernel; i++, window += layer->input.width) {
        for (size_t j = 0; j < layer->kernel; j++) {
            window[j] += value;
        }
    }
}
