/* spinnaker_backend.c - the backend `spinnaker`: builds the machine, and loads its programs and
 * their data. */
#include "models/common/units.h"
#include "sim/load/machine_load.h"
#include "sim/load/sark_layout.h"
#include "sim/load/sark_program.h"
#include "sim/load/system_software.h"
#include "sim/mapping/estimate.h"
#include "sim/mapping/load_plan.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "sim/run_control/follower.h"
#include "sim/run_control/ring_trial.h"
#include "sim/run_control/session.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    NETWORK_APP_ID = 30,
    SERVICE_APP_ID = 0 /* id of system programs, which no application's barrier counts */
};

/* ---- observing ---- */

static bool on_mark(void *context, struct machine_core core, uint32_t address, uint64_t cycle)
{
    struct session *session = context;
    (void)cycle; /* cycle of the core's own clock, whose frequency may have changed */
    phase_marks_pass(&session->marks, session->machine, core, address);
    session_timeline_mark(session, core, address);
    if (session->plan.train != NULL) {
        session_train_mark(session, core, address);
    }
    return false;
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

static void on_sample(void *context, struct machine_core core, uint32_t pc)
{
    struct session *session = context;
    core_profile_sample(&session->profile, session->machine, core, pc);
    session_trace_sample(session, core);
}

static void on_frame(void *context, struct machine_chip chip, const uint8_t *bytes, uint32_t count,
                     uint64_t time_ps)
{
    const struct job_options *options = &((struct session *)context)->job->options;
    if (options->frame != NULL) {
        options->frame(options->frame_context, chip, bytes, count, time_ps);
    }
}

/* ---- set-up ---- */

/* What a golden says of functions may be coarse, but not slow: exact in the first cycles, and never
 * coarser than this part of what a core has done. */
enum { GOLDEN_PROFILE_SHARE = 1024 };

static bool is_profiled(const struct session *session)
{
    return session->job->options.for_golden || session->job->config->record_profile_cycles > 0;
}

static enum status create_machine(struct session *session, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    const bool for_golden = session->job->options.for_golden;
    const struct boot_rom *rom = session->job->boot_rom;
    const struct machine_config machine = {
        .parameters = config->machine,
        .timing = config->timing,
        .topology = config->topology,
        .observer = {.context = session,
                     .mark = on_mark,
                     .guest_error = on_guest_error,
                     .sample = on_sample,
                     .frame = on_frame},
        .sample_cycles = for_golden ? 1 : config->record_profile_cycles,
        .sample_share = for_golden ? GOLDEN_PROFILE_SHARE : 0,
        .drop_records = (uint32_t)config->record_drops,
        .ethernet = config->run_boot != CONFIG_BOOT_DIRECT,
        .boot_rom = rom == NULL ? NULL : rom->bytes,
        .boot_rom_bytes = rom == NULL ? 0 : rom->count,
        .tier = session->job->options.tier,
        .run_ahead = session->job->options.run_ahead,
        .threads = session->job->options.threads,
    };
    const enum status status = machine_create(&machine, &session->machine, diagnostic);
    if (status == STATUS_CONFIGURATION && diagnostic->key[0] != '\0') {
        config_locate(config, NULL, diagnostic);
    }
    return status;
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
    return !is_profiled(session) || core_profile_add(&session->profile, core->core, core->role,
                                                     &loaded->program->image) == STATUS_OK;
}

static enum status load_core(struct session *session, const struct outcome_core *core,
                             const struct job_program *program,
                             const struct program_options *options, struct diagnostic *diagnostic)
{
    const struct loaded_core loaded = {program, options->app_id};
    if (!add_outcome_core(session, core, &loaded)) {
        return no_memory(diagnostic);
    }
    TRY(machine_load_program(session->machine, core->core, &program->image, options, diagnostic));
    if (session->job->service == JOB_SERVICE_SYSTEM) {
        system_software_enter(session->machine, core->core, options->app_id,
                              sark_program_is(&program->image));
    }
    return phase_marks_set(&session->marks, session->machine, core->core);
}

/* ---- services: programs of the monitor processors ---- */

/* Loads the job's service, if it has one, and starts it now.  Applications do not wait for it. */
static enum status load_services(struct session *session, struct diagnostic *diagnostic)
{
    static const struct program_options OPTIONS = {SERVICE_APP_ID, 0};
    const struct topology *topology = machine_topology(session->machine);
    const struct job_program *program = &session->job->monitor;
    const struct loaded_core loaded = {program, SERVICE_APP_ID};
    for (size_t i = 0; i < topology->count && session->job->service != JOB_SERVICE_NONE; i++) {
        struct outcome_core core = {.service = true};
        if (!session_monitor_of(&topology->chip[i], &core.core)) {
            continue;
        }
        (void)snprintf(core.role, sizeof core.role, "%s", program->name);
        core.virtual_core = machine_virtual_core(session->machine, core.core);
        if (!add_outcome_core(session, &core, &loaded)) {
            return no_memory(diagnostic);
        }
        TRY(machine_load_program(session->machine, core.core, &program->image, &OPTIONS,
                                 diagnostic));
        TRY(machine_start_program(session->machine, core.core, &program->image, SERVICE_APP_ID));
    }
    return STATUS_OK;
}

/* ---- programs ---- */

/* Starts all loaded cores, in loading order. */
static enum status start_cores(struct session *session, struct diagnostic *diagnostic)
{
    session->program_cores = session->outcome->core_count;
    TRY(load_services(session, diagnostic));
    for (size_t i = 0; i < session->program_cores; i++) {
        const struct loaded_core *loaded = &session->loaded[i];
        TRY(machine_start_program(session->machine, session->outcome->core[i].core,
                                  &loaded->program->image, loaded->app_id));
    }
    return STATUS_OK;
}

/* Applies faults.deleted_routes, after all tables have been written. */
static enum status delete_routes(struct session *session, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    for (size_t i = 0; i < config->deleted_routes; i++) {
        const struct topology_fault *route = &config->deleted_route[i];
        if (machine_delete_route(session->machine, route->x, route->y, route->number) !=
            STATUS_OK) {
            return config_refuse(config, "faults.deleted_routes",
                                 "keys.csv of a good run has the keys; only entries that the "
                                 "mapping has made can be deleted",
                                 diagnostic, "chip %u,%u has no entry for key 0x%08" PRIx32,
                                 route->x, route->y, route->number);
        }
    }
    return STATUS_OK;
}

/* Estimates an update of a training over rings. */
static enum status estimate(const struct session *session, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    struct exchange_pace rings;
    if (session->plan.train == NULL && session->job->chosen != NULL) {
        session->outcome->estimated_images_s = estimate_inference(&session->plan, config);
    }
    if (!estimate_knows(session->plan.mapping) || !exchange_of(config->train_exchange)->on_rings) {
        return STATUS_OK;
    }
    TRY(estimate_rings_make(config, machine_topology(session->machine),
                            session->plan.mapping->training->by_board, &rings, diagnostic));
    const struct estimate update = estimate_update(&session->plan, config, &rings);
    session->outcome->estimated_update_s = estimate_seconds(&update);
    return STATUS_OK;
}

static enum status load_network(struct session *session, struct diagnostic *diagnostic)
{
    const struct job *job = session->job;
    const struct job_program *program = &job->program[0];
    const struct plan_request request = {
        .config = job->config,
        .network = &job->network,
        .table = job->table,
        .parameters = (const uint8_t *)job->weights.block,
        .images = &job->classified,
        .train_images = job->config->mode == CONFIG_MODE_TRAIN ? &job->train : NULL,
        .program = &program->image,
        .tight = job->tight,
    };
    TRY(load_plan_make(&request, &session->plan, diagnostic));
    session->planned = true;
    session->outcome->sdram_bytes_used = (uint32_t)(session->plan.end - SARK_SDRAM_HEAP);
    TRY(estimate(session, diagnostic));
    TRY(data_input_of(&session->plan, job->config, machine_topology(session->machine),
                      &session->outcome->input, diagnostic));
    TRY(machine_boot_direct(session->machine, &job->config->machine, (uint32_t)session->plan.end,
                            diagnostic));
    TRY(load_plan_write(&session->plan, session->machine, diagnostic));
    for (size_t i = 0; i < session->plan.core_count; i++) {
        const struct load_plan_core *from = &session->plan.core[i];
        const struct program_options options = {NETWORK_APP_ID, from->argument};
        struct outcome_core core = {.core = from->core,
                                    .virtual_core = from->virtual_core,
                                    .itcm_bytes = from->itcm_bytes,
                                    .dtcm_bytes = from->dtcm_bytes,
                                    .macs = from->macs};
        (void)snprintf(core.role, sizeof core.role, "%s", from->role);
        (void)snprintf(core.layer, sizeof core.layer, "%s", from->layer);
        TRY(load_core(session, &core, program, &options, diagnostic));
    }
    return STATUS_OK;
}

/* Loads one app entry into its cores on a chip, except monitors and cores that do not work. */
static enum status load_app(struct session *session, size_t index, const struct topology *topology,
                            size_t chip_index, const struct ring_trial *trial,
                            struct diagnostic *diagnostic)
{
    const struct topology_chip *chip = &topology->chip[chip_index];
    const struct job *job = session->job;
    const struct config_app *app = &job->config->app[index];
    const struct job_program *program = &job->program[index];
    const struct job_memory *memory = job->options.given.memory;
    const uint32_t cores = app->cores & config_application_cores(job->config, chip);
    for (uint32_t p = 0; p < SARK_CORES; p++) {
        if ((cores >> p & 1) == 0) {
            continue;
        }
        struct outcome_core core = {.core = {chip->x, chip->y, (uint8_t)p}};
        const struct program_options options = {
            (uint8_t)app->app_id, memory != NULL ? memory->argument
                                  : session->flow.graph != NULL
                                      ? dataflow_app_argument(&session->flow, core.core)
                                      : ring_trial_argument(trial, (uint32_t)chip_index, p)};
        core.virtual_core = machine_virtual_core(session->machine, core.core);
        (void)snprintf(core.role, sizeof core.role, "%s", program->name);
        TRY(load_core(session, &core, program, &options, diagnostic));
    }
    return STATUS_OK;
}

static enum status load_app_entries(struct session *session, const struct topology *topology,
                                    const struct ring_trial *trial, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    for (size_t i = 0; i < config->app_count; i++) {
        const struct config_app *app = &config->app[i];
        for (size_t c = 0; c < topology->count; c++) {
            const struct topology_chip *chip = &topology->chip[c];
            if (app->all_chips || (app->x == chip->x && app->y == chip->y)) {
                TRY(load_app(session, i, topology, c, trial, diagnostic));
            }
        }
    }
    return STATUS_OK;
}

static enum status write_memory(const struct session *session, struct diagnostic *diagnostic)
{
    const struct job_memory *memory = session->job->options.given.memory;
    for (size_t i = 0; memory != NULL && i < memory->block_count; i++) {
        const struct job_block *block = &memory->block[i];
        const enum status status = machine_write(session->machine, block->core, block->address,
                                                 block->bytes, block->count);
        if (status != STATUS_OK) {
            return diagnose(diagnostic, status, "no memory for what the programs work on");
        }
    }
    return STATUS_OK;
}

/* Of the latest version that a program asks for. */
static enum status write_system_software(const struct session *session,
                                         struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    struct system_software software = {.sdram_bytes = config->machine.sdram_bytes,
                                       .shape = config->topology.shape};
    for (size_t i = 0; i < session->job->program_count; i++) {
        const struct elf_image *program = &session->job->program[i].image;
        const uint32_t version = sark_program_version(program);
        if (sark_program_is(program) && version > software.version) {
            software.version = version;
        }
    }
    software.version = software.version == 0 ? SARK_PROGRAM_VERSION : software.version;
    return system_software_write(session->machine, &software, diagnostic);
}

static enum status load_with(struct session *session, const struct ring_trial *trial,
                             struct diagnostic *diagnostic)
{
    const struct machine_parameters *parameters = &session->job->config->machine;
    const struct job_memory *memory = session->job->options.given.memory;
    const uint32_t end = memory != NULL                ? memory->end
                         : session->flow.graph != NULL ? session->flow.end
                                                       : trial->end;
    TRY(machine_boot_direct(session->machine, parameters, end, diagnostic));
    if (session->job->service == JOB_SERVICE_SYSTEM) {
        TRY(write_system_software(session, diagnostic));
    }
    TRY(ring_trial_write(trial, session->machine, diagnostic));
    TRY(dataflow_app_write(&session->flow, session->machine, diagnostic));
    TRY(write_memory(session, diagnostic));
    return load_app_entries(session, machine_topology(session->machine), trial, diagnostic);
}

static enum status load_apps(struct session *session, struct diagnostic *diagnostic)
{
    struct ring_trial trial;
    TRY(dataflow_app_make(&session->flow, session->job->config, &session->job->graph,
                          machine_topology(session->machine), diagnostic));
    TRY(ring_trial_make(&trial, session->job->config, machine_topology(session->machine),
                        diagnostic));
    const enum status status = load_with(session, &trial, diagnostic);
    struct routing *routing = session->flow.graph != NULL ? &session->flow.routing : &trial.routing;
    session->outcome->routing = *routing; /* ownership moves */
    *routing = (struct routing){0};
    ring_trial_deinit(&trial);
    return status;
}

/* ---- the whole ---- */

static enum status prepare(struct session *session, struct diagnostic *diagnostic)
{
    const struct job *job = session->job;
    const struct network *network = job->has_network ? &job->network : NULL;
    const struct elf_image *program = job->program_count == 0 ? NULL : &job->program[0].image;
    TRY(phase_marks_init(&session->marks, program, network, diagnostic));
    TRY(create_machine(session, diagnostic));
    if (job->config->run_boot != CONFIG_BOOT_DIRECT) { /* programs come over Ethernet */
        return STATUS_OK;
    }
    TRY(job->has_network ? load_network(session, diagnostic) : load_apps(session, diagnostic));
    TRY(delete_routes(session, diagnostic));
    TRY(session_begin_timeline(session, diagnostic));
    TRY(session_begin_trace(session, diagnostic));
    return start_cores(session, diagnostic);
}

enum status session_open(struct session *session, const struct job *job, struct outcome *outcome,
                         struct diagnostic *diagnostic)
{
    *session = (struct session){.job = job, .outcome = outcome, .quiet_since_ps = TIME_NEVER};
    last_looks_init(&session->last_looks, job->config->run_simulated_time_limit_ps);
    const enum status status = prepare(session, diagnostic);
    if (status != STATUS_OK) {
        session_close(session);
    }
    return status;
}

void session_close(struct session *session)
{
    load_plan_deinit(&session->plan);
    dataflow_app_deinit(&session->flow);
    phase_marks_deinit(&session->marks);
    core_profile_deinit(&session->profile);
    last_looks_deinit(&session->last_looks);
    session_close_trace(session);
    machine_destroy(session->machine);
    free(session->loaded);
    free(session->counted);
    free(session->intervals);
    free(session->update_ps);
    follower_close(session->follower);
    *session = (struct session){0};
}
