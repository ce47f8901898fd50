/* plan_stages.h - a network as stages, and how many cores each of them gets.
 *
 * A stage is a layer with weights and the pooling layers behind it: whoever has some of its maps
 * needs nothing else than the whole output of the stage before. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

struct plan_stage {
    uint32_t first_layer, layer_count;
    uint32_t outputs; /* maps or units */
    uint32_t values;  /* of one of them, after the stage's last layer */
    uint64_t macs;    /* for one of them */
    uint32_t cores;
};

/* A core's part of a stage: neighbouring maps or units. */
struct plan_slice {
    uint32_t first, count;
};

struct plan_stages {
    struct plan_stage stage[NETWORK_LAYERS];
    size_t count;
};

/* Finds the stages and gives out the cores: one to the last stage, whose outputs belong together;
 * the others so that the most loaded core has as few multiply-accumulates as possible, then the
 * most loaded core of the stages that can still do better, and so on.  STATUS_CONFIGURATION when
 * the network does not begin with a layer that has weights, or when there are fewer cores than
 * stages or more than maps and units: text and hint are given, place and key are the caller's. */
enum status plan_stages_make(const struct network *network, uint32_t cores,
                             struct plan_stages *stages, struct diagnostic *diagnostic);

/* Part `index` of a stage's cores; the first parts have one more. */
struct plan_slice plan_slice_of(const struct plan_stage *stage, uint32_t index);

C_LINKAGE_END
