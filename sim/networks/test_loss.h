/* test_loss.h - the mean cross-entropy of a test, from the integer logits that it has left. */
#pragma once
#include "models/common/c_linkage.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/run_plan.h"
C_LINKAGE_BEGIN

/* Over `count` results; NAN when there is none, or one of them has not been classified. */
double test_loss(const struct nn_table *table, const struct nn_result *result,
                 const uint8_t *labels, uint32_t count);

C_LINKAGE_END
