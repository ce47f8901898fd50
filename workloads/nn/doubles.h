/* doubles.h - what only the host has of rules, losses and activations: in doubles.
 *
 * A rule of updates is a file of optimizers/, a loss a file of losses/, an activation a file of
 * activations/, with a section for each arithmetic.  The build compiles such a file for each number
 * format, for NN_INTEGERS or NN_FLOATS (singles), and once for the host with NN_DOUBLES=1. Programs
 * have nothing of that section. */
#pragma once
#include "kernels.h"
#include "update.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
NN_LINKAGE_BEGIN

/* ---- rules of updates: the rows of optimizers.def ---- */

/* Parameters of an update in doubles, by the sum of a batch's gradients. */
struct optimizer_step {
    uint64_t number; /* 0, 1, ... */
    double rate;     /* now */
    double momentum; /* of gradient descent; 0: none */
};

/* Cycles of a core, by number format; 0: it has no such rule. */
struct optimizer_cycles {
#define FORMAT(name, ...) double name;
#include "formats.def"
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
    /* 1 - b1 and 1 - b2 of its means, for struct nn_rule; 0: it has none. */
    double one_less_mean, one_less_square;
    struct optimizer_cycles cycles; /* of a parameter's update by its owner, for the estimate */
    const char *source;             /* where the cycles come from */
};

enum { OPTIMIZER_MOST_WORDS = 3 };

/* Added to roots of squares: as Kingma and Ba give it, of corrected moments. */
#define OPTIMIZER_EPSILON 1e-8

enum {
#define DESCENT(NAME, name, WORDS)   OPTIMIZER_DESCENDS_##NAME = true,
#define OPTIMIZER(NAME, name, WORDS) OPTIMIZER_DESCENDS_##NAME = false,
#include "optimizers.def"
};

/* What the row says, for the head of a struct optimizer. */
#define OPTIMIZER_ROW(NAME, its_name)                                                              \
    .name = #its_name, .rule = NN_##NAME, .state_words = (NN_##NAME) & 3,                          \
    .descends = OPTIMIZER_DESCENDS_##NAME

#define DESCENT(NAME, name, WORDS)   extern const struct optimizer optimizer_##name;
#define OPTIMIZER(NAME, name, WORDS) extern const struct optimizer optimizer_##name;
#include "optimizers.def"

/* AcceleGrad's weight a of a step: optimizers/accelegrad.c. */
double optimizer_accelegrad_weight(uint64_t number);

/* ---- losses: the rows of losses.def ---- */

/* A loss of one image's logits. */
struct loss {
    double (*of)(const double *logits, size_t classes, size_t label);
    /* Its gradient with respect to the logits. */
    void (*gradient)(const double *logits, size_t classes, size_t label, double *gradient);
};

#define LOSS(NAME, name, kernel, HAS) extern const struct loss loss_##name;
#include "losses.def"

/* ---- activations: the rows of activations.def ---- */

struct activation {
    const char *name; /* in a network's file */
    uint8_t row;      /* its enum nn_activation in the layer table */
    bool masks;       /* an output of 0 passes no error back: dropout may follow */
    bool ends;        /* the last layer has it, and no other */
    bool of_1998;     /* programs of networks of 1998 have it, and no others */
    double most;      /* bound of its values, of either sign; 0: none */
    /* On doubles, in place. backward turns the gradient with respect to the output into the
     * gradient with respect to the activation's input, by the derivative as a function of the
     * output.  NULL: identity, also for softmax, as the outputs are logits. */
    void (*forward)(double *values, size_t count);
    void (*backward)(const double *output, double *gradient, size_t count);
};

#define ACTIVATION_ROW(NAME, its_name) .name = #its_name, .row = NN_##NAME

#define ACTIVATION(NAME, name)         extern const struct activation activation_##name;
#define ENDING(NAME, name)             extern const struct activation activation_##name;
#include "activations.def"

/* Without libm, of reference_exp(). */
double reference_sigmoid(double x);
double reference_tanh(double x);

/* ---- probabilities ---- */

/* Softmax without libm: subtracts the largest logit and uses reference_exp(). */
void reference_softmax(const double *logits, size_t classes, double *probabilities);

/* -ln of the label's probability, by libm's log(): the value is only reported and influences no
 * weight. */
double reference_cross_entropy(const double *logits, size_t classes, size_t label);

/* e^x for x <= 0, accurate to 2 units in the last place; results below about 2^-1021 are 0.  Uses
 * only additions, multiplications and divisions. */
double reference_exp(double x);

NN_LINKAGE_END
