/* distribution_server.c - train.distributed: server: the first chips own the parameters. */
#include "sim/mapping/distributions.h"
#include "sim/mapping/rows.h"

DISTRIBUTION(SERVER, "server", DISTRIBUTED_BY_SERVER)
PROGRAM(train_server, MAPPING_GROUPS, SERVER, "int16 s16.15", "int16 s16.15", "int16",
        "lenet/roles/train_group.c lenet/roles/circle.c lenet/roles/train_core.c "
        "lenet/distributions/distribution.c lenet/distributions/distribution_server.c")

const struct exchange_kind DISTRIBUTED_BY_SERVER = {
    .text = " with servers",
    .make = distribution_make,
    .route = distribution_route,
    .owned = distribution_owns_part,
    .replicas = false,
    .data_bytes = distribution_data_bytes,
    .dtcm_bytes = distribution_dtcm_bytes,
};
