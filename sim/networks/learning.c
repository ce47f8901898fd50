/* learning.c - see learning.h. */
#include "sim/networks/learning.h"

#include "sim/networks/draw.h"
#include "sim/networks/weights_parts.h"

#include <math.h>
#include <string.h>

/* ---- numbers of the configuration ---- */

uint32_t learning_batch_of(const struct learning *learning, uint32_t update)
{
    const uint32_t first = update * learning->batch;
    const uint32_t left = learning->order.images - first;
    return left < learning->batch ? left : learning->batch;
}

enum status learning_of(const struct sim_config *config, const struct network *network,
                        uint32_t images, struct learning *learning, struct diagnostic *diagnostic)
{
    static const double LEAST_RATE = 1e-9;
    const uint32_t batch = (uint32_t)config->train_global_batch;
    *learning = (struct learning){0};
    if (config->train_optimizer == CONFIG_OPTIMIZER_MOMENTUM && config->train_momentum >= 1) {
        return config_refuse(config, "train.momentum", "below 1: 0.9", diagnostic,
                             "with 1 the velocity never ends");
    }
    if (!(config->train_learning_rate >= LEAST_RATE)) {
        return config_refuse(config, "train.learning_rate", "at least 1e-9", diagnostic,
                             "too small: nothing would be learnt");
    }
    if (((uint64_t)images + batch - 1) / batch * config->train_epochs > NN_MAX_UPDATES) {
        return config_refuse(config, "train.epochs", "at most 2^22: fewer epochs or larger batches",
                             diagnostic, "more updates than the schedule can count");
    }
    learning->epochs = (uint32_t)config->train_epochs;
    learning->batch = batch;
    learning->updates_per_epoch = (images + batch - 1) / batch;
    learning->order = training_order_of(config, images);
    learning->schedule = training_schedule_in(config, images);
    learning->rule = training_rule_of(config, network);
    return STATUS_OK;
}

/* ---- initial weights ---- */

double learning_bound(const struct network *network, size_t layer,
                      enum config_initializer initializer)
{
    static const double HALVED = 6; /* for a layer whose outputs ReLU halves */
    static const double WHOLE = 3;
    const struct network_layer *own = &network->layer[layer];
    const double weights = (double)network_layer_weights(own);
    if (network_is_pool(own) || weights <= 0) {
        return 0;
    }
    const bool subsamples = own->type == NETWORK_SUBSAMPLE2D;
    const double fan_in = subsamples ? (double)own->kernel * own->kernel : weights / own->outputs;
    const double fan_out =
        own->type == NETWORK_DENSE ? own->outputs : weights / own->input.channels;
    switch (initializer) {
    case CONFIG_INITIALIZER_GLOROT:
        return sqrt(2 * WHOLE / (fan_in + fan_out));
    case CONFIG_INITIALIZER_LECUN:
        return sqrt(WHOLE / fan_in);
    case CONFIG_INITIALIZER_HE:
    default:
        return sqrt((layer + 1 == network->layer_count ? WHOLE : HALVED) / fan_in);
    }
}

/* Singles are drawn as integers with so many fractional bits, which they hold exactly. */
enum { SINGLE_FRACTION = 20 };

static void set_drawn(const struct network *network, void *block, size_t place, int32_t drawn)
{
    uint32_t cut = 0;
    const bool single = network->numbers == NETWORK_FLOAT32;
    weights_set_value(network, block, place,
                      single ? weights_round_one(network, ldexp(drawn, -SINGLE_FRACTION), &cut)
                             : drawn);
}

void learning_draw(const struct network *network, const struct nn_table *table,
                   enum config_initializer initializer, uint64_t seed, void *block)
{
    const int32_t limit = weights_most(network);
    memset(block, 0, weights_block_bytes(network, table));
    for (size_t i = 0; i < network->layer_count; i++) {
        const size_t weights = network_layer_weights(&network->layer[i]);
        const double bound = learning_bound(network, i, initializer);
        const int fraction =
            network->numbers == NETWORK_FLOAT32 ? SINGLE_FRACTION : (int)network->weight_fraction;
        const double scaled = floor(ldexp(bound, fraction) + 0.5);
        const int32_t most = scaled > limit ? limit : (int32_t)scaled;
        const size_t first = table->layer[i].weights / sizeof(int16_t);
        for (size_t j = 0; j < weights; j++) {
            const uint64_t word = draw_word(seed, (uint32_t)(DRAW_WEIGHTS + i), j);
            set_drawn(network, block, first + j,
                      (int32_t)draw_below(word, 2 * (uint32_t)most + 1) - most);
        }
    }
}
