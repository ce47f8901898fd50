/* session_state.c - see session_state.h. */
#include "sim/run_control/session_state.h"

#include "models/common/units.h"
#include "models/machine/machine_parts.h"
#include "sim/data/sha256.h"
#include "sim/file.h"
#include "sim/run_control/outcome_state.h"
#include "sim/run_control/saved_state.h"
#include "sim/run_control/session_stream.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)STATE_PAGE_BYTES == (int)MACHINE_PAGE_BYTES, "one number in two places");

/* ---- whose it is ---- */

/* The simulated system, whatever run.simulated_time_limit is: a training that came to it goes on
 * with a later one.  False: out of memory. */
static bool add_system(const struct job *job, struct sha256 *hash)
{
    struct sim_config *config = malloc(sizeof *config);
    struct job same = *job;
    struct diagnostic nobody = {0};
    if (config == NULL) {
        return false;
    }
    *config = *job->config;
    config->run_simulated_time_limit_ps = 0;
    same.config = config;
    const bool good = job_identify(&same, &nobody) == STATUS_OK;
    sha256_update(hash, same.identity.sim_hash, sizeof same.identity.sim_hash);
    free(config);
    return good;
}

bool session_state_identify(const struct job *job, char identity[SHA256_HEX_CHARS])
{
    const struct sim_config *config = job->config;
    const uint64_t records[] = {
        config->record_learning_every, config->record_drops,
        config->record_profile_cycles, config->record_interval_ps,
        config->record_timeline_what,  config->record_trace_core[0] != '\0'};
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    sha256_init(&hash);
    sha256_update(&hash, job->identity.energy_hash, sizeof job->identity.energy_hash);
    sha256_update(&hash, records, sizeof records);
    if (!saved_state_add_program(&hash) || !add_system(job, &hash)) {
        return false;
    }
    sha256_final(&hash, digest);
    sha256_hex(digest, identity);
    return true;
}

/* ---- what it is made of: written or read in the same order ---- */

static void visit(struct session_stream *stream, void *data, size_t size)
{
    session_stream_visit(stream, data, size);
}

#define VISIT(stream, field) visit(stream, &(field), sizeof(field))

/* Where the run stands, and what it has measured. */
static void visit_session(struct session *session, struct session_stream *stream)
{
    VISIT(stream, session->place);
    VISIT(stream, session->what);
    VISIT(stream, session->slice_ps);
    VISIT(stream, session->quiet_since_ps);
    VISIT(stream, session->stage);
    VISIT(stream, session->stage_ps);
    VISIT(stream, session->command_ps);
    VISIT(stream, session->epoch_ps);
    VISIT(stream, session->told_epoch);
    VISIT(stream, session->told_updates);
    VISIT(stream, session->is_enough);
    VISIT(stream, session->epochs_done);
    VISIT(stream, session->earlier_ps);
    VISIT(stream, session->joules_earlier);
    VISIT(stream, session->joules_before);
    VISIT(stream, session->joules);
    VISIT(stream, session->loss);
    VISIT(stream, session->accuracy);
    VISIT(stream, session->first_fault);
    VISIT(stream, session->first_fault_core);
}

/* Of a training: the last command's number, and the updates of the one that is under way. */
static void visit_training(struct session *session, struct session_stream *stream)
{
    const struct load_plan *plan = &session->plan;
    if (plan->train == NULL) {
        return;
    }
    VISIT(stream, session->plan.train->commands);
    VISIT(stream, session->update_count);
    if (session->update_count > plan->train->learning.updates_per_epoch) {
        stream->failed = true;
    } else if (session->update_count > 0) {
        visit(stream, session->update_ps, session->update_count * sizeof *session->update_ps);
    }
}

/* The machine's counts at the end of the last command. */
static void visit_counted(struct session *session, struct session_stream *stream)
{
    bool any = session->counted != NULL;
    VISIT(stream, any);
    if (!any || stream->failed) {
        return;
    }
    if (!stream->saving) { /* kinds of counters are in the order of the machine's */
        session->counted = calloc(1, sizeof *session->counted);
        stream->failed = session->counted == NULL ||
                         session_sum(session, session->counted, NULL) != STATUS_OK;
    }
    if (!stream->failed) {
        struct session_sums *counted = session->counted;
        VISIT(stream, counted->time_ps);
        VISIT(stream, counted->size);
        stream->failed = stream->failed || counted->size > SESSION_SUMS;
        for (size_t i = 0; i < counted->size && !stream->failed; i++) {
            VISIT(stream, counted->count[i].value);
        }
    }
}

static void visit_outcome(struct session *session, struct session_stream *stream)
{
    struct outcome *outcome = session->outcome;
    VISIT(stream, outcome->updates);
    VISIT(stream, outcome->images_trained);
    VISIT(stream, outcome->images_before);
    VISIT(stream, outcome->epochs_before);
    VISIT(stream, outcome->training);
    VISIT(stream, outcome->tests);
    VISIT(stream, outcome->guest_errors);
    outcome->learning = session_stream_rows(stream, outcome->learning, &outcome->learning_count,
                                            sizeof *outcome->learning);
    outcome->epoch =
        session_stream_rows(stream, outcome->epoch, &outcome->epoch_count, sizeof *outcome->epoch);
    outcome_visit_stage_sums(stream, outcome);
}

static void visit_phases(struct session *session, struct session_stream *stream)
{
    phase_marks_visit(&session->marks, stream);
}

/* What is left of a section that this run has no use for. */
static void pass_over(struct session_stream *stream)
{
    stream->at = stream->size;
}

/* A profile goes on with the same distance of samples; another one begins now. */
static void visit_profile(struct session *session, struct session_stream *stream)
{
    const uint64_t own = session->profile.core_count == 0
                             ? 0
                             : session->job->config->record_profile_cycles + 1;
    uint64_t cycles = own;
    VISIT(stream, cycles);
    if (cycles == own && own != 0) {
        core_profile_visit(&session->profile, stream);
        return;
    }
    pass_over(stream);
    for (size_t i = 0; i < session->outcome->core_count && own != 0; i++) {
        core_profile_join(&session->profile, session->machine, session->outcome->core[i].core);
    }
}

static void visit_last_looks(struct session *session, struct session_stream *stream)
{
    last_looks_visit(&session->last_looks, session->outcome, session_image_of, session, stream);
}

/* Whether run.save_at_mark has been passed: a run saves its state once. */
static void visit_saved(struct session *session, struct session_stream *stream)
{
    enum { MARK_CHARS = 129 };
    const char *own = session->job->config->run_save_at_mark;
    char mark[MARK_CHARS] = "";
    (void)snprintf(mark, sizeof mark, "%s", own);
    VISIT(stream, mark);
    if (!stream->saving) {
        session->saved = own[0] != '\0' && strncmp(mark, own, sizeof mark) == 0;
    }
}

/* The modules that have a state between two slices of time.  A new one is a row; one that keeps
 * something else than before gets the next version. */
static const struct part {
    const char *name;
    uint32_t version;
    void (*visit)(struct session *session, struct session_stream *stream);
} PARTS[] = {
    {"session", 1, visit_session},     {"training", 1, visit_training},
    {"counted", 1, visit_counted},     {"ledger", 1, session_visit_ledger},
    {"outcome", 1, visit_outcome},     {"phases", 1, visit_phases},
    {"profile", 1, visit_profile},     {"intervals", 1, session_visit_intervals},
    {"looks", 1, visit_last_looks},    {"saved", 1, visit_saved},
};
enum { PARTS_COUNT = sizeof PARTS / sizeof *PARTS, MACHINE_VERSION = 1 };

/* ---- writing ---- */

static bool add_part(const struct session *session, const struct part *part,
                     struct state_writer *writer)
{
    RELEASED(session_stream_deinit) struct session_stream stream = {.saving = true};
    part->visit((struct session *)session, &stream);
    if (!stream.failed) {
        state_add(writer, part->name, part->version, stream.bytes, stream.size);
    }
    return !stream.failed && !writer->failed;
}

static enum status add_machine(const struct session *session, struct state_writer *writer,
                               struct diagnostic *diagnostic)
{
    RELEASED(machine_parts_free) struct machine_parts parts = {.data = NULL};
    TRY(machine_save_parts(session->machine, &parts, diagnostic));
    state_add_pages(writer, parts.page, parts.pages);
    state_add(writer, "machine", MACHINE_VERSION, parts.data, parts.data_bytes);
    return STATUS_OK;
}

static enum status add_all(const struct session *session, struct state_writer *writer,
                           struct diagnostic *diagnostic)
{
    bool good = true;
    TRY(add_machine(session, writer, diagnostic));
    for (size_t i = 0; i < PARTS_COUNT && good; i++) {
        good = add_part(session, &PARTS[i], writer);
    }
    return good ? STATUS_OK : no_memory(diagnostic);
}

void session_state_save(const struct session *session, uint8_t **bytes, size_t *size)
{
    RELEASED(state_writer_deinit) struct state_writer writer;
    struct diagnostic nobody = {0};
    char identity[SHA256_HEX_CHARS];
    *bytes = NULL;
    *size = 0;
    state_writer_init(&writer);
    if (session_state_identify(session->job, identity) &&
        add_all(session, &writer, &nobody) == STATUS_OK) {
        state_add(&writer, "checkpoint", MACHINE_VERSION, identity, sizeof identity);
        (void)state_pack(&writer, false, bytes, size, &nobody);
    }
}

enum status session_state_write(const struct session *session, const char *path,
                                struct diagnostic *diagnostic)
{
    RELEASED(state_writer_deinit) struct state_writer writer;
    state_writer_init(&writer);
    TRY(add_all(session, &writer, diagnostic));
    return saved_state_describe(session->job, machine_time_ps(session->machine), &writer)
               ? state_write(&writer, path, diagnostic)
               : no_memory(diagnostic);
}

/* ---- reading ---- */

static enum status damaged(const struct state_file *file, struct diagnostic *diagnostic)
{
    return file_refuse(file->path, NULL, diagnostic, "the state does not fit the run");
}

static enum status load_machine(struct session *session, const struct state_file *file,
                                struct diagnostic *diagnostic)
{
    FREED uint8_t *data = NULL;
    size_t size = 0;
    RELEASED(state_pages_free) struct state_pages pages = {.memory = NULL};
    TRY(state_section(file, "machine", MACHINE_VERSION, &data, &size, diagnostic));
    TRY(state_read_pages(file, &pages, diagnostic));
    const struct machine_parts parts = {
        .data = data, .data_bytes = size, .page = pages.page, .pages = pages.pages};
    return machine_load_parts(session->machine, &parts) == STATUS_OK ? STATUS_OK
                                                                     : damaged(file, diagnostic);
}

static enum status load_part(struct session *session, const struct part *part,
                             const struct state_file *file, struct diagnostic *diagnostic)
{
    RELEASED(session_stream_deinit) struct session_stream stream = {.saving = false};
    TRY(state_section(file, part->name, part->version, &stream.bytes, &stream.size, diagnostic));
    part->visit(session, &stream);
    return !stream.failed && stream.at == stream.size ? STATUS_OK : damaged(file, diagnostic);
}

static enum status load_all(struct session *session, const struct state_file *file,
                            struct diagnostic *diagnostic)
{
    TRY(load_machine(session, file, diagnostic));
    for (size_t i = 0; i < PARTS_COUNT; i++) {
        TRY(load_part(session, &PARTS[i], file, diagnostic));
    }
    return STATUS_OK;
}

bool session_state_fits(const struct job *job, const uint8_t *bytes, size_t size)
{
    RELEASED(state_close) struct state_file file = {.path = NULL};
    struct diagnostic nobody = {0};
    char identity[SHA256_HEX_CHARS];
    FREED uint8_t *its = NULL;
    size_t its_bytes = 0;
    return state_take(&file, "checkpoint", false, bytes, size, &nobody) == STATUS_OK &&
           state_section(&file, "checkpoint", MACHINE_VERSION, &its, &its_bytes, &nobody) ==
               STATUS_OK &&
           session_state_identify(job, identity) && its_bytes == sizeof identity &&
           memcmp(its, identity, sizeof identity) == 0;
}

enum status session_state_load(struct session *session, const uint8_t *bytes, size_t size,
                               struct diagnostic *diagnostic)
{
    RELEASED(state_close) struct state_file file = {.path = NULL};
    struct diagnostic why = {0};
    enum status status = state_take(&file, "checkpoint", false, bytes, size, &why);
    if (status == STATUS_OK) {
        status = load_all(session, &file, &why);
    }
    return status == STATUS_OK
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_INTERNAL, "the checkpoint's run cannot be restored");
}

enum status session_state_restore(struct session *session, struct diagnostic *diagnostic)
{
    const struct saved_state *state = session->job->restored;
    TRY(load_all(session, &state->file, diagnostic));
    if (!state->same_energy && session->earlier_ps > 0) {
        return config_refuse(session->job->config, "energy", "the coefficients of that run",
                             diagnostic,
                             "the saved run went on from a checkpoint, whose joules cannot be "
                             "counted again");
    }
    if (!state->same_energy) {
        session_price(session);
        session_price_intervals(session);
    }
    session->continued = session->place != SESSION_BETWEEN;
    session->goes_on = true;
    session_take_timeline(session);
    return STATUS_OK;
}
