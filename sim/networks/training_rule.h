/* training_rule.h - what the configuration says about training, in the integers that host and cores
 * compute with (workloads/nn/order.h, schedule.h, update.h). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/networks/network.h"
#include "workloads/nn/order.h"
#include "workloads/nn/schedule.h"
#include "workloads/nn/update.h"
C_LINKAGE_BEGIN

/* Fractional bits of the errors: 12 - ceil(log2(batch / 16)), so that sums over a batch keep some
 * bits of head-room. */
uint32_t training_error_fraction(uint32_t global_batch);

struct nn_rule training_rule_of(const struct sim_config *config, const struct network *network);
struct nn_schedule training_schedule_in(const struct sim_config *config, uint32_t images);
struct nn_order training_order_of(const struct sim_config *config, uint32_t images);

C_LINKAGE_END
