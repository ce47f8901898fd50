/* training_rule.c - see training_rule.h. */
#include "sim/mapping/training_rule.h"

#include <math.h>

enum { SMALL_BATCH = 16, SMALL_BATCH_FRACTION = 12, RATE_BITS = 15 };

uint32_t training_error_fraction(uint32_t global_batch)
{
    uint32_t fraction = SMALL_BATCH_FRACTION;
    for (uint32_t batch = SMALL_BATCH; batch < global_batch && fraction > 0; batch *= 2) {
        fraction--;
    }
    return fraction;
}

/* rate = scale / 2^shift with as few bits as it takes, at most 15. */
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

struct nn_rule training_rule_of(const struct sim_config *config, const struct network *network)
{
    static const double HALF = 0.5;
    const bool momentum = config->train_optimizer == CONFIG_OPTIMIZER_MOMENTUM;
    struct nn_rule rule = {
        .optimizer = momentum ? NN_MOMENTUM : NN_SGD,
        .rounding = NN_NEAREST,
        .weight_fraction = (uint8_t)network->weight_fraction,
        .error_fraction = (uint8_t)training_error_fraction((uint32_t)config->train_global_batch),
        .activation_fraction = (uint8_t)network->activation_fraction,
        .one_less_momentum = (uint32_t)floor(
            (1 - (momentum ? config->train_momentum : 0)) * (1 << NN_MOMENTUM_FRACTION) + HALF),
        .seed = (uint32_t)config->seed,
    };
    split_rate(config->train_learning_rate, &rule);
    return rule;
}

struct nn_schedule training_schedule_in(const struct sim_config *config, uint32_t images)
{
    static const double HALF = 0.5;
    const uint32_t batch = (uint32_t)config->train_global_batch;
    const uint32_t updates = (images + batch - 1) / batch;
    return (struct nn_schedule){
        .decay = config->train_decay == CONFIG_DECAY_LINEAR ? NN_DECAY_LINEAR : NN_DECAY_NONE,
        .updates = updates * (uint32_t)config->train_epochs,
        .warm_up = (uint32_t)floor(config->train_warm_up * updates + HALF),
    };
}

struct nn_order training_order_of(const struct sim_config *config, uint32_t images)
{
    return (struct nn_order){
        .seed = (uint32_t)config->seed, .images = images, .shards = (uint32_t)config->train_shards};
}
