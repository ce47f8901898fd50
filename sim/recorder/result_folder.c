/* result_folder.c - see result_folder.h. */
#include "sim/recorder/result_folder.h"

#include "sim/file.h"
#include "sim/mapping/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char LAST_FILE[] = "summary.json";

const char *const RESULT_FILE_NAMES[] = {"config.yaml",
                                         "counters.csv",
                                         "phases.csv",
                                         "traffic.csv",
                                         "energy.csv",
                                         "learning.csv",
                                         "placement.csv",
                                         "keys.csv",
                                         "predictions.csv",
                                         "tensors.csv",
                                         "console.txt",
                                         "weights.npz",
                                         "drops.csv",
                                         "waits.csv",
                                         "parameters.csv",
                                         "profile.csv",
                                         CHECKPOINT_FILE,
                                         LAST_FILE,
                                         NULL};

static enum status cannot(const char *what, const char *path, struct diagnostic *diagnostic)
{
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION, "cannot %s: %s", what, strerror(errno));
    diagnostic_at(diagnostic, path, 0, 0);
    return status;
}

/* Of a checkpoint that was being written when its run was killed. */
static bool is_part_of_checkpoint(const char *name)
{
    static const char PART[] = CHECKPOINT_FILE ".part-";
    return strncmp(name, PART, sizeof PART - 1) == 0;
}

static bool is_ours(const char *name)
{
    if (is_part_of_checkpoint(name)) {
        return true;
    }
    for (size_t i = 0; RESULT_FILE_NAMES[i] != NULL; i++) {
        if (strcmp(name, RESULT_FILE_NAMES[i]) == 0) {
            return true;
        }
    }
    return false;
}

enum status result_folder_check(const char *path, struct diagnostic *diagnostic)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return errno == ENOENT ? STATUS_OK : cannot("write results", path, diagnostic);
    }
    bool results = false;
    char other[DIAGNOSTIC_PATH_CHARS] = "";
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *name = entry->d_name;
        results |= strcmp(name, LAST_FILE) == 0;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !is_ours(name)) {
            (void)snprintf(other, sizeof other, "%s", name);
        }
    }
    (void)closedir(folder);
    if (results || other[0] == '\0') {
        return STATUS_OK;
    }
    const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION,
                                        "the folder holds other files than results: %s", other);
    diagnostic_at(diagnostic, path, 0, 0);
    diagnostic_hint(diagnostic, "name a new or empty folder with --out");
    return status;
}

enum status result_folder_begin(struct result_folder *folder, const char *path,
                                struct diagnostic *diagnostic)
{
    *folder = (struct result_folder){0};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    const size_t size = length + 32;
    folder->path = strndup(path, length);
    folder->staging = malloc(size);
    if (folder->path == NULL || folder->staging == NULL) {
        result_folder_discard(folder);
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    (void)snprintf(folder->staging, size, "%s.part-%ld", folder->path, (long)getpid());
    const enum status status = file_make_folder(folder->staging, diagnostic);
    if (status != STATUS_OK) {
        result_folder_discard(folder);
    }
    return status;
}

char *result_folder_path(const struct result_folder *folder, const char *name)
{
    return file_join(folder->staging, name);
}

enum status result_folder_open(const struct result_folder *folder, const char *name, FILE **stream,
                               struct diagnostic *diagnostic)
{
    char *path = result_folder_path(folder, name);
    if (path == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    *stream = fopen(path, "wb");
    const enum status status = *stream == NULL ? cannot("write", path, diagnostic) : STATUS_OK;
    free(path);
    return status;
}

enum status result_folder_close(const struct result_folder *folder, const char *name, FILE *stream,
                                struct diagnostic *diagnostic)
{
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) == 0 && !failed) {
        return STATUS_OK;
    }
    char path[DIAGNOSTIC_PATH_CHARS];
    (void)snprintf(path, sizeof path, "%s/%s", folder->path, name);
    return cannot("write", path, diagnostic);
}

/* Removes one of our files from a folder, where it is. */
static void remove_file(const char *folder, const char *name)
{
    char *path = file_join(folder, name);
    if (path != NULL) {
        (void)unlink(path);
    }
    free(path);
}

static bool move_file(const struct result_folder *folder, const char *name)
{
    char *from = file_join(folder->staging, name);
    char *to = file_join(folder->path, name);
    const bool absent = from != NULL && access(from, F_OK) != 0;
    const bool good = absent || (from != NULL && to != NULL && rename(from, to) == 0);
    free(from);
    free(to);
    return good;
}

void result_folder_keep(const struct result_folder *folder, const char *name)
{
    char *from = file_join(folder->path, name);
    char *to = file_join(folder->staging, name);
    if (from != NULL && to != NULL) {
        (void)rename(from, to); /* there may be none */
    }
    free(from);
    free(to);
}

static void remove_parts(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry = folder == NULL ? NULL : readdir(folder); entry != NULL;
         entry = readdir(folder)) {
        if (is_part_of_checkpoint(entry->d_name)) {
            remove_file(path, entry->d_name);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

/* Into a folder that exists: what says that it is complete goes first and comes last. */
static bool replace_files(const struct result_folder *folder)
{
    bool good = true;
    remove_file(folder->path, LAST_FILE);
    remove_parts(folder->path);
    for (size_t i = 0; RESULT_FILE_NAMES[i] != NULL && good; i++) {
        remove_file(folder->path, RESULT_FILE_NAMES[i]);
        good = move_file(folder, RESULT_FILE_NAMES[i]);
    }
    return good && rmdir(folder->staging) == 0;
}

enum status result_folder_commit(struct result_folder *folder, struct diagnostic *diagnostic)
{
    struct stat info;
    const bool exists = stat(folder->path, &info) == 0;
    const bool good = exists ? replace_files(folder) : rename(folder->staging, folder->path) == 0;
    const enum status status = good ? STATUS_OK : cannot("write results", folder->path, diagnostic);
    result_folder_discard(folder);
    return status;
}

void result_folder_discard(struct result_folder *folder)
{
    for (size_t i = 0; folder->staging != NULL && RESULT_FILE_NAMES[i] != NULL; i++) {
        remove_file(folder->staging, RESULT_FILE_NAMES[i]);
    }
    if (folder->staging != NULL) {
        (void)rmdir(folder->staging);
    }
    free(folder->path);
    free(folder->staging);
    *folder = (struct result_folder){0};
}
