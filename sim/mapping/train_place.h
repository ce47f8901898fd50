/* train_place.h - the layout of a training core's data in DTCM (workloads/nn/train_memory.h), for
 * the programs of each number format. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/train_piece.h"
#include "workloads/nn/block_plan.h"
#include "workloads/nn/train_plan.h"
C_LINKAGE_BEGIN

/* Lays out the data of a core with this piece.  `core`, `blocks` and `bounds` as in the plan;
 * `blocks` NULL: the core is a member of a group, else it also sets blocks->at.  `owned`: words
 * that the core updates, at most. */
typedef void train_place(const struct nn_train_core *core, const struct train_piece *piece,
                         const uint32_t *bounds, uint32_t owned, struct nn_block_plan *blocks,
                         struct nn_train_memory *memory);
#define FORMAT(name, ...) train_place train_place_##name;
#include "workloads/nn/formats.def"

C_LINKAGE_END
