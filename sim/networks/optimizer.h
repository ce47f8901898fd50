/* optimizer.h - the rules of an update for the host: the rows of workloads/nn/optimizers.def, each
 * a file of workloads/nn/optimizers. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "workloads/nn/doubles.h"
#include "workloads/nn/update.h"
C_LINKAGE_BEGIN

/* In the order of the rows, for a walk over all; NULL: behind the last. */
const struct optimizer *optimizer_of(enum config_optimizer optimizer);

/* By enum nn_optimizer; NULL: no such optimizer. */
const struct optimizer *optimizer_of_rule(uint8_t rule);

C_LINKAGE_END
