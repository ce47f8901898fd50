/* optimizer.h - the rules of an update as the host knows them: the rows of
 * workloads/nn/optimizers.def.  In integers they are workloads/nn/update.h's; here is what
 * they do in doubles, and what their state can be. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "workloads/nn/update.h"
C_LINKAGE_BEGIN

/* Adam's 1 - b1 and 1 - b2, as Kingma and Ba give them. */
#define OPTIMIZER_ADAM_MEAN   0.1
#define OPTIMIZER_ADAM_SQUARE 0.001

enum { OPTIMIZER_MOST_WORDS = 3 };

/* An update in doubles: of the sum of a batch's gradients. */
struct optimizer_step {
    uint64_t number; /* 0, 1, ... */
    double rate;     /* now */
    double momentum; /* of descent; 0: none */
};

struct optimizer {
    const char *name;    /* `train.optimizer` */
    uint8_t rule;        /* enum nn_optimizer */
    uint8_t state_words; /* for each parameter: int32, or doubles */
    bool descends;       /* gradient descent: train.reduction applies, and float32 has it */
    /* state: OPTIMIZER_MOST_WORDS for each parameter, 0 at the beginning. */
    void (*doubles)(const struct optimizer_step *step, size_t count, const double *gradients,
                    double *state, double *parameters);
    /* Whether an update can have left such a word of state; *what says what it should be. */
    bool (*is_state)(size_t place, int32_t word, const char **what);
};

const struct optimizer *optimizer_of(enum config_optimizer optimizer);

/* By enum nn_optimizer; NULL: there is none. */
const struct optimizer *optimizer_of_rule(uint8_t rule);

C_LINKAGE_END
