/* distribution_average.c - train.distributed: average: chips take the average of all now and then.
 */
#include "sim/mapping/distributions.h"
#include "sim/mapping/rows.h"

DISTRIBUTION(AVERAGE, "average", DISTRIBUTED_BY_AVERAGE)
PROGRAM(train_average, MAPPING_GROUPS, AVERAGE, "int16 s16.15", "int16 s16.15", "int16",
        "lenet/roles/train_group.c lenet/roles/circle.c lenet/roles/train_core.c "
        "lenet/distributions/distribution.c lenet/distributions/distribution_average.c")

const struct exchange_kind DISTRIBUTED_BY_AVERAGE = {
    .text = " with averages",
    .make = distribution_make,
    .route = distribution_route,
    .owned = distribution_owns_all,
    .replicas = true,
    .data_bytes = distribution_data_bytes,
    .dtcm_bytes = distribution_dtcm_bytes,
};
