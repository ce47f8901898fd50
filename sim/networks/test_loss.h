/* test_loss.h - the mean cross-entropy of a test, from the integer logits that it has left. */
#ifndef SIM_NETWORKS_TEST_LOSS_H
#define SIM_NETWORKS_TEST_LOSS_H
#include "workloads/nn/layer_table.h"
#include "workloads/nn/run_plan.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Over `count` results; NAN when there is none, or one of them has not been classified. */
double test_loss(const struct nn_table *table, const struct nn_result *result,
                 const uint8_t *labels, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif
