/* result_folder.c - see result_folder.h. */
#include "sim/results/result_folder.h"

#include "sim/file.h"
#include "sim/networks/checkpoint.h"
#include "sim/results/manifest.h"
#include "sim/results/result_files.h"
#include "sim/staging.h"
#include "sim/state/state_file.h"
#include "sim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_AT_LOCK = 500, LOOK_NS = 10000000 }; /* 5 s */

static const char PART[] = ".part-"; /* of a file that is being written (sim/staging.h) */
static const char IN_PLACE_NAME[] = "results"; /* what is in the making, in the folder itself */

/* A saved state, or one in the making.  It stays in its folder when results are replaced: forks go
 * on from it. */
static bool is_state(const char *name)
{
    const char *ending = strstr(name, STATE_ENDING);
    return ending != NULL && ending != name &&
           (ending[strlen(STATE_ENDING)] == '\0' ||
            strncmp(ending + strlen(STATE_ENDING), PART, strlen(PART)) == 0);
}

static bool is_result(const char *name)
{
    return result_file_find(name) != NULL && !is_state(name);
}

/* In the making: a checkpoint, or results where the folder is filled file by file. */
static bool is_part(const char *name)
{
    return staging_is_name(name, CHECKPOINT_FILE) || staging_is_name(name, IN_PLACE_NAME);
}

enum status result_folder_check(const char *path, struct diagnostic *diagnostic)
{
    static const char HINT[] = "name a new or empty folder with --out";
    struct stat info;
    struct file_names names;
    if (!file_names_take(&names, AT_FDCWD, path)) {
        return errno != ENOENT ? file_cannot("write results", path, diagnostic)
               : lstat(path, &info) != 0
                   ? STATUS_OK
                   : file_refuse(path, HINT, diagnostic, "the link leads nowhere");
    }
    bool results = false;
    char other[DIAGNOSTIC_PATH_CHARS] = "";
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.entry[i]->d_name;
        results |= strcmp(name, RESULT_LAST_FILE) == 0;
        if (!is_result(name) && !is_part(name) && !is_state(name)) {
            (void)snprintf(other, sizeof other, "%s", name);
        }
    }
    file_names_deinit(&names);
    if (results || other[0] == '\0') {
        return STATUS_OK;
    }
    return file_refuse(path, HINT, diagnostic, "the folder holds other files than results: %s",
                       other);
}

/* ---- the beginning ---- */

/* Whether a result file is being written under this name. */
static bool is_part_of_result(const char *name)
{
    bool is = false;
    for (size_t i = 0; i < RESULT_FILE_COUNT && !is; i++) {
        is = staging_is_name(name, RESULT_FILES[i].name);
    }
    return is;
}

/* Removes results, and what was being written of them. */
static void remove_results(int folder)
{
    struct file_names names;
    (void)file_names_take(&names, folder, ".");
    for (size_t i = 0; i < names.count; i++) {
        if (is_result(names.entry[i]->d_name) || is_part_of_result(names.entry[i]->d_name)) {
            (void)unlinkat(folder, names.entry[i]->d_name, 0);
        }
    }
    file_names_deinit(&names);
}

/* Whether two folders have the same file; also if the first has none. */
static bool is_same(int first, int second, const char *name)
{
    const int one = openat(first, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool same = one < 0 && errno == ENOENT;
    const int other = openat(second, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *of_one = one < 0 ? NULL : fdopen(one, "r");
    FILE *of_other = other < 0 ? NULL : fdopen(other, "r");
    if (of_one != NULL && of_other != NULL) {
        int a;
        int b;
        do {
            a = getc(of_one);
            b = getc(of_other);
        } while (a == b && a != EOF);
        same = a == b && ferror(of_one) == 0 && ferror(of_other) == 0;
    }
    if (of_one != NULL) {
        (void)fclose(of_one);
    }
    if (of_other != NULL) {
        (void)fclose(of_other);
    }
    return same;
}

/* Whether a folder has complete results: the manifest is written last, at one go. */
static bool is_complete(int parent, const char *folder)
{
    char manifest[2 * PATH_MAX];
    struct stat info;
    (void)snprintf(manifest, sizeof manifest, "%s/" MANIFEST_FILE, folder);
    return fstatat(parent, manifest, &info, AT_SYMLINK_NOFOLLOW) == 0 && info.st_size > 0;
}

/* NAME-HASH, the usual name of a result folder, with 8 digits of sim_hash. */
static bool has_usual_name(const char *name)
{
    enum { DIGITS = 8 };
    const char *dash = strrchr(name, '-');
    return dash != NULL && dash != name && strlen(dash + 1) == DIGITS &&
           strspn(dash + 1, "0123456789abcdef") == DIGITS;
}

/* Removes what a killed run has left: incomplete results; and complete ones if the folder of their
 * simulation has them, too. */
static void empty_left(int parent, const char *final_name, int folder)
{
    if (is_complete(folder, ".") &&
        !(has_usual_name(final_name) && is_complete(parent, final_name))) {
        return;
    }
    remove_results(folder);
}

static const struct staging_folders LEFT = {has_usual_name, empty_left};

static bool is_no_other(const char *final_name)
{
    (void)final_name;
    return false;
}

/* Removes what a run has left that was killed before its results had their name, or before older
 * ones were gone, if it is of the same configuration as the results that have the name now. */
static void empty_superseded(int parent, const char *final_name, int folder)
{
    const int newer = openat(parent, final_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (newer >= 0 && is_same(folder, newer, "config.yaml")) {
        remove_results(folder);
    }
    if (newer >= 0) {
        (void)close(newer);
    }
}

/* Those of one final name only. */
static const struct staging_folders SUPERSEDED = {is_no_other, empty_superseded};

void result_folder_clean(const char *parent)
{
    char *inside = file_join(parent, "");
    if (inside != NULL) {
        staging_sweep_folders(inside, &LEFT);
    }
    free(inside);
}

/* Whether the folder exists and cannot be replaced: it is a mount point, or the working folder of
 * the command. */
static bool is_fixed(const char *place)
{
    struct stat info;
    struct stat here;
    struct stat above = {0};
    const int parent = staging_open_parent(place);
    const bool known = parent >= 0 && fstat(parent, &above) == 0;
    if (parent >= 0) {
        (void)close(parent);
    }
    return stat(place, &info) == 0 &&
           ((known && above.st_dev != info.st_dev) ||
            (stat(".", &here) == 0 && here.st_dev == info.st_dev && here.st_ino == info.st_ino));
}

/* Makes the folders above, and the one that is written into. */
static enum status make_staging(struct result_folder *folder, struct diagnostic *diagnostic)
{
    folder->in_place = is_fixed(folder->place);
    char *inside = folder->in_place ? file_join(folder->place, IN_PLACE_NAME) : NULL;
    const char *base = folder->in_place ? inside : folder->place;
    if (base == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    enum status status = file_make_folder_of(base, diagnostic);
    if (status == STATUS_OK) {
        staging_sweep_folders(base, &LEFT);
        folder->staging = staging_folder(base, &folder->file);
        if (folder->staging == NULL) {
            status = file_cannot("write results", folder->path, diagnostic);
        }
    }
    free(inside);
    return status;
}

enum status result_folder_begin(struct result_folder *folder, const char *path,
                                struct diagnostic *diagnostic)
{
    *folder = (struct result_folder){.file = -1};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    folder->path = strndup(path, length);
    folder->place = realpath(path, NULL);
    if (folder->path != NULL && folder->place == NULL) {
        folder->place = strdup(folder->path);
    }
    const enum status status = folder->place == NULL || folder->path == NULL
                                   ? diagnose(diagnostic, STATUS_INTERNAL, "out of memory")
                                   : make_staging(folder, diagnostic);
    if (status != STATUS_OK) {
        result_folder_discard(folder);
    }
    return status;
}

/* ---- files ---- */

char *result_folder_path(const struct result_folder *folder, const char *name)
{
    return file_join(folder->staging, name);
}

static enum status cannot_write(const struct result_folder *folder, const char *name,
                                struct diagnostic *diagnostic)
{
    char path[DIAGNOSTIC_PATH_CHARS];
    const int error = errno;
    (void)snprintf(path, sizeof path, "%s/%s", folder->path, name);
    errno = error;
    return file_cannot("write", path, diagnostic);
}

enum status result_folder_open(const struct result_folder *folder, const char *name, FILE **stream,
                               struct diagnostic *diagnostic)
{
    const int file =
        openat(folder->file, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    *stream = file < 0 ? NULL : fdopen(file, "wb");
    if (*stream != NULL) {
        return STATUS_OK;
    }
    const enum status status = cannot_write(folder, name, diagnostic);
    if (file >= 0) {
        (void)close(file);
    }
    return status;
}

enum status result_folder_close(const struct result_folder *folder, const char *name, FILE *stream,
                                struct diagnostic *diagnostic)
{
    const bool failed = ferror(stream) != 0 || fflush(stream) != 0;
    const int error = errno;
    if (fclose(stream) == 0 && !failed) {
        return STATUS_OK;
    }
    errno = failed ? error : errno;
    return cannot_write(folder, name, diagnostic);
}

void result_folder_keep(struct result_folder *folder, const char *name)
{
    folder->kept = name;
}

/* ---- the end ---- */

/* Opens the existing folder and locks it against other runs that are finishing.  After a
 * time limit it continues without the lock, because any process that can read the folder could hold
 * it. */
static int open_older(const char *place)
{
    for (unsigned looks = 0;; looks++) {
        struct stat named;
        struct stat opened;
        const struct timespec pause = {.tv_nsec = LOOK_NS};
        const int older = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (older < 0) {
            return -1;
        }
        const bool locked = flock(older, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        const bool same = stat(place, &named) == 0 && fstat(older, &opened) == 0 &&
                          named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
        if ((locked && same) || looks >= LOOKS_AT_LOCK) {
            return older;
        }
        (void)close(older);
        (void)nanosleep(&pause, NULL);
    }
}

/* Moves files that are not results from the older folder into the new one.  False: some could not
 * be moved. */
static bool move_others(const struct result_folder *folder, int older)
{
    struct file_names names;
    bool good = file_names_take(&names, older, ".");
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.entry[i]->d_name;
        const bool stays = folder->kept != NULL && strcmp(name, folder->kept) == 0;
        if (stays || !is_result(name)) {
            good &= renameat2(older, name, folder->file, name, RENAME_NOREPLACE) == 0 ||
                    (errno == EINVAL && renameat(older, name, folder->file, name) == 0);
        }
    }
    file_names_deinit(&names);
    return good;
}

/* Waits until the folder's name is on the disk; false on failure, with errno. */
static bool sync_parent(const struct result_folder *folder)
{
    const int parent = staging_open_parent(folder->place);
    const bool synced = parent < 0 ? errno == EACCES : file_sync(parent);
    const int error = errno;
    if (parent >= 0) {
        (void)close(parent);
    }
    errno = error;
    return synced;
}

/* After the exchange the older results have the staging name. */
static enum status remove_older(const struct result_folder *folder, int older,
                                struct diagnostic *diagnostic)
{
    bool good = sync_parent(folder) && move_others(folder, older);
    for (size_t i = 0; good && i < RESULT_FILE_COUNT; i++) {
        good = !is_result(RESULT_FILES[i].name) ||
               unlinkat(older, RESULT_FILES[i].name, 0) == 0 || errno == ENOENT;
    }
    if (good && rmdir(folder->staging) == 0) {
        return STATUS_OK;
    }
    const enum status status = file_cannot("remove the older results", folder->path, diagnostic);
    diagnostic_hint(diagnostic,
                    "the new ones are complete; what is left of the older ones is in %s",
                    folder->staging);
    return status;
}

static enum status left(const struct result_folder *folder, struct diagnostic *diagnostic)
{
    const enum status status = file_cannot("write results", folder->path, diagnostic);
    diagnostic_hint(diagnostic, "nothing is lost: what could not be moved is in %s",
                    folder->staging);
    return status;
}

/* Moves the files into the existing folder: the old RESULT_LAST_FILE is removed first, the new one
 * moved last. */
static enum status replace_files(const struct result_folder *folder, int older,
                                 struct diagnostic *diagnostic)
{
    bool good = unlinkat(older, RESULT_LAST_FILE, 0) == 0 || errno == ENOENT;
    for (size_t i = 0; good && i < RESULT_FILE_COUNT; i++) {
        const char *name = RESULT_FILES[i].name;
        const bool stays =
            is_state(name) || (folder->kept != NULL && strcmp(name, folder->kept) == 0);
        good = renameat(folder->file, name, older, name) == 0 ||
               (errno == ENOENT && (stays || unlinkat(older, name, 0) == 0 || errno == ENOENT));
    }
    good = good && file_sync(older) && rmdir(folder->staging) == 0;
    return good ? STATUS_OK : left(folder, diagnostic);
}

/* Replaces an existing folder. */
static enum status replace(struct result_folder *folder, struct diagnostic *diagnostic)
{
    struct stat info;
    const int older = open_older(folder->place);
    if (older < 0) {
        return left(folder, diagnostic);
    }
    if (fstat(older, &info) == 0) {
        (void)fchmod(folder->file, info.st_mode & 07777);
    }
    const bool exchanged = !folder->in_place && renameat2(AT_FDCWD, folder->staging, AT_FDCWD,
                                                          folder->place, RENAME_EXCHANGE) == 0;
    enum status status;
    if (exchanged) {
        status = remove_older(folder, older, diagnostic);
    } else if (folder->in_place || errno == EINVAL || errno == ENOSYS || errno == EBUSY) {
        status = replace_files(folder, older, diagnostic);
    } else {
        status = left(folder, diagnostic);
    }
    (void)close(older);
    return status;
}

/* Renames to a name that does not exist yet; false on failure, with errno. */
static bool place_new(const struct result_folder *folder)
{
    if (renameat2(AT_FDCWD, folder->staging, AT_FDCWD, folder->place, RENAME_NOREPLACE) == 0) {
        return true;
    }
    /* where the file system does not know that, the name is free or an empty folder's */
    return (errno == EINVAL || errno == ENOSYS) && rename(folder->staging, folder->place) == 0;
}

static void close_folder(struct result_folder *folder)
{
    if (folder->file >= 0) {
        (void)close(folder->file);
    }
    free(folder->path);
    free(folder->place);
    free(folder->staging);
    *folder = (struct result_folder){.file = -1};
}

static enum status write_manifest(const struct result_folder *folder, struct diagnostic *diagnostic)
{
    FILE *stream;
    TRY(result_folder_open(folder, MANIFEST_FILE, &stream, diagnostic));
    const bool good = manifest_write(stream, folder->file);
    enum status status = good ? STATUS_OK : cannot_write(folder, MANIFEST_FILE, diagnostic);
    struct diagnostic unused;
    const enum status closed =
        result_folder_close(folder, MANIFEST_FILE, stream, good ? diagnostic : &unused);
    return good ? closed : status;
}

enum status result_folder_commit(struct result_folder *folder, struct diagnostic *diagnostic)
{
    enum status status = write_manifest(folder, diagnostic);
    if (status != STATUS_OK) {
        result_folder_discard(folder);
        return status;
    }
    if (!file_sync_all(folder->file)) {
        status = left(folder, diagnostic);
    } else if (folder->in_place || !place_new(folder)) {
        status = folder->in_place || errno == EEXIST || errno == ENOTEMPTY
                     ? replace(folder, diagnostic)
                     : left(folder, diagnostic);
    }
    if (status == STATUS_OK && !folder->in_place) {
        staging_sweep_folders(folder->place, &SUPERSEDED);
    }
    close_folder(folder);
    return status;
}

void result_folder_discard(struct result_folder *folder)
{
    for (size_t i = 0; folder->staging != NULL && i < RESULT_FILE_COUNT; i++) {
        (void)unlinkat(folder->file, RESULT_FILES[i].name, 0);
    }
    if (folder->staging != NULL) {
        (void)rmdir(folder->staging);
    }
    close_folder(folder);
}
