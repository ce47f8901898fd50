/* layer.c - see layer.h: code that several types share. */
#include "sim/networks/layer.h"

#include <stdarg.h>
#include <stdio.h>

const char *const LAYER_TYPES[] = {
#define LAYER(NAME, name) #name,
#include "tables/layers.def"
    NULL};

const char *const LAYER_ACTIVATIONS[] = {
#define ACTIVATION(NAME, name) #name,
#define ENDING(NAME, name)     #name,
#include "workloads/nn/activations.def"
    NULL};

enum status layer_refuse(const struct network *network, const struct network_layer *layer,
                         const char *hint, struct diagnostic *diagnostic, const char *format, ...)
{
    char text[DIAGNOSTIC_TEXT_CHARS];
    va_list arguments;
    va_start(arguments, format);
    /* va_start() has begun them: a false report.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)diagnose(diagnostic, STATUS_CONFIGURATION, "layer %s: %s", layer->name, text);
    diagnostic_at(diagnostic, network->path, layer->line, layer->column);
    diagnostic_key(diagnostic, layer->name);
    if (hint != NULL) {
        diagnostic_hint(diagnostic, "%s", hint);
    }
    return STATUS_CONFIGURATION;
}

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
        const enum status status =
            layer_refuse(network, layer, NULL, diagnostic,
                         "a window of %u x %u does not fit its input of %u x %u", layer->kernel,
                         layer->kernel, layer->input.height, layer->input.width);
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
