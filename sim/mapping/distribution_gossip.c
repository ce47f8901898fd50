/* distribution_gossip.c - train.distributed: gossip: chips take the average of pairs that are
 * drawn. */
#include "sim/mapping/distributions.h"
#include "sim/mapping/rows.h"

DISTRIBUTION(GOSSIP, "gossip", DISTRIBUTED_BY_GOSSIP)
PROGRAM(train_gossip, MAPPING_GROUPS, GOSSIP, "int16 s16.15", "int16 s16.15", "int16",
        "lenet/roles/train_group.c lenet/roles/circle.c lenet/roles/train_core.c "
        "lenet/distributions/distribution.c lenet/distributions/distribution_gossip.c")

const struct exchange_kind DISTRIBUTED_BY_GOSSIP = {
    .text = " with averages of pairs",
    .make = distribution_make,
    .route = distribution_route,
    .owned = distribution_owns_all,
    .replicas = true,
    .data_bytes = distribution_data_bytes,
    .dtcm_bytes = distribution_dtcm_bytes,
};
