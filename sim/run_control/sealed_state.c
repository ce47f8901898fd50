/* sealed_state.c - see sealed_state.h. */
#include "sim/run_control/sealed_state.h"

#include "sim/data/npz.h"
#include "sim/data/seal.h"
#include "sim/run_control/session_state.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

enum status sealed_state_write(const struct job *job, const struct session_stream *stream,
                               struct diagnostic *diagnostic)
{
    char identity[SHA256_HEX_CHARS];
    char text[SHA256_HEX_CHARS];
    struct npz_writer writer;
    if (stream->failed) {
        return no_memory(diagnostic);
    }
    if (job->options.results == NULL || !session_state_identify(job, identity) ||
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

/* ---- reading ---- */

static bool is_text(const struct npz_array *array, const char *text)
{
    return array != NULL && array->type == NPZ_TEXT && array->count == 1 &&
           array->item_bytes == strlen(text) && memcmp(array->data, text, array->item_bytes) == 0;
}

static enum status take_run(const struct job *job, const struct npz *npz,
                            struct session_stream *stream, struct diagnostic *diagnostic)
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
                          "such a checkpoint is taken from oneself only, as it was written");
    }
    stream->bytes = malloc(run->count + 1);
    if (stream->bytes == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(stream->bytes, run->data, run->count);
    stream->size = run->count;
    return STATUS_OK;
}

enum status sealed_state_read(const struct job *job, struct session_stream *stream,
                              struct diagnostic *diagnostic)
{
    enum { OTHERS = 1 << 16 };
    struct npz npz;
    struct stat about;
    char *path = file_join(job->options.resume, CHECKPOINT_FILE);
    *stream = (struct session_stream){.bytes = NULL};
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
    status = take_run(job, &npz, stream, diagnostic);
    npz_close(&npz);
    return status;
}
