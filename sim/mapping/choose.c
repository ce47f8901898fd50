/* choose.c - see choose.h. */
#include "sim/mapping/choose.h"

#include "models/common/bits.h"
#include "sim/mapping/load_plan.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "sim/steps.h"

#include <math.h>

/* Whether the time of a mapping's plans can be estimated. */
static bool knows(const struct mapping *mapping)
{
    return mapping->training == NULL || estimate_knows(mapping);
}

static double seconds_of(const struct load_plan *plan, const struct sim_config *way,
                         const struct exchange_pace *rings)
{
    if (plan->train == NULL) {
        return estimate_inference(plan, way);
    }
    const struct estimate estimate = estimate_update(plan, way, rings);
    return estimate_seconds(&estimate);
}

/* The best so far; and of what does not fit, what is least short. */
struct choice {
    struct plan_request request;
    const struct topology *topology;
    struct sim_config way; /* that is tried */
    struct sim_config *chosen;
    double seconds; /* of an update, or of all images, in `chosen`; INFINITY: nothing has fitted */
    double excess;  /* needed over available of `nearest`; 0: there is none */
    struct sim_config nearest; /* that does not fit */
};

static void describe(const struct sim_config *way, char *text, size_t size)
{
    int length = snprintf(text, size, "%s, chips: %llu, cores_per_chip: %llu",
                          config_mapping_kind_text(way->mapping_kind),
                          (unsigned long long)way->mapping_chips,
                          (unsigned long long)way->mapping_cores_per_chip);
    if (way->mapping_kind == CONFIG_MAPPING_KIND_REPLICA_PER_CHIP && length > 0) {
        (void)snprintf(text + length, size - (size_t)length,
                       ", cores_per_image: %llu, images_at_once: %llu",
                       (unsigned long long)way->mapping_cores_per_image,
                       (unsigned long long)way->mapping_images_at_once);
    }
}

/* Keeps a way that does not fit if it comes nearer than all before. */
static void note_shortage(struct choice *choice, const struct plan_shortage *shortage)
{
    const double excess = shortage->available == 0
                              ? HUGE_VAL
                              : (double)shortage->needed / (double)shortage->available;
    if (choice->excess == 0 || excess < choice->excess) {
        choice->excess = excess;
        choice->nearest = choice->way;
    }
}

static void try_way(struct choice *choice, const struct exchange_pace *rings)
{
    struct plan_request trial = choice->request;
    struct plan_shortage shortage = {0};
    struct diagnostic why = {0};
    struct load_plan plan;
    trial.config = &choice->way;
    trial.trial = true;
    trial.shortage = &shortage;
    if (load_plan_try(&trial, &plan, &why) != STATUS_OK) {
        if (!trial.tight) {
            note_shortage(choice, &shortage);
        }
        return;
    }
    const double seconds = seconds_of(&plan, &choice->way, rings);
    if (seconds < choice->seconds) {
        choice->seconds = seconds;
        *choice->chosen = choice->way;
    }
    load_plan_deinit(&plan);
}

/* All groups of the cores, and teams of a group. */
static void try_groups(struct choice *choice, const struct exchange_pace *rings)
{
    const uint64_t cores = choice->way.mapping_cores_per_chip;
    for (uint64_t members = 2; members <= cores; members++) {
        for (uint64_t teams = 1; cores % members == 0 && teams <= members; teams++) {
            if (members % teams == 0) {
                choice->way.mapping_cores_per_image = members;
                choice->way.mapping_images_at_once = teams;
                try_way(choice, rings);
            }
        }
    }
}

static uint64_t usable_chips(const struct topology *topology, const struct sim_config *config)
{
    uint64_t chips = 0;
    for (size_t i = 0; i < topology->count; i++) {
        const uint32_t cores = config_application_cores(config, &topology->chip[i]);
        chips += bits_count(cores) >= config->mapping_cores_per_chip;
    }
    return chips;
}

/* All ways of a mapping that has a program. */
static enum status try_kind(struct choice *choice, const struct mapping *mapping,
                            struct diagnostic *diagnostic)
{
    const struct sim_config *asked = choice->request.config;
    const bool says_chips = config_gives(asked, "mapping.chips");
    const uint64_t most = asked->machine.chip_cores - asked->machine.chip_monitor_cores;
    for (uint64_t cores = 1; cores <= most; cores++) {
        struct exchange_pace rings;
        choice->way.mapping_cores_per_chip = cores;
        const uint64_t usable = usable_chips(choice->topology, &choice->way);
        choice->way.mapping_chips = says_chips ? asked->mapping_chips : usable;
        if (usable == 0 || choice->way.mapping_chips > usable) {
            continue;
        }
        if (mapping->training == NULL) {
            try_way(choice, NULL);
            continue;
        }
        TRY(estimate_rings_make(&choice->way, choice->topology, mapping->training->by_board, &rings,
                                diagnostic));
        if (choice->way.mapping_kind == CONFIG_MAPPING_KIND_REPLICA_PER_CHIP) {
            try_groups(choice, &rings);
        } else {
            try_way(choice, &rings);
        }
    }
    return STATUS_OK;
}

/* Says what comes nearest, and gives its hint, which names what would fit. */
static enum status refuse(const struct choice *choice, choose_program *program_of, void *context,
                          struct diagnostic *diagnostic)
{
    struct plan_request request = choice->request;
    const struct sim_config *config = request.config;
    const char *name = request.network->name;
    struct diagnostic why = {0};
    struct load_plan plan;
    request.config = &choice->nearest;
    request.trial = true;
    request.program = choice->excess > 0 ? program_of(context, request.config) : NULL;
    if (request.program == NULL) {
        return config_refuse(config, "mapping.kind", "name a mapping; its message says more",
                             diagnostic, "no mapping with an estimate %s network %s",
                             config->mode == CONFIG_MODE_TRAIN ? "trains" : "classifies with",
                             name);
    }
    if (load_plan_make(&request, &plan, &why) == STATUS_OK) {
        load_plan_deinit(&plan);
    }
    char text[160];
    describe(request.config, text, sizeof text);
    (void)config_refuse(config, "mapping.kind", NULL, diagnostic,
                        "no mapping of network %s fits; the nearest is %s: %s", name, text,
                        why.text);
    diagnostic_hint(diagnostic, "%s", why.hint);
    return STATUS_CONFIGURATION;
}

/* All ways of all mappings, tight ones or others. */
static enum status try_all(struct choice *choice, choose_program *program_of, void *context,
                           struct diagnostic *diagnostic)
{
    struct plan_request *request = &choice->request;
    const struct mapping_row *row;
    for (size_t i = 0; (row = mapping_alternative(request->config, request->network, i)) != NULL;
         i++) {
        choice->way = *request->config;
        choice->way.mapping_kind = row->kind;
        choice->way.mapping_cores_per_image = 1;
        choice->way.mapping_images_at_once = 1;
        request->program = knows(row->mapping) ? program_of(context, &choice->way) : NULL;
        if (request->program != NULL) {
            TRY(try_kind(choice, row->mapping, diagnostic));
        }
    }
    return STATUS_OK;
}

/* Tight plans only where no other fits: their programs wait more often, which the estimate does not
 * know. */
static enum status choose(struct choice *choice, choose_program *program_of, void *context,
                          struct diagnostic *diagnostic)
{
    TRY(try_all(choice, program_of, context, diagnostic));
    if (!isfinite(choice->seconds) && choice->request.train_images != NULL) {
        choice->request.tight = true;
        TRY(try_all(choice, program_of, context, diagnostic));
        choice->request.tight = false;
    }
    return isfinite(choice->seconds) ? STATUS_OK : refuse(choice, program_of, context, diagnostic);
}

enum status choose_mapping(const struct plan_request *request, choose_program *program_of,
                           void *context, struct sim_config *chosen, struct diagnostic *diagnostic)
{
    struct topology topology;
    struct choice choice = {
        .request = *request, .topology = &topology, .chosen = chosen, .seconds = HUGE_VAL};
    if (request->config->mode == CONFIG_MODE_TRAIN &&
        !exchange_of_training(request->config)->on_rings) {
        return config_refuse(request->config, "mapping.kind",
                             "train.exchange: rings, or name a mapping", diagnostic,
                             "auto estimates rings alone");
    }
    TRY(config_topology(request->config, &topology, diagnostic));
    const enum status status = choose(&choice, program_of, context, diagnostic);
    topology_deinit(&topology);
    return status;
}
