/* spinnaker_backend.c - the backend `spinnaker`: builds the machine, loads it, runs it, and takes
 * down what has happened. */
#include "models/common/check.h"
#include "models/common/units.h"
#include "sim/data/sha256.h"
#include "sim/load/machine_load.h"
#include "sim/load/sark_layout.h"
#include "sim/mapping/load_plan.h"
#include "sim/run_control/backend.h"
#include "sim/run_control/ring_trial.h"
#include "sim/run_control/services.h"
#include "sim/run_control/waits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NETWORK_APP_ID = 30 };

/* Machine time between two looks at the progress, at most and at least. */
#define SLICE_PS       (10 * PS_PER_MS)
#define SLICE_LEAST_PS (100 * PS_PER_US)

/* What has been loaded into a core. */
struct loaded_core {
    const struct job_program *program;
    uint8_t app_id;
};

struct session {
    const struct job *job;
    struct outcome *outcome;
    struct machine *machine;
    struct load_plan plan;
    bool planned;
    struct phase_marks marks;
    struct loaded_core *loaded; /* beside outcome->core */
    size_t program_cores;       /* of them: services follow */
    uint64_t quiet_since_ps;    /* of a run that has ended for that, else TIME_NEVER */
    struct arm968_fault first_fault;
    struct machine_core first_fault_core;
};

/* ---- observing ---- */

static void on_mark(void *context, struct machine_core core, uint32_t address, uint64_t cycle)
{
    struct session *session = context;
    phase_marks_pass(&session->marks, session->machine, core, address, cycle);
}

static bool on_guest_error(void *context, struct machine_core core, struct arm968_fault fault)
{
    struct session *session = context;
    if (session->outcome->guest_errors++ == 0) {
        session->first_fault = fault;
        session->first_fault_core = core;
    }
    return session->job->config->run_stop_on == CONFIG_STOP_ON_GUEST_ERROR;
}

/* ---- set-up ---- */

static enum status create_machine(struct session *session, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    const struct machine_config machine = {
        .parameters = config->machine,
        .timing = config->timing,
        .topology = config->topology,
        .observer = {session, on_mark, on_guest_error},
        .drop_records = (uint32_t)config->record_drops,
        .threads = session->job->options.threads,
    };
    return machine_create(&machine, &session->machine, diagnostic);
}

static bool add_outcome_core(struct session *session, const struct outcome_core *core,
                             const struct loaded_core *loaded)
{
    struct outcome *outcome = session->outcome;
    const size_t count = outcome->core_count + 1;
    struct outcome_core *list = realloc(outcome->core, count * sizeof *outcome->core);
    struct loaded_core *beside = realloc(session->loaded, count * sizeof *session->loaded);
    outcome->core = list == NULL ? outcome->core : list;
    session->loaded = beside == NULL ? session->loaded : beside;
    if (list == NULL || beside == NULL) {
        return false;
    }
    session->loaded[outcome->core_count] = *loaded;
    outcome->core[outcome->core_count++] = *core;
    return true;
}

static enum status load_core(struct session *session, const struct outcome_core *core,
                             const struct job_program *program,
                             const struct program_options *options, struct diagnostic *diagnostic)
{
    const struct loaded_core loaded = {program, options->app_id};
    if (!add_outcome_core(session, core, &loaded)) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    const enum status status =
        machine_load_program(session->machine, core->core, &program->image, options, diagnostic);
    return status == STATUS_OK ? phase_marks_set(&session->marks, session->machine, core->core)
                               : status;
}

static enum status load_services(struct session *session, struct diagnostic *diagnostic)
{
    const struct job *job = session->job;
    const struct topology *topology = machine_topology(session->machine);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < topology->count && job->has_reinjector && status == STATUS_OK; i++) {
        struct outcome_core core = {.service = true};
        if (services_core(&topology->chip[i], &core.core)) {
            const struct loaded_core loaded = {&job->reinjector, 0};
            (void)snprintf(core.role, sizeof core.role, "%s", job->reinjector.name);
            core.virtual_core = machine_virtual_core(session->machine, core.core);
            status = add_outcome_core(session, &core, &loaded)
                         ? services_load(job, session->machine, core.core, diagnostic)
                         : diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
        }
    }
    return status;
}

/* All that have been loaded, in that order. */
static enum status start_cores(struct session *session, struct diagnostic *diagnostic)
{
    session->program_cores = session->outcome->core_count;
    enum status status = load_services(session, diagnostic);
    for (size_t i = 0; i < session->program_cores && status == STATUS_OK; i++) {
        const struct loaded_core *loaded = &session->loaded[i];
        status = machine_start_program(session->machine, session->outcome->core[i].core,
                                       &loaded->program->image, loaded->app_id);
    }
    return status;
}

/* faults.deleted_routes, when all tables are there. */
static enum status delete_routes(struct session *session, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    for (size_t i = 0; i < config->deleted_routes; i++) {
        const struct config_deleted_route *route = &config->deleted_route[i];
        if (machine_delete_route(session->machine, route->x, route->y, route->key) != STATUS_OK) {
            (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                           "chip %u,%u has no entry for key 0x%08" PRIx32, route->x, route->y,
                           route->key);
            const struct config_place place = config_place_of(config, "faults.deleted_routes");
            diagnostic_key(diagnostic, "faults.deleted_routes");
            diagnostic_at(diagnostic, place.file, place.line, place.column);
            diagnostic_hint(diagnostic,
                            "keys.csv of a good run has the keys; only entries that the "
                            "mapping has made can be deleted");
            return STATUS_CONFIGURATION;
        }
    }
    return STATUS_OK;
}

static enum status load_network(struct session *session, struct diagnostic *diagnostic)
{
    const struct job *job = session->job;
    const struct job_program *program = &job->program[0];
    const bool table_in_program = elf_image_find(&program->image, "layer_00_forward") == NULL;
    enum status status =
        load_plan_make(job->config, &job->network, job->table, (const uint8_t *)job->weights.block,
                       &job->test, &program->image, table_in_program, &session->plan, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    session->planned = true;
    session->outcome->sdram_bytes_used = session->plan.end - SARK_SDRAM_HEAP;
    status =
        machine_boot_direct(session->machine, &job->config->machine, session->plan.end, diagnostic);
    if (status == STATUS_OK) {
        status = load_plan_write(&session->plan, session->machine, diagnostic);
    }
    for (size_t i = 0; i < session->plan.core_count && status == STATUS_OK; i++) {
        const struct load_plan_core *from = &session->plan.core[i];
        const struct program_options options = {NETWORK_APP_ID, from->argument};
        struct outcome_core core = {.core = from->core,
                                    .virtual_core = from->virtual_core,
                                    .itcm_bytes = from->itcm_bytes,
                                    .dtcm_bytes = from->dtcm_bytes,
                                    .macs = from->macs};
        (void)snprintf(core.role, sizeof core.role, "%s", from->role);
        (void)snprintf(core.layer, sizeof core.layer, "%s", from->layer);
        status = load_core(session, &core, program, &options, diagnostic);
    }
    if (status == STATUS_OK) {
        status = delete_routes(session, diagnostic);
    }
    return status == STATUS_OK ? start_cores(session, diagnostic) : status;
}

/* Loads one app entry into those of its cores of a chip that work and are no monitors. */
static enum status load_app(struct session *session, size_t index, const struct topology *topology,
                            size_t chip_index, const struct ring_trial *trial,
                            struct diagnostic *diagnostic)
{
    const struct topology_chip *chip = &topology->chip[chip_index];
    const struct job *job = session->job;
    const struct config_app *app = &job->config->app[index];
    const struct job_program *program = &job->program[index];
    const uint32_t cores = app->cores & config_application_cores(job->config, chip);
    for (uint32_t p = 0; p < SARK_CORES; p++) {
        if ((cores >> p & 1) == 0) {
            continue;
        }
        const struct program_options options = {
            (uint8_t)app->app_id, ring_trial_argument(trial, (uint32_t)chip_index, p)};
        struct outcome_core core = {.core = {chip->x, chip->y, (uint8_t)p}};
        core.virtual_core = machine_virtual_core(session->machine, core.core);
        (void)snprintf(core.role, sizeof core.role, "%s", program->name);
        const enum status status = load_core(session, &core, program, &options, diagnostic);
        if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

static enum status load_app_entries(struct session *session, const struct topology *topology,
                                    const struct ring_trial *trial, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < config->app_count; i++) {
        const struct config_app *app = &config->app[i];
        for (size_t c = 0; c < topology->count && status == STATUS_OK; c++) {
            const struct topology_chip *chip = &topology->chip[c];
            if (app->all_chips || (app->x == chip->x && app->y == chip->y)) {
                status = load_app(session, i, topology, c, trial, diagnostic);
            }
        }
    }
    return status;
}

static enum status load_apps(struct session *session, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    const struct topology *topology = machine_topology(session->machine);
    struct ring_trial trial;
    enum status status = ring_trial_make(&trial, config, topology, diagnostic);
    if (status == STATUS_OK) {
        status = machine_boot_direct(session->machine, &config->machine, trial.end, diagnostic);
    }
    if (status == STATUS_OK) {
        status = ring_trial_write(&trial, session->machine, diagnostic);
    }
    if (status == STATUS_OK) {
        status = load_app_entries(session, topology, &trial, diagnostic);
    }
    session->outcome->routing = trial.routing; /* ownership moves */
    trial.routing = (struct routing){0};
    ring_trial_deinit(&trial);
    if (status == STATUS_OK) {
        status = delete_routes(session, diagnostic);
    }
    return status == STATUS_OK ? start_cores(session, diagnostic) : status;
}

/* ---- running ---- */

static void tell_progress(const struct session *session)
{
    const struct job_options *options = &session->job->options;
    if (options->progress == NULL) {
        return;
    }
    if (session->planned) {
        options->progress(options->progress_context, "test",
                          load_plan_dealt(&session->plan, session->machine),
                          session->job->test.count, "images");
    } else {
        options->progress(options->progress_context, "run",
                          machine_time_ps(session->machine) / PS_PER_US, 0, "us");
    }
}

/* Has nothing but timers' handlers happened for run.quiescent_limit? */
static bool is_quiescent(struct session *session)
{
    const uint64_t limit_ps = session->job->config->run_quiescent_limit_ps;
    if (limit_ps > 0) {
        const uint64_t since_ps = machine_quiet_since_ps(session->machine);
        const uint64_t now_ps = machine_time_ps(session->machine);
        if (since_ps != TIME_NEVER && now_ps - since_ps >= limit_ps) {
            session->quiet_since_ps = since_ps;
            return true;
        }
    }
    return false;
}

static uint64_t slice_ps(const struct sim_config *config)
{
    const uint64_t limit_ps = config->run_quiescent_limit_ps;
    if (limit_ps == 0 || limit_ps > SLICE_PS) {
        return SLICE_PS;
    }
    return limit_ps > SLICE_LEAST_PS ? limit_ps : SLICE_LEAST_PS;
}

static double host_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static enum machine_stop run_machine(struct session *session)
{
    const struct job_options *options = &session->job->options;
    const struct sim_config *config = session->job->config;
    const uint64_t limit_ps = config->run_simulated_time_limit_ps;
    const uint64_t step_ps = slice_ps(config);
    enum machine_stop stop = MACHINE_REACHED;
    uint64_t until_ps = 0;
    while (stop == MACHINE_REACHED && until_ps < limit_ps) {
        until_ps = limit_ps - until_ps > step_ps ? until_ps + step_ps : limit_ps;
        stop = options->run_until(options->run_context, session->machine, until_ps);
        tell_progress(session);
        if (stop == MACHINE_REACHED && is_quiescent(session)) {
            return MACHINE_QUIESCENT;
        }
    }
    return stop;
}

/* ---- how it ended ---- */

/* The symbol at an address of what a core runs. */
static const char *symbol_at(const struct session *session, struct machine_core core, uint32_t pc)
{
    const struct elf_symbol *symbol = NULL;
    for (size_t i = 0; i < session->outcome->core_count && symbol == NULL; i++) {
        const struct machine_core at = session->outcome->core[i].core;
        if (at.x == core.x && at.y == core.y && at.p == core.p) {
            symbol = elf_image_at(&session->loaded[i].program->image, pc);
        }
    }
    return symbol == NULL ? "no symbol" : symbol->name;
}

static void describe_fault(struct session *session)
{
    static const char *const WHAT[] = {
        [ARM968_FAULT_NONE] = "no fault",
        [ARM968_FAULT_UNDEFINED] = "undefined instruction",
        [ARM968_FAULT_PREFETCH] = "prefetch abort (jump to nowhere)",
        [ARM968_FAULT_BREAKPOINT] = "BKPT instruction",
        [ARM968_FAULT_DATA] = "data abort (bad or misaligned address)",
    };
    const struct machine_core core = session->first_fault_core;
    const struct arm968_fault fault = session->first_fault;
    (void)snprintf(session->outcome->failure, sizeof session->outcome->failure,
                   "chip (%u,%u) core %u: %s at pc 0x%08x in %s, address 0x%08x", core.x, core.y,
                   core.p, WHAT[fault.kind], fault.pc, symbol_at(session, core, fault.pc),
                   fault.kind == ARM968_FAULT_DATA || fault.kind == ARM968_FAULT_PREFETCH
                       ? fault.address
                       : fault.pc);
}

static const struct elf_image *image_of(const void *context, size_t core)
{
    const struct session *session = context;
    return &session->loaded[core].program->image;
}

/* Describes the core that tells most of those whose programs have not ended; false when all have.
 */
static bool find_unfinished(struct session *session)
{
    static const double MS = 1e-9;
    struct outcome *outcome = session->outcome;
    const struct outcome_wait *wait = waits_first(outcome);
    if (wait == NULL) {
        return false;
    }
    const struct machine_core core = outcome->core[wait->of].core;
    int used;
    if (wait->rank == WAIT_RANK_FAILED) {
        used = snprintf(outcome->failure, sizeof outcome->failure,
                        "chip (%u,%u) core %u: run-time %s at pc 0x%08x in %s", core.x, core.y,
                        core.p, wait->state, wait->pc, wait->symbol);
    } else {
        used =
            snprintf(outcome->failure, sizeof outcome->failure,
                     "chip (%u,%u) core %u: waits for what cannot come: %s (%s at pc 0x%08x in "
                     "%s)",
                     core.x, core.y, core.p, wait->waits_for, wait->state, wait->pc, wait->symbol);
    }
    if (session->quiet_since_ps != TIME_NEVER && (size_t)used < sizeof outcome->failure) {
        (void)snprintf(outcome->failure + used, sizeof outcome->failure - (size_t)used,
                       "; since %.6g ms nothing but timers' handlers has happened",
                       MS * (double)session->quiet_since_ps);
    }
    return true;
}

static enum status judge(struct session *session, enum machine_stop stop,
                         struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    const struct waits_source source = {session->machine, image_of, session};
    enum status status = STATUS_OK;
    if (stop != MACHINE_STOPPED) {
        status = waits_take(&source, outcome, diagnostic);
    }
    if (stop == MACHINE_STOPPED) {
        outcome->end = OUTCOME_GUEST_FAILED;
        describe_fault(session);
    } else if (stop == MACHINE_REACHED) {
        outcome->end = OUTCOME_LIMIT;
        (void)snprintf(outcome->failure, sizeof outcome->failure,
                       "the run was given up after run.simulated_time_limit");
    } else {
        outcome->end = find_unfinished(session) ? OUTCOME_GUEST_FAILED : OUTCOME_DONE;
        if (outcome->end == OUTCOME_GUEST_FAILED && outcome->guest_errors > 0) {
            describe_fault(session); /* what came first, not what came of it */
        }
    }
    return status;
}

/* ---- taking down ---- */

static void keep_counter(void *context, const struct machine_counter *counter)
{
    struct outcome *outcome = context;
    struct outcome_counter *to = &outcome->counter[outcome->counter_count++];
    *to = (struct outcome_counter){.x = counter->x,
                                   .y = counter->y,
                                   .instance = counter->instance,
                                   .info = counter->info,
                                   .value = counter->value};
    (void)snprintf(to->component, sizeof to->component, "%s", counter->component);
}

static void count_counter(void *context, const struct machine_counter *counter)
{
    (void)counter;
    (*(size_t *)context)++;
}

static int compare_counters(const void *a, const void *b)
{
    const struct outcome_counter *first = a;
    const struct outcome_counter *second = b;
    int order = strcmp(first->component, second->component);
    order = order != 0 ? order : strcmp(first->info->name, second->info->name);
    order = order != 0 ? order : first->x - second->x;
    order = order != 0 ? order : first->y - second->y;
    return order != 0 ? order : first->instance - second->instance;
}

static void hash_memory(void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
                        const uint8_t *bytes, uint32_t count)
{
    struct sha256 *hash = context;
    char head[64];
    const int length = snprintf(head, sizeof head, "memory %u %u %d %08" PRIx32 " %" PRIu32 "\n", x,
                                y, instance, address, count);
    sha256_update(hash, head, (size_t)length);
    sha256_update(hash, bytes, count);
}

/* SHA-256 over all counters in the order of their names, the time, and what guests have written. */
static void hash_statistics(const struct session *session)
{
    struct outcome *outcome = session->outcome;
    struct sha256 hash;
    char line[160];
    sha256_init(&hash);
    for (size_t i = 0; i < outcome->counter_count; i++) {
        const struct outcome_counter *at = &outcome->counter[i];
        const int length =
            snprintf(line, sizeof line, "%s %s %u %u %d %" PRIu64 "\n", at->component,
                     at->info->name, at->x, at->y, at->instance, at->value);
        sha256_update(&hash, line, (size_t)length);
    }
    const int length = snprintf(line, sizeof line, "time_ps %" PRIu64 "\n", outcome->time_ps);
    sha256_update(&hash, line, (size_t)length);
    machine_each_written(session->machine, hash_memory, &hash);
    uint8_t digest[SHA256_BYTES];
    sha256_final(&hash, digest);
    sha256_hex(digest, outcome->stats_hash);
}

static enum status take_counters(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    size_t count = 0;
    machine_each_counter(session->machine, count_counter, &count);
    outcome->counter = calloc(count + 1, sizeof *outcome->counter);
    outcome->unmodelled_count = machine_unmodelled_count(session->machine);
    outcome->unmodelled = calloc(outcome->unmodelled_count + 1, sizeof *outcome->unmodelled);
    if (outcome->counter == NULL || outcome->unmodelled == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    machine_each_counter(session->machine, keep_counter, outcome);
    qsort(outcome->counter, outcome->counter_count, sizeof *outcome->counter, compare_counters);
    for (size_t i = 0; i < outcome->unmodelled_count; i++) {
        outcome->unmodelled[i] = machine_unmodelled(session->machine, i);
    }
    return STATUS_OK;
}

static enum status take_drops(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    outcome->drops_unrecorded = machine_drops_unrecorded(session->machine);
    outcome->drop_count = machine_drop_count(session->machine);
    outcome->drop = calloc(outcome->drop_count + 1, sizeof *outcome->drop);
    if (outcome->drop == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    machine_drops(session->machine, outcome->drop);
    return STATUS_OK;
}

static void count_traffic(void *context, const struct machine_traffic *row)
{
    (void)row;
    (*(size_t *)context)++;
}

static void keep_traffic(void *context, const struct machine_traffic *row)
{
    struct outcome *outcome = context;
    outcome->traffic[outcome->traffic_count++] = *row;
}

static enum status take_traffic(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    size_t count = 0;
    machine_each_traffic(session->machine, count_traffic, &count);
    outcome->traffic = calloc(count + 1, sizeof *outcome->traffic);
    if (outcome->traffic == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    machine_each_traffic(session->machine, keep_traffic, outcome);
    return STATUS_OK;
}

static void take_core_time(struct outcome *outcome)
{
    struct outcome_core_time *time = &outcome->core_time;
    const uint64_t active = outcome_sum(outcome, "core", "active_cycles");
    const uint64_t asleep = outcome_sum(outcome, "core", "sleep_cycles");
    const struct clock clock = clock_of(outcome->core_hz, 1);
    time->bus_stall = outcome_sum(outcome, "core", "bus_wait_cycles");
    time->compute = active - time->bus_stall;
    time->dma_wait = ps_to_cycles_up(clock, outcome_sum(outcome, "dma", "core_wait_ps"));
    time->dma_wait = time->dma_wait < asleep ? time->dma_wait : asleep;
    const uint64_t rest = asleep - time->dma_wait;
    time->packet_wait = ps_to_cycles_up(clock, outcome_sum(outcome, "comms", "core_wait_ps"));
    time->packet_wait = time->packet_wait < rest ? time->packet_wait : rest;
    time->idle = rest - time->packet_wait;
}

static void take_stages(struct session *session)
{
    struct outcome *outcome = session->outcome;
    const struct clock clock = clock_of(outcome->core_hz, 1);
    if (!session->job->has_network) {
        outcome->stage_ps[STAGE_RUN] = outcome->time_ps;
        return;
    }
    const uint64_t test_cycle = session->marks.stage_start_cycle[STAGE_TEST];
    uint64_t test_ps = outcome->time_ps;
    if (test_cycle != UINT64_MAX) {
        CHECK(clock.period_ps_denominator > 0, "cores without a clock");
        test_ps = cycles_to_ps(clock, test_cycle);
    }
    outcome->stage_ps[STAGE_LOAD] = test_ps;
    outcome->stage_ps[STAGE_TEST] = outcome->time_ps - test_ps;
}

static void take_phases(struct session *session)
{
    struct outcome *outcome = session->outcome;
    outcome->phase_count = session->marks.phase_count;
    memcpy(outcome->phase, session->marks.phase, sizeof outcome->phase);
    memcpy(outcome->phase_sum, session->marks.sum, sizeof outcome->phase_sum);
}

static enum status take_console(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    FILE *stream = open_memstream(&outcome->console, &outcome->console_bytes);
    if (stream == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < outcome->core_count; i++) {
        machine_print_console(session->machine, outcome->core[i].core, stream);
    }
    return fclose(stream) == 0 ? STATUS_OK : diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}

static enum status take_results(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    const struct dataset *images = &session->job->test;
    if (!session->planned) {
        return STATUS_OK;
    }
    outcome->tensor = session->plan.tensor; /* ownership moves */
    outcome->tensor_count = session->plan.tensor_count;
    session->plan.tensor = NULL;
    outcome->routing = session->plan.routing;
    session->plan.routing = (struct routing){0};
    outcome->has_logits = true;
    outcome->labels = images->labels;
    outcome->result_count = images->count;
    outcome->result = calloc(images->count + 1u, sizeof *outcome->result);
    if (outcome->result == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    enum status status = load_plan_read_results(&session->plan, session->machine, outcome->result);
    if (status == STATUS_OK) {
        status = load_plan_read_numerics(&session->plan, session->machine, &outcome->saturations,
                                         &outcome->overflows);
    }
    for (uint32_t i = 0; i < images->count; i++) {
        const struct nn_result *result = &outcome->result[i];
        outcome->right += result->done == 1 && result->label == images->labels[i];
        outcome->saturations += result->saturations;
        outcome->overflows += result->overflows;
        if (result->done != 1 && outcome->end == OUTCOME_DONE) {
            outcome->end = OUTCOME_GUEST_FAILED;
            (void)snprintf(outcome->failure, sizeof outcome->failure,
                           "image %" PRIu32 " has no result", i);
        }
    }
    return status;
}

static enum status take_down(struct session *session, enum machine_stop stop,
                             struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    phase_marks_finish(&session->marks, session->machine);
    outcome->time_ps = machine_time_ps(session->machine);
    if (session->job->program_count == 0) { /* an idle machine, looked at for the whole time */
        outcome->time_ps = session->job->config->run_simulated_time_limit_ps;
    }
    outcome->core_hz = session->job->config->machine.clock_cpu_hz;
    outcome->chips = machine_chip_count(session->machine);
    outcome->boards = machine_board_count(session->machine);
    outcome->cores_used = (uint32_t)session->program_cores;
    outcome->late_interrupts = machine_late_interrupts(session->machine);
    outcome->loss = NAN;
    outcome->reference_accuracy =
        session->job->has_network ? session->job->weights.origin.reference_accuracy : NAN;
    enum status status = take_drops(session, diagnostic);
    if (status == STATUS_OK) {
        status = judge(session, stop, diagnostic);
    }
    if (status == STATUS_OK) {
        services_take(session->job, session->machine, outcome);
        status = take_counters(session, diagnostic);
    }
    if (status == STATUS_OK) {
        status = take_traffic(session, diagnostic);
    }
    if (status == STATUS_OK) {
        take_core_time(outcome);
        take_stages(session);
        take_phases(session);
        hash_statistics(session);
        status = take_console(session, diagnostic);
    }
    if (status == STATUS_OK) {
        status = take_results(session, diagnostic);
    }
    return status;
}

static enum status run(const struct job *job, struct outcome *outcome,
                       struct diagnostic *diagnostic)
{
    struct session session = {.job = job, .outcome = outcome, .quiet_since_ps = TIME_NEVER};
    const struct network *network = job->has_network ? &job->network : NULL;
    const struct elf_image *program = job->program_count == 0 ? NULL : &job->program[0].image;
    enum status status = phase_marks_init(&session.marks, program, network, diagnostic);
    if (status == STATUS_OK) {
        status = create_machine(&session, diagnostic);
    }
    if (status == STATUS_OK) {
        status =
            job->has_network ? load_network(&session, diagnostic) : load_apps(&session, diagnostic);
    }
    if (status == STATUS_OK) {
        const double since = host_seconds();
        const enum machine_stop stop = run_machine(&session);
        outcome->run_seconds = host_seconds() - since;
        status = take_down(&session, stop, diagnostic);
    }
    load_plan_deinit(&session.plan);
    phase_marks_deinit(&session.marks);
    machine_destroy(session.machine);
    free(session.loaded);
    return status;
}

static bool can_run(const struct job *job, struct diagnostic *diagnostic)
{
    if (job->has_network && job->config->mode == CONFIG_MODE_TRAIN) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION, "training on the machine is not here yet");
        diagnostic_key(diagnostic, "mode");
        diagnostic_hint(diagnostic, "use backend: host with network.number_format: float64");
        return false;
    }
    if (job->has_network && job->config->network_number_format != CONFIG_NUMBER_FORMAT_INT16) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION, "the machine computes in int16 only");
        diagnostic_key(diagnostic, "network.number_format");
        diagnostic_hint(diagnostic, "float64 is the host's reference: backend: host");
        return false;
    }
    return true;
}

const struct backend BACKEND_SPINNAKER = {"spinnaker", can_run, run};

const struct backend *backend_of(const struct sim_config *config)
{
    return config->backend == CONFIG_BACKEND_HOST ? &BACKEND_HOST : &BACKEND_SPINNAKER;
}
