/* plan_groups.c - mappings replica_per_core and replica_per_chip for training: the cores of a group
 * share an image, each with its piece of the network; in replica_per_core a group is one core. */
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"

#include <stdio.h>

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
