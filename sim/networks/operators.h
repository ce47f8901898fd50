/* operators.h - operators: features of networks beyond convolutions, max pooling and dense layers
 * with ReLU (workloads/nn/operators.h), and which programs support them. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* Whether a layer needs operators, by its type or by a feature that it uses. */
bool operators_in(const struct network_layer *layer);

/* Whether programs that train (`trains`) or classify with the network must be built with
 * NN_OPERATORS. */
bool operators_needed(const struct network *network, bool trains);

/* STATUS_CONFIGURATION when no program can train the network's operators. */
enum status operators_check(const struct sim_config *config, const struct network *network,
                            struct diagnostic *diagnostic);

C_LINKAGE_END
