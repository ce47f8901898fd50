/* weights.c - see weights.h: parameters in memory; weights_file.c has the file. */
#include "sim/networks/weights.h"

#include "models/common/check.h"
#include "sim/networks/links.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct weights_place weights_place(const struct network *network, size_t layer)
{
    struct weights_place place = {0, 0};
    for (size_t i = 0; i <= layer; i++) {
        if (i > 0) {
            place.weights = place.biases + network_layer_biases(&network->layer[i - 1]);
        }
        place.biases = place.weights + network_layer_weights(&network->layer[i]);
    }
    return place;
}

void weights_deinit(struct weights *weights)
{
    free(weights->block);
    free(weights->float64);
    *weights = (struct weights){0};
}

enum status weights_allocate(struct weights *weights, const struct network *network,
                             const struct nn_table *table, bool float64,
                             struct diagnostic *diagnostic)
{
    weights->block = calloc(weights_places(table) + 1, network_value_bytes(network));
    if (float64) {
        weights->float64 = calloc(network_parameters(network) + 1, sizeof *weights->float64);
    }
    if (weights->block == NULL || (float64 && weights->float64 == NULL)) {
        weights_deinit(weights);
        return no_memory(diagnostic);
    }
    return STATUS_OK;
}

/* ---- parts ---- */

static struct weights_part part_of(const struct network *network, const struct nn_table *table,
                                   size_t i, bool biases)
{
    const struct network_layer *layer = &network->layer[i];
    const struct weights_place place = weights_place(network, i);
    const char *what = biases ? "biases" : "weights";
    struct weights_part part = {.rank = 1, .shape = {layer->outputs}};
    uint32_t shape[NPZ_MAX_RANK];
    if (!biases) {
        part.rank = links_tensor_shape(&table->layer[i], shape);
        for (unsigned d = 0; d < part.rank; d++) {
            part.shape[d] = shape[d];
        }
    }
    (void)snprintf(part.name, sizeof part.name, "%s.%s", layer->name, what);
    (void)snprintf(part.float64_name, sizeof part.float64_name, "%s.%s_float64", layer->name, what);
    part.count = biases ? network_layer_biases(layer) : network_layer_weights(layer);
    part.block_at = (biases ? table->layer[i].biases : table->layer[i].weights) / sizeof(int16_t);
    part.float64_at = biases ? place.biases : place.weights;
    return part;
}

enum status weights_each_part(const struct network *network, const struct nn_table *table,
                              weights_action *action, void *context)
{
    CHECK(table->layers == network->layer_count, "weights: the table is another network's");
    for (size_t i = 0; i < 2 * network->layer_count; i++) {
        const struct weights_part part = part_of(network, table, i / 2, i % 2 == 1);
        if (part.count > 0) {
            TRY(action(context, &part));
        }
    }
    return STATUS_OK;
}

/* ---- rounding ---- */

double weights_real(const struct network *network, const void *block, size_t place)
{
    const int32_t value = weights_value(network, block, place);
    if (network->numbers == NETWORK_FLOAT32) {
        float single;
        memcpy(&single, &value, sizeof single);
        return single;
    }
    return ldexp(value, -(int)network->weight_fraction);
}

struct reals {
    const struct network *network;
    const void *block;
    double *parameters;
};

static enum status take_reals(void *context, const struct weights_part *part)
{
    const struct reals *reals = context;
    for (size_t i = 0; i < part->count; i++) {
        reals->parameters[part->float64_at + i] =
            weights_real(reals->network, reals->block, part->block_at + i);
    }
    return STATUS_OK;
}

void weights_reals(const struct network *network, const struct nn_table *table, const void *block,
                   double *parameters)
{
    struct reals reals = {network, block, parameters};
    (void)weights_each_part(network, table, take_reals, &reals);
}

int32_t weights_round_one(const struct network *network, double value, uint32_t *saturated)
{
    if (network->numbers == NETWORK_FLOAT32) {
        const float single = (float)value;
        int32_t bits;
        *saturated += isfinite(single) ? 0 : 1;
        memcpy(&bits, &single, sizeof bits);
        return bits;
    }
    const double scaled = floor(ldexp(value, (int)network->weight_fraction) + 0.5);
    const int32_t most = weights_most(network);
    if (scaled > most || scaled < -most - 1) {
        ++*saturated;
        return scaled > 0 ? most : -most - 1;
    }
    return (int32_t)scaled;
}

struct rounding {
    struct weights *weights;
    const double *parameters;
    const struct network *network;
    struct diagnostic *diagnostic;
};

static enum status round_part(void *context, const struct weights_part *part)
{
    const struct rounding *rounding = context;
    struct weights *weights = rounding->weights;
    for (size_t i = 0; i < part->count; i++) {
        const double value = rounding->parameters[part->float64_at + i];
        if (!isfinite(value)) {
            const enum status status = diagnose(rounding->diagnostic, STATUS_CONFIGURATION,
                                                "parameter %zu is not a finite number", i);
            diagnostic_key(rounding->diagnostic, part->name);
            diagnostic_hint(rounding->diagnostic, "a training has diverged: lower its rate");
            return status;
        }
        weights->float64[part->float64_at + i] = value;
        weights_set_value(rounding->network, weights->block, part->block_at + i,
                          weights_round_one(rounding->network, value, &weights->saturated));
    }
    return STATUS_OK;
}

enum status weights_round(struct weights *weights, const struct network *network,
                          const struct nn_table *table, const double *parameters,
                          struct diagnostic *diagnostic)
{
    *weights = (struct weights){0};
    TRY(weights_allocate(weights, network, table, true, diagnostic));
    struct rounding rounding = {
        .weights = weights, .parameters = parameters, .network = network, .diagnostic = diagnostic};
    const enum status status = weights_each_part(network, table, round_part, &rounding);
    if (status != STATUS_OK) {
        weights_deinit(weights);
    }
    return status;
}
