/* describe.c - see describe.h. */
#include "sim/import/describe.h"

#include "sim/networks/activation.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* The names of shipped networks: conv1, pool1, hidden1, output. */
static void name_layer(const struct lowered *lowered, size_t i, char *name, size_t size)
{
    const enum network_layer_type type = lowered->layer[i].type;
    const bool is_pool = lowered->layer[i].weights == 0;
    unsigned number = 0;
    for (size_t j = 0; j <= i; j++) {
        number += is_pool ? lowered->layer[j].weights == 0 : lowered->layer[j].type == type;
    }
    if (i + 1 == lowered->layer_count) {
        (void)snprintf(name, size, "output");
    } else {
        (void)snprintf(name, size, "%s%u",
                       is_pool                  ? "pool"
                       : type == NETWORK_CONV2D ? "conv"
                                                : "hidden",
                       number);
    }
}

static void describe_layer(const struct lower_layer *layer, const char *name, FILE *stream)
{
    (void)fprintf(stream, "  - {name: %s, type: %s", name, layer_kind_of(layer->type)->name);
    if (layer->weights == 0) {
        (void)fprintf(stream, ", size: %u", layer->kernel);
        if (layer->stride != layer->kernel) {
            (void)fprintf(stream, ", stride: %u", layer->stride);
        }
    } else if (layer->type == NETWORK_CONV2D) {
        (void)fprintf(stream, ", maps: %u, kernel: %u", layer->output.channels, layer->kernel);
        if (layer->stride != 1) {
            (void)fprintf(stream, ", stride: %u", layer->stride);
        }
        if (layer->padding != 0) {
            (void)fprintf(stream, ", padding: %u", layer->padding);
        }
    } else {
        (void)fprintf(stream, ", units: %u", layer->output.channels);
    }
    if (layer->activation != NETWORK_IDENTITY) {
        (void)fprintf(stream, ", activation: %s", activation_of(layer->activation)->name);
    }
    (void)fprintf(stream, "}\n");
}

void describe_network(const struct lowered *lowered, const struct describe_formats *formats,
                      const char *name, FILE *stream)
{
    enum { PIXEL_FRACTION = 8 }; /* a pixel p enters as p / 256 */
    const struct network_shape input = lowered->input;
    (void)fprintf(stream,
                  "name: %s\nvariant: modern\n"
                  "input: {channels: %u, height: %u, width: %u}\n"
                  "formats: {weight_fraction: %u, activation_fraction: %u, input_shift: %u",
                  name, input.channels, input.height, input.width, formats->weight_fraction,
                  formats->activation_fraction, formats->activation_fraction - PIXEL_FRACTION);
    if (formats->logit_factor != 1) {
        (void)fprintf(stream, ", logit_factor: %.17g", formats->logit_factor);
    }
    (void)fprintf(stream, "}\nlayers:\n");
    for (size_t i = 0; i < lowered->layer_count; i++) {
        char layer[NETWORK_NAME_CHARS];
        name_layer(lowered, i, layer, sizeof layer);
        describe_layer(&lowered->layer[i], layer, stream);
    }
}

enum status describe_parse(const struct lowered *lowered, const struct describe_formats *formats,
                           const char *name, struct network *network, struct diagnostic *diagnostic)
{
    FREED char *text = NULL;
    size_t bytes = 0;
    *network = (struct network){0};
    FILE *stream = open_memstream(&text, &bytes);
    if (stream == NULL) {
        return no_memory(diagnostic);
    }
    describe_network(lowered, formats, name, stream);
    if (fclose(stream) != 0) {
        return no_memory(diagnostic);
    }
    return network_parse(name, text, bytes, network, diagnostic);
}

enum status describe_parameters(const struct lowered *lowered, double **parameters,
                                struct diagnostic *diagnostic)
{
    size_t count = 0;
    for (size_t i = 0; i < lowered->layer_count; i++) {
        const struct lower_layer *layer = &lowered->layer[i];
        count += layer->weights == 0 ? 0 : layer->weights + layer->output.channels;
    }
    double *to = malloc((count + 1) * sizeof *to);
    *parameters = to;
    if (to == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < lowered->layer_count; i++) {
        const struct lower_layer *layer = &lowered->layer[i];
        const size_t biases = layer->weights == 0 ? 0 : layer->output.channels;
        for (size_t w = 0; w < layer->weights; w++) {
            *to++ = layer->weight[w];
        }
        for (size_t b = 0; b < biases; b++) {
            *to++ = layer->bias[b];
        }
    }
    return STATUS_OK;
}
