/* plan_blocks.h - mapping neuron_blocks: what plan_train.h's parts need besides.  Private to
 * sim/mapping. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/load_plan.h"
#include "workloads/nn/block_plan.h"
C_LINKAGE_BEGIN

struct plan_blocks {
    struct nn_block_plan common;       /* what all cores' plans share */
    uint32_t slices[NN_TRAIN_MEMBERS]; /* address of each core's, on every chip */
};

/* STATUS_CONFIGURATION when the network is not two dense layers. */
enum status plan_blocks_make(struct load_plan *plan, const struct sim_config *config,
                             struct diagnostic *diagnostic);
void plan_blocks_deinit(struct plan_train *train);

/* Values that go around the rings for each core and batch. */
uint32_t plan_blocks_ring_values(const struct load_plan *plan);

/* In SDRAM; the first chip's records then carry the address. */
void plan_blocks_place(struct load_plan *plan, uint32_t *next);

/* What a core's program takes of DTCM besides what all trainings take. */
uint32_t plan_blocks_dtcm_bytes(const struct load_plan *plan);

enum status plan_blocks_write(const struct load_plan *plan, size_t chip, struct machine *machine);

/* Each image's from the chip that has made it. */
enum status plan_blocks_read_results(const struct load_plan *plan, const struct machine *machine,
                                     struct nn_result *results);

C_LINKAGE_END
