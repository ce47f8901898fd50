/* plan_blocks.h - what the mappings neuron_blocks and neuron_columns have in common: each chip has
 * all images and some units of each hidden layer (workloads/nn/block_plan.h). */
#pragma once
#include "sim/mapping/plan_train.h"

/* A chip's units of a hidden layer. */
struct nn_block_slice plan_blocks_units(const struct plan_train *train, uint32_t layer,
                                        size_t chip);

/* Of neuron_columns: those images of each core whose logits a chip adds up. */
struct nn_block_slice plan_columns_images(const struct load_plan *plan, size_t chip);

/* Steps of a mapping (mapping.h, plan_train.h). */
enum status plan_blocks_divide(struct load_plan *plan, const struct plan_request *request,
                               enum plan_train_parts parts, struct diagnostic *diagnostic);
void plan_blocks_place(struct load_plan *plan);
void plan_blocks_describe(const struct load_plan *plan, size_t core, char *text, size_t size);
struct machine_core plan_blocks_core_of(const struct load_plan *plan, uint32_t piece);

/* Writes the plans of a chip's cores. */
enum status plan_blocks_write(const struct load_plan *plan, size_t chip, struct machine *machine);
