/* plan_blocks.c - see plan_blocks.h. */
#include "sim/mapping/plan_blocks.h"

#include "sim/mapping/plan_kinds.h"

#include <stdlib.h>
#include <string.h>

enum { LAYERS = 2 };

static enum status no_memory(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}

/* ---- shape ---- */

static bool fits(const struct nn_table *table)
{
    return table->layers == LAYERS && table->layer[0].kind == NN_DENSE &&
           table->layer[1].kind == NN_DENSE && table->layer[0].activation == NN_RELU;
}

/* Hidden units of a chip. */
static uint32_t units_of(const struct plan_train *train, size_t chip)
{
    return train->bounds[chip + 1] - train->bounds[chip];
}

enum status plan_blocks_make(struct load_plan *plan, const struct sim_config *config,
                             struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    uint32_t most = 0;
    if (!fits(plan->table)) {
        return config_refuse(
            config, "mapping.kind", "replica_per_chip trains other networks", diagnostic,
            "network %s is not two dense layers with ReLU between them", plan->network->name);
    }
    train->block = calloc(1, sizeof *train->block);
    if (train->block == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t c = 0; c < plan->chip_count; c++) {
        most = units_of(train, c) > most ? units_of(train, c) : most;
    }
    train->block->common = (struct nn_block_plan){
        .images = (train->learning.batch + train->groups - 1) / train->groups,
        .slot = most,
        .chips = (uint32_t)plan->chip_count,
    };
    return STATUS_OK;
}

void plan_blocks_deinit(struct plan_train *train)
{
    free(train->block);
    train->block = NULL;
}

uint32_t plan_blocks_ring_values(const struct load_plan *plan)
{
    const struct nn_block_plan *common = &plan->train->block->common;
    return common->chips * nn_block_slice_values(common);
}

/* ---- memory ---- */

void plan_blocks_place(struct load_plan *plan, uint32_t *next)
{
    struct plan_train *train = plan->train;
    for (uint32_t c = 0; c < train->cores; c++) {
        train->record[c].blocks = plan_take(next, sizeof(struct nn_block_plan));
        train->block->slices[c] = plan_take(next, plan->chip_count * sizeof(struct nn_block_slice));
    }
}

uint32_t plan_blocks_dtcm_bytes(const struct load_plan *plan)
{
    const struct nn_table *table = plan->table;
    return nn_block_place(&plan->train->block->common, table->layer[0].output.channels,
                          table->classes, table->image_pixels, plan->run.image_bytes,
                          plan->train->value_bytes)
        .total;
}

/* ---- writing and reading ---- */

/* Whose values each slice of the array has that goes around the ring of cores number `core`: a
 * chip's own slice is the one after its position (workloads/exchange/exchange.h). */
static void fill_slices(const struct load_plan *plan, size_t core, struct nn_block_slice *slice)
{
    const struct plan_train *train = plan->train;
    for (size_t c = 0; c < plan->chip_count; c++) {
        const uint32_t position = train->record[c * train->cores + core].exchange.position;
        slice[(position + 1) % plan->chip_count] =
            (struct nn_block_slice){(uint16_t)train->bounds[c], (uint16_t)units_of(train, c)};
    }
}

enum status plan_blocks_write(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct plan_train *train = plan->train;
    struct nn_block_slice *slice = calloc(plan->chip_count, sizeof *slice);
    enum status status = slice == NULL ? STATUS_INTERNAL : STATUS_OK;
    for (size_t c = 0; c < train->cores && status == STATUS_OK; c++) {
        const struct machine_core core = plan->chip[chip].core;
        struct nn_block_plan record = train->block->common;
        record.chip = (uint32_t)chip;
        record.first_unit = train->bounds[chip];
        record.units = units_of(train, chip);
        record.slices = train->block->slices[c];
        fill_slices(plan, c, slice);
        status = machine_write(machine, core, train->record[c].blocks, &record, sizeof record);
        if (status == STATUS_OK) {
            status = machine_write(machine, core, record.slices, slice,
                                   (uint32_t)(plan->chip_count * sizeof *slice));
        }
    }
    free(slice);
    return status;
}

enum status plan_blocks_read_results(const struct load_plan *plan, const struct machine *machine,
                                     struct nn_result *results)
{
    const struct plan_train *train = plan->train;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < plan->images->count && status == STATUS_OK; i++) {
        const uint32_t number = i % train->learning.batch / train->groups; /* of its core's */
        status = machine_read(machine, plan->chip[number % plan->chip_count].core,
                              plan->run.results + i * (uint32_t)sizeof *results, &results[i],
                              sizeof *results);
    }
    return status;
}
