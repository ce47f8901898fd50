/* quantise.c - see quantise.h. */
#include "sim/networks/quantise.h"

#include "sim/networks/layer.h"

#include "sim/networks/layer_table.h"
#include "sim/steps.h"
#include "workloads/nn/int8.h"
#include "workloads/nn/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_FRACTION = 24 /* largest fraction of sums, as in int16 */, FINEST = 15 /* of values */ };

/* ---- what layers make ---- */

/* Runs layer i and returns the largest magnitude among its outputs; 0 for the last layer. */
static int32_t run_layer(const struct nn_table *table, size_t i, const uint8_t *block,
                         uint8_t *activations)
{
    const struct nn_layer *layer = &table->layer[i];
    struct nn_numerics numerics = {0};
    const int16_t *output = layer_table_run(table, i, block, activations, &numerics);
    int32_t most = 0;
    for (uint32_t j = 0; j < nn_values(layer->output) && !layer->is_last; j++) {
        const int32_t size = abs(output[j]);
        most = size > most ? size : most;
    }
    return most;
}

static enum status measure(const struct nn_table *table, const void *block,
                           const struct dataset *images, int32_t *most,
                           struct diagnostic *diagnostic)
{
    uint8_t *activations = layer_table_activations(table);
    if (activations == NULL) {
        return no_memory(diagnostic);
    }
    for (uint32_t image = 0; image < images->count; image++) {
        nn_load_image(table, images->images + (size_t)image * table->image_pixels,
                      (int16_t *)(void *)(activations + table->layer[0].from));
        for (size_t i = 0; i < table->layers; i++) {
            const int32_t size = run_layer(table, i, block, activations);
            most[i] = size > most[i] ? size : most[i];
        }
    }
    free(activations);
    return STATUS_OK;
}

/* ---- formats ---- */

/* The largest number of fractional bits, up to `finest`, with which a magnitude rounds to at most
 * `most`. */
static uint32_t fraction_of(double magnitude, double most, uint32_t finest)
{
    uint32_t fraction = finest;
    while (fraction > 0 && floor(ldexp(magnitude, (int)fraction) + 0.5) > most) {
        fraction--;
    }
    return fraction;
}

struct making {
    const struct network *network; /* the int16 network */
    const struct nn_table *from;
    const struct weights *weights;
    struct nn_table *to;
    uint8_t *block;
};

static double real_of(const struct making *making, size_t float64_at, size_t place)
{
    return making->weights->float64 != NULL
               ? making->weights->float64[float64_at]
               : weights_real(making->network, making->weights->block, place);
}

static double largest(const struct making *making, size_t float64_at, uint32_t offset, size_t count)
{
    double most = 0;
    for (size_t j = 0; j < count; j++) {
        const double size = fabs(real_of(making, float64_at + j, offset / sizeof(int16_t) + j));
        most = size > most ? size : most;
    }
    return most;
}

/* Rounds to nearest and saturates at `most`, which is needed where even 0 fractional bits are too
 * many. */
static int32_t rounded(double value, uint32_t fraction, int32_t most)
{
    const double scaled = floor(ldexp(value, (int)fraction) + 0.5);
    return (int32_t)(scaled > most ? most : scaled < -most - 1 ? -most - 1 : scaled);
}

/* Makes weights and biases of layer i, whose input's fraction is known. */
static void make_parameters(const struct making *making, size_t i)
{
    const struct network_layer *layer = &making->network->layer[i];
    const struct nn_layer *from = &making->from->layer[i];
    struct nn_layer *to = &making->to->layer[i];
    const struct weights_place place = weights_place(making->network, i);
    const size_t count = network_layer_weights(layer);
    const size_t outputs = network_layer_biases(layer);
    const uint32_t finest = SUM_FRACTION - NN_INT8_SHIFT - to->input_fraction;
    const uint32_t of_weights =
        fraction_of(largest(making, place.weights, from->weights, count), INT8_MAX, finest);
    const uint32_t of_biases =
        fraction_of(largest(making, place.biases, from->biases, outputs), INT8_MAX, finest);
    const uint32_t fraction = of_weights < of_biases ? of_weights : of_biases;
    int8_t *weights = (int8_t *)(making->block + to->weights);
    int16_t *biases = (int16_t *)(void *)(making->block + to->biases);
    to->weight_fraction = (uint8_t)(fraction + NN_INT8_SHIFT);
    for (size_t j = 0; j < count; j++) {
        const double value =
            real_of(making, place.weights + j, from->weights / sizeof(int16_t) + j);
        weights[j] = (int8_t)rounded(value, fraction, INT8_MAX);
    }
    for (size_t j = 0; j < outputs; j++) {
        const double value = real_of(making, place.biases + j, from->biases / sizeof(int16_t) + j);
        biases[j] = (int16_t)rounded(value, fraction + NN_INT8_SHIFT, INT16_MAX);
    }
}

static void make_layers(const struct making *making, const int32_t *most)
{
    const struct network *network = making->network;
    uint32_t fraction = network->activation_fraction - network->input_shift - 1; /* 0 at least */
    for (size_t i = 0; i < network->layer_count; i++) {
        struct nn_layer *to = &making->to->layer[i];
        to->input_fraction = (uint8_t)fraction;
        if (!network_is_pool(&network->layer[i])) {
            make_parameters(making, i);
            const double size = ldexp(most[i], -(int)network->activation_fraction);
            const uint32_t of_sums = (uint32_t)to->weight_fraction + to->input_fraction;
            fraction = fraction_of(size, INT8_MAX, of_sums > FINEST ? FINEST : of_sums - 1);
        }
        to->output_fraction = (uint8_t)fraction;
    }
}

/* ---- the whole ---- */

/* Refuses tables of links: int8 kernels get their layer's row, but not the data after the rows. */
static enum status check_links(const struct network *network, const struct nn_table *table,
                               struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < table->layers; i++) {
        if (nn_links(&table->layer[i]) != NULL) {
            return layer_refuse(network, &network->layer[i], "network.number_format: int16 has",
                                diagnostic, "int8 has no tables of links");
        }
    }
    return STATUS_OK;
}

static enum status make(struct making *making, const struct dataset *images,
                        struct diagnostic *diagnostic)
{
    int32_t most[NETWORK_LAYERS] = {0};
    TRY(measure(making->from, making->weights->block, images, most, diagnostic));
    struct network narrow = *making->network;
    narrow.numbers = NETWORK_INT8;
    TRY(layer_table_make(&narrow, &making->to, diagnostic));
    making->block = calloc(1, making->to->parameter_bytes + sizeof(int32_t));
    if (making->block == NULL) {
        free(making->to);
        return no_memory(diagnostic);
    }
    make_layers(making, most);
    return STATUS_OK;
}

enum status quantise(struct network *network, struct nn_table **table, struct weights *weights,
                     const struct dataset *images, struct diagnostic *diagnostic)
{
    struct making making = {.network = network, .from = *table, .weights = weights};
    if (network_values(network->input) != dataset_pixels(images) || images->count == 0) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "the images do not fit the network");
    }
    TRY(check_links(network, *table, diagnostic));
    TRY(make(&making, images, diagnostic));
    free(*table);
    free(weights->block);
    *table = making.to;
    weights->block = making.block;
    network->numbers = NETWORK_INT8;
    return STATUS_OK;
}
