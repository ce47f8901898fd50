/* distribution_neighbours.c - train.distributed: neighbours: chips take the average of their
 * neighbours. */
#include "sim/mapping/distributions.h"
#include "sim/mapping/rows.h"

DISTRIBUTION(NEIGHBOURS, "neighbours", DISTRIBUTED_BY_NEIGHBOURS)
PROGRAM(train_neighbours, MAPPING_GROUPS, NEIGHBOURS, "int16 s16.15", "int16 s16.15", "int16",
        "lenet/roles/train_group.c lenet/roles/circle.c lenet/roles/train_core.c "
        "lenet/distributions/distribution.c lenet/distributions/distribution_neighbours.c")

const struct exchange_kind DISTRIBUTED_BY_NEIGHBOURS = {
    .text = " with averages of neighbours",
    .make = distribution_make,
    .route = distribution_route,
    .owned = distribution_owns_all,
    .replicas = true,
    .data_bytes = distribution_data_bytes,
    .dtcm_bytes = distribution_dtcm_bytes,
};
