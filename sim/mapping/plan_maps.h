/* plan_maps.h - mapping feature_maps_per_core: one network on the cores of a chip, its maps spread
 * over them.
 *
 * A stage is a layer with weights and the pooling layers behind it: whoever has some of its maps
 * needs nothing else than the whole output of the stage before.  A part is some neighbouring maps
 * or units of a stage: a layer table of its own with its own parameters, which the same kernels
 * execute. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/plan.h"
#include "workloads/nn/part_plan.h"
C_LINKAGE_BEGIN

/* ---- a network in parts (plan_parts.c) ---- */

struct plan_stage {
    uint32_t first_layer, layer_count;
    uint32_t outputs; /* maps or units */
    uint32_t values;  /* of one of them, after the stage's last layer */
    uint64_t macs;    /* for one of them */
    uint32_t cores;
};

struct plan_stages {
    struct plan_stage stage[NETWORK_LAYERS];
    size_t count;
};

/* Finds the stages and gives out the cores: one to the last stage, whose outputs belong together;
 * the others so that the most loaded core has as few multiply-accumulates as possible, then the
 * most loaded core of the stages that can still do better, and so on.  STATUS_CONFIGURATION when
 * the network does not begin with a layer that has weights, or when there are fewer cores than
 * stages or more than maps and units: text, key and hint are given, the place is the caller's. */
enum status plan_stages_make(const struct network *network, uint32_t cores,
                             struct plan_stages *stages, struct diagnostic *diagnostic);

/* Layers of a stage for the maps or units of a slice, in malloc'ed memory; NULL: out of memory.
 * Parameters lie packed, weights before biases, each on a word.  Of the activations, the image (of
 * a part that takes one) and what a layer hands to the next have places; the last layer's output
 * has none: it goes where the program says.  value_bytes: network_value_bytes(), 2 or 1. */
struct nn_table *part_table_make(const struct nn_table *table, const struct plan_stage *stage,
                                 struct plan_slice slice, uint32_t value_bytes);

/* Copies the slice's parameters out of the network's: `to` has part->parameter_bytes. */
void part_parameters(const struct nn_table *table, const uint8_t *parameters,
                     const struct plan_stage *stage, struct plan_slice slice,
                     const struct nn_table *part, uint32_t value_bytes, uint8_t *to);

/* ---- the plan (plan_maps.c) ---- */

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
