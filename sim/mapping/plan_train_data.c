/* plan_train_data.c - see plan_train.h: what goes into the machine's memory and comes out of it. */
#include "sim/mapping/exchange_plans.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "workloads/nn/train_memory.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The pieces that a chip has: `count` from `first` on. */
static struct plan_slice pieces_of(const struct load_plan *plan, size_t chip)
{
    const struct plan_train *train = plan->train;
    const size_t first = chip * train->cores;
    const size_t left = plan->core_count - first;
    const uint32_t cores = left < train->cores ? (uint32_t)left : train->cores;
    return (struct plan_slice){plan_train_piece_of(train, first),
                               nn_smaller(cores / train->piece_cores, train->pieces)};
}

/* A record of a core that has the piece: for the addresses on each chip that has it. */
static const struct nn_train_core *record_of(const struct load_plan *plan, uint32_t piece)
{
    return &plan->train->record[(size_t)piece * plan->train->piece_cores];
}

static const struct nn_train_core *first_record(const struct load_plan *plan)
{
    return &plan->train->record[0];
}

size_t plan_train_images_of(const struct load_plan *plan, size_t chip)
{
    const size_t images = plan->train_images->count;
    return plan->train->all_images
               ? images
               : images / plan->chip_count + (chip < images % plan->chip_count ? 1 : 0);
}

/* ---- parameters ---- */

static void put_value(uint8_t *to, uint32_t bytes, int32_t value)
{
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)((uint32_t)value >> 8 * i);
    }
}

static int32_t get_value(const uint8_t *from, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        value |= (uint32_t)from[i] << 8 * i;
    }
    const uint32_t unused = 32 - 8 * bytes;
    return (int32_t)(value << unused) >> unused;
}

static enum status write_piece(const struct load_plan *plan, uint32_t member,
                               struct machine_core core, const int32_t *parameters,
                               struct machine *machine)
{
    const struct plan_train *train = plan->train;
    const struct train_piece *piece = &train->piece[member];
    const uint32_t value = train->value_bytes;
    uint8_t *block = calloc(piece->count, value);
    if (block == NULL) {
        return STATUS_INTERNAL;
    }
    for (uint32_t i = 0; i < piece->count; i++) {
        if (piece->origin[i] != TRAIN_PIECE_FILLER) {
            put_value(block + (size_t)i * value, value, parameters[piece->origin[i]]);
        }
    }
    const enum status status = machine_write(machine, core, record_of(plan, member)->parameters,
                                             block, piece->count * value);
    free(block);
    return status;
}

enum status plan_train_write_parameters(const struct load_plan *plan, struct machine *machine,
                                        const int32_t *parameters)
{
    enum status status = STATUS_OK;
    for (size_t c = 0; c < plan->chip_count; c++) {
        const struct plan_slice pieces = pieces_of(plan, c);
        for (uint32_t i = 0; i < pieces.count && status == STATUS_OK; i++) {
            status = write_piece(plan, pieces.first + i, plan->chip[c].core, parameters, machine);
        }
    }
    return status;
}

static enum status read_piece(const struct load_plan *plan, size_t chip, uint32_t member,
                              const struct machine *machine, int32_t *parameters, bool *seen,
                              struct diagnostic *diagnostic)
{
    const struct plan_train *train = plan->train;
    const struct train_piece *piece = &train->piece[member];
    const struct machine_core core = plan->chip[chip].core;
    const uint32_t value = train->value_bytes;
    uint8_t *block = calloc(piece->count, value);
    if (block == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = machine_read(machine, core, record_of(plan, member)->parameters, block,
                                      piece->count * value);
    for (uint32_t i = 0; i < piece->count && status == STATUS_OK; i++) {
        const uint32_t origin = piece->origin[i];
        const int32_t here = get_value(block + (size_t)i * value, value);
        if (origin == TRAIN_PIECE_FILLER) {
            continue;
        }
        if (seen[origin] && parameters[origin] != here) {
            status = diagnose(diagnostic, STATUS_INTERNAL,
                              "parameter %u is %d on chip %u,%u and %d elsewhere", origin, here,
                              core.x, core.y, parameters[origin]);
        }
        parameters[origin] = here;
        seen[origin] = true;
    }
    free(block);
    return status;
}

enum status plan_train_read_parameters(const struct load_plan *plan, const struct machine *machine,
                                       int32_t *parameters, struct diagnostic *diagnostic)
{
    const size_t values = plan->table->parameter_bytes / 2;
    bool *seen = calloc(values + 1, sizeof *seen);
    if (seen == NULL) {
        return no_memory(diagnostic);
    }
    memset(parameters, 0, values * sizeof *parameters);
    enum status status = STATUS_OK;
    for (size_t c = 0; c < plan->chip_count; c++) {
        const struct plan_slice pieces = pieces_of(plan, c);
        for (uint32_t i = 0; i < pieces.count && status == STATUS_OK; i++) {
            status = read_piece(plan, c, pieces.first + i, machine, parameters, seen, diagnostic);
        }
    }
    free(seen);
    return status;
}

/* ---- images ---- */

/* Image i is chip i mod chips', its number there i / chips: as nn_order_image() deals shards. */
static enum status write_images(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct nn_train_core *record = first_record(plan);
    const struct dataset *images = plan->train_images;
    uint8_t *image = calloc(1, record->image_bytes);
    if (image == NULL) {
        return STATUS_INTERNAL;
    }
    enum status status = STATUS_OK;
    uint32_t address = record->images;
    const bool all = plan->train->all_images;
    const size_t step = all ? 1 : plan->chip_count;
    for (size_t i = all ? 0 : chip; i < images->count && status == STATUS_OK; i += step) {
        memcpy(image, images->images + i * record->pixels, record->pixels);
        image[record->pixels] = images->labels[i];
        status = machine_write(machine, plan->chip[chip].core, address, image, record->image_bytes);
        address += record->image_bytes;
    }
    free(image);
    return status;
}

static enum status write_member(const struct load_plan *plan, uint32_t member,
                                struct machine_core core, struct machine *machine)
{
    const struct plan_train *train = plan->train;
    struct nn_table *table = malloc(plan->table->bytes);
    const uint32_t scale = train->value_bytes / 2;
    if (table == NULL) {
        return STATUS_INTERNAL;
    }
    memcpy(table, train->piece[member].table, plan->table->bytes);
    for (uint32_t i = 0; i < table->layers; i++) {
        table->layer[i].weights *= scale;
        table->layer[i].biases *= scale;
    }
    const enum status status =
        machine_write(machine, core, record_of(plan, member)->table, table, table->bytes);
    free(table);
    return status;
}

enum status plan_train_write(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct plan_train *train = plan->train;
    const struct machine_core core = plan->chip[chip].core;
    const struct plan_slice pieces = pieces_of(plan, chip);
    const size_t first = chip * train->cores;
    enum status status =
        machine_write(machine, core, first_record(plan)->bounds, train->bounds,
                      train->stages * (train->pieces + 1) * (uint32_t)sizeof *train->bounds);
    for (uint32_t i = 0; i < pieces.count && status == STATUS_OK; i++) {
        status = write_member(plan, pieces.first + i, core, machine);
    }
    for (size_t i = first; i < first + train->cores && i < plan->core_count && status == STATUS_OK;
         i++) {
        status = machine_write(machine, core, train->record_address[i], &train->record[i],
                               sizeof train->record[i]);
    }
    if (status == STATUS_OK && train->trees.chips > 0) {
        status = exchange_nodes_write(&train->trees, chip, machine, core, train->nodes);
    }
    if (status == STATUS_OK && plan->mapping->training->write != NULL) {
        status = plan->mapping->training->write(plan, chip, machine);
    }
    return status == STATUS_OK ? write_images(plan, chip, machine) : status;
}

/* ---- commands, and what has come of them ---- */

/* What a program does not log is not taken from the epoch before. */
static enum status clear_log(const struct load_plan *plan, struct machine *machine)
{
    const size_t most = plan->train_images->count; /* a chip may have all of them */
    uint32_t *nothing = calloc(most, sizeof *nothing);
    enum status status = nothing == NULL ? STATUS_INTERNAL : STATUS_OK;
    for (size_t i = 0; i < plan->chip_count && status == STATUS_OK; i++) {
        status = machine_write(machine, plan->chip[i].core, first_record(plan)->log, nothing,
                               (uint32_t)(plan_train_images_of(plan, i) * sizeof *nothing));
    }
    free(nothing);
    return status;
}

enum status plan_train_command(const struct load_plan *plan, struct machine *machine,
                               enum nn_train_what what, uint32_t epoch)
{
    struct plan_train *train = plan->train;
    const struct nn_train_command command = {.number = ++train->commands,
                                             .what = what,
                                             .epoch = epoch,
                                             .first_update =
                                                 epoch * train->learning.updates_per_epoch,
                                             .updates = train->learning.updates_per_epoch};
    enum status status = what == NN_TRAIN_EPOCH ? clear_log(plan, machine) : STATUS_OK;
    for (size_t i = 0; i < plan->chip_count && status == STATUS_OK; i++) {
        status =
            machine_write(machine, plan->chip[i].core, train->command, &command, sizeof command);
    }
    for (size_t i = 0; i < plan->core_count && status == STATUS_OK; i++) {
        const struct machine_core core = plan->core[i].core;
        status = machine_signal_cores(machine, core.x, core.y, 1u << core.p);
    }
    return status;
}

bool plan_train_is_done(const struct load_plan *plan, const struct machine *machine)
{
    const struct plan_train *train = plan->train;
    for (size_t i = 0; i < plan->core_count; i++) {
        uint32_t done = 0;
        const uint32_t address =
            train->record_address[i] + (uint32_t)offsetof(struct nn_train_core, done);
        (void)machine_read(machine, plan->core[i].core, address, &done, sizeof done);
        if (done != train->commands) {
            return false;
        }
    }
    return true;
}

bool plan_train_read_record(const struct load_plan *plan, const struct machine *machine,
                            uint32_t epoch, uint32_t update, struct nn_train_record *sum)
{
    const struct plan_train *train = plan->train;
    const uint32_t first_update = epoch * train->learning.updates_per_epoch;
    *sum = (struct nn_train_record){.done = first_update + update + 1};
    for (size_t i = 0; i < plan->core_count; i++) {
        struct nn_train_record record;
        if (machine_read(machine, plan->core[i].core,
                         train->record[i].records + update * (uint32_t)sizeof record, &record,
                         sizeof record) != STATUS_OK ||
            record.done != first_update + update + 1) {
            return false;
        }
        sum->images += record.images;
        sum->right += record.right;
        sum->loss += record.loss;
        sum->saturations += record.saturations;
        sum->error_saturations += record.error_saturations;
        sum->overflows += record.overflows;
        sum->weight_saturations += record.weight_saturations;
        sum->state_saturations += record.state_saturations;
        if (record.largest > sum->largest) {
            const uint32_t member = plan_train_piece_of(train, i);
            sum->largest = record.largest;
            sum->largest_at = train->piece[member].origin[record.largest_at];
        }
    }
    return true;
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a;
    const uint32_t second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* Of one chip, or of all chips one after the other: as many words as there are images. */
static enum status read_log(const struct load_plan *plan, const struct machine *machine,
                            size_t chip, size_t end, uint32_t *used)
{
    enum status status = STATUS_OK;
    for (size_t c = chip; c < end && status == STATUS_OK; c++) {
        const size_t count = plan_train_images_of(plan, c);
        status = machine_read(machine, plan->chip[c].core, first_record(plan)->log, used,
                              (uint32_t)(count * sizeof *used));
        used += count;
    }
    return status;
}

static void hash_images(const struct load_plan *plan, uint32_t *hashes)
{
    const struct nn_train_core *record = first_record(plan);
    const struct dataset *images = plan->train_images;
    enum { WORDS_MAX = 1024 };
    static_assert(DATASET_PIXELS + 8 <= WORDS_MAX * 4, "an image has room");
    uint32_t words[WORDS_MAX] = {0};
    for (size_t i = 0; i < images->count; i++) {
        memcpy(words, images->images + i * record->pixels, record->pixels);
        ((uint8_t *)words)[record->pixels] = images->labels[i];
        hashes[i] = nn_image_hash(words, record->image_bytes / 4);
    }
}

enum status plan_train_check_log(const struct load_plan *plan, const struct machine *machine,
                                 struct diagnostic *diagnostic)
{
    const size_t images = plan->train_images->count;
    const size_t step = plan->train->all_images ? 1 : plan->chip_count; /* that share the images */
    const size_t chips = plan->train->logging_chips;
    uint32_t *used = calloc(2 * images + 1, sizeof *used);
    if (used == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = STATUS_OK;
    hash_images(plan, used + images);
    qsort(used + images, images, sizeof *used, compare_words);
    for (size_t c = 0; c < chips && status == STATUS_OK; c += step) {
        status = read_log(plan, machine, c, c + step, used);
        qsort(used, images, sizeof *used, compare_words);
        if (status == STATUS_OK && memcmp(used, used + images, images * sizeof *used) != 0) {
            status = diagnose(diagnostic, STATUS_INTERNAL,
                              "the epoch has not used each training image exactly once");
        }
    }
    free(used);
    return status;
}
