/* plan_blocks.c - mapping neuron_blocks: for networks of dense layers.  Each chip has all images
 * and a block of the network: some units of each hidden layer and the whole last layer; its cores
 * share the images of a batch (workloads/nn/block_plan.h). */
#include "sim/mapping/plan_blocks.h"

#include "sim/mapping/mapping.h"
#include "sim/mapping/rows.h"

#include <stdlib.h>

MAPPING(NEURON_BLOCKS, TRAIN, MAPPING_BLOCKS, "mapping.chips")
PROGRAM(blocks, MAPPING_BLOCKS, RINGS, "int16 s16.15 float32", "int16 s16.15 float32", "",
        "lenet/roles/train_blocks.c lenet/roles/train_core.c exchange/exchange.c "
        "exchange/exchange_packets.S")

struct nn_block_slice plan_blocks_units(const struct plan_train *train, uint32_t layer, size_t chip)
{
    const uint32_t *bound = train->bounds + (size_t)layer * (train->pieces + 1) + chip;
    return (struct nn_block_slice){(uint16_t)bound[0], (uint16_t)(bound[1] - bound[0])};
}

/* A layer's part of the common plan. */
static struct nn_block_layer layer_of(const struct load_plan *plan, uint32_t row)
{
    const uint32_t units = plan->table->layer[row].output.channels;
    struct nn_block_layer layer = {.units = units, .count = units};
    for (size_t c = 0; c < plan->chip_count && row + 1 < plan->table->layers; c++) {
        const uint32_t count = plan_blocks_units(plan->train, row, c).count;
        layer.most = count > layer.most ? count : layer.most;
    }
    return layer;
}

enum status plan_blocks_divide(struct load_plan *plan, const struct plan_request *request,
                               enum plan_train_parts parts, struct diagnostic *diagnostic)
{
    const uint32_t chips = (uint32_t)plan->chip_count;
    TRY(plan_train_dense(plan, request, NN_TRAIN_STAGES, diagnostic));
    if (plan->table->frame != 0) {
        return config_refuse(request->config, "mapping.kind", NULL, diagnostic,
                             "network %s has a frame around its input, blocks have none",
                             plan->network->name);
    }
    TRY(plan_train_begin(plan, request, 1, diagnostic));
    TRY(plan_train_allocate(plan, chips, plan->train->cores, diagnostic));
    TRY(plan_train_share(plan, request, parts, "mapping.chips", diagnostic));
    struct plan_train *train = plan->train;
    train->block = calloc(1, sizeof *train->block);
    if (train->block == NULL) {
        return no_memory(diagnostic);
    }
    train->block->common = (struct nn_block_plan){
        .images = (train->learning.batch + train->groups - 1) / train->groups,
        .chips = chips,
        .layers = plan->table->layers,
    };
    for (uint32_t k = 0; k < plan->table->layers; k++) {
        train->block->common.layer[k] = layer_of(plan, k);
    }
    return STATUS_OK;
}

static enum status divide(struct load_plan *plan, const struct plan_request *request,
                          struct diagnostic *diagnostic)
{
    return plan_blocks_divide(plan, request, PLAN_TRAIN_BLOCKS, diagnostic);
}

/* Layers whose slices are on the rings: hidden ones, and in columns the last one. */
static uint32_t arrays_of(const struct plan_train *train)
{
    return train->piece[0].in_columns ? train->stages : train->stages - 1;
}

void plan_blocks_place(struct load_plan *plan)
{
    struct plan_train *train = plan->train;
    for (uint32_t c = 0; c < train->cores; c++) {
        train->record[c].blocks = plan_take_read(plan, "block plan", sizeof(struct nn_block_plan));
        train->block->slices[c] = plan_take_read(plan, "slices",
                                                 (uint64_t)arrays_of(train) * plan->chip_count *
                                                     sizeof(struct nn_block_slice));
    }
}

void plan_blocks_describe(const struct load_plan *plan, size_t core, char *text, size_t size)
{
    (void)snprintf(text, size, "images of %u, block %u", plan->train->record[core].group,
                   plan_train_piece_of(plan->train, core));
}

struct machine_core plan_blocks_core_of(const struct load_plan *plan, uint32_t piece)
{
    return plan->chip[piece].core;
}

/* Values of all units of the largest hidden layer for the core's images. */
static uint32_t exchange_words(const struct load_plan *plan, size_t core)
{
    const struct nn_block_plan *common = &plan->train->block->common;
    uint32_t most = 0;
    (void)core;
    for (uint32_t k = 0; k + 1 < common->layers; k++) {
        const uint32_t values = nn_block_ring_values(common, k);
        most = values > most ? values : most;
    }
    return most;
}

struct nn_block_slice plan_columns_images(const struct load_plan *plan, size_t chip)
{
    const size_t images = plan->train->block->common.images;
    const size_t first = images * chip / plan->chip_count;
    const size_t end = images * (chip + 1) / plan->chip_count;
    return (struct nn_block_slice){(uint16_t)first, (uint16_t)(end - first)};
}

/* ---- writing and reading ---- */

/* Writes which chip's units are in each slice of the arrays that the core's ring exchanges: a
 * chip's own slice is the one after its position (workloads/exchange/exchange.h). */
static enum status write_slices(const struct load_plan *plan, size_t chip, size_t number,
                                struct machine *machine)
{
    const struct plan_train *train = plan->train;
    const uint32_t chips = (uint32_t)plan->chip_count;
    for (uint32_t k = 0; k < arrays_of(train); k++) {
        for (size_t c = 0; c < chips; c++) {
            const uint32_t position = train->record[c * train->cores + number].exchange.position;
            const struct nn_block_slice slice = k + 1 < train->stages
                                                    ? plan_blocks_units(train, k, c)
                                                    : plan_columns_images(plan, c);
            TRY(machine_write(machine, plan->chip[chip].core,
                              train->block->slices[number] +
                                  (k * chips + (position + 1) % chips) * (uint32_t)sizeof slice,
                              &slice, sizeof slice));
        }
    }
    return STATUS_OK;
}

enum status plan_blocks_write(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct plan_train *train = plan->train;
    for (size_t i = 0; i < train->cores; i++) {
        struct nn_train_memory memory;
        struct nn_block_plan record;
        plan_train_layout(plan, chip * train->cores + i, &memory, &record);
        record.chip = (uint32_t)chip;
        record.slices = train->block->slices[i];
        for (uint32_t k = 0; k + 1 < train->stages; k++) {
            const struct nn_block_slice units = plan_blocks_units(train, k, chip);
            record.layer[k].first = units.first;
            record.layer[k].count = units.count;
        }
        for (uint32_t k = 0; k < train->stages; k++) {
            record.layer[k].columns = train->piece[chip].columns[k];
        }
        TRY(machine_write(machine, plan->chip[chip].core, train->record[i].blocks, &record,
                          sizeof record));
        TRY(write_slices(plan, chip, i, machine));
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
        TRY(plan_read_results(plan, machine, plan->chip[number % plan->chip_count].core,
                              (struct plan_slice){i, 1}, &results[i]));
    }
    return STATUS_OK;
}

/* ---- the time of an update ---- */

/* A hidden layer's values, or an inner one's errors, go around the rings and are copied. */
static void add_ring(const struct load_plan *plan, uint32_t k, const struct exchange_pace *rings,
                     struct estimate_sum *sum)
{
    const struct nn_block_plan *common = &plan->train->block->common;
    double packets[NN_TRAIN_MEMBERS];
    uint32_t all = 0; /* a packet has six bytes */
    for (size_t c = 0; c < plan->chip_count; c++) {
        const uint32_t values = common->images * plan_blocks_units(plan->train, k, c).count;
        all += (values + EXCHANGE_UNIT - 1) / EXCHANGE_UNIT * plan->train->value_bytes;
    }
    for (uint32_t c = 0; c < plan->train->cores; c++) {
        packets[c] = all;
    }
    sum->exchange_s += estimate_ring(plan, rings, packets);
    sum->cycles +=
        estimate_work(plan, ESTIMATE_COPY, (double)common->images * common->layer[k].units);
}

/* The largest block's part of layer k, of all images of a core. */
static void add_layer(const struct load_plan *plan, uint32_t k, const struct exchange_pace *rings,
                      struct estimate_sum *sum)
{
    const struct nn_block_plan *common = &plan->train->block->common;
    const double images = common->images;
    const bool last = k + 1 == common->layers;
    const double units = last ? common->layer[k].units : common->layer[k].most;
    const double inputs = nn_values(plan->table->layer[k].input);
    const struct estimate_matrix rows = {inputs, units};
    sum->cycles += images * estimate_values(plan, rows) +
                   estimate_gradient(plan, rows, common->images) +
                   images * estimate_work(plan, ESTIMATE_ROUND, last ? 0 : units);
    if (k == 0) { /* forward and for gradients */
        sum->cycles += estimate_work(plan, ESTIMATE_PIXELS, 2 * images * inputs);
    }
    if (!last) {
        add_ring(plan, k, rings, sum);
    }
    if (last) {
        const double before = common->layer[k - 1].most;
        sum->cycles += estimate_work(plan, ESTIMATE_LOSS, images) +
                       estimate_work(plan, ESTIMATE_PLAIN, images * before * units);
    } else if (k > 0) { /* errors of all units; its columns */
        const struct estimate_matrix columns = {common->layer[k].units, common->layer[k - 1].most};
        add_ring(plan, k, rings, sum);
        sum->cycles += images * estimate_values(plan, columns) +
                       estimate_gradient(plan, columns, common->images);
    }
}

static void estimate(const struct load_plan *plan, const struct exchange_pace *rings,
                     struct estimate_sum *sum)
{
    enum { WORD_BYTES = 4 };
    const struct plan_train *train = plan->train;
    const double words = train->record[0].parameter_count;
    const uint32_t slice = train->record[train->cores - 1].slice_count;
    for (uint32_t k = 0; k < train->block->common.layers; k++) {
        add_layer(plan, k, rings, sum);
    }
    sum->cycles += estimate_work(plan, ESTIMATE_ADD, slice * (double)train->groups);
    sum->bytes += 2 * words * train->cores * WORD_BYTES;
    sum->bytes += (double)train->cores * train->block->common.images * plan->run.image_bytes;
    sum->transfers += train->groups + train->block->common.images;
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

const struct mapping MAPPING_BLOCKS = {
    .role = "train_blocks",
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
