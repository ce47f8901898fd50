/* loss.h - probabilities and losses of logits, in double precision. */
#pragma once
#include "models/common/c_linkage.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/run_plan.h"
#include <stddef.h>
C_LINKAGE_BEGIN

/* A loss of one image's logits, in doubles: a row of workloads/nn/losses.def.  Cores and the
 * integer host backend compute it by workloads/nn/loss.h. */
struct loss {
    double (*of)(const double *logits, size_t classes, size_t label);
    /* Its gradient with respect to the logits. */
    void (*gradient)(const double *logits, size_t classes, size_t label, double *gradient);
};
const struct loss *loss_of(enum nn_loss loss);

/* Softmax without libm: subtracts the largest logit and uses reference_exp(). */
void reference_softmax(const double *logits, size_t classes, double *probabilities);

/* -ln of the label's probability, by libm's log(): the value is only reported and influences no
 * weight. */
double reference_cross_entropy(const double *logits, size_t classes, size_t label);

/* e^x for x <= 0, accurate to 2 units in the last place; results below about 2^-1021 are 0.  Uses
 * only additions, multiplications and divisions. */
double reference_exp(double x);

/* Mean loss of a test's `count` results, from their integer logits, by the table's loss.  NAN when
 * there are none, or when an image has not been classified. */
double test_loss(const struct nn_table *table, const struct nn_result *result,
                 const uint8_t *labels, uint32_t count);

C_LINKAGE_END
