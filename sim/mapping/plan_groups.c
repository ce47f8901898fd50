/* plan_groups.c - mappings replica_per_core and replica_per_chip for training: the cores of a group
 * share an image, each with its piece of the network; in replica_per_core a group is one core. */
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"

#include <stdio.h>

/* Rows of the table from the first dense layer on. */
static uint32_t dense_layers(const struct nn_table *table)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->layers; i++) {
        count += table->layer[i].kind == NN_DENSE;
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
    return plan_train_share(plan, request, false, "mapping.cores_per_image", diagnostic);
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

static const struct mapping_training TRAINING = {
    .piece = "member",
    .describe = describe,
    .core_of = core_of,
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
