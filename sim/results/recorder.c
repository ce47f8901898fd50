/* recorder.c - see recorder.h: writes the folder. */
#include "sim/results/recorder.h"

#include "sim/results/result_files.h"
#include "sim/results/result_folder.h"
#include "sim/steps.h"

static enum status write_path(const struct result_folder *folder, const struct result_file *file,
                              const struct record *record, struct diagnostic *diagnostic)
{
    FREED char *path = result_folder_path(folder, file->name);
    return path == NULL ? no_memory(diagnostic) : file->write_path(path, record, diagnostic);
}

static enum status write_file(const struct result_folder *folder, const struct result_file *file,
                              const struct record *record, struct diagnostic *diagnostic)
{
    FILE *stream;
    if (file->write_path != NULL) {
        return write_path(folder, file, record, diagnostic);
    }
    TRY(result_folder_open(folder, file->name, &stream, diagnostic));
    const enum status status = result_file_write(file, stream, record);
    const enum status closed = result_folder_close(folder, file->name, stream, diagnostic);
    return closed != STATUS_OK || status == STATUS_OK
               ? closed
               : diagnose(diagnostic, status, "out of memory");
}

enum status record_write(const struct record *record, const char *path,
                         struct diagnostic *diagnostic)
{
    struct result_folder folder;
    enum status status = STATUS_OK;
    TRY(result_folder_begin(&folder, path, diagnostic));
    if (record->outcome->end != OUTCOME_DONE || record->job->config->record_last_checkpoint) {
        result_folder_keep(&folder, CHECKPOINT_FILE); /* to go on from */
    }
    for (size_t i = 0; i < RESULT_FILE_COUNT && status == STATUS_OK; i++) {
        if (result_file_is_due(&RESULT_FILES[i], record)) {
            status = write_file(&folder, &RESULT_FILES[i], record, diagnostic);
        }
    }
    if (status != STATUS_OK) {
        result_folder_discard(&folder);
        return status;
    }
    return result_folder_commit(&folder, diagnostic);
}
