/* update.h - the learning step: from the sum of the gradients over a batch to new parameters, at
 * the core that owns them; the host runs the same source.  The rules and their formulas are the
 * files of optimizers/: G is the *sum* over the batch, r the rate in 1/256 (schedule.h), rn = add
 * half and shift, sat a cut to the parameters' format.  Weights' sums have error_fraction +
 * activation_fraction fractional bits, biases' error_fraction. */
#pragma once
#include "number.h"

#include <stddef.h>
NN_LINKAGE_BEGIN

/* Only a type: of each row of optimizers.def 1, 2^8, 2^16 or 2^24 bytes for 0, 1, 2 or 3 words of
 * state.  So a byte of an offset is the number of earlier rows with as many words. */
struct nn_optimizer_rows {
#define DESCENT(NAME, name, WORDS)   char name[1 << 8 * (WORDS)];
#define OPTIMIZER(NAME, name, WORDS) char name[1 << 8 * (WORDS)];
#include "optimizers.def"
};
#define NN_OPTIMIZER_ID(name, WORDS)                                                               \
    4 * (int)(offsetof(struct nn_optimizer_rows, name) >> 8 * (WORDS)&UINT8_MAX) + (WORDS)

/* Ids: the number of a row among those with as many words of state; the lowest two bits are these
 * words.  Checkpoints and the records of cores have them. */
enum nn_optimizer {
#define DESCENT(NAME, name, WORDS)   NN_##NAME = NN_OPTIMIZER_ID(name, WORDS),
#define OPTIMIZER(NAME, name, WORDS) NN_##NAME = NN_OPTIMIZER_ID(name, WORDS),
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
    uint32_t one_less_momentum; /* 1 - m, or the 1 - b1 of a mean */
    uint32_t one_less_decay;    /* the 1 - b2 of a mean of squares */
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
typedef void nn_update_function(const struct nn_rule *rule, uint32_t step, uint32_t rate,
                                uint32_t first, uint32_t count, uint32_t weights_end,
                                const int32_t *gradient, int32_t *state, nn_value *parameters,
                                struct nn_update_note *note);
nn_update_function nn_update NN_SYMBOL(nn_update);

NN_LINKAGE_END
