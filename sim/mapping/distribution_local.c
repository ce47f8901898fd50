/* distribution_local.c - train.distributed: local: each chip trains alone. */
#include "sim/mapping/distributions.h"
#include "sim/mapping/rows.h"

DISTRIBUTION(LOCAL, "local", DISTRIBUTED_BY_LOCAL)
PROGRAM(train_local, MAPPING_GROUPS, LOCAL, "int16 s16.15", "int16 s16.15", "int16",
        "lenet/roles/train_group.c lenet/roles/circle.c lenet/roles/train_core.c "
        "lenet/distributions/distribution.c lenet/distributions/distribution_local.c")

const struct exchange_kind DISTRIBUTED_BY_LOCAL = {
    .text = ", each chip alone,",
    .make = distribution_make,
    .route = distribution_route,
    .owned = distribution_owns_all,
    .replicas = true,
    .data_bytes = distribution_data_bytes,
    .dtcm_bytes = distribution_dtcm_bytes,
};
