/* manifest.c - see manifest.h. */
#include "sim/results/manifest.h"

#include "models/common/check.h"
#include "sim/data/sha256.h"
#include "sim/file.h"
#include "sim/results/result_files.h"
#include "sim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- digests ---- */

enum { READ_BYTES = 16384 };

/* Opens a regular file, not through a link.  -1 on failure, with errno; ELOOP: something else. */
static int open_regular(int folder, const char *name, struct stat *info)
{
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    const int error = fstat(file, info) != 0 ? errno : !S_ISREG(info->st_mode) ? ELOOP : 0;
    if (error != 0) {
        (void)close(file);
        errno = error;
        return -1;
    }
    return file;
}

/* The digest of the first `bytes` bytes; false when they cannot be read, with errno.  `empty` is an
 * initialised hash, made once for all files: to ask a virtual CPU for its instructions takes longer
 * than to hash a small file. */
static bool digest_of(const struct sha256 *empty, int file, uint64_t bytes,
                      char text[SHA256_HEX_CHARS])
{
    struct sha256 hash = *empty;
    uint8_t digest[SHA256_BYTES];
    uint8_t room[READ_BYTES];
    while (bytes > 0) {
        const ssize_t got = read(file, room, bytes < sizeof room ? (size_t)bytes : sizeof room);
        if (got == 0) {
            errno = EIO; /* the file has become shorter */
        }
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        if (got > 0) {
            sha256_update(&hash, room, (size_t)got);
            bytes -= (uint64_t)got;
        }
    }
    sha256_final(&hash, digest);
    sha256_hex(digest, text);
    return true;
}

static void close_file(int file)
{
    const int error = errno;
    (void)close(file);
    errno = error;
}

/* ---- writing ---- */

static bool write_row(FILE *stream, const struct sha256 *empty, int folder, const char *name)
{
    struct stat info;
    char sha256[SHA256_HEX_CHARS];
    const int file = open_regular(folder, name, &info);
    if (file < 0) {
        return errno == ENOENT;
    }
    const bool good = digest_of(empty, file, (uint64_t)info.st_size, sha256);
    close_file(file);
    if (good) {
        const struct result_file *own = result_file_find(MANIFEST_FILE);
        const struct manifest_row row = {name, (uint64_t)info.st_size, sha256};
        result_table_write_row(stream, own->column, own->columns, NULL, &row);
    }
    return good;
}

bool manifest_write(FILE *stream, int folder)
{
    const struct result_file *own = result_file_find(MANIFEST_FILE);
    bool good = true;
    struct sha256 empty;
    sha256_init(&empty);
    result_table_write_head(stream, own->column, own->columns, NULL);
    for (size_t i = 0; good && i < RESULT_FILE_COUNT; i++) {
        good = !result_file_is_recorded(&RESULT_FILES[i]) ||
               write_row(stream, &empty, folder, RESULT_FILES[i].name);
    }
    return good;
}

/* ---- reading ---- */

enum { FILES_MAX = 48 };

/* What the manifest says of each of RESULT_FILES. */
struct manifest {
    struct entry {
        bool listed;
        uint64_t bytes;
        char sha256[SHA256_HEX_CHARS];
    } of[FILES_MAX];
};

static bool is_digest(const char *text)
{
    return strlen(text) == SHA256_HEX_CHARS - 1 &&
           strspn(text, "0123456789abcdef") == SHA256_HEX_CHARS - 1;
}

/* A recorded file that is not listed yet, whole numbers and digits. */
static bool take_row(struct manifest *manifest, const struct result_table *table)
{
    const struct result_file *own = result_file_find(MANIFEST_FILE);
    struct manifest_row row;
    if (!result_table_take(table, own->column, own->columns, &row)) {
        return false;
    }
    const struct result_file *file = result_file_find(row.file);
    if (file == NULL || !result_file_is_recorded(file) || !is_digest(row.sha256)) {
        return false;
    }
    struct entry *entry = &manifest->of[file - RESULT_FILES];
    if (entry->listed) {
        return false;
    }
    *entry = (struct entry){.listed = true, .bytes = row.bytes};
    (void)snprintf(entry->sha256, sizeof entry->sha256, "%s", row.sha256);
    return true;
}

static enum status read_manifest(struct manifest *manifest, const char *folder,
                                 struct diagnostic *diagnostic)
{
    const struct result_file *own = result_file_find(MANIFEST_FILE);
    RELEASED(result_table_close) struct result_table table;
    *manifest = (struct manifest){0};
    TRY(result_table_open_within(&table, folder, MANIFEST_FILE, MANIFEST_BYTES_MAX, diagnostic));
    bool good = result_table_has(&table, own->column, own->columns);
    while (good && result_table_next(&table)) {
        good = take_row(manifest, &table);
    }
    return good && !table.bad
               ? STATUS_OK
               : result_table_refuse(&table, "manifest",
                                     "the file has been changed: run the experiment again",
                                     diagnostic);
}

/* ---- checking ---- */

static const char NO_FILE[] = "not a file, but a link or something else";

struct checking {
    const char *folder;
    int file;            /* the folder, open */
    struct sha256 empty; /* of nothing yet */
    struct diagnostic *diagnostic;
};

static enum status refuse(const struct checking *checking, const char *name, const char *what)
{
    FREED char *path = file_join(checking->folder, name);
    return path == NULL
               ? no_memory(checking->diagnostic)
               : file_refuse(path, "bring back what the run wrote, or run the experiment again",
                             checking->diagnostic, "%s", what);
}

/* As file_cannot(), of a file in the folder. */
static enum status cannot_read(const struct checking *checking, const char *name)
{
    const int error = errno;
    FREED char *path = file_join(checking->folder, name);
    errno = error;
    return path == NULL ? no_memory(checking->diagnostic)
                        : file_cannot("read", path, checking->diagnostic);
}

static enum status check_listed(const struct checking *checking, const char *name,
                                const struct entry *entry)
{
    struct stat info;
    char sha256[SHA256_HEX_CHARS] = "";
    const int file = open_regular(checking->file, name, &info);
    if (file < 0 && errno == ENOENT) {
        return refuse(checking, name, "the file is missing: " MANIFEST_FILE " lists it");
    }
    if (file < 0 && errno == ELOOP) {
        return refuse(checking, name, NO_FILE);
    }
    if (file < 0) {
        return cannot_read(checking, name);
    }
    const bool same_size = (uint64_t)info.st_size == entry->bytes;
    const bool read = !same_size || digest_of(&checking->empty, file, entry->bytes, sha256);
    close_file(file);
    if (!read) {
        return cannot_read(checking, name);
    }
    if (!same_size || strcmp(sha256, entry->sha256) != 0) {
        char what[DIAGNOSTIC_TEXT_CHARS];
        (void)snprintf(what, sizeof what, "the file was changed after the run: ");
        const size_t used = strlen(what);
        if (same_size) {
            (void)snprintf(what + used, sizeof what - used,
                           "its SHA-256 is not that of " MANIFEST_FILE);
        } else {
            (void)snprintf(what + used, sizeof what - used,
                           "it has %" PRIu64 " bytes, in " MANIFEST_FILE " %" PRIu64,
                           (uint64_t)info.st_size, entry->bytes);
        }
        return refuse(checking, name, what);
    }
    return STATUS_OK;
}

/* Without a summary the folder holds no results at all: that is what the user is told. */
static enum status check_presence(const struct checking *checking)
{
    struct stat info;
    if (fstatat(checking->file, RESULT_LAST_FILE, &info, 0) != 0) {
        const enum status status = cannot_read(checking, RESULT_LAST_FILE);
        diagnostic_hint(checking->diagnostic, "name a result folder of `spinnsim run`");
        return status;
    }
    if (fstatat(checking->file, MANIFEST_FILE, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT
                   ? refuse(checking, MANIFEST_FILE,
                            "the results have no manifest: they are incomplete, or an older "
                            "version of spinnsim wrote them")
                   : cannot_read(checking, MANIFEST_FILE);
    }
    return S_ISREG(info.st_mode) ? STATUS_OK : refuse(checking, MANIFEST_FILE, NO_FILE);
}

static enum status check_files(const struct checking *checking)
{
    struct manifest manifest;
    TRY(check_presence(checking));
    TRY(read_manifest(&manifest, checking->folder, checking->diagnostic));
    for (size_t i = 0; i < RESULT_FILE_COUNT; i++) {
        const char *name = RESULT_FILES[i].name;
        if (manifest.of[i].listed) {
            TRY(check_listed(checking, name, &manifest.of[i]));
        } else if (result_file_is_recorded(&RESULT_FILES[i]) &&
                   faccessat(checking->file, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
            return refuse(checking, name,
                          "the run did not write this file: " MANIFEST_FILE " does not list it");
        }
    }
    return STATUS_OK;
}

enum status manifest_check(const char *folder, struct diagnostic *diagnostic)
{
    struct checking checking = {.folder = folder,
                                .file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                                .diagnostic = diagnostic};
    CHECK(RESULT_FILE_COUNT <= FILES_MAX, "more result files than a manifest has room for");
    if (checking.file < 0) {
        const enum status status = cannot_read(&checking, RESULT_LAST_FILE);
        diagnostic_hint(diagnostic, "name a result folder of `spinnsim run`");
        return status;
    }
    sha256_init(&checking.empty);
    const enum status status = check_files(&checking);
    (void)close(checking.file);
    return status;
}
