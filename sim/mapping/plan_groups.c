/* plan_groups.c - mappings replica_per_core and replica_per_chip for training: the cores of a group
 * share an image, each with its piece of the network; in replica_per_core a group is one core. */
#include "models/common/bits.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "sim/mapping/rows.h"

#include <math.h>
#include <stdio.h>

MAPPING(REPLICA_PER_CORE, TRAIN, MAPPING_GROUPS, "mapping.cores_per_chip")
MAPPING(REPLICA_PER_CHIP, TRAIN, MAPPING_GROUPS, "mapping.cores_per_image")
PROGRAM(
    train, MAPPING_GROUPS, RINGS, "int16 s16.15", "int16 s16.15", "int16",
    "lenet/roles/train_group.c lenet/roles/circle.c lenet/roles/boards.c lenet/roles/train_core.c "
    "exchange/exchange.c exchange/exchange_packets.S")

/* Rows of the table from the first dense layer on. */
static uint32_t dense_layers(const struct nn_table *table)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->layers; i++) {
        count += nn_is_dense(&table->layer[i]);
    }
    return count;
}

/* How many images a group computes at a time. */
static enum status share_images(struct load_plan *plan, const struct sim_config *config,
                                struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    train->at_once = config->mapping_kind == CONFIG_MAPPING_KIND_REPLICA_PER_CHIP
                         ? (uint32_t)config->mapping_images_at_once
                         : 1;
    if (train->members % train->at_once != 0) {
        return config_refuse(config, "mapping.images_at_once",
                             "it must divide mapping.cores_per_image", diagnostic,
                             "%u cores cannot be %u teams", train->members, train->at_once);
    }
    return train->at_once == 1 ||
                   (plan->table->layer[0].kind == NN_CONV2D && dense_layers(plan->table) > 1)
               ? STATUS_OK
               : config_refuse(config, "mapping.images_at_once", "leave it out", diagnostic,
                               "network %s has no convolution, or no dense layer but the last",
                               plan->network->name);
}

static enum status divide(struct load_plan *plan, const struct plan_request *request,
                          struct diagnostic *diagnostic)
{
    const struct sim_config *config = request->config;
    const uint32_t members = config->mapping_kind == CONFIG_MAPPING_KIND_REPLICA_PER_CHIP
                                 ? (uint32_t)config->mapping_cores_per_image
                                 : 1;
    TRY(plan_train_begin(plan, request, members, diagnostic));
    if (config->train_shards % plan->chip_count != 0) {
        return config_refuse(config, "train.shards", "it must be a multiple of mapping.chips",
                             diagnostic, "%llu shards of the images cannot be dealt to %zu chips",
                             (unsigned long long)config->train_shards, plan->chip_count);
    }
    TRY(share_images(plan, config, diagnostic));
    TRY(plan_train_allocate(plan, members, 1, diagnostic));
    return plan_train_share(plan, request, PLAN_TRAIN_MEMBERS, "mapping.cores_per_image",
                            diagnostic);
}

static void describe(const struct load_plan *plan, size_t core, char *text, size_t size)
{
    const uint32_t member = plan_train_piece_of(plan->train, core);
    (void)snprintf(text, size, "group %u member %u", plan->train->record[core].group, member);
}

/* Any core of a chip can be used: its SDRAM has the pieces of all members. */
static struct machine_core core_of(const struct load_plan *plan, uint32_t piece)
{
    (void)piece;
    return plan->chip[0].core;
}

static uint32_t exchange_words(const struct load_plan *plan, size_t core)
{
    return plan->train->record[core].slice_count;
}

/* ---- the time of an update ---- */

enum { WORD_BYTES = 4 };

/* A round in which cores pass blocks to each other through SDRAM: words of the chip, written and
 * read; blocks that a core reads or writes. */
static void add_round(struct estimate_sum *sum, double words, double blocks)
{
    sum->signals += 1;
    sum->transfers += blocks;
    sum->bytes += words * WORD_BYTES;
}

/* An image, or as many as a group computes at a time, in the member that takes longest at stage k:
 * all wait for it. */
static void add_stage(const struct load_plan *plan, uint32_t k, struct estimate_sum *sum)
{
    const struct plan_train *train = plan->train;
    double forward = 0;
    double backward = 0;
    for (uint32_t m = 0; m < train->pieces; m++) {
        const struct nn_table *table = train->piece[m].table;
        struct nn_train_memory memory;
        train_piece_stages(&train->piece[m], &memory);
        const uint32_t row = memory.stage[k].row;
        forward = fmax(forward, estimate_forward(plan, table, row, train->at_once));
        backward = fmax(backward, estimate_backward(plan, table, row, train->at_once, k > 0));
    }
    sum->cycles += forward + backward;
}

/* The logits' sums, of the last stage; of others the values, which all members of the group read,
 * and the sums of their inputs' errors, written whole and read in parts by those who share the
 * stage: a convolution's team, or the group. */
static void add_sharing(const struct load_plan *plan, const struct nn_train_memory *memory,
                        uint32_t k, struct estimate_sum *sum)
{
    const struct plan_train *train = plan->train;
    const struct nn_train_stage *stage = &memory->stage[k];
    const bool maps = train->piece[0].table->layer[stage->row].kind == NN_CONV2D;
    const double images = train->at_once;
    const double cores = train->cores;
    const double members = train->members;
    const double sharers = maps ? members / images : members;
    if (train->members == 1) {
        return;
    }
    if (k + 1 == memory->stages) {
        const double words = images * plan->table->classes;
        add_round(sum, words * cores * members, members);
        sum->cycles += estimate_work(plan, ESTIMATE_ADD, words * (members - 1));
        return;
    }
    if (k + 2 < memory->stages) {
        const double values = images * memory->stage[k + 1].inputs;
        add_round(sum, values * train->value_bytes / WORD_BYTES * cores, members);
        sum->cycles += estimate_work(plan, ESTIMATE_COPY, maps ? 0 : values);
    }
    if (k > 0) {
        const double words = (maps ? 1 : images) * stage->inputs;
        add_round(sum, 2 * words * cores, maps ? sharers : images * sharers);
        sum->cycles += estimate_work(plan, ESTIMATE_ADD, words);
    }
}

/* Gradients of twins: each writes its blocks and reads its shares from the others; new parameters
 * go the other way. */
static void add_twins(const struct load_plan *plan, const struct nn_train_memory *memory,
                      struct estimate_sum *sum)
{
    const struct plan_train *train = plan->train;
    const double shared = train->piece[0].shared;
    if (train->members == 1) {
        return;
    }
    add_round(sum, 2 * shared * train->cores, 1);
    add_round(sum, shared * train->cores, 1);
    for (uint32_t k = 0; k < memory->stages; k++) {
        const struct nn_train_part *part = &memory->stage[k].part;
        const double added = bits_count(part->added);
        sum->transfers += added + (part->count > 0 ? 2 : 0);
        sum->cycles += estimate_work(plan, ESTIMATE_ADD, part->count * added);
    }
}

/* Gradients of the groups: each writes its own and reads a slice of the others'. */
static void add_gradients(const struct load_plan *plan, struct estimate_sum *sum)
{
    const struct plan_train *train = plan->train;
    const double words = train->record[0].parameter_count - train->record[0].first;
    const double slice = train->record[0].slice_count;
    if (train->groups > 1) {
        add_round(sum, 2 * words * train->cores, train->groups);
        sum->cycles += estimate_work(plan, ESTIMATE_ADD, slice * (train->groups - 1));
    }
}

static void estimate(const struct load_plan *plan, const struct exchange_pace *rings,
                     struct estimate_sum *sum)
{
    const struct plan_train *train = plan->train;
    const uint32_t chips = (uint32_t)plan->chip_count;
    const uint32_t images = (train->learning.batch + chips - 1) / chips; /* of a chip */
    const uint32_t at_a_time = train->groups * train->at_once;
    const uint32_t rounds = (images + at_a_time - 1) / at_a_time;
    struct nn_train_memory memory;
    double packets[NN_TRAIN_MEMBERS];
    train_piece_stages(&train->piece[0], &memory);
    for (uint32_t k = 0; k < memory.stages; k++) {
        add_stage(plan, k, sum);
        add_sharing(plan, &memory, k, sum);
    }
    sum->cycles += estimate_work(plan, ESTIMATE_PIXELS, plan->table->image_pixels) +
                   estimate_work(plan, ESTIMATE_LOSS, train->at_once);
    sum->bytes += (double)train->cores * plan->run.image_bytes;
    sum->transfers += 1;
    *sum = (struct estimate_sum){.cycles = sum->cycles * rounds,
                                 .transfers = sum->transfers * rounds,
                                 .signals = sum->signals * rounds,
                                 .bytes = sum->bytes * rounds};
    add_twins(plan, &memory, sum);
    add_gradients(plan, sum);
    estimate_add_update(plan, train->record[0].slice_count, train->record[0].slice_count / chips,
                        sum);
    for (uint32_t c = 0; c < train->cores; c++) { /* sums of four bytes go, then values; six fit */
        packets[c] = train->record[c].slice_count * (WORD_BYTES + train->value_bytes) / 6.0;
    }
    sum->exchange_s = estimate_ring(plan, rings, packets);
}

static const struct mapping_training TRAINING = {
    .piece = "member",
    .estimate = estimate,
    .describe = describe,
    .core_of = core_of,
    .by_board = true,
    .exchange_words = exchange_words,
};

const struct mapping MAPPING_GROUPS = {
    .role = "train_group",
    .networks = "any; pools behind convolutions",
    .divide = divide,
    .place = plan_train_place,
    .describe = plan_train_describe,
    .add_tensors = plan_train_add_tensors,
    .route = plan_train_route,
    .write = plan_train_write,
    .deinit = plan_train_deinit,
    .training = &TRAINING,
};
