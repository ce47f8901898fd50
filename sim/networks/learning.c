/* learning.c - see learning.h. */
#include "sim/networks/learning.h"

#include "models/common/draw.h"
#include "sim/networks/layer.h"
#include "sim/networks/optimizer.h"
#include "sim/networks/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- numbers of the configuration ---- */

enum { SMALL_BATCH = 16, SMALL_BATCH_FRACTION = 12, RATE_BITS = 15 };

uint32_t training_error_fraction(uint32_t global_batch)
{
    uint32_t fraction = SMALL_BATCH_FRACTION;
    for (uint32_t batch = SMALL_BATCH; batch < global_batch && fraction > 0; batch *= 2) {
        fraction--;
    }
    return fraction;
}

/* Writes the rate as scale / 2^shift, with the smallest possible scale of at most 15 bits. */
static void split_rate(double rate, struct nn_rule *rule)
{
    int exponent;
    double scale = frexp(rate, &exponent); /* 0.5 <= scale < 1 */
    uint32_t bits = 0;
    while (bits < RATE_BITS && scale != floor(scale)) {
        scale *= 2;
        bits++;
    }
    rule->rate_scale = (uint16_t)floor(scale + 0.5);
    rule->rate_shift = (uint8_t)((int)bits - exponent);
}

/* `value` in fixed point with `fraction` fractional bits, rounded to nearest. */
static uint32_t fixed(double value, int fraction)
{
    return (uint32_t)floor(ldexp(value, fraction) + 0.5);
}

static bool has_velocity(const struct sim_config *config)
{
    const struct optimizer *optimizer = optimizer_of(config->train_optimizer);
    return optimizer->descends && optimizer->state_words > 0;
}

static struct nn_rule training_rule_of(const struct sim_config *config,
                                       const struct network *network)
{
    /* What rules without such means have there: the name of a training in checkpoints has it. */
    static const double UNUSED_MEAN = 0.1;
    static const double UNUSED_SQUARE = 0.001;
    const struct optimizer *optimizer = optimizer_of(config->train_optimizer);
    const double momentum = has_velocity(config) ? config->train_momentum : 0;
    const bool fixed_errors = network_format(network)->error_fraction > 0;
    const uint32_t errors = config->train_error_fraction > 0
                                ? (uint32_t)config->train_error_fraction
                                : training_error_fraction((uint32_t)config->train_global_batch);
    const bool mean = optimizer->descends && config->train_reduction == CONFIG_REDUCTION_MEAN;
    const double of_means = optimizer->one_less_mean > 0 ? optimizer->one_less_mean : UNUSED_MEAN;
    const double less = optimizer->descends ? 1 - momentum : of_means;
    const double of_squares =
        optimizer->one_less_square > 0 ? optimizer->one_less_square : UNUSED_SQUARE;
    struct nn_rule rule = {
        .optimizer = optimizer->rule,
        .rounding =
            config->train_rounding == CONFIG_ROUNDING_STOCHASTIC ? NN_STOCHASTIC : NN_NEAREST,
        .weight_fraction = (uint8_t)network->weight_fraction,
        .error_fraction =
            (uint8_t)(fixed_errors ? network_format(network)->error_fraction : errors),
        .activation_fraction = fixed_errors ? 0 : (uint8_t)network->activation_fraction,
        .one_less_momentum = fixed(less, NN_MOMENTUM_FRACTION),
        .one_less_decay = fixed(of_squares, NN_SECOND_MOMENT_FRACTION),
        .epsilon = 1,
        .seed = (uint32_t)config->seed,
    };
    split_rate(config->train_learning_rate / (mean ? (double)config->train_global_batch : 1),
               &rule);
    return rule;
}

struct nn_schedule training_schedule_of(uint32_t updates_per_epoch, uint32_t epochs, double warm_up,
                                        enum config_decay decay, uint32_t halve_every)
{
    static const uint8_t DECAY[] = {[CONFIG_DECAY_NONE] = NN_DECAY_NONE,
                                    [CONFIG_DECAY_LINEAR] = NN_DECAY_LINEAR,
                                    [CONFIG_DECAY_STEP] = NN_DECAY_STEP};
    return (struct nn_schedule){.decay = DECAY[decay],
                                .updates = updates_per_epoch * epochs,
                                .warm_up = fixed(warm_up * updates_per_epoch, 0),
                                .step_updates = updates_per_epoch * halve_every,
                                .step_shift = 1};
}

uint32_t learning_batch_of(const struct learning *learning, uint32_t update)
{
    const uint32_t first = update * learning->batch;
    const uint32_t left = learning->order.images - first;
    return left < learning->batch ? left : learning->batch;
}

enum status learning_of(const struct sim_config *config, const struct network *network,
                        uint32_t images, struct learning *learning, struct diagnostic *diagnostic)
{
    static const double LEAST_RATE = 1e-9; /* of integers */
    const bool integers = config->network_number_format != CONFIG_NUMBER_FORMAT_FLOAT64;
    const uint32_t batch = (uint32_t)config->train_global_batch;
    *learning = (struct learning){0};
    if (config->train_error_fraction > 0 && network_format(network)->error_fraction > 0) {
        return config_refuse(config, "train.error_fraction", "network.number_format: int16",
                             diagnostic, "errors of this format have fractional bits of its own");
    }
    if (has_velocity(config) && config->train_momentum >= 1) {
        return config_refuse(config, "train.momentum", "below 1: 0.9", diagnostic,
                             "with 1 the velocity never ends");
    }
    if (!(config->train_learning_rate >= (integers ? LEAST_RATE : DBL_MIN))) {
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
    learning->order = (struct nn_order){
        .seed = (uint32_t)config->seed, .images = images, .shards = (uint32_t)config->train_shards};
    learning->schedule =
        training_schedule_of(learning->updates_per_epoch, learning->epochs, config->train_warm_up,
                             config->train_decay, (uint32_t)config->train_halve_every);
    learning->rule = training_rule_of(config, network);
    return STATUS_OK;
}

/* ---- initial weights ---- */

double learning_bound(const struct network *network, size_t layer,
                      enum config_initializer initializer)
{
    static const double HALVED = 6; /* numerator for a layer with ReLU, which halves its outputs */
    static const double WHOLE = 3;
    const struct network_layer *own = &network->layer[layer];
    const double weights = (double)network_layer_weights(own);
    if (network_is_pool(own) || weights <= 0) {
        return 0;
    }
    /* A dense layer counts as one window, its whole input. */
    const double links = weights / own->link_weights;
    const double fan_in = links * own->link_products / own->outputs;
    const double fan_out = own->kernel == 0 ? own->outputs : weights / own->input.channels;
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

/* float32 weights are drawn as integers with this many fractional bits, which float32 represents
 * exactly. */
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
        const struct layer_kind *kind = layer_kind_of(network->layer[i].type);
        for (size_t j = 0; j < weights && kind->given != NULL; j++) {
            uint32_t cut = 0;
            const double weight = kind->given(&network->layer[i], j);
            weights_set_value(network, block, first + j, weights_round_one(network, weight, &cut));
        }
        for (size_t j = 0; j < weights && kind->given == NULL; j++) {
            const uint64_t word = draw_word(seed, (uint32_t)(DRAW_WEIGHTS + i), j);
            set_drawn(network, block, first + j,
                      (int32_t)draw_below(word, 2 * (uint32_t)most + 1) - most);
        }
    }
}
