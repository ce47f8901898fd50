/* operators.h - operators: features of networks beyond convolutions, max pooling and dense layers
 * with ReLU, which not every mapping and number format has. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* What a layer needs, by its type or by a feature that it uses. */
enum operators operators_in(const struct network_layer *layer);

/* What a program must have for the layers of a network and, if it trains, for dropout. */
enum operators operators_needed(const struct sim_config *config, const struct network *network);

/* STATUS_CONFIGURATION when no program can train the network's operators. */
enum status operators_check(const struct sim_config *config, const struct network *network,
                            struct diagnostic *diagnostic);

C_LINKAGE_END
