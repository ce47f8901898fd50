/* session_state.c - see session_state.h. */
#include "sim/run_control/session_state.h"

#include "sim/data/sha256.h"
#include "sim/run_control/outcome_state.h"
#include "sim/run_control/session_stream.h"
#include "sim/steps.h"

#include <zlib.h>

#include <stdlib.h>
#include <string.h>

/* ---- whose it is ---- */

struct head {
    char identity[SHA256_HEX_CHARS];
    char gap[7]; /* named, so that equal states are the same bytes */
    uint64_t unpacked_bytes;
};

/* This program's own file: another build may lay out its state in another way. */
static bool add_program(struct sha256 *hash)
{
    enum { PART = 1 << 16 };
    static const char OWN[] = "/proc/self/exe";
    uint8_t *part = malloc(PART);
    FILE *file = part == NULL ? NULL : fopen(OWN, "rb");
    size_t count = 1;
    size_t all = 0;
    while (file != NULL && count > 0) {
        count = fread(part, 1, PART, file);
        sha256_update(hash, part, count);
        all += count;
    }
    const bool good = file != NULL && ferror(file) == 0 && all > 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    free(part);
    return good;
}

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
    if (!add_program(&hash) || !add_system(job, &hash)) {
        return false;
    }
    sha256_final(&hash, digest);
    sha256_hex(digest, identity);
    return true;
}

bool session_state_fits(const struct job *job, const uint8_t *bytes, size_t size)
{
    struct head head;
    char identity[SHA256_HEX_CHARS];
    if (size < sizeof head) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    return session_state_identify(job, identity) &&
           memcmp(head.identity, identity, sizeof identity) == 0;
}

/* ---- what it is made of: written or read in the same order ---- */

static void visit(struct session_stream *stream, void *data, size_t size)
{
    session_stream_visit(stream, data, size);
}

#define VISIT(stream, field) visit(stream, &(field), sizeof(field))

static void visit_machine(struct session_stream *stream, struct session *session)
{
    size_t size = 0;
    uint8_t *state = stream->saving ? machine_save(session->machine, &size) : NULL;
    VISIT(stream, size);
    if (stream->saving) {
        stream->failed = stream->failed || state == NULL;
        if (!stream->failed) {
            visit(stream, state, size);
        }
        free(state);
        return;
    }
    const uint8_t *at = session_stream_skip(stream, size);
    stream->failed = at == NULL || machine_load(session->machine, at, size) != STATUS_OK;
}

static void visit_session(struct session_stream *stream, struct session *session)
{
    VISIT(stream, session->quiet_since_ps);
    VISIT(stream, session->stage_ps);
    VISIT(stream, session->epochs_done);
    VISIT(stream, session->earlier_ps);
    VISIT(stream, session->joules_earlier);
    VISIT(stream, session->joules_before);
    VISIT(stream, session->joules);
    VISIT(stream, session->loss);
    VISIT(stream, session->accuracy);
    VISIT(stream, session->plan.train->commands); /* the last command's number */
}

static void visit_outcome(struct session_stream *stream, struct outcome *outcome)
{
    VISIT(stream, outcome->updates);
    VISIT(stream, outcome->images_trained);
    VISIT(stream, outcome->images_before);
    VISIT(stream, outcome->epochs_before);
    VISIT(stream, outcome->training);
    VISIT(stream, outcome->tests);
    outcome->learning = session_stream_rows(stream, outcome->learning, &outcome->learning_count,
                                            sizeof *outcome->learning);
    outcome->epoch =
        session_stream_rows(stream, outcome->epoch, &outcome->epoch_count, sizeof *outcome->epoch);
    outcome_visit_stage_sums(stream, outcome);
}

static void visit_parts(struct session_stream *stream, struct session *session)
{
    visit_session(stream, session);
    visit_outcome(stream, session->outcome);
    phase_marks_visit(&session->marks, stream);
    core_profile_visit(&session->profile, stream);
    session_visit_intervals(session, stream);
}

/* ---- the whole ---- */

/* Packs what follows the head, and puts the head in front. */
static bool pack(const struct session_stream *stream, struct head *head, uint8_t **bytes,
                 size_t *size)
{
    uLongf packed = compressBound(stream->size);
    uint8_t *all = malloc(sizeof *head + packed);
    if (all == NULL ||
        compress2(all + sizeof *head, &packed, stream->bytes, stream->size, Z_BEST_SPEED) != Z_OK) {
        free(all);
        return false;
    }
    head->unpacked_bytes = stream->size;
    memcpy(all, head, sizeof *head);
    *size = sizeof *head + packed;
    uint8_t *less = realloc(all, *size);
    *bytes = less == NULL ? all : less;
    return true;
}

void session_state_save(const struct session *session, uint8_t **bytes, size_t *size)
{
    struct session_stream stream = {.saving = true};
    struct head head = {.unpacked_bytes = 0};
    *bytes = NULL;
    *size = 0;
    if (session_state_identify(session->job, head.identity)) {
        visit_machine(&stream, (struct session *)session);
        visit_parts(&stream, (struct session *)session);
        if (stream.failed || !pack(&stream, &head, bytes, size)) {
            *bytes = NULL;
        }
        free(stream.bytes);
    }
}

static enum status restore(struct session *session, struct session_stream *stream,
                           struct diagnostic *diagnostic)
{
    visit_machine(stream, session);
    if (!stream->failed) {
        session->counted = calloc(1, sizeof *session->counted);
        if (session->counted == NULL) {
            return no_memory(diagnostic);
        }
        TRY(session_sum(session, session->counted, diagnostic));
        visit_parts(stream, session);
    }
    return !stream->failed && stream->at == stream->size
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_INTERNAL, "the checkpoint's run cannot be restored");
}

enum status session_state_load(struct session *session, const uint8_t *bytes, size_t size,
                               struct diagnostic *diagnostic)
{
    struct head head;
    memcpy(&head, bytes, sizeof head);
    struct session_stream stream = {.size = head.unpacked_bytes};
    stream.bytes = malloc(stream.size + 1);
    if (stream.bytes == NULL) {
        return no_memory(diagnostic);
    }
    uLongf unpacked = stream.size;
    enum status status =
        uncompress(stream.bytes, &unpacked, bytes + sizeof head, size - sizeof head) == Z_OK &&
                unpacked == stream.size
            ? restore(session, &stream, diagnostic)
            : diagnose(diagnostic, STATUS_INTERNAL, "the checkpoint's run is damaged");
    free(stream.bytes);
    return status;
}
