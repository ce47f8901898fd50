/* part_table.c - see part_table.h. */
#include "sim/mapping/part_table.h"

#include "sim/networks/links.h"
#include "workloads/nn/int8.h"

#include <stdlib.h>
#include <string.h>

enum { BIAS_BYTES = 2 };

static uint32_t word_aligned(uint32_t bytes)
{
    return (bytes + 3) & ~UINT32_C(3);
}

static uint32_t values_of(struct nn_shape shape)
{
    return (uint32_t)shape.channels * shape.height * shape.width;
}

static void place_parameters(struct nn_table *part, uint32_t outputs, uint32_t value_bytes)
{
    struct nn_layer *first = &part->layer[0];
    first->weights = 0;
    first->biases = word_aligned(value_bytes * links_weights(first));
    part->parameter_bytes = first->biases + word_aligned(BIAS_BYTES * outputs);
}

static void place_activations(struct nn_table *part, bool starts_network, uint32_t value_bytes)
{
    uint32_t next = starts_network ? word_aligned(value_bytes * part->image_pixels) : 0;
    for (uint32_t i = 0; i < part->layers; i++) {
        struct nn_layer *layer = &part->layer[i];
        layer->from = i == 0 ? 0 : part->layer[i - 1].to;
        layer->to = next;
        if (i + 1 < part->layers) {
            next += word_aligned(value_bytes * values_of(layer->output));
        }
    }
    part->activation_bytes = next + (value_bytes == sizeof(int8_t) ? nn_int8_scratch(part) : 0);
}

/* The slice's rows of the table of links, behind the part's layers. */
static void copy_links(struct nn_table *part, const struct nn_layer *whole, struct plan_slice slice)
{
    uint32_t *to = (uint32_t *)(void *)&part->layer[part->layers];
    struct nn_layer *first = &part->layer[0];
    memcpy(to, nn_links(whole) + slice.first, slice.count * sizeof *to);
    first->output.links = (uint16_t)(to - (uint32_t *)(void *)first);
}

struct nn_table *part_table_make(const struct nn_table *table, const struct plan_stage *stage,
                                 struct plan_slice slice, uint32_t value_bytes)
{
    const struct nn_layer *whole = &table->layer[stage->first_layer];
    const bool linked = nn_links(whole) != NULL;
    const size_t bytes = sizeof *table + stage->layer_count * sizeof table->layer[0] +
                         (linked ? slice.count * sizeof(uint32_t) : 0);
    struct nn_table *part = calloc(1, bytes);
    if (part == NULL) {
        return NULL;
    }
    *part = *table;
    part->bytes = (uint32_t)bytes;
    part->layers = stage->layer_count;
    memcpy(part->layer, whole, stage->layer_count * sizeof table->layer[0]);
    if (linked) {
        copy_links(part, whole, slice);
    }
    for (uint32_t i = 0; i < part->layers; i++) {
        part->layer[i].output.channels = (uint16_t)slice.count;
        if (i > 0) {
            part->layer[i].input.channels = (uint16_t)slice.count;
        }
    }
    place_parameters(part, slice.count, value_bytes);
    place_activations(part, stage->first_layer == 0, value_bytes);
    return part;
}

void part_parameters(const struct nn_table *table, const uint8_t *parameters,
                     const struct plan_stage *stage, struct plan_slice slice,
                     const struct nn_table *part, uint32_t value_bytes, uint8_t *to)
{
    const struct nn_layer *whole = &table->layer[stage->first_layer];
    const size_t first = links_weights_before(whole, slice.first);
    const size_t end = links_weights_before(whole, slice.first + slice.count);
    memset(to, 0, part->parameter_bytes);
    memcpy(to + part->layer[0].weights, parameters + whole->weights + value_bytes * first,
           value_bytes * (end - first));
    memcpy(to + part->layer[0].biases,
           parameters + whole->biases + BIAS_BYTES * (size_t)slice.first,
           BIAS_BYTES * (size_t)slice.count);
}
