/* optimizer.h - update rules on the host: the rows of workloads/nn/optimizers.def.
 * workloads/nn/update.h has the integer versions; these are in doubles, and check the integers'
 * state. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "workloads/nn/update.h"
C_LINKAGE_BEGIN

/* Adam's 1 - b1 and 1 - b2, as Kingma and Ba give them. */
#define OPTIMIZER_ADAM_MEAN   0.1
#define OPTIMIZER_ADAM_SQUARE 0.001

/* Added to roots of squares: as Kingma and Ba give it, of corrected moments. */
#define OPTIMIZER_EPSILON 1e-8

enum {
    OPTIMIZER_MOST_WORDS = 3,
    OPTIMIZER_SQUARES_BITS = 62 /* of a sum of squares: workloads/nn/update_adagrad.h */
};

/* Parameters of an update in doubles, by the sum of a batch's gradients. */
struct optimizer_step {
    uint64_t number; /* 0, 1, ... */
    double rate;     /* now */
    double momentum; /* of gradient descent; 0: none */
};

struct optimizer {
    const char *name;    /* `train.optimizer` */
    uint8_t rule;        /* enum nn_optimizer */
    uint8_t state_words; /* words of state for each parameter: int32, or doubles */
    bool descends; /* gradient descent: train.reduction applies, and the machine's float32 supports
                      it */
    /* Performs an update. state: OPTIMIZER_MOST_WORDS doubles for each parameter, initially 0. */
    void (*doubles)(const struct optimizer_step *step, size_t count, const double *gradients,
                    double *state, double *parameters);
    /* Whether an update can have produced this word of state.  *what describes the valid values. */
    bool (*is_state)(size_t place, int32_t word, const char **what);
};

/* Of a rule of its own: optimizer_<name>.c. */
#define OPTIMIZER(NAME, name, WORDS, NUMBER)                                                       \
    void optimizer_##name##_doubles(const struct optimizer_step *step, size_t count,               \
                                    const double *gradients, double *state, double *parameters);   \
    bool optimizer_##name##_is_state(size_t place, int32_t word, const char **what);
#include "workloads/nn/optimizers.def"

/* AcceleGrad's weight a of a step: workloads/nn/update.h. */
double optimizer_accelegrad_weight(uint64_t number);

const struct optimizer *optimizer_of(enum config_optimizer optimizer);

/* Whether a word of state is of squares that are at most 2^bits: mantissa and exponent, with the
 * mantissa's highest bit set if the exponent is not 0 (workloads/nn/update_adam.h). */
static inline bool optimizer_are_squares(int32_t word, uint32_t bits)
{
    enum { MANTISSA_BITS = 26 };
    const uint64_t mantissa = (uint32_t)word & ((1u << MANTISSA_BITS) - 1);
    const uint32_t exponent = (uint32_t)word >> MANTISSA_BITS;
    return exponent == 0 ||
           (mantissa >> (MANTISSA_BITS - 1) != 0 && exponent <= bits - MANTISSA_BITS + 1 &&
            mantissa << exponent <= UINT64_C(1) << bits);
}

/* By enum nn_optimizer; NULL: no such optimizer. */
const struct optimizer *optimizer_of_rule(uint8_t rule);

C_LINKAGE_END
