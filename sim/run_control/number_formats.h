/* number_formats.h - what each network.number_format supports. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* STATUS_CONFIGURATION with the key and an alternative, where programs or kernels do not support
 * what is configured. */
enum status number_formats_check(const struct sim_config *config, struct diagnostic *diagnostic);

/* Switches a network to the configured format; refused where the format has no kernels for a layer.
 * Leaves the network as it is for int8, which is made later from the int16 network and its weights
 * (sim/networks/quantise.h). */
enum status number_formats_use(const struct sim_config *config, struct network *network,
                               struct diagnostic *diagnostic);

C_LINKAGE_END
