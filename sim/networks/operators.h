/* operators.h - operators: features of networks beyond convolutions, max pooling and dense layers
 * with ReLU (workloads/nn/operators.h), and which programs support them. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* Whether a layer needs operators, by its type or by a feature that it uses. */
bool operators_in(const struct network_layer *layer);

/* Whether a program for this network, of this configuration, must be built with NN_OPERATORS: by
 * its layers or, if it trains, by dropout, its loss or its optimizer. */
bool operators_needed(const struct sim_config *config, const struct network *network);

/* Whether the network alone is the reason. */
bool operators_of_network(const struct sim_config *config, const struct network *network);

/* STATUS_CONFIGURATION when no program can train the network's operators. */
enum status operators_check(const struct sim_config *config, const struct network *network,
                            struct diagnostic *diagnostic);

C_LINKAGE_END
