/* training_rule.c - see training_rule.h. */
#include "sim/networks/training_rule.h"

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

/* `value` with so many fractional bits, to nearest. */
static uint32_t fixed(double value, int fraction)
{
    return (uint32_t)floor(ldexp(value, fraction) + 0.5);
}

struct nn_rule training_rule_of(const struct sim_config *config, const struct network *network)
{
    static const uint8_t OPTIMIZER[] = {[CONFIG_OPTIMIZER_SGD] = NN_SGD,
                                        [CONFIG_OPTIMIZER_MOMENTUM] = NN_MOMENTUM,
                                        [CONFIG_OPTIMIZER_ADAM] = NN_ADAM};
    /* Kingma and Ba's 1 - b1 and 1 - b2. */
    static const double ADAM_MEAN = 0.1;
    static const double ADAM_SQUARE = 0.001;
    const bool adam = config->train_optimizer == CONFIG_OPTIMIZER_ADAM;
    const bool momentum = config->train_optimizer == CONFIG_OPTIMIZER_MOMENTUM;
    const bool fixed_errors = network->numbers != NETWORK_INT16;
    const bool mean = !adam && config->train_reduction == CONFIG_REDUCTION_MEAN;
    const double less = adam ? ADAM_MEAN : 1 - (momentum ? config->train_momentum : 0);
    struct nn_rule rule = {
        .optimizer = OPTIMIZER[config->train_optimizer],
        .rounding =
            config->train_rounding == CONFIG_ROUNDING_STOCHASTIC ? NN_STOCHASTIC : NN_NEAREST,
        .weight_fraction = (uint8_t)network->weight_fraction,
        .error_fraction =
            network->numbers == NETWORK_S1615 ? NN_S1615_FRACTION
            : network->numbers == NETWORK_FLOAT32
                ? NN_FLOAT32_GRADIENT_FRACTION
                : (uint8_t)training_error_fraction((uint32_t)config->train_global_batch),
        .activation_fraction = fixed_errors ? 0 : (uint8_t)network->activation_fraction,
        .one_less_momentum = fixed(less, NN_MOMENTUM_FRACTION),
        .one_less_decay = fixed(ADAM_SQUARE, NN_SECOND_MOMENT_FRACTION),
        .epsilon = 1,
        .seed = (uint32_t)config->seed,
    };
    split_rate(config->train_learning_rate / (mean ? (double)config->train_global_batch : 1),
               &rule);
    return rule;
}

struct nn_schedule training_schedule_in(const struct sim_config *config, uint32_t images)
{
    static const uint8_t DECAY[] = {[CONFIG_DECAY_NONE] = NN_DECAY_NONE,
                                    [CONFIG_DECAY_LINEAR] = NN_DECAY_LINEAR,
                                    [CONFIG_DECAY_STEP] = NN_DECAY_STEP};
    const uint32_t batch = (uint32_t)config->train_global_batch;
    const uint32_t updates = (images + batch - 1) / batch;
    return (struct nn_schedule){
        .decay = DECAY[config->train_decay],
        .updates = updates * (uint32_t)config->train_epochs,
        .warm_up = fixed(config->train_warm_up * updates, 0),
        .step_updates = updates * (uint32_t)config->train_halve_every,
        .step_shift = 1,
    };
}

struct nn_order training_order_of(const struct sim_config *config, uint32_t images)
{
    return (struct nn_order){
        .seed = (uint32_t)config->seed, .images = images, .shards = (uint32_t)config->train_shards};
}
