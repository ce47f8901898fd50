/* train_place.h - the DTCM layout of a core that trains (workloads/nn/train_memory.h), as in the
 * programs of each number format. */
#pragma once
#include "models/common/c_linkage.h"
#include "workloads/nn/train_memory.h"
C_LINKAGE_BEGIN

/* As nn_train_place(). */
typedef void train_place(const struct nn_train_core *core, const struct nn_table *table,
                         const uint32_t *bounds, uint32_t owned, struct nn_train_memory *memory);
#define FORMAT(name, ...) train_place train_place_##name;
#include "workloads/nn/formats.def"

C_LINKAGE_END
