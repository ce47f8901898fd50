/* stage_state.c - see stage_state.h. */
#include "sim/stages/stage_state.h"

#include "sim/data/npz.h"
#include "sim/data/seal.h"
#include "sim/run_control/session_state.h"
#include "sim/run_control/session_stream.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what it is made of: written or read in the same order ---- */

#define VISIT(stream, field) session_stream_visit(stream, &(field), sizeof(field))

/* An array in malloc'ed memory, of so many items. */
static void *visit_rows(struct session_stream *stream, void *rows, size_t count, size_t bytes)
{
    void *here = rows;
    if (!stream->saving) {
        here = session_stream_has(stream, count, bytes) ? calloc(count + 1, bytes) : NULL;
        stream->failed = stream->failed || here == NULL;
    }
    if (!stream->failed && count > 0) {
        session_stream_visit(stream, here, count * bytes);
    }
    return here;
}

static void visit_outcome(struct session_stream *stream, const struct job *job,
                          struct outcome *outcome)
{
    size_t rows = outcome->learning_count;
    VISIT(stream, outcome->updates);
    VISIT(stream, outcome->images_trained);
    VISIT(stream, outcome->training);
    VISIT(stream, outcome->right);
    VISIT(stream, outcome->result_count);
    outcome->result =
        visit_rows(stream, outcome->result, outcome->result_count, sizeof *outcome->result);
    VISIT(stream, rows);
    outcome->learning = visit_rows(stream, outcome->learning, rows, sizeof *outcome->learning);
    outcome->learning_count = stream->failed ? 0 : rows;
    outcome->trained.block = visit_rows(stream, outcome->trained.block, 1,
                                        weights_block_bytes(&job->network, job->table));
}

static void visit_stage(struct session_stream *stream, struct outcome_stage *row,
                        struct stage_run *run)
{
    VISIT(stream, row->looked_at);
    VISIT(stream, row->found);
    VISIT(stream, row->kept);
    VISIT(stream, run->job.train.digest);
    visit_outcome(stream, &run->job, &run->outcome);
}

/* ---- writing ---- */

/* False: there is no key. */
static bool seal(const char *identity, const void *bytes, size_t size, char text[SHA256_HEX_CHARS])
{
    uint8_t key[SEAL_KEY_BYTES];
    const struct seal_part parts[] = {{identity, strlen(identity)}, {bytes, size}};
    if (!seal_key(key)) {
        return false;
    }
    seal_of(key, parts, sizeof parts / sizeof *parts, text);
    return true;
}

static enum status write_arrays(struct npz_writer *writer, const char *identity,
                                const struct session_stream *stream, const char *text,
                                struct diagnostic *diagnostic)
{
    const struct npz_array run = {.name = "run",
                                  .type = NPZ_UINT8,
                                  .rank = 1,
                                  .shape = {stream->size},
                                  .data = stream->bytes};
    TRY(npz_add_text(writer, "training", identity, diagnostic));
    TRY(npz_add(writer, &run, diagnostic));
    return npz_add_text(writer, "seal", text, diagnostic);
}

static enum status write_file(const struct job *job, const struct session_stream *stream,
                              struct diagnostic *diagnostic)
{
    char identity[SHA256_HEX_CHARS];
    char text[SHA256_HEX_CHARS];
    struct npz_writer writer;
    if (!session_state_identify(job, identity) ||
        !seal(identity, stream->bytes, stream->size, text)) {
        return STATUS_OK;
    }
    TRY(file_make_folder(job->options.results, diagnostic));
    char *path = file_join(job->options.results, CHECKPOINT_FILE);
    if (path == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = npz_create(&writer, path, diagnostic);
    free(path);
    TRY(status);
    status = write_arrays(&writer, identity, stream, text, diagnostic);
    if (status == STATUS_OK) {
        return npz_commit(&writer, diagnostic);
    }
    npz_discard(&writer);
    return status;
}

enum status stage_state_write(const struct job *job, const struct outcome_stage *row,
                              const struct stage_run *trained, size_t done,
                              struct diagnostic *diagnostic)
{
    struct session_stream stream = {.saving = true};
    VISIT(&stream, done);
    for (size_t i = 0; i < done; i++) {
        visit_stage(&stream, (struct outcome_stage *)&row[i], (struct stage_run *)&trained[i]);
    }
    const enum status status =
        stream.failed ? no_memory(diagnostic) : write_file(job, &stream, diagnostic);
    free(stream.bytes);
    return status;
}

/* ---- reading ---- */

static bool is_text(const struct npz_array *array, const char *text)
{
    return array != NULL && array->type == NPZ_TEXT && array->count == 1 &&
           array->item_bytes == strlen(text) && memcmp(array->data, text, array->item_bytes) == 0;
}

static enum status take_run(const struct job *job, const struct npz *npz, uint8_t **bytes,
                            size_t *size, struct diagnostic *diagnostic)
{
    static const char ANEW[] = "begin the run anew, without --resume";
    const struct npz_array *run = npz_find(npz, "run");
    char identity[SHA256_HEX_CHARS];
    char text[SHA256_HEX_CHARS];
    if (!session_state_identify(job, identity) || !is_text(npz_find(npz, "training"), identity)) {
        return npz_refuse(npz, NULL, ANEW, diagnostic,
                          "the checkpoint is of another configuration or spinnsim");
    }
    if (run == NULL || run->type != NPZ_UINT8 || !seal(identity, run->data, run->count, text) ||
        !is_text(npz_find(npz, "seal"), text)) {
        return npz_refuse(npz, NULL, ANEW, diagnostic,
                          "a checkpoint of stages is taken from oneself only, as it was written");
    }
    *bytes = malloc(run->count + 1);
    if (*bytes == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(*bytes, run->data, run->count);
    *size = run->count;
    return STATUS_OK;
}

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
        char *file = NULL;
        if (asprintf(&file, "%s-%s/summary.json", to, job->config->stage[i].name) < 0) {
            return no_memory(diagnostic);
        }
        const enum status status =
            access(file, R_OK) == 0
                ? STATUS_OK
                : file_refuse(file, "begin the run anew, without --resume", diagnostic,
                              "the results of a finished stage are missing");
        free(file);
        TRY(status);
    }
    return STATUS_OK;
}

enum status stage_state_read(const struct job *job, uint8_t **bytes, size_t *size,
                             struct diagnostic *diagnostic)
{
    enum { OTHERS = 1 << 16 };
    struct npz npz;
    struct stat about;
    char *path = file_join(job->options.resume, CHECKPOINT_FILE);
    *bytes = NULL;
    if (path == NULL) {
        return no_memory(diagnostic);
    }
    const bool there = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    enum status status =
        npz_open(&npz, path, there ? (size_t)about.st_size + OTHERS : OTHERS, diagnostic);
    free(path);
    if (status != STATUS_OK) {
        if (!there) {
            diagnostic_hint(diagnostic, "a run leaves one with record.checkpoint_every_epochs, "
                                        "until it is done");
        }
        return status;
    }
    status = take_run(job, &npz, bytes, size, diagnostic);
    npz_close(&npz);
    if (status == STATUS_OK) {
        status = check_folders(job, *bytes, *size, diagnostic);
    }
    if (status != STATUS_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

static enum status damaged(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "the checkpoint's stages cannot be restored");
}

enum status stage_state_take(const struct job *job, uint8_t *bytes, size_t size,
                             struct outcome_stage *row, struct stage_run *trained, size_t *done,
                             struct diagnostic *diagnostic)
{
    const struct job_given given = {.train = &job->train, .test = &job->test};
    struct session_stream stream = {.bytes = bytes, .size = size};
    size_t count = 0;
    VISIT(&stream, count);
    if (stream.failed || count > job->config->stage_count) {
        return damaged(diagnostic);
    }
    for (size_t i = 0; i < count; i++) {
        *done = i + 1;
        TRY(stage_run_of(&trained[i], job, i, CONFIG_MODE_TRAIN, &given, diagnostic));
        visit_stage(&stream, &row[i], &trained[i]);
        if (stream.failed || trained[i].outcome.result_count != job->test.count) {
            return damaged(diagnostic);
        }
    }
    return stream.at == stream.size ? STATUS_OK : damaged(diagnostic);
}
