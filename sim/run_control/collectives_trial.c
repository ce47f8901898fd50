/* collectives_trial.c - see collectives_trial.h. */
#include "sim/run_control/collectives_trial.h"

#include "models/common/bits.h"
#include "models/common/draw.h"
#include "models/common/units.h"
#include "sim/load/sark_layout.h"
#include "sim/mapping/collectives.h"
#include "sim/steps.h"

#include <stdlib.h>

/* ---- chips and cores ---- */

static bool has_program(const struct config_app *app, const struct topology_chip *chip)
{
    return app->all_chips || (app->x == chip->x && app->y == chip->y);
}

static enum status find_chips(struct collectives_trials *trials, struct diagnostic *diagnostic)
{
    const struct sim_config *config = trials->config;
    const struct config_app *app = &config->app[0];
    for (size_t i = 0; i < trials->topology->count; i++) {
        const struct topology_chip *at = &trials->topology->chip[i];
        uint32_t cores = app->cores & config_application_cores(config, at);
        if (!has_program(app, at)) {
            continue;
        }
        if (cores != app->cores) {
            return config_refuse(config, "collectives", "give cores that work on all chips",
                                 diagnostic, "chip %u,%u has not all the cores of the ranks", at->x,
                                 at->y);
        }
        for (size_t c = 0; c < trials->cores; c++) {
            trials->physical[i * trials->cores + c] = (uint8_t)bits_lowest(cores);
            cores &= cores - 1;
        }
        trials->chip[trials->chips++] = (uint32_t)i;
    }
    return STATUS_OK;
}

/* ---- making ---- */

static enum status make(struct collectives_trials *trials, struct diagnostic *diagnostic)
{
    const struct sim_config *config = trials->config;
    TRY(find_chips(trials, diagnostic));
    trials->plan = calloc(trials->chips * trials->cores + 1, sizeof *trials->plan);
    if (trials->plan == NULL) {
        return no_memory(diagnostic);
    }
    const struct collectives_request request = {
        .topology = trials->topology,
        .chip = trials->chip,
        .chips = trials->chips,
        .cores = trials->cores,
        .physical = trials->physical,
        .ranks = config->collectives_ranks,
        .timeout_cycles = (uint32_t)ps_to_cycles_up(clock_of(config->machine.clock_cpu_hz, 1),
                                                    config->collectives_timeout_ps),
        .tries = (uint32_t)config->collectives_tries,
    };
    const enum status status =
        collectives_make(&request, trials->plan, &trials->routing, diagnostic);
    if (status == STATUS_CONFIGURATION) {
        config_locate(config, "collectives", diagnostic);
    }
    if (status == STATUS_OK && config->collectives_lose_packet > 0) {
        const size_t ranks = trials->plan[0].size;
        if (config->collectives_lose_rank >= ranks) {
            return config_refuse(config, "collectives.lose_rank", NULL, diagnostic,
                                 "there are %zu ranks, the first is 0", ranks);
        }
        trials->plan[config->collectives_lose_rank].lose =
            (uint32_t)config->collectives_lose_packet;
    }
    return status;
}

enum status collectives_trials_make(struct collectives_trials *trials,
                                    const struct sim_config *config,
                                    const struct topology *topology, struct diagnostic *diagnostic)
{
    *trials = (struct collectives_trials){.end = 0};
    if (!config_has_collectives(config)) {
        return STATUS_OK;
    }
    if (config->app_count == 0) {
        return config_refuse(config, "collectives", "the first entry of app is the program",
                             diagnostic, "ranks without a program");
    }
    trials->config = config;
    trials->topology = topology;
    trials->cores = bits_count(config->app[0].cores);
    trials->address = SARK_SDRAM_HEAP;
    trials->end = trials->address + (uint32_t)(trials->cores * sizeof(struct collectives_trial));
    trials->chip = calloc(topology->count, sizeof *trials->chip);
    trials->physical = calloc(topology->count, trials->cores + 1);
    const enum status status = trials->chip == NULL || trials->physical == NULL
                                   ? no_memory(diagnostic)
                                   : make(trials, diagnostic);
    if (status != STATUS_OK) {
        collectives_trials_deinit(trials);
    }
    return status;
}

void collectives_trials_deinit(struct collectives_trials *trials)
{
    free(trials->chip);
    free(trials->physical);
    free(trials->plan);
    routing_deinit(&trials->routing);
    *trials = (struct collectives_trials){.end = 0};
}

/* ---- into the machine ---- */

static uint32_t address_of(const struct collectives_trials *trials, size_t core)
{
    return trials->address + (uint32_t)(core * sizeof(struct collectives_trial));
}

enum status collectives_trials_write(const struct collectives_trials *trials,
                                     struct machine *machine, struct diagnostic *diagnostic)
{
    const struct sim_config *config = trials->config;
    if (config == NULL) {
        return STATUS_OK;
    }
    const uint64_t spread = config->collectives_start_spread_ps / PS_PER_US;
    for (size_t i = 0; i < trials->chips; i++) {
        const struct topology_chip *chip = &trials->topology->chip[trials->chip[i]];
        const uint64_t drawn = draw_word(config->seed, DRAW_STARTS, trials->chip[i]);
        for (size_t c = 0; c < trials->cores; c++) {
            const struct machine_core core = {
                chip->x, chip->y, trials->physical[trials->chip[i] * trials->cores + c]};
            const struct collectives_trial record = {
                .operation = (uint32_t)config->collectives_operation,
                .combine = (uint32_t)config->collectives_combine + 1,
                .words = (uint32_t)config->collectives_words,
                .rounds = (uint32_t)config->collectives_rounds,
                .seed = (uint32_t)config->seed,
                .delay_us = draw_below(drawn, (uint32_t)spread + 1),
                .plan = trials->plan[i * trials->cores + c],
            };
            if (machine_write(machine, core, address_of(trials, c), &record, sizeof record) !=
                STATUS_OK) {
                return diagnose(diagnostic, STATUS_INTERNAL, "no memory for the ranks' plans");
            }
        }
    }
    return routing_write(&trials->routing, machine, diagnostic);
}

uint32_t collectives_trials_argument(const struct collectives_trials *trials, uint32_t chip,
                                     uint32_t core)
{
    for (size_t c = 0; c < trials->cores; c++) {
        if (trials->physical[chip * trials->cores + c] == core) {
            return address_of(trials, c);
        }
    }
    return 0;
}
