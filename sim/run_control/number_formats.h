/* number_formats.h - what can be done in which network.number_format. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* STATUS_CONFIGURATION with the key and what to do instead, where programs or kernels lack what is
 * asked for. */
enum status number_formats_check(const struct sim_config *config, struct diagnostic *diagnostic);

/* Turns a network into the configured format; refused where it has no kernels for a layer.  For
 * int8 it stays as it is: that is made of int16 and its weights (sim/networks/quantise.h). */
enum status number_formats_use(const struct sim_config *config, struct network *network,
                               struct diagnostic *diagnostic);

C_LINKAGE_END
