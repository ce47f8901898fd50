/* plan_train.c - see plan_train.h: roles of cores and layout of SDRAM. */
#include "sim/mapping/plan_train.h"

#include "sim/mapping/exchange.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/train_place.h"
#include "sim/networks/links.h"

#include <stdlib.h>

enum { WORD_BYTES = 4, TABLE_VALUE_BYTES = 2, IMAGE_ALIGNMENT = 8 };

static uint32_t blocks(uint64_t bytes, uint32_t block)
{
    return (uint32_t)((bytes + block - 1) / block * block);
}

/* ---- groups and pieces ---- */

enum status plan_train_begin(struct load_plan *plan, const struct plan_request *request,
                             uint32_t members, struct diagnostic *diagnostic)
{
    struct plan_train *train = calloc(1, sizeof *train);
    if (train == NULL) {
        return no_memory(diagnostic);
    }
    plan->train = train;
    train->all_images = plan->mapping->all_images;
    train->value_bytes = network_value_bytes(plan->network);
    train->cores = (uint32_t)request->config->mapping_cores_per_chip;
    train->members = members;
    train->at_once = 1;
    train->groups = train->cores / members;
    train->logging_chips = plan->chip_count;
    if (train->cores % members != 0) {
        return config_refuse(request->config, "mapping.cores_per_image", NULL, diagnostic,
                             "%u cores of a chip cannot be groups of %u: mapping.cores_per_chip "
                             "must be a multiple of it",
                             train->cores, members);
    }
    return learning_of(request->config, plan->network, plan->train_images->count, &train->learning,
                       diagnostic);
}

enum status plan_train_allocate(struct load_plan *plan, uint32_t pieces, uint32_t piece_cores,
                                struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    train->pieces = pieces;
    train->piece_cores = piece_cores;
    train->piece = calloc(pieces, sizeof *train->piece);
    train->record = calloc(plan->core_count, sizeof *train->record);
    train->record_address = calloc(plan->core_count, sizeof *train->record_address);
    return train->piece == NULL || train->record == NULL || train->record_address == NULL
               ? no_memory(diagnostic)
               : STATUS_OK;
}

enum status plan_train_share(struct load_plan *plan, const struct plan_request *request,
                             enum plan_train_parts parts, const char *key,
                             struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    const bool whole_last = parts != PLAN_TRAIN_MEMBERS;
    plan->by_rings = !whole_last && train->groups == 1 && plan->chip_count > 1 &&
                     exchange_of_training(request->config)->on_rings && !request->equal;
    const bool evens = request->tight && !whole_last; /* so that no member needs more than others */
    const struct train_sharing sharing = {train->pieces, train->at_once, whole_last,
                                          plan->by_rings ? RINGS_MAX
                                          : evens        ? train->pieces
                                                         : 1,
                                          parts == PLAN_TRAIN_COLUMNS};
    const enum status status =
        train_bounds_make(plan->table, &sharing, &train->bounds, &train->stages, diagnostic);
    if (status != STATUS_OK) {
        config_locate(request->config, key, diagnostic);
        return status;
    }
    for (uint32_t m = 0; m < train->pieces; m++) {
        TRY(train_piece_make(plan->table, train->bounds, &sharing, m, &train->piece[m],
                             diagnostic));
        train->piece[m].tight |= request->tight;
    }
    return STATUS_OK;
}

enum status plan_train_dense(const struct load_plan *plan, const struct plan_request *request,
                             uint32_t most, struct diagnostic *diagnostic)
{
    const struct nn_table *table = plan->table;
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        const bool dense = layer->kind == NN_DENSE;
        if (!dense || (i + 1 < table->layers && layer->activation != NN_RELU)) {
            return config_refuse(request->config, "mapping.kind", NULL, diagnostic,
                                 "network %s is not dense layers with ReLU between them: layer "
                                 "%.16s %s",
                                 plan->network->name, layer->name,
                                 dense ? "has another activation" : "is not dense");
        }
    }
    return table->layers >= 2 && table->layers <= most
               ? STATUS_OK
               : config_refuse(request->config, "mapping.kind", NULL, diagnostic,
                               "network %s has %u layers, this mapping has place for 2 to %u",
                               plan->network->name, table->layers, most);
}

/* ---- memory ---- */

/* Largest number of bytes that members of a group pass to each other at a time. */
static uint32_t largest_share(const struct plan_train *train)
{
    uint32_t bytes = 0;
    for (uint32_t m = 0; m < train->members; m++) {
        const uint32_t twins = train->piece[m].shared * WORD_BYTES;
        struct nn_train_memory memory;
        train_piece_stages(&train->piece[m], &memory);
        bytes = twins > bytes ? twins : bytes;
        for (uint32_t k = 0; k < memory.stages; k++) {
            const uint32_t images = memory.stage[k].images;
            const uint32_t sums = k == 0 ? 0 : images * memory.stage[k].inputs * WORD_BYTES;
            const uint32_t values = images * memory.stage[k].outputs * WORD_BYTES;
            bytes = sums > bytes ? sums : bytes;
            bytes = values > bytes ? values : bytes;
        }
    }
    return blocks(bytes, IMAGE_ALIGNMENT);
}

/* Where a group's slice of a piece begins. */
static uint32_t slice_bound(const struct train_piece *piece, uint32_t groups, uint32_t group)
{
    const uint32_t blocks = (piece->count - piece->first) / TRAIN_PIECE_BLOCK;
    return piece->first + blocks * group / groups * TRAIN_PIECE_BLOCK;
}

/* Makes the fields that are the same in all cores' records; the others are set core by core. */
static struct nn_train_core common_record(const struct load_plan *plan)
{
    const struct plan_train *train = plan->train;
    struct nn_train_core record = {
        .magic = NN_TRAIN_MAGIC,
        .version = NN_TRAIN_VERSION,
        .done = NN_TRAIN_NOT_READY,
        .command = train->command,
        .table_bytes = plan->table->bytes,
        .value_bytes = train->value_bytes,
        .image_bytes = plan->run.image_bytes,
        .pixels = plan->table->image_pixels,
        .classes = plan->table->classes,
        .chips = train->all_images ? 1 : (uint32_t)plan->chip_count,
        .batch = train->learning.batch,
        .order = train->learning.order,
        .members = train->members,
        .at_once = train->at_once,
        .groups = train->groups,
        .share_bytes = largest_share(train),
        .rule = train->learning.rule,
        .schedule = train->learning.schedule,
    };
    if (plan->mapping->training->complete != NULL) {
        plan->mapping->training->complete(plan, &record);
    }
    return record;
}

/* Size, in values, of the largest piece that any core with number `member` in its group has. */
static uint32_t values_of_member(const struct plan_train *train, uint32_t member)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < train->pieces; i++) {
        const bool counts = i % train->members == member;
        values = counts && train->piece[i].count > values ? train->piece[i].count : values;
    }
    return values;
}

size_t plan_train_images_of(const struct load_plan *plan, size_t chip)
{
    const size_t images = plan->train_images->count;
    return plan->train->all_images
               ? images
               : images / plan->chip_count + (chip < images % plan->chip_count ? 1 : 0);
}

/* Allocates SDRAM at addresses common to all chips and enters them in the records of the first
 * chip's cores. */
static void place_records(struct load_plan *plan)
{
    struct plan_train *train = plan->train;
    struct nn_train_core common = common_record(plan);
    const uint64_t most = plan_train_images_of(plan, 0);
    common.images = plan_take(plan, most * common.image_bytes);
    common.log = train->logging_chips > 0 ? plan_take(plan, most * WORD_BYTES) : 0;
    common.bounds = plan_take(plan, (uint64_t)train->stages * (train->pieces + 1) * WORD_BYTES);
    for (uint32_t m = 0; m < train->members; m++) {
        const uint64_t values = values_of_member(train, m);
        struct nn_train_core record = common;
        record.table = plan_take(plan, plan->table->bytes);
        record.parameters = plan_take(plan, values * train->value_bytes);
        record.gradients = plan_take(plan, values * WORD_BYTES * train->groups);
        for (uint32_t g = 0; g < train->groups; g++) {
            record.group = g;
            train->record[g * train->members + m] = record;
        }
    }
    for (uint32_t g = 0; g < train->groups && !train->all_images; g++) {
        const uint64_t bytes = 2ull * train->members * common.share_bytes;
        const uint32_t share = plan_take(plan, bytes);
        const uint32_t share_of_teams = train->at_once > 1 ? plan_take(plan, bytes) : 0;
        for (uint32_t m = 0; m < train->members; m++) {
            train->record[g * train->members + m].share = share;
            train->record[g * train->members + m].team_share = share_of_teams;
        }
    }
    for (uint32_t c = 0; c < train->groups * train->members; c++) {
        const uint64_t values = values_of_member(train, c % train->members);
        const uint64_t slice = values / train->groups + TRAIN_PIECE_BLOCK; /* at most */
        const uint32_t state = (uint32_t)slice * nn_rule_state_words(&common.rule) * WORD_BYTES;
        struct nn_train_core *record = &train->record[c];
        record->layout = plan_take(plan, sizeof(struct nn_train_memory));
        record->state = plan_take(plan, state);
        record->records = plan_take(plan, (uint64_t)train->learning.updates_per_epoch *
                                              sizeof(struct nn_train_record));
        train->record_address[c] = plan_take(plan, sizeof *record);
    }
}

/* Copies the first chip's records to every chip's cores, and sets what differs by chip and piece.
 */
static void copy_records(struct load_plan *plan)
{
    struct plan_train *train = plan->train;
    for (size_t i = plan->core_count; i-- > 0;) {
        const uint32_t number = plan_train_piece_of(train, i);
        const struct train_piece *piece = &train->piece[number];
        struct nn_train_core *record = &train->record[i];
        *record = train->record[i % train->cores];
        train->record_address[i] = train->record_address[i % train->cores];
        record->member = train->all_images ? 0 : number;
        record->parameter_count = piece->count;
        record->shared = piece->shared;
        record->first = piece->first;
        record->weights_end = piece->weights_end;
        record->slice_first = slice_bound(piece, train->groups, record->group);
        record->slice_count =
            slice_bound(piece, train->groups, record->group + 1) - record->slice_first;
        record->chip = train->all_images ? 0 : (uint32_t)(i / train->cores);
        record->test_images = plan->run.images;
        record->results = plan->run.results;
        record->test_count = plan->chip[i / train->cores].image_count;
    }
}

/* Converts the offsets in the pieces' tables from 16-bit values to the machine's value size, which
 * may be 32 bits. */
static void scale_tables(struct plan_train *train)
{
    for (uint32_t m = 0; m < train->pieces; m++) {
        struct nn_table *table = train->piece[m].table;
        for (uint32_t i = 0; i < table->layers; i++) {
            table->layer[i].weights *= train->value_bytes / TABLE_VALUE_BYTES;
            table->layer[i].biases *= train->value_bytes / TABLE_VALUE_BYTES;
        }
    }
}

void plan_train_place(struct load_plan *plan, const struct plan_request *request)
{
    struct plan_train *train = plan->train;
    plan->run.image_bytes = blocks(plan->table->image_pixels + 1, IMAGE_ALIGNMENT);
    scale_tables(train);
    train->command = plan_take(plan, sizeof(struct nn_train_command));
    if (!request->config->train_log_images) {
        train->logging_chips = 0;
    }
    plan_take_images(plan);
    place_records(plan);
    train->exchange = exchange_of_training(request->config);
    const uint32_t data_bytes = exchange_data_bytes(train->exchange, plan->chip_count);
    if (data_bytes > 0) {
        train->exchange_address = plan_take(plan, data_bytes);
    }
    if (plan->mapping->training->place != NULL) {
        plan->mapping->training->place(plan);
    }
    copy_records(plan);
}

/* ---- cores ---- */

/* Largest number of words that a core updates: slices exchanged between chips are whole packets; of
 * several boards slices of slices. */
static uint32_t owned_words(const struct load_plan *plan, const struct nn_train_core *record)
{
    const uint32_t rounded = plan->chip_count > BOARD_CHIPS ? 2 * EXCHANGE_UNIT : EXCHANGE_UNIT;
    return plan->train->all_images || plan->chip_count == 1 || plan->train->exchange->owned != NULL
               ? record->slice_count
               : record->slice_count / (uint32_t)plan->chip_count + rounded;
}

void plan_train_layout(const struct load_plan *plan, size_t index, struct nn_train_memory *memory,
                       struct nn_block_plan *blocks)
{
#define PLACE_0(name) NULL /* the format does not train */
#define PLACE_1(name) train_place_##name
#define FORMAT(name, NAME, text, value, total, bias, array, fraction, error_fraction, convolves,   \
               pads, operators, trains)                                                            \
    [NETWORK_##NAME] = PLACE_##trains(name),
    static train_place *const PLACE[] = {
#include "workloads/nn/formats.def"
    };
    const struct plan_train *train = plan->train;
    const struct nn_train_core *record = &train->record[index];
    if (train->block != NULL) {
        *blocks = train->block->common;
    }
    PLACE[plan->network->numbers](record, &train->piece[plan_train_piece_of(train, index)],
                                  train->bounds, owned_words(plan, record),
                                  train->block == NULL ? NULL : blocks, memory);
}

void plan_train_describe(const struct load_plan *plan, size_t index, struct load_plan_core *core)
{
    const struct plan_train *train = plan->train;
    const struct mapping_training *training = plan->mapping->training;
    const struct nn_train_core *record = &train->record[index];
    const struct nn_table *table = train->piece[plan_train_piece_of(train, index)].table;
    struct nn_train_memory memory;
    struct nn_block_plan blocks;
    plan_train_layout(plan, index, &memory, &blocks);
    const uint32_t bounds = train->stages * (record->members + 1) * WORD_BYTES;
    training->describe(plan, index, core->layer, sizeof core->layer);
    core->argument = train->record_address[index];
    core->parameter_bytes = record->parameter_count * train->value_bytes;
    core->dtcm_bytes = memory.total + table->bytes + bounds + 4 * PLAN_HEAP_BLOCK_BYTES;
    core->dtcm_bytes += training->dtcm_bytes == NULL ? 0 : training->dtcm_bytes(plan);
    core->dtcm_bytes += exchange_dtcm_bytes(train->exchange, plan->chip_count, record->slice_count);
    core->macs = 0;
    for (uint32_t i = 0; i < table->layers; i++) {
        core->macs += links_macs(&table->layer[i]);
    }
}

/* The weights of a layer of a piece: its row of the table, which may not be copied where it has
 * links; in columns, where layers are dense, `turned`: they are [unit of the layer before][unit].
 */
static const struct nn_layer *weights_row(const struct load_plan *plan,
                                          const struct train_piece *piece, uint32_t i,
                                          struct nn_layer *turned)
{
    const struct nn_layer *row = &piece->table->layer[i];
    if (!piece->in_columns || i == 0) {
        return row;
    }
    *turned = *row;
    turned->weights = piece->columns[i] * plan->train->value_bytes;
    turned->input.channels = plan->table->layer[i].output.channels;
    turned->output.channels = piece->table->layer[i - 1].output.channels;
    return turned;
}

/* Adds the tensors of each piece, on the first chip that has it. */
void plan_train_add_tensors(struct load_plan *plan)
{
    const struct plan_train *train = plan->train;
    for (uint32_t m = 0; m < train->pieces; m++) {
        const struct train_piece *piece = &train->piece[m];
        char part[32] = "";
        if (train->pieces > 1) {
            (void)snprintf(part, sizeof part, " of %s %u", plan->mapping->training->piece, m);
        }
        for (uint32_t i = 0; i < piece->table->layers; i++) {
            const struct nn_layer *row = &piece->table->layer[i];
            if (links_weights(row) > 0) {
                struct nn_layer turned;
                plan_add_tensors(plan, plan->mapping->training->core_of(plan, m),
                                 &plan->network->layer[piece->first_layer + i],
                                 weights_row(plan, piece, i, &turned), row, part,
                                 train->record[(size_t)m * train->piece_cores].parameters);
            }
        }
    }
}

void plan_train_deinit(struct load_plan *plan)
{
    struct plan_train *train = plan->train;
    if (train == NULL) {
        return;
    }
    for (uint32_t m = 0; m < train->pieces && train->piece != NULL; m++) {
        train_piece_deinit(&train->piece[m]);
    }
    exchange_data_deinit(&train->exchange_data);
    free(train->block);
    free(train->piece);
    free(train->bounds);
    free(train->record);
    free(train->record_address);
    free(train);
}
