/* sampling.c - see sampling.h. */
#include "sim/sampling/sampling.h"

#include "sim/data/sha256.h"
#include "sim/run_control/host_run.h"
#include "sim/run_control/outcome_state.h"
#include "sim/run_control/sealed_state.h"
#include "sim/run_control/window.h"
#include "sim/sampling/estimates.h"
#include "sim/sampling/places.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sampling {
    const struct job *job;
    struct outcome *outcome; /* of the whole */
    struct learning learning;
    struct places places;
    struct window_result *result; /* [part], the first `done` of them */
    size_t done;
    double *work;  /* [update]: as the host has counted it (estimates.h); owned */
    void *reached; /* parameters after the last window, until the host has come to them; owned */
    struct sha256 hash;
};

/* ---- what can be sampled ---- */

static enum status check_resume(const struct job *job, struct diagnostic *diagnostic)
{
    RELEASED(session_stream_deinit) struct session_stream stream;
    return sealed_state_read(job, &stream, diagnostic);
}

static enum status draw_places(const struct job *job, const struct learning *learning,
                               struct places *places, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    const struct places_request request = {learning, (uint32_t)config->run_sample_updates,
                                           (uint32_t)config->run_sample_at,
                                           (uint32_t)config->run_sample_seed};
    if (places_draw(&request, places)) {
        return STATUS_OK;
    }
    return config_refuse(
        config, "run.sample.updates",
        "at least 3 at each place; or run.sample.updates: 0, which executes all", diagnostic,
        "%u updates at %u places have no room in %u epochs of %u updates each", request.updates,
        request.at, learning->epochs, learning->updates_per_epoch);
}

enum status sampling_check(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    const struct {
        bool holds;
        const char *key, *hint;
    } rows[] = {
        {config->stage_count > 0, "stages", "run.sample.updates: 0"},
        {config->record_parameter_norms > 0, "record.parameter_norms",
         "record.parameter_norms: 0; every sampled update is compared with the host's"},
        {config->record_interval_ps > 0, "record.interval", "record.interval: 0 s"},
        {config->record_timeline_what != 0, "record.timeline.what", "record.timeline.what: []"},
        {config->record_trace_core[0] != '\0', "record.trace.core", "record.trace.core: \"\""},
        {config->check_memory, "check.memory", "check.memory: false"},
        {config->train_log_images, "train.log_images", "train.log_images: false"},
        {config->train_patience > 0, "train.patience", "train.patience: 0"},
        {config->train_target_accuracy > 0, "train.target_accuracy", "train.target_accuracy: 0"},
        {network_has_dropout(&job->network), "network.name", "a network without dropout"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].holds) {
            return config_refuse(config, rows[i].key, rows[i].hint, diagnostic,
                                 "a sample of updates (run.sample) cannot have this");
        }
    }
    struct learning learning;
    struct places places;
    TRY(learning_of(config, &job->network, job->train.count, &learning, diagnostic));
    TRY(draw_places(job, &learning, &places, diagnostic));
    places_deinit(&places);
    return job->options.resume != NULL ? check_resume(job, diagnostic) : STATUS_OK;
}

/* ---- the state between two windows: written or read in the same order ---- */

#define VISIT(stream, field) session_stream_visit(stream, &(field), sizeof(field))

/* Names and units of a window's counts. */
static void visit_sums(struct session_stream *stream, struct session_sums *sums)
{
    VISIT(stream, sums->size);
    stream->failed = stream->failed || sums->size > SESSION_SUMS;
    for (size_t i = 0; i < sums->size && !stream->failed; i++) {
        const void *info = sums->kind[i].info;
        session_stream_constant(stream, &info);
        sums->kind[i].info = info;
        VISIT(stream, sums->kind[i].name);
    }
}

static void visit_window(struct session_stream *stream, size_t updates,
                         struct window_result *result)
{
    if (!stream->saving) {
        result->sums = calloc(1, sizeof *result->sums);
        stream->failed = stream->failed || result->sums == NULL;
    }
    if (!stream->failed) {
        visit_sums(stream, result->sums);
    }
    result->update = session_stream_rows(stream, result->update, &updates, sizeof *result->update);
}

static void visit_all(struct session_stream *stream, struct sampling *sampling)
{
    struct outcome *whole = sampling->outcome;
    size_t done = sampling->done;
    size_t blocks = sampling->reached != NULL;
    VISIT(stream, done);
    session_stream_hash(stream, &sampling->hash);
    outcome_visit_runs(stream, whole);
    whole->core = session_stream_rows(stream, whole->core, &whole->core_count, sizeof *whole->core);
    VISIT(stream, whole->estimated_update_s);
    sampling->reached =
        session_stream_rows(stream, sampling->reached, &blocks,
                            weights_block_bytes(&sampling->job->network, sampling->job->table));
    stream->failed = stream->failed || blocks != 1 || done >= sampling->places.count;
    for (sampling->done = 0; sampling->done < done && !stream->failed; sampling->done++) {
        visit_window(stream, sampling->places.part[sampling->done].updates,
                     &sampling->result[sampling->done]);
    }
}

/* After a window but the last: the routes of all, which a checkpoint does not hold, are the next
 * one's. */
static enum status leave_checkpoint(struct sampling *sampling, struct diagnostic *diagnostic)
{
    RELEASED(session_stream_deinit) struct session_stream stream = {.saving = true};
    if (sampling->job->config->record_checkpoint_every_epochs == 0 ||
        sampling->done == sampling->places.count) {
        return STATUS_OK;
    }
    visit_all(&stream, sampling);
    return sealed_state_write(sampling->job, &stream, diagnostic);
}

static enum status restore(struct sampling *sampling, struct diagnostic *diagnostic)
{
    RELEASED(session_stream_deinit) struct session_stream stream;
    TRY(sealed_state_read(sampling->job, &stream, diagnostic));
    visit_all(&stream, sampling);
    return !stream.failed && stream.at == stream.size
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_INTERNAL, "the checkpoint's run cannot be restored");
}

/* ---- a window ---- */

/* Whose places stand for all: they are the same in every window. */
static void take_places(struct outcome *whole, struct outcome *run)
{
    whole->core = run->core; /* ownership moves */
    whole->core_count = run->core_count;
    whole->input = run->input;
    whole->estimated_update_s = run->estimated_update_s;
    run->core = NULL;
    run->core_count = 0;
}

/* So are the routes. */
static void take_routes(struct outcome *whole, struct outcome *run)
{
    routing_deinit(&whole->routing);
    whole->routing = run->routing; /* ownership moves */
    run->routing = (struct routing){0};
}

/* What a window's programs have said, waited for and lost when they failed. */
static void take_failure(struct outcome *whole, struct outcome *run)
{
    whole->end = run->end;
    (void)snprintf(whole->failure, sizeof whole->failure, "%s", run->failure);
    whole->console = run->console; /* ownership moves, as of the next */
    whole->console_bytes = run->console_bytes;
    whole->wait = run->wait;
    whole->wait_count = run->wait_count;
    whole->drop = run->drop;
    whole->drop_count = run->drop_count;
    whole->drops_unrecorded -= run->drop_count; /* they are recorded now */
    run->console = NULL;
    run->wait = NULL;
    run->drop = NULL;
    run->wait_count = run->drop_count = 0;
}

/* Adds what a window has done to the whole. */
static enum status add(struct sampling *sampling, struct outcome *run,
                       struct diagnostic *diagnostic)
{
    struct outcome *whole = sampling->outcome;
    if (!outcome_add_run(whole, run, false)) {
        return no_memory(diagnostic);
    }
    if (sampling->done == 0) {
        take_places(whole, run);
    }
    take_routes(whole, run);
    if (run->end != OUTCOME_DONE) {
        take_failure(whole, run);
        return diagnose(diagnostic, STATUS_GUEST, "%s", run->failure);
    }
    sha256_update(&sampling->hash, run->stats_hash, sizeof run->stats_hash);
    sampling->reached = run->trained.block; /* ownership moves */
    run->trained.block = NULL;
    return STATUS_OK;
}

static void outcome_destroy(struct outcome **outcome)
{
    if (*outcome != NULL) {
        outcome_deinit(*outcome);
    }
    free(*outcome);
}

static enum status execute(struct sampling *sampling, const struct host_update *before,
                           struct diagnostic *diagnostic)
{
    const struct window window = {.part = sampling->places.part[sampling->done],
                                  .parameters = before->parameters,
                                  .state = before->state};
    const struct data_input input = sampling->outcome->input; /* images are loaded once */
    RELEASED(outcome_destroy) struct outcome *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return no_memory(diagnostic);
    }
    TRY(window_execute(sampling->job, &window, run, &sampling->result[sampling->done], diagnostic));
    const enum status status = add(sampling, run, diagnostic);
    sampling->outcome->input = sampling->done == 0 ? sampling->outcome->input : input;
    sampling->done++;
    return status == STATUS_OK ? leave_checkpoint(sampling, diagnostic) : status;
}

/* Adds up what the host has counted in the last update. */
static void take_work(struct sampling *sampling, const struct host_update *now)
{
    double *sum = &sampling->work[now->update - 1];
    for (uint32_t i = 0; i < now->images; i++) {
        *sum += now->work[i];
    }
}

/* The machine's parameters after a window must be the host's. */
static enum status compare(struct sampling *sampling, const struct host_update *now,
                           struct diagnostic *diagnostic)
{
    const struct job *job = sampling->job;
    const bool same = memcmp(sampling->reached, now->parameters,
                             weights_block_bytes(&job->network, job->table)) == 0;
    free(sampling->reached);
    sampling->reached = NULL;
    return same ? STATUS_OK
                : diagnose(diagnostic, STATUS_INTERNAL,
                           "after update %llu the machine's parameters are not the host's",
                           (unsigned long long)now->update);
}

static enum status on_update(void *context, const struct host_update *now,
                             struct diagnostic *diagnostic)
{
    struct sampling *sampling = context;
    const struct places *places = &sampling->places;
    take_work(sampling, now);
    if (sampling->reached != NULL) {
        const struct plan_train_part last = places->part[sampling->done - 1];
        if (now->update == last.first + last.updates) {
            TRY(compare(sampling, now, diagnostic));
        }
    }
    return sampling->done < places->count && places->part[sampling->done].first == now->update
               ? execute(sampling, now, diagnostic)
               : STATUS_OK;
}

/* ---- the whole ---- */

static void finish_hash(struct sampling *sampling)
{
    uint8_t digest[SHA256_BYTES];
    sha256_update(&sampling->hash, sampling->outcome->stats_hash,
                  sizeof sampling->outcome->stats_hash);
    sha256_final(&sampling->hash, digest);
    sha256_hex(digest, sampling->outcome->stats_hash);
}

static void sampling_deinit(struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->done && sampling->result != NULL; i++) {
        window_result_deinit(&sampling->result[i]);
    }
    free(sampling->result);
    free(sampling->work);
    free(sampling->reached);
    places_deinit(&sampling->places);
}

enum status sampling_run(const struct job *job, struct outcome *outcome,
                         struct diagnostic *diagnostic)
{
    RELEASED(sampling_deinit) struct sampling sampling = {.job = job, .outcome = outcome};
    const struct host_watcher watcher = {on_update, &sampling};
    sha256_init(&sampling.hash);
    TRY(learning_of(job->config, &job->network, job->train.count, &sampling.learning, diagnostic));
    TRY(draw_places(job, &sampling.learning, &sampling.places, diagnostic));
    const size_t updates = (size_t)sampling.learning.updates_per_epoch * sampling.learning.epochs;
    sampling.result = calloc(sampling.places.count, sizeof *sampling.result);
    sampling.work = calloc(updates, sizeof *sampling.work);
    if (sampling.result == NULL || sampling.work == NULL) {
        return no_memory(diagnostic);
    }
    if (job->options.resume != NULL) {
        TRY(restore(&sampling, diagnostic));
    }
    const enum status status = host_run(job, &watcher, outcome, diagnostic);
    if (outcome->end != OUTCOME_DONE) {
        return STATUS_OK; /* a program has failed, as the outcome says */
    }
    TRY(status);
    finish_hash(&sampling);
    outcome->sample.updates = sampling.places.updates;
    outcome->sample.of = (uint32_t)updates;
    outcome->sample.places = (uint32_t)job->config->run_sample_at;
    const struct estimates_request request = {&sampling.learning, &sampling.places, sampling.result,
                                              sampling.work};
    return estimates_make(&request, outcome, diagnostic);
}
