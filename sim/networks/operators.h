/* operators.h - what networks may ask for beyond convolutions, maxima and dense layers with ReLU
 * (workloads/nn/operators.h), and what can be done with it. */
#ifndef SIM_NETWORKS_OPERATORS_H
#define SIM_NETWORKS_OPERATORS_H
#include "sim/config/config.h"
#include "sim/networks/network.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Whether programs that do this with the network are those with NN_OPERATORS. */
bool operators_needed(const struct network *network, bool trains);

/* STATUS_CONFIGURATION where there is no program, or no arithmetic, for what the network asks for.
 */
enum status operators_check(const struct sim_config *config, const struct network *network,
                            struct diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif
#endif
