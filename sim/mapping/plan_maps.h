/* plan_maps.h - mapping feature_maps_per_core: one network on the cores of a chip, its maps spread
 * over them.
 *
 * A stage is a layer with weights and the pooling layers after it: a core that computes some of its
 * maps needs only the whole output of the previous stage.  A part is a run of neighbouring maps or
 * units of a stage.  It has its own layer table and parameters, which the same kernels execute. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/plan.h"
#include "workloads/nn/part_plan.h"
C_LINKAGE_BEGIN

/* ---- a network in parts (plan_parts.c) ---- */

struct plan_stage {
    uint32_t first_layer, layer_count;
    uint32_t outputs; /* maps or units */
    uint32_t values;  /* values of one map or unit after the stage's last layer */
    uint64_t macs;    /* multiply-accumulates for one map or unit */
    uint32_t least;   /* cores that it needs, by memory */
    uint32_t cores;
};

struct plan_stages {
    struct plan_stage stage[NETWORK_LAYERS];
    size_t count;
};

/* Finds the stages and assigns cores to them.  The last stage gets one core, because its outputs
 * belong together.  The others are assigned so that the most loaded core has as few
 * multiply-accumulates as possible, then the most loaded core of the stages that can still improve,
 * and so on.  STATUS_CONFIGURATION when the network does not begin with a layer that has weights,
 * or when there are fewer cores than stages or more than maps and units.  The diagnostic then has
 * text, key and hint; the caller adds the place. */
enum status plan_stages_make(const struct network *network, uint32_t cores,
                             struct plan_stages *stages, struct diagnostic *diagnostic);

/* Gives a stage whose parts are too large at least one core more than it has, if there is one, and
 * deals the others as above.  False: the stages are as before. */
bool plan_stages_widen(struct plan_stages *stages, size_t stage, uint32_t cores);

/* Makes the layer table of a stage for the maps or units of a slice, in malloc'ed memory; NULL: out
 * of memory.  Parameters are packed, weights before biases, each aligned to a word.  The table has
 * addresses for the image (of a part that takes one) and for what a layer passes to the next; the
 * program chooses where the last layer's output goes. value_bytes: network_value_bytes(), 2 or 1.
 */
struct nn_table *part_table_make(const struct nn_table *table, const struct plan_stage *stage,
                                 struct plan_slice slice, uint32_t value_bytes);

/* Copies the slice's parameters from the network's to `to`, which has part->parameter_bytes. */
void part_parameters(const struct nn_table *table, const uint8_t *parameters,
                     const struct plan_stage *stage, struct plan_slice slice,
                     const struct nn_table *part, uint32_t value_bytes, uint8_t *to);

/* ---- the plan (plan_maps.c) ---- */

/* One core's part: the same on every chip, except for keys and core numbers. */
struct plan_part {
    uint32_t stage;
    struct plan_slice slice;
    struct nn_table *table;
    struct nn_part record; /* as for all chips; keys, rows of waits and cores to wake are filled in
                              for each chip */
    uint32_t address;      /* of the record */
    uint32_t first_wait;   /* index of the first part that it receives values from; the parts of a
                              stage are consecutive */
};

struct plan_maps {
    struct plan_stages stages;
    struct plan_part *part; /* [core of a chip]; the last one computes the network's output */
    size_t part_count;
};

/* Index of the routing edge on which a part sends; `chip` is an index in the plan.  The last part
 * sends nothing. */
static inline size_t plan_maps_edge(const struct plan_maps *maps, size_t chip, size_t part)
{
    return chip * (maps->part_count - 1) + part;
}

C_LINKAGE_END
