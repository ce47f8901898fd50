/* activation.h - the activations of layers: the rows of workloads/nn/activations.def. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/networks/network.h"
#include "workloads/nn/doubles.h"
C_LINKAGE_BEGIN

const struct activation *activation_of(enum network_activation activation);

/* Of an enum nn_activation, as a layer table has it. */
const struct activation *activation_of_row(uint8_t row);

C_LINKAGE_END
