/* plan_train_data.c - see plan_train.h: writes to and reads from the machine's memory. */
#include "sim/mapping/exchange_plans.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "sim/mapping/program_table.h"
#include "sim/steps.h"
#include "workloads/nn/train_memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct nn_train_core *first_record(const struct load_plan *plan)
{
    return &plan->train->record[0];
}

/* ---- into the machine ---- */

/* Room for an image as it is stored in memory; NULL: out of memory. */
static uint32_t *room_for_image(const struct load_plan *plan)
{
    return malloc(first_record(plan)->image_bytes);
}

/* Fills it: pixels, then label. */
static void fill_image(const struct load_plan *plan, size_t image, uint32_t *words)
{
    const uint32_t pixels = first_record(plan)->pixels;
    memset(words, 0, first_record(plan)->image_bytes);
    memcpy(words, plan->train_images->images + image * pixels, pixels);
    ((uint8_t *)words)[pixels] = plan->train_images->labels[image];
}

/* Image i belongs to chip i mod chips and is number i / chips there, as in nn_order_image(). */
static enum status write_images(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct nn_train_core *record = first_record(plan);
    const bool all = plan->train->all_images;
    FREED uint32_t *words = room_for_image(plan);
    uint32_t address = record->images;
    for (size_t i = all ? 0 : chip; i < plan->train_images->count;
         i += all ? 1 : plan->chip_count) {
        if (words == NULL) {
            return STATUS_INTERNAL;
        }
        fill_image(plan, i, words);
        TRY(machine_write(machine, plan->chip[chip].core, address, words, record->image_bytes));
        address += record->image_bytes;
    }
    return STATUS_OK;
}

enum status plan_train_write(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct plan_train *train = plan->train;
    const struct machine_core core = plan->chip[chip].core;
    TRY(machine_write(machine, core, first_record(plan)->bounds, train->bounds,
                      train->stages * (train->pieces + 1) * (uint32_t)sizeof *train->bounds));
    for (size_t i = chip * train->cores; i < (chip + 1) * train->cores && i < plan->core_count;
         i++) {
        const struct nn_train_core *record = &train->record[i];
        const struct nn_table *table = train->piece[plan_train_piece_of(train, i)].table;
        if (plan_train_holds(train, i)) {
            TRY(program_table_write(plan->table, table, machine, core, record->table));
        }
        struct nn_train_memory layout;
        struct nn_block_plan blocks;
        plan_train_layout(plan, i, &layout, &blocks);
        TRY(machine_write(machine, core, record->layout, &layout, sizeof layout));
        TRY(machine_write(machine, core, train->record_address[i], record, sizeof *record));
    }
    TRY(exchange_data_write(&train->exchange_data, chip, machine, core, train->exchange_address));
    if (plan->mapping->training->write != NULL) {
        TRY(plan->mapping->training->write(plan, chip, machine));
    }
    return write_images(plan, chip, machine);
}

/* ---- parts of an epoch ---- */

/* Writes the image of a part's position q to place `slot` of the programs' images. */
static enum status place_image(const struct load_plan *plan, struct machine *machine, size_t image,
                               uint32_t slot)
{
    const struct nn_train_core *record = first_record(plan);
    const size_t chips = plan->chip_count;
    const bool all = plan->train->all_images;
    const uint32_t address =
        record->images + (uint32_t)(all ? slot : slot / chips) * record->image_bytes;
    FREED uint32_t *words = room_for_image(plan);
    if (words == NULL) {
        return STATUS_INTERNAL;
    }
    fill_image(plan, image, words);
    for (size_t c = all ? 0 : slot % chips; c < chips; c += all ? 1 : chips) {
        TRY(machine_write(machine, plan->chip[c].core, address, words, record->image_bytes));
    }
    return STATUS_OK;
}

/* Tells the programs, before they start, that an epoch has so many images. */
static enum status shorten(const struct load_plan *plan, struct machine *machine, uint32_t images)
{
    const struct plan_train *train = plan->train;
    for (size_t i = 0; i < plan->core_count; i++) {
        struct nn_train_core record = train->record[i];
        record.order.images = images;
        TRY(machine_write(machine, plan->core[i].core, train->record_address[i], &record,
                          sizeof record));
    }
    return STATUS_OK;
}

enum status plan_train_place_part(const struct load_plan *plan, struct machine *machine,
                                  struct plan_train_part part)
{
    const struct learning *learning = &plan->train->learning;
    const struct nn_order *order = &learning->order;
    const uint32_t epoch = part.first / learning->updates_per_epoch;
    const uint32_t begin = part.first % learning->updates_per_epoch * learning->batch;
    const uint32_t end = begin + part.updates * learning->batch;
    struct nn_order places = *order;
    if (end > order->images) {
        places.images = order->images - begin;
        TRY(shorten(plan, machine, places.images));
    }
    for (uint32_t q = begin; q < end && q < order->images; q++) {
        TRY(place_image(plan, machine, nn_order_image(order, epoch, q),
                        nn_order_image(&places, epoch, q - begin)));
    }
    return STATUS_OK;
}

/* ---- commands, and what has come of them ---- */

/* Clears the log, so that entries of the previous epoch are not read as this epoch's. */
static enum status clear_log(const struct load_plan *plan, struct machine *machine)
{
    if (plan->train->logging_chips == 0) {
        return STATUS_OK;
    }
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

/* Gives the command its number. */
static enum status give(const struct load_plan *plan, struct machine *machine,
                        struct nn_train_command command)
{
    struct plan_train *train = plan->train;
    command.number = ++train->commands;
    train->first_update = command.first_update;
    if (command.what == NN_TRAIN_EPOCH) {
        TRY(clear_log(plan, machine));
    }
    for (size_t i = 0; i < plan->chip_count; i++) {
        TRY(machine_write(machine, plan->chip[i].core, train->command, &command, sizeof command));
    }
    for (size_t i = 0; i < plan->core_count; i++) {
        const struct machine_core core = plan->core[i].core;
        TRY(machine_signal_cores(machine, core.x, core.y, 1u << core.p));
    }
    return STATUS_OK;
}

enum status plan_train_command(const struct load_plan *plan, struct machine *machine,
                               enum nn_train_what what, uint32_t epoch)
{
    const uint32_t updates = plan->train->learning.updates_per_epoch;
    return give(
        plan, machine,
        (struct nn_train_command){
            .what = what, .epoch = epoch, .first_update = epoch * updates, .updates = updates});
}

enum status plan_train_command_part(const struct load_plan *plan, struct machine *machine,
                                    struct plan_train_part part)
{
    return give(
        plan, machine,
        (struct nn_train_command){.what = NN_TRAIN_EPOCH,
                                  .epoch = part.first / plan->train->learning.updates_per_epoch,
                                  .first_update = part.first,
                                  .updates = part.updates});
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
                            uint32_t update, struct nn_train_record *sum)
{
    const struct plan_train *train = plan->train;
    const uint32_t first_update = train->first_update;
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
            const struct train_piece *piece = &train->piece[plan_train_piece_of(train, i)];
            sum->largest = record.largest;
            sum->largest_at = piece->owned_origin[record.largest_at - piece->first];
        }
    }
    return true;
}

/* Reads the log of one chip, or of all chips in order: one word for each image. */
static enum status read_log(const struct load_plan *plan, const struct machine *machine,
                            size_t chip, size_t end, uint32_t *used)
{
    for (size_t c = chip; c < end; c++) {
        const size_t count = plan_train_images_of(plan, c);
        TRY(machine_read(machine, plan->chip[c].core, first_record(plan)->log, used,
                         (uint32_t)(count * sizeof *used)));
        used += count;
    }
    return STATUS_OK;
}

static enum status hash_images(const struct load_plan *plan, uint32_t *hashes)
{
    FREED uint32_t *words = room_for_image(plan);
    for (size_t i = 0; i < plan->train_images->count && words != NULL; i++) {
        fill_image(plan, i, words);
        hashes[i] = nn_image_hash(words, words + first_record(plan)->image_bytes / 4);
    }
    return words == NULL ? STATUS_INTERNAL : STATUS_OK;
}

enum status plan_train_check_log(const struct load_plan *plan, const struct machine *machine,
                                 struct diagnostic *diagnostic)
{
    const size_t images = plan->train_images->count;
    const size_t step =
        plan->train->all_images ? 1 : plan->chip_count; /* chips that share the images */
    const size_t chips = plan->train->logging_chips;
    if (chips == 0) {
        return STATUS_OK;
    }
    uint32_t *used = calloc(2 * images + 1, sizeof *used);
    if (used == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = hash_images(plan, used + images);
    qsort(used + images, images, sizeof *used, chip_orders_compare);
    for (size_t c = 0; c < chips && status == STATUS_OK; c += step) {
        status = read_log(plan, machine, c, c + step, used);
        qsort(used, images, sizeof *used, chip_orders_compare);
        if (status == STATUS_OK && memcmp(used, used + images, images * sizeof *used) != 0) {
            status = diagnose(diagnostic, STATUS_INTERNAL,
                              "the epoch has not used each training image exactly once");
        }
    }
    free(used);
    return status;
}
