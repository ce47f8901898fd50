/* order.h - the order in which the images of an epoch are trained: computed for any position,
 * without memory, so that host and cores need to agree only on a seed.
 *
 * Images i with i mod shards = s are shard s (a chip holds whole shards).  Position q of an epoch
 * takes image number q / shards of shard q mod shards, after a permutation of that shard which is
 * drawn anew for each epoch.  Each image comes once an epoch, for any number of shards. */
#pragma once
#include "number.h"
NN_LINKAGE_BEGIN

struct nn_order {
    uint32_t seed;
    uint32_t images; /* of an epoch, at least 1 */
    uint32_t shards; /* at least 1; more than images: as many as images */
};

/* epoch 0, 1, ...; position 0 .. images - 1. */
uint32_t nn_order_image(const struct nn_order *order, uint32_t epoch, uint32_t position);

NN_LINKAGE_END
