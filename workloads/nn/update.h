/* update.h - the learning step: from the sum of the gradients over a batch to new parameters, at
 * the core that owns them; the host runs the same source.
 *
 * Momentum (gradient descent is the same with momentum 0), rn = add half and shift:
 *     v <- v - rn(v (1 - m)) + rn(G r c / 2^k)      k = fraction of G + rate_shift + 8 - 28
 *     w <- sat(w - rn(v / 2^(28 - fraction of w)))
 * G is the *sum* over the batch, r the rate in 1/256 (schedule.h); a negative k shifts to the left.
 * Weights' sums have error_fraction + activation_fraction fractional bits, biases' error_fraction.
 *
 * Adam (Kingma and Ba 2015, in the order of their section 2, which corrects both means at once):
 *     a <- a + rn((G - a)(1 - b1))       u <- u + (G^2 - u)(1 - b2)
 *     w <- sat(w - rn(rate sqrt(1 - b2^t) / (1 - b1^t) a / (sqrt(u) + epsilon)))
 * u is kept as 26 bits and an exponent: its relative error is 2^-27, whatever its size.
 *
 * AdaGrad (Duchi, Hazan and Singer 2011, with a diagonal matrix):
 *     u <- u + G^2        w <- sat(w - rn(rate G / (sqrt(u) + epsilon)))
 *
 * AcceleGrad (Levy, Yurtsever and Cevher 2018), with weights a = max(1, (t + 1) / 4), t = 0, 1,
 * ...; a+ is the next step's.  w is their x, y is not kept: u <- u (a- / a)^2 + G^2        p =
 * rn(rate G / (sqrt(u) + epsilon)) z <- z - p        y = w - rn(p / a)        w <- sat(y + rn((z -
 * y) / a+)) so u is the sum of (a G)^2, divided by the last a^2, and the rate is their 2 D.  Their
 * step is one for all parameters, by the norm of the whole gradient, which would take a sum over
 * all owners; here each parameter has its own, as in AdaGrad.  Nothing is projected, and the result
 * is x, not the mean of y. */
#pragma once
#include "number.h"
NN_LINKAGE_BEGIN

/* The rows of optimizers.def; the lowest two bits are the words of state. */
enum nn_optimizer {
#define DESCENT(NAME, name, WORDS, NUMBER)   NN_##NAME = 4 * (NUMBER) + (WORDS),
#define OPTIMIZER(NAME, name, WORDS, NUMBER) NN_##NAME = 4 * (NUMBER) + (WORDS),
#include "optimizers.def"
};

/* Rounding of a step to the parameters' format; everything before is rounded to nearest. */
enum nn_rounding_of_update {
    NN_NEAREST,   /* halves upwards */
    NN_STOCHASTIC /* up as often as the rest is large: by a hash of seed, step, sum and parameter */
};

enum {
    NN_VELOCITY_FRACTION = 28,
    NN_MOMENTUM_FRACTION = 15,     /* of 1 - momentum and of 1 - b1: 3277 is 0.1 */
    NN_SECOND_MOMENT_FRACTION = 20 /* of 1 - b2: 1049 is 0.001 */
};

struct nn_rule {
    uint8_t optimizer; /* enum nn_optimizer */
    uint8_t rounding;  /* enum nn_rounding_of_update */
    uint8_t weight_fraction;
    uint8_t error_fraction;
    uint8_t activation_fraction;
    uint8_t rate_shift;         /* the full rate is rate_scale / 2^rate_shift, below 2 */
    uint16_t rate_scale;        /* 1 to 2^15; 1: a power of two */
    uint32_t one_less_momentum; /* 1 - m, or Adam's 1 - b1 */
    uint32_t one_less_decay;    /* Adam's 1 - b2 */
    uint32_t epsilon; /* of rules with squares: at least 1, in the format of the weights' sums */
    uint32_t seed;    /* of stochastic rounding */
};

/* Numeric events of the updates. */
struct nn_update_note {
    uint32_t largest;           /* magnitude of a sum */
    uint32_t largest_at;        /* its index in the piece */
    uint32_t saturations;       /* parameters cut to the range of their format */
    uint32_t state_saturations; /* velocities, or sums of other rules, cut to theirs */
};

/* Words (int32) that the owner keeps for each parameter, all 0 at the beginning: 0 to 3. */
uint32_t nn_rule_state_words(const struct nn_rule *rule) NN_SYMBOL(nn_rule_state_words);

/* Parameters first .. first + count - 1 of a piece whose weights end at weights_end, where its
 * biases begin.  gradient, state (parameter after parameter) and parameters point at element
 * `first`.  step 0, 1, ...; rate: nn_rate() of it.  The note is added to. */
void nn_update(const struct nn_rule *rule, uint32_t step, uint32_t rate, uint32_t first,
               uint32_t count, uint32_t weights_end, const int32_t *gradient, int32_t *state,
               nn_value *parameters, struct nn_update_note *note) NN_SYMBOL(nn_update);

NN_LINKAGE_END
