/* stage_state.c - see stage_state.h. */
#include "sim/stages/stage_state.h"

#include "sim/run_control/outcome_state.h"
#include "sim/run_control/sealed_state.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what it is made of: written or read in the same order ---- */

#define VISIT(stream, field) session_stream_visit(stream, &(field), sizeof(field))

static void visit_results(struct session_stream *stream, const struct job *job,
                          struct outcome *outcome)
{
    size_t results = outcome->result_count;
    size_t blocks = 1;
    VISIT(stream, outcome->updates);
    VISIT(stream, outcome->images_trained);
    VISIT(stream, outcome->training);
    VISIT(stream, outcome->right);
    outcome->result =
        session_stream_rows(stream, outcome->result, &results, sizeof *outcome->result);
    outcome->result_count = (uint32_t)results;
    outcome->learning = session_stream_rows(stream, outcome->learning, &outcome->learning_count,
                                            sizeof *outcome->learning);
    outcome->trained.block = session_stream_rows(stream, outcome->trained.block, &blocks,
                                                 weights_block_bytes(&job->network, job->table));
    stream->failed = stream->failed || blocks != 1;
}

static void visit_stage(struct session_stream *stream, struct outcome_stage *row,
                        struct stage_run *run)
{
    VISIT(stream, row->looked_at);
    VISIT(stream, row->found);
    VISIT(stream, row->kept);
    VISIT(stream, row->cost);
    VISIT(stream, row->dropped_packets);
    VISIT(stream, run->job.train.digest);
    visit_results(stream, &run->job, &run->outcome);
}

static void visit_whole(struct session_stream *stream, struct stage_state *state)
{
    VISIT(stream, state->done);
    session_stream_hash(stream, state->hash);
    outcome_visit_runs(stream, state->whole);
}

/* ---- writing ---- */

enum status stage_state_write(const struct job *job, const struct stage_state *state,
                              struct diagnostic *diagnostic)
{
    RELEASED(session_stream_deinit) struct session_stream stream = {.saving = true};
    struct stage_state all = *state;
    visit_whole(&stream, &all);
    for (size_t i = 0; i < all.done; i++) {
        visit_stage(&stream, &all.whole->stage[i], &all.trained[i]);
    }
    return sealed_state_write(job, &stream, diagnostic);
}

/* ---- reading ---- */

/* Finished stages have written their results beside the run's, and do not write them again. */
static enum status check_folders(const struct job *job, const uint8_t *bytes, size_t size,
                                 struct diagnostic *diagnostic)
{
    const char *from = job->options.resume;
    const char *to = job->options.results;
    struct stat a;
    struct stat b;
    size_t done = 0;
    memcpy(&done, bytes, size < sizeof done ? 0 : sizeof done);
    if (to != NULL && (stat(from, &a) != 0 || stat(to, &b) != 0 || a.st_dev != b.st_dev ||
                       a.st_ino != b.st_ino)) {
        return file_refuse(
            "--resume", "give both the same folder: --resume DIR --out DIR", diagnostic,
            "stages go on in the result folder in which they were begun, not in %s", to);
    }
    for (size_t i = 0; i < done && i < job->config->stage_count && to != NULL; i++) {
        FREED char *file = file_print("%s-%s/summary.json", to, job->config->stage[i].name);
        if (file == NULL) {
            return no_memory(diagnostic);
        }
        if (access(file, R_OK) != 0) {
            return file_refuse(file, "begin the run anew, without --resume", diagnostic,
                               "the results of a finished stage are missing");
        }
    }
    return STATUS_OK;
}

enum status stage_state_read(const struct job *job, struct session_stream *stream,
                             struct diagnostic *diagnostic)
{
    TRY(sealed_state_read(job, stream, diagnostic));
    return check_folders(job, stream->bytes, stream->size, diagnostic);
}

static enum status damaged(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "the checkpoint's stages cannot be restored");
}

enum status stage_state_take(const struct job *job, struct session_stream *stream,
                             struct stage_state *state, struct diagnostic *diagnostic)
{
    const struct job_given given = {.train = &job->train, .test = &job->test};
    visit_whole(stream, state);
    const size_t count = state->done;
    state->done = 0;
    if (stream->failed || count > job->config->stage_count) {
        return damaged(diagnostic);
    }
    for (size_t i = 0; i < count; i++) {
        struct stage_run *run = &state->trained[i];
        state->done = i + 1;
        TRY(stage_run_of(run, job, i, CONFIG_MODE_TRAIN, &given, diagnostic));
        visit_stage(stream, &state->whole->stage[i], run);
        if (stream->failed || run->outcome.result_count != job->test.count) {
            return damaged(diagnostic);
        }
    }
    return stream->at == stream->size ? STATUS_OK : damaged(diagnostic);
}
