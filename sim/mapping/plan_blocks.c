/* plan_blocks.c - mapping neuron_blocks: for networks of two dense layers.  Each chip has all
 * images and a piece of the network: some hidden units and the whole last layer; its cores share
 * the images of a batch (workloads/nn/block_plan.h). */
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "workloads/nn/block_plan.h"

#include <stdlib.h>

struct plan_blocks {
    struct nn_block_plan common;       /* fields that are the same in all cores' plans */
    uint32_t slices[NN_TRAIN_MEMBERS]; /* address of each core's slices, the same on every chip */
};

/* Number of hidden units of a chip. */
static uint32_t units_of(const struct plan_train *train, size_t chip)
{
    return train->bounds[chip + 1] - train->bounds[chip];
}

static enum status divide(struct load_plan *plan, const struct plan_request *request,
                          struct diagnostic *diagnostic)
{
    const uint32_t chips = (uint32_t)plan->chip_count;
    TRY(plan_train_two_dense(plan, request, diagnostic));
    TRY(plan_train_begin(plan, request, 1, diagnostic));
    TRY(plan_train_allocate(plan, chips, plan->train->cores, diagnostic));
    TRY(plan_train_share(plan, request, true, "mapping.chips", diagnostic));
    struct plan_train *train = plan->train;
    uint32_t most = 0;
    train->block = calloc(1, sizeof *train->block);
    if (train->block == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t c = 0; c < chips; c++) {
        most = units_of(train, c) > most ? units_of(train, c) : most;
    }
    train->block->common = (struct nn_block_plan){
        .images = (train->learning.batch + train->groups - 1) / train->groups,
        .slot = most,
        .chips = chips,
    };
    return STATUS_OK;
}

static void complete(const struct load_plan *plan, struct nn_train_core *record)
{
    record->hidden = plan->table->layer[0].output.channels;
}

static void place(struct load_plan *plan)
{
    struct plan_train *train = plan->train;
    for (uint32_t c = 0; c < train->cores; c++) {
        train->record[c].blocks = plan_take(plan, sizeof(struct nn_block_plan));
        train->block->slices[c] = plan_take(plan, plan->chip_count * sizeof(struct nn_block_slice));
    }
}

static uint32_t dtcm_bytes(const struct load_plan *plan)
{
    const struct nn_table *table = plan->table;
    return nn_block_place(&plan->train->block->common, table->layer[0].output.channels,
                          table->classes, table->image_pixels, plan->run.image_bytes,
                          plan->train->value_bytes)
        .total;
}

static void describe(const struct load_plan *plan, size_t core, char *text, size_t size)
{
    (void)snprintf(text, size, "images of %u, block %u", plan->train->record[core].group,
                   plan_train_piece_of(plan->train, core));
}

static struct machine_core core_of(const struct load_plan *plan, uint32_t piece)
{
    return plan->chip[piece].core;
}

/* Values of all hidden units for the core's images. */
static uint32_t exchange_words(const struct load_plan *plan, size_t core)
{
    const struct nn_block_plan *common = &plan->train->block->common;
    (void)core;
    return common->chips * nn_block_slice_values(common);
}

/* ---- writing and reading ---- */

/* Writes each core's plan, and which chip's values are in each slice of the array that the core's
 * ring exchanges: a chip's own slice is the one after its position (workloads/exchange/exchange.h).
 */
static enum status write_plans(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct plan_train *train = plan->train;
    const struct machine_core core = plan->chip[chip].core;
    for (size_t k = 0; k < train->cores; k++) {
        struct nn_block_plan record = train->block->common;
        record.chip = (uint32_t)chip;
        record.first_unit = train->bounds[chip];
        record.units = units_of(train, chip);
        record.slices = train->block->slices[k];
        TRY(machine_write(machine, core, train->record[k].blocks, &record, sizeof record));
        for (size_t c = 0; c < plan->chip_count; c++) {
            const uint32_t position = train->record[c * train->cores + k].exchange.position;
            const struct nn_block_slice slice = {(uint16_t)train->bounds[c],
                                                 (uint16_t)units_of(train, c)};
            TRY(machine_write(machine, core,
                              record.slices + (position + 1) % (uint32_t)plan->chip_count *
                                                  (uint32_t)sizeof slice,
                              &slice, sizeof slice));
        }
    }
    return STATUS_OK;
}

/* Reads each image's result from the chip that computed it. */
static enum status read_results(const struct load_plan *plan, const struct machine *machine,
                                struct nn_result *results)
{
    const struct plan_train *train = plan->train;
    for (uint32_t i = 0; i < plan->images->count; i++) {
        const uint32_t number = i % train->learning.batch / train->groups; /* of its core's */
        TRY(machine_read(machine, plan->chip[number % plan->chip_count].core,
                         plan->run.results + i * (uint32_t)sizeof *results, &results[i],
                         sizeof *results));
    }
    return STATUS_OK;
}

static const struct mapping_training TRAINING = {
    .piece = "block",
    .complete = complete,
    .place = place,
    .dtcm_bytes = dtcm_bytes,
    .describe = describe,
    .core_of = core_of,
    .exchange_words = exchange_words,
    .write = write_plans,
};

const struct mapping MAPPING_BLOCKS = {
    .role = "train_blocks",
    .networks = "two dense layers with ReLU between them",
    .all_images = true,
    .divide = divide,
    .place = plan_train_place,
    .describe = plan_train_describe,
    .add_tensors = plan_train_add_tensors,
    .route = plan_train_route,
    .write = plan_train_write,
    .read_results = read_results,
    .deinit = plan_train_deinit,
    .training = &TRAINING,
};
