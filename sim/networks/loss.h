/* loss.h - the loss of a row of workloads/nn/losses.def in doubles, and of a test.  Cores and the
 * integer host backend compute it by workloads/nn/loss.h. */
#pragma once
#include "models/common/c_linkage.h"
#include "workloads/nn/doubles.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/run_plan.h"
#include <stddef.h>
C_LINKAGE_BEGIN

const struct loss *loss_of(enum nn_loss loss);

/* Mean loss of a test's `count` results, from their integer logits, by the table's loss.  NAN when
 * there are none, or when an image has not been classified.  The logits are divided by the
 * network's logit_factor. */
double test_loss(const struct nn_table *table, double logit_factor, const struct nn_result *result,
                 const uint8_t *labels, uint32_t count);

C_LINKAGE_END
