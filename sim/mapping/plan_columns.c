/* plan_columns.c - mapping neuron_columns: for networks of dense layers.  Each chip has all images,
 * some units of each hidden layer and their weights to the next layer; sums of products go around
 * the rings.  Its cores share the images of a batch (workloads/nn/block_plan.h). */
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_blocks.h"
#include "sim/mapping/rows.h"

MAPPING(NEURON_COLUMNS, TRAIN, MAPPING_COLUMNS, "mapping.chips")
PROGRAM(columns, MAPPING_COLUMNS, RINGS, "int16 s16.15", "int16 s16.15", "",
        "lenet/roles/train_columns.c lenet/roles/train_core.c exchange/exchange.c "
        "exchange/exchange_packets.S")

static enum status divide(struct load_plan *plan, const struct plan_request *request,
                          struct diagnostic *diagnostic)
{
    return plan_blocks_divide(plan, request, PLAN_TRAIN_COLUMNS, diagnostic);
}

/* Sums of all units of the largest layer behind the first, for the core's images. */
static uint32_t exchange_words(const struct load_plan *plan, size_t core)
{
    const struct nn_block_plan *common = &plan->train->block->common;
    uint32_t most = 0;
    (void)core;
    for (uint32_t k = 1; k < common->layers; k++) {
        const uint32_t sums = nn_column_ring_values(common, k);
        most = sums > most ? sums : most;
    }
    return most;
}

/* Reads each image's result from the chip that added up its logits. */
static enum status read_results(const struct load_plan *plan, const struct machine *machine,
                                struct nn_result *results)
{
    const struct plan_train *train = plan->train;
    for (uint32_t i = 0; i < plan->images->count; i++) {
        const uint32_t number = i % train->learning.batch / train->groups; /* of its core's */
        size_t chip = 0;
        while (plan_columns_images(plan, chip).first + plan_columns_images(plan, chip).count <=
               number) {
            chip++;
        }
        TRY(plan_read_results(plan, machine, plan->chip[chip].core, (struct plan_slice){i, 1},
                              &results[i]));
    }
    return STATUS_OK;
}

/* ---- the time of an update ---- */

enum { WORD_BYTES = 4 };

/* A layer's sums, or values, go around the rings: `bytes` each. */
static void add_ring(const struct load_plan *plan, uint32_t k, uint32_t bytes,
                     const struct exchange_pace *rings, struct estimate_sum *sum)
{
    const struct nn_block_plan *common = &plan->train->block->common;
    double packets[NN_TRAIN_MEMBERS];
    double all = 0;
    for (size_t c = 0; c < plan->chip_count; c++) {
        const uint32_t count = k + 1 < common->layers ? plan_blocks_units(plan->train, k, c).count
                                                      : plan_columns_images(plan, c).count;
        all += nn_column_slice(common, k, count) * bytes / (double)EXCHANGE_PACKET_BYTES;
    }
    for (uint32_t c = 0; c < plan->train->cores; c++) {
        packets[c] = all;
    }
    sum->exchange_s += estimate_ring(plan, rings, packets);
}

/* The first layer: rows of the largest block, all images of a core; pixels whose values are not
 * kept are converted twice. */
static void add_first(const struct load_plan *plan, struct estimate_sum *sum)
{
    const struct nn_block_plan *common = &plan->train->block->common;
    const double images = common->images;
    const double inputs = nn_values(plan->table->layer[0].input);
    const double times =
        nn_column_keeps(common, plan->table->image_pixels, plan->train->value_bytes) ? 1 : 2;
    const struct estimate_matrix rows = {inputs, common->layer[0].most};
    sum->cycles += images * estimate_values(plan, rows) +
                   estimate_gradient(plan, rows, common->images) +
                   estimate_work(plan, ESTIMATE_PIXELS, times * images * inputs);
}

/* Layer k behind it: sums from the largest block's columns, their rounding at their chip; errors of
 * the block's units; gradients. */
static void add_layer(const struct load_plan *plan, uint32_t k, const struct exchange_pace *rings,
                      struct estimate_sum *sum)
{
    const struct nn_block_plan *common = &plan->train->block->common;
    const double images = common->images;
    const double units = common->layer[k].units;
    const double before = common->layer[k - 1].most;
    const double own = k + 1 < common->layers ? common->layer[k].most : 0;
    const struct estimate_matrix columns = {units, before};
    sum->cycles += images * estimate_errors(plan, columns) +
                   images * estimate_values(plan, columns) +
                   estimate_gradient(plan, columns, common->images) +
                   images * estimate_work(plan, ESTIMATE_ROUND, before + own) +
                   2 * images * estimate_work(plan, ESTIMATE_COPY, units);
    add_ring(plan, k, WORD_BYTES, rings, sum);
    add_ring(plan, k, plan->train->value_bytes, rings, sum);
}

static void estimate(const struct load_plan *plan, const struct exchange_pace *rings,
                     struct estimate_sum *sum)
{
    const struct plan_train *train = plan->train;
    const struct nn_block_plan *common = &train->block->common;
    const double words = train->record[0].parameter_count;
    const uint32_t slice = train->record[train->cores - 1].slice_count;
    uint32_t most = 0; /* images whose loss a core computes */
    for (size_t c = 0; c < plan->chip_count; c++) {
        const uint32_t count = plan_columns_images(plan, c).count;
        most = count > most ? count : most;
    }
    add_first(plan, sum);
    for (uint32_t k = 1; k < common->layers; k++) {
        add_layer(plan, k, rings, sum);
    }
    sum->cycles += estimate_work(plan, ESTIMATE_LOSS, most) +
                   estimate_work(plan, ESTIMATE_ADD, slice * (double)train->groups);
    sum->bytes += 2 * words * train->cores * WORD_BYTES;
    sum->bytes += (double)train->cores * common->images * plan->run.image_bytes;
    sum->transfers += train->groups + common->images;
    sum->signals += 1;
    estimate_add_update(plan, slice, slice, sum);
}

static const struct mapping_training TRAINING = {
    .piece = "block",
    .estimate = estimate,
    .place = plan_blocks_place,
    .describe = plan_blocks_describe,
    .core_of = plan_blocks_core_of,
    .exchange_words = exchange_words,
    .write = plan_blocks_write,
};

const struct mapping MAPPING_COLUMNS = {
    .role = "train_columns",
    .networks = "dense layers with ReLU between them",
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
