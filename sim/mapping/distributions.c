/* distributions.c - see distributionss.h. */
#include "sim/mapping/distributions.h"

#include "sim/mapping/collectives.h"
#include "sim/mapping/exchange_steps.h"
#include "sim/steps.h"
#include "workloads/nn/train_plan.h"

#include <stdlib.h>

enum {
    TIMEOUT_US = 100, /* without an answer after which a core asks again, at first */
    TRIES = 12,       /* then it has waited for some 15 ms */
    HEAP_BLOCK = 16,
    CHIPS_MOST = 1024,
    CORES_MOST = NN_TRAIN_MEMBERS
};

#define HZ_PER_MHZ 1000000u

static struct collectives_request ranks_of(const struct exchange_request *request,
                                           const struct exchange_chips *chips)
{
    return (struct collectives_request){
        .topology = request->topology,
        .chip = chips->chip,
        .chips = chips->count,
        .cores = request->cores,
        .physical = request->physical,
        .apart = true,
        .timeout_cycles = (uint32_t)(request->clock_hz / HZ_PER_MHZ) * TIMEOUT_US,
        .tries = TRIES,
    };
}

/* Every core's ranks, by chip and core; NULL, with a diagnostic, when that fails. */
static struct collectives_plan *make_ranks(const struct exchange_request *request,
                                           const struct exchange_chips *chips,
                                           struct routing *routing, struct diagnostic *diagnostic)
{
    const struct collectives_request ranks = ranks_of(request, chips);
    struct collectives_plan *plan = calloc(chips->count * request->cores, sizeof *plan);
    if (plan == NULL) {
        (void)no_memory(diagnostic);
    } else if (collectives_make(&ranks, plan, routing, diagnostic) != STATUS_OK) {
        diagnostic_key(diagnostic, "mapping.chips");
        free(plan);
        plan = NULL;
    }
    return plan;
}

enum status distribution_route(struct routing *routing, const struct exchange_request *request,
                               const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    struct collectives_plan *plan = make_ranks(request, chips, routing, diagnostic);
    free(plan);
    return plan == NULL ? STATUS_CONFIGURATION : STATUS_OK;
}

uint32_t distribution_data_bytes(size_t chips)
{
    (void)chips;
    return CORES_MOST * (uint32_t)sizeof(struct distribution_plan);
}

uint32_t distribution_dtcm_bytes(size_t chips, uint32_t words)
{
    (void)words;
    const uint32_t ranks = (uint32_t)chips;
    return 2 * ((ranks + 1) / 2 * 4) + (ranks + 31) / 32 * 4 + HEAP_BLOCK; /* frames_bytes() */
}

static void fill(struct exchange_plans *plans, const struct exchange_request *request,
                 const struct exchange_chips *chips, const struct collectives_plan *ranks)
{
    const struct sim_config *config = request->config;
    const size_t cores = request->cores;
    for (size_t i = 0; i < chips->count * cores; i++) {
        const size_t place = i / cores;
        const size_t core = i % cores;
        const uint32_t offset = (uint32_t)(core * sizeof(struct distribution_plan));
        struct distribution_plan *own =
            (struct distribution_plan *)(plans->data.bytes + place * plans->data.of_chip + offset);
        *own = (struct distribution_plan){
            .ranks = ranks[i],
            .servers = (uint32_t)(config->train_servers < chips->count ? config->train_servers
                                                                       : chips->count),
            .every = (uint32_t)config->train_average_every,
            .seed = (uint32_t)config->seed,
        };
        plans->plan[chips->chip[place] * cores + core] =
            (struct exchange_plan){.chips = (uint32_t)chips->count,
                                   .position = (uint32_t)place,
                                   .words = request->words[core],
                                   .slot_cycles = 1,
                                   .tree = chips->data + offset};
    }
}

enum status distribution_make(struct exchange_plans *plans, const struct exchange_request *request,
                              const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    struct routing unused = {0};
    TRY(exchange_begin(plans, request, "ranks", CHIPS_MOST, CORES_MOST, diagnostic));
    plans->data.of_chip = distribution_data_bytes(chips->count);
    plans->data.bytes = calloc(chips->count, plans->data.of_chip);
    struct collectives_plan *ranks = make_ranks(request, chips, &unused, diagnostic);
    routing_deinit(&unused);
    if (ranks != NULL && plans->data.bytes != NULL) {
        fill(plans, request, chips, ranks);
    }
    const enum status status = ranks == NULL               ? STATUS_CONFIGURATION
                               : plans->data.bytes == NULL ? no_memory(diagnostic)
                                                           : STATUS_OK;
    free(ranks);
    return status;
}

struct exchange_owned distribution_owns_all(const struct exchange_plan *plan,
                                            const struct distribution_plan *distribution)
{
    (void)distribution;
    return (struct exchange_owned){0, plan->words};
}

struct exchange_owned distribution_owns_part(const struct exchange_plan *plan,
                                             const struct distribution_plan *distribution)
{
    const uint32_t servers = distribution->servers;
    if (plan->position >= servers) {
        return (struct exchange_owned){0, 0};
    }
    const uint32_t first = distribution_bound(plan->words, servers, plan->position);
    const uint32_t end = distribution_bound(plan->words, servers, plan->position + 1);
    return (struct exchange_owned){first, end - first};
}
