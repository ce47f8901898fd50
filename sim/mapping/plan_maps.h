/* plan_maps.h - mapping feature_maps_per_core: one network on the cores of a chip, its maps spread
 * over them.  Part of a load plan (load_plan.h). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/part_table.h"
#include "workloads/nn/part_plan.h"
C_LINKAGE_BEGIN

/* What one core does: the same on every chip, but for keys and core numbers. */
struct plan_part {
    uint32_t stage;
    struct plan_slice slice;
    struct nn_table *table;
    struct nn_part record; /* keys, rows of waits and cores to wake are written for each chip */
    uint32_t address;      /* of the record */
    uint32_t first_wait;   /* part whose values come first: parts of a stage follow each other */
};

struct plan_maps {
    struct plan_stages stages;
    struct plan_part *part; /* core by core of a chip; the last one ends the network */
    size_t part_count;
};

/* The edge of the routing by which a part sends, on a chip by its number in the plan; the last part
 * sends nothing. */
static inline size_t plan_maps_edge(const struct plan_maps *maps, size_t chip, size_t part)
{
    return chip * (maps->part_count - 1) + part;
}

C_LINKAGE_END
