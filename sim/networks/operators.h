/* operators.h - what networks may ask for beyond convolutions, maxima and dense layers with ReLU
 * (workloads/nn/operators.h), and what can be done with it. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* Whether a layer is one of them, or has one. */
bool operators_in(const struct network_layer *layer);

/* Whether programs that do this with the network are those with NN_OPERATORS. */
bool operators_needed(const struct network *network, bool trains);

/* STATUS_CONFIGURATION where no program can train what the network asks for. */
enum status operators_check(const struct sim_config *config, const struct network *network,
                            struct diagnostic *diagnostic);

C_LINKAGE_END
