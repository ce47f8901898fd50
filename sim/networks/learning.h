/* learning.h - parameters of integer training, made from the configuration: the same for the
 * modelled machine and for the host.  The arithmetic is in workloads/nn (order.h, schedule.h,
 * update.h); this file checks its parameters and draws the initial weights. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/networks/network.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/order.h"
#include "workloads/nn/schedule.h"
#include "workloads/nn/update.h"
C_LINKAGE_BEGIN

struct learning {
    uint32_t epochs, batch; /* batch: images between two updates */
    uint32_t updates_per_epoch;
    struct nn_order order;
    struct nn_schedule schedule;
    struct nn_rule rule;
};

/* Makes it for epochs of `images` images.  STATUS_CONFIGURATION with place, key and hint when the
 * configured numbers do not make a valid training. */
enum status learning_of(const struct sim_config *config, const struct network *network,
                        uint32_t images, struct learning *learning, struct diagnostic *diagnostic);

/* Whether the largest sum of gradients, as a magnitude, is at most 2^30, half of the range of a
 * signed 32-bit sum.  If not, the training ends. */
static inline bool learning_has_room(uint32_t largest)
{
    return largest <= UINT32_C(1) << 30;
}

/* Number of images of update 0, 1, ... of an epoch: the last batch may be smaller. */
uint32_t learning_batch_of(const struct learning *learning, uint32_t update);

/* Initial weights are drawn uniformly from +-this bound: sqrt(6 / fan-in) (he; sqrt(3 / fan-in) for
 * the last layer, whose output no ReLU halves); sqrt(3 / fan-in) (lecun); sqrt(6 / (fan-in +
 * fan-out)) (glorot). 0 for a layer without weights. */
double learning_bound(const struct network *network, size_t layer,
                      enum config_initializer initializer);

/* Fills a parameter block (weights_block_bytes()): weights drawn within +-learning_bound() and
 * rounded to integers, each a function of (seed, layer, index) only; biases 0. */
void learning_draw(const struct network *network, const struct nn_table *table,
                   enum config_initializer initializer, uint64_t seed, void *block);

/* Fractional bits of the errors: 12 - ceil(log2(batch / 16)), which leaves headroom for sums over a
 * batch. */
uint32_t training_error_fraction(uint32_t global_batch);

/* warm_up: share of the first epoch's updates, rounded; halve_every: epochs between halvings, for
 * decay: step. */
struct nn_schedule training_schedule_of(uint32_t updates_per_epoch, uint32_t epochs, double warm_up,
                                        enum config_decay decay, uint32_t halve_every);

C_LINKAGE_END
