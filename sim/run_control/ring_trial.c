/* ring_trial.c - see ring_trial.h. */
#include "sim/run_control/ring_trial.h"

#include "models/common/bits.h"
#include "models/common/check.h"
#include "models/common/draw.h"
#include "models/common/units.h"
#include "sim/load/sark_layout.h"
#include "sim/mapping/exchange.h"
#include "sim/steps.h"
#include "workloads/nn/exchange_trial.h"

#include <stdlib.h>

enum { OPEN_COUNTER = 0 };

/* ---- chips and cores ---- */

static bool has_program(const struct config_app *app, const struct topology_chip *chip)
{
    return app->all_chips || (app->x == chip->x && app->y == chip->y);
}

/* Finds the chips with the program, and the numbers of its cores there. */
static enum status find_chips(struct ring_trial *trial, uint32_t *chip, size_t *chips,
                              struct diagnostic *diagnostic)
{
    const struct sim_config *config = trial->config;
    const struct config_app *app = &config->app[0];
    for (size_t i = 0; i < trial->topology->count; i++) {
        const struct topology_chip *at = &trial->topology->chip[i];
        uint32_t cores = app->cores & config_application_cores(config, at);
        if (!has_program(app, at)) {
            continue;
        }
        if (cores != app->cores) {
            return config_refuse(config, "exchange", "give cores that work on all chips",
                                 diagnostic, "chip %u,%u has not all the cores of a ring", at->x,
                                 at->y);
        }
        for (size_t c = 0; c < trial->cores; c++) {
            trial->physical[i * trial->cores + c] = (uint8_t)bits_lowest(cores);
            cores &= cores - 1;
        }
        chip[(*chips)++] = (uint32_t)i;
    }
    return STATUS_OK;
}

/* ---- plans and routes ---- */

static enum status make_plans(struct ring_trial *trial, uint32_t *chip, uint32_t *words,
                              struct diagnostic *diagnostic)
{
    const struct sim_config *config = trial->config;
    struct exchange_chips chips = {
        .chip = chip, .rings_most = config->exchange_rings, .data = trial->data};
    TRY(find_chips(trial, chip, &chips.count, diagnostic));
    for (size_t c = 0; c < trial->cores; c++) {
        words[c] = (uint32_t)config->exchange_words;
    }
    const struct exchange_request request = {
        .topology = trial->topology,
        .cores = trial->cores,
        .physical = trial->physical,
        .words = words,
        .counter = OPEN_COUNTER,
        .pace = config->exchange_pace,
        .link_packet_ps = config->machine.link_packet_ps,
        .link_packet_between_boards_ps = config->machine.link_packet_between_boards_ps,
        .clock_hz = config->machine.clock_cpu_hz,
    };
    TRY(exchange_of(config->exchange_over)->make(&trial->plans, &request, &chips, diagnostic));
    return routing_of(&trial->routing, trial->topology, &trial->plans.edges, diagnostic);
}

enum status ring_trial_make(struct ring_trial *trial, const struct sim_config *config,
                            const struct topology *topology, struct diagnostic *diagnostic)
{
    *trial = (struct ring_trial){.end = 0};
    if (!config_has_exchange(config)) {
        return STATUS_OK;
    }
    if (config->app_count == 0) {
        return config_refuse(config, "exchange", "the first entry of app is the program",
                             diagnostic, "rings without a program");
    }
    trial->config = config;
    trial->topology = topology;
    trial->cores = bits_count(config->app[0].cores);
    CHECK(trial->cores > 0, "an entry without cores is for all application cores");
    trial->address = SARK_SDRAM_HEAP;
    trial->data = trial->address + (uint32_t)(trial->cores * sizeof(struct exchange_trial));
    trial->end = trial->data + exchange_data_bytes_most(topology->count);
    trial->physical = calloc(topology->count, trial->cores);
    uint32_t *chip = calloc(topology->count, sizeof *chip);
    uint32_t *words = calloc(trial->cores, sizeof *words);
    const enum status status = trial->physical == NULL || chip == NULL || words == NULL
                                   ? no_memory(diagnostic)
                                   : make_plans(trial, chip, words, diagnostic);
    free(chip);
    free(words);
    if (status != STATUS_OK) {
        ring_trial_deinit(trial);
    }
    return status;
}

void ring_trial_deinit(struct ring_trial *trial)
{
    free(trial->physical);
    exchange_plans_deinit(&trial->plans);
    routing_deinit(&trial->routing);
    *trial = (struct ring_trial){.end = 0};
}

/* ---- into the machine ---- */

static uint32_t address_of(const struct ring_trial *trial, size_t core)
{
    return trial->address + (uint32_t)(core * sizeof(struct exchange_trial));
}

static enum status write_data(const struct ring_trial *trial, struct machine *machine,
                              struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    size_t place = 0;
    for (size_t i = 0; i < trial->topology->count && status == STATUS_OK; i++) {
        const struct topology_chip *at = &trial->topology->chip[i];
        const struct machine_core core = {at->x, at->y, trial->physical[i * trial->cores]};
        if (trial->plans.plan[i * trial->cores].chips != 0) {
            status = exchange_data_write(&trial->plans.data, place++, machine, core, trial->data);
        }
    }
    return status == STATUS_OK
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_INTERNAL, "no memory for the trees' nodes");
}

enum status ring_trial_write(const struct ring_trial *trial, struct machine *machine,
                             struct diagnostic *diagnostic)
{
    if (trial->config == NULL) {
        return STATUS_OK;
    }
    const struct sim_config *config = trial->config;
    const uint64_t spread = config->exchange_start_spread_ps / PS_PER_US;
    for (size_t i = 0; i < trial->topology->count; i++) {
        const struct topology_chip *chip = &trial->topology->chip[i];
        const uint64_t drawn = draw_word(config->seed, DRAW_STARTS, i);
        const uint32_t delay_us = draw_below(drawn, (uint32_t)spread + 1);
        for (size_t c = 0; c < trial->cores; c++) {
            const struct machine_core core = {chip->x, chip->y,
                                              trial->physical[i * trial->cores + c]};
            const struct exchange_trial words = {
                .magic = EXCHANGE_TRIAL_MAGIC,
                .rounds = (uint32_t)config->exchange_rounds,
                .seed = (uint32_t)config->seed,
                .delay_us = delay_us,
                .plan = trial->plans.plan[i * trial->cores + c],
            };
            if (words.plan.chips != 0 && machine_write(machine, core, address_of(trial, c), &words,
                                                       sizeof words) != STATUS_OK) {
                return diagnose(diagnostic, STATUS_INTERNAL, "no memory for the rings' plans");
            }
        }
    }
    TRY(write_data(trial, machine, diagnostic));
    return routing_write(&trial->routing, machine, diagnostic);
}

uint32_t ring_trial_argument(const struct ring_trial *trial, uint32_t chip, uint32_t core)
{
    for (size_t c = 0; c < trial->cores; c++) {
        if (trial->physical[chip * trial->cores + c] == core) {
            return address_of(trial, c);
        }
    }
    return 0;
}
