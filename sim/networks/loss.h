/* loss.h - probabilities and loss of logits, in double precision. */
#pragma once
#include "models/common/c_linkage.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/run_plan.h"
#include <stddef.h>
C_LINKAGE_BEGIN

/* A loss of one image's logits, in doubles.  Cores and the host's integers have softmax and
 * cross-entropy (workloads/nn/loss.h). */
struct loss {
    double (*of)(const double *logits, size_t classes, size_t label);
    /* Its gradient by the logits. */
    void (*gradient)(const double *logits, size_t classes, size_t label, double *gradient);
};
extern const struct loss LOSS_CROSS_ENTROPY;

/* Probabilities of logits, without libm: the largest is subtracted, exp() is our own. */
void reference_softmax(const double *logits, size_t classes, double *probabilities);

/* -ln of the label's probability.  It is reported and enters no weight: libm's log(). */
double reference_cross_entropy(const double *logits, size_t classes, size_t label);

/* e^x for x <= 0, within 2 units in the last place, 0 from about 2^-1021 on downwards: from
 * additions, multiplications and divisions alone. */
double reference_exp(double x);

/* The mean cross-entropy of a test, from the integer logits that it has left: over `count` results;
 * NAN when there is none, or one of them has not been classified. */
double test_loss(const struct nn_table *table, const struct nn_result *result,
                 const uint8_t *labels, uint32_t count);

C_LINKAGE_END
