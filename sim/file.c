/* file.c - see file.h. */
#include "sim/file.h"

#include "sim/staging.h"
#include "sim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- failures ---- */

static bool is_hosts_fault(int error)
{
    static const int FAULTS[] = {ENOMEM, ENOSPC, EDQUOT, EIO, EMFILE, ENFILE, EFBIG, EAGAIN};
    bool found = false;
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        found = found || error == FAULTS[i];
    }
    return found;
}

enum status file_cannot(const char *what, const char *path, struct diagnostic *diagnostic)
{
    const int why = errno;
    const enum status status =
        diagnose(diagnostic, is_hosts_fault(why) ? STATUS_INTERNAL : STATUS_CONFIGURATION,
                 "cannot %s: %s", what, strerror(why));
    diagnostic_at(diagnostic, path, 0, 0);
    if (why == EISDIR) {
        diagnostic_hint(diagnostic, "it is a folder: name a file");
    } else if (why == ENOTDIR || why == EEXIST) {
        diagnostic_hint(diagnostic, "it, or a folder on the way to it, is a file");
    } else if (why == ENOENT) {
        diagnostic_hint(diagnostic, "is the name right? relative names start in the folder that "
                                    "the command is run in");
    }
    return status;
}

enum status file_refuse(const char *path, const char *hint, struct diagnostic *diagnostic,
                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)diagnose_list(diagnostic, STATUS_CONFIGURATION, format, arguments);
    va_end(arguments);
    diagnostic_at(diagnostic, path, 0, 0);
    if (hint != NULL) {
        diagnostic_hint(diagnostic, "%s", hint);
    }
    return STATUS_CONFIGURATION;
}

/* ---- reading ---- */

/* Opens a regular file or a pipe without blocking.  -1 on failure, with errno; errno 0: it is
 * something else. */
static int open_to_read(const char *path, struct stat *info)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    int error = fstat(file, info) != 0 ? errno : S_ISDIR(info->st_mode) ? EISDIR : 0;
    if (error == 0 && (S_ISREG(info->st_mode) || S_ISFIFO(info->st_mode)) &&
        fcntl(file, F_SETFL, 0) == 0) { /* reads block from here on */
        return file;
    }
    (void)close(file);
    errno = error;
    return -1;
}

/* Reads up to `most` bytes; slightly more than `most` means that the file is too large.  NULL on
 * failure, with errno. */
static uint8_t *read_some(int file, size_t expected, size_t most, size_t *size)
{
    size_t capacity = expected > 0 ? expected + 1 : 1u << 16;
    uint8_t *bytes = malloc(capacity + 1);
    *size = 0;
    while (bytes != NULL && *size <= most) {
        const ssize_t got = read(file, bytes + *size, capacity - *size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            if (got < 0) {
                free(bytes);
                bytes = NULL;
            }
            break;
        }
        *size += (size_t)got;
        if (*size == capacity) {
            capacity *= 2;
            uint8_t *larger = realloc(bytes, capacity + 1);
            if (larger == NULL) {
                free(bytes);
            }
            bytes = larger;
        }
    }
    return bytes;
}

enum status file_read(const char *path, size_t most, uint8_t **bytes, size_t *size,
                      struct diagnostic *diagnostic)
{
    struct stat info;
    *bytes = NULL;
    const int file = open_to_read(path, &info);
    if (file < 0) {
        return errno != 0
                   ? file_cannot("read", path, diagnostic)
                   : file_refuse(path, "name a file", diagnostic, "cannot read: it is a device");
    }
    bool large = S_ISREG(info.st_mode) && info.st_size > 0 && (uint64_t)info.st_size > most;
    if (!large) {
        *bytes = read_some(file, (size_t)info.st_size, most, size);
    }
    const int error = errno;
    (void)close(file);
    errno = error;
    if (!large && *bytes == NULL) {
        return errno == ENOMEM ? no_memory(diagnostic) : file_cannot("read", path, diagnostic);
    }
    large = large || *size > most;
    if (large) {
        free(*bytes);
        *bytes = NULL;
        return file_refuse(path, "is it the right one?", diagnostic,
                           "the file has more than %zu bytes", most);
    }
    (*bytes)[*size] = 0;
    return STATUS_OK;
}

size_t file_read_first(const char *path, uint8_t *bytes, size_t most, size_t *size)
{
    struct stat info;
    const int file = open_to_read(path, &info);
    if (file < 0) {
        return 0;
    }
    const ssize_t got = S_ISREG(info.st_mode) ? pread(file, bytes, most, 0) : 0;
    (void)close(file);
    *size = (size_t)info.st_size;
    return got < 0 ? 0 : (size_t)got;
}

bool file_begins_with(const char *path, const void *bytes, size_t size)
{
    enum { MOST = 16 };
    uint8_t begin[MOST];
    size_t all;
    return size <= MOST && file_read_first(path, begin, size, &all) == size &&
           memcmp(begin, bytes, size) == 0;
}

/* ---- writing ---- */

bool file_sync(int file)
{
    return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
}

bool file_sync_all(int file)
{
    return syncfs(file) == 0 || errno == EINVAL || errno == ENOTSUP;
}

static bool close_synced(FILE *stream)
{
    const bool written = ferror(stream) == 0 && fflush(stream) == 0 && file_sync(fileno(stream));
    const int error = errno;
    const bool closed = fclose(stream) == 0;
    if (!written) {
        errno = error;
    }
    return written && closed;
}

static bool sync_folder_of(const char *path)
{
    const int folder = staging_open_parent(path);
    if (folder < 0) {
        return errno == EACCES; /* a folder that is writable but not readable */
    }
    const bool synced = file_sync(folder);
    const int error = errno;
    (void)close(folder);
    errno = error;
    return synced;
}

void file_discard(struct file_writer *writer)
{
    if (writer->stream != NULL && writer->temporary != NULL) {
        (void)fclose(writer->stream);
        (void)unlink(writer->temporary);
    }
    free(writer->path);
    free(writer->temporary);
    *writer = (struct file_writer){0};
}

enum status file_create(struct file_writer *writer, const char *path, struct diagnostic *diagnostic)
{
    struct stat found;
    *writer = (struct file_writer){.path = strdup(path)};
    if (writer->path == NULL) {
        return no_memory(diagnostic);
    }
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode)) {
        file_discard(writer);
        return file_refuse(path, "a device would be replaced by a file: give another name",
                           diagnostic, "cannot write: it is there, and no file");
    }
    int file;
    staging_sweep(path);
    writer->temporary = staging_file(path, &file);
    writer->stream = writer->temporary == NULL ? NULL : fdopen(file, "wb");
    if (writer->stream == NULL) {
        const enum status status = file_cannot("write", path, diagnostic);
        if (writer->temporary != NULL) {
            (void)close(file);
            (void)unlink(writer->temporary);
        }
        file_discard(writer);
        return status;
    }
    return STATUS_OK;
}

enum status file_commit(struct file_writer *writer, struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    const bool written = close_synced(writer->stream);
    writer->stream = NULL;
    if (!written || rename(writer->temporary, writer->path) != 0) {
        status = file_cannot("write", writer->path, diagnostic);
        (void)unlink(writer->temporary);
    } else if (!sync_folder_of(writer->path)) {
        status = file_cannot("write", writer->path, diagnostic);
    }
    file_discard(writer);
    return status;
}

enum status file_finish(struct file_writer *writer, enum status status,
                        struct diagnostic *diagnostic)
{
    if (status == STATUS_OK) {
        return file_commit(writer, diagnostic);
    }
    file_discard(writer);
    return status;
}

/* ---- folders ---- */

enum status file_make_folder(const char *path, struct diagnostic *diagnostic)
{
    char *copy = strdup(path);
    if (copy == NULL) {
        return no_memory(diagnostic);
    }
    for (char *at = copy + 1; *at != '\0'; at++) {
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(copy, 0777);
            *at = '/';
        }
    }
    const int made = mkdir(copy, 0777);
    const int error = errno;
    free(copy);
    struct stat info;
    if (made == 0 || (error == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))) {
        return STATUS_OK;
    }
    errno = error;
    return file_cannot("make folder", path, diagnostic);
}

enum status file_make_folder_of(const char *path, struct diagnostic *diagnostic)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path) {
        return STATUS_OK;
    }
    FREED char *folder = strndup(path, (size_t)(slash - path));
    return folder == NULL ? no_memory(diagnostic) : file_make_folder(folder, diagnostic);
}

bool file_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool file_is_in(const char *folder, const char *name)
{
    FREED char *path = file_join(folder, name);
    return path != NULL && access(path, F_OK) == 0;
}

bool file_ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path);
    const size_t of_ending = strlen(ending);
    return length > of_ending && strcmp(path + length - of_ending, ending) == 0;
}

char *file_join(const char *folder, const char *name)
{
    const bool slash = folder[0] != '\0' && folder[strlen(folder) - 1] == '/';
    return file_print("%s%s%s", folder, slash || folder[0] == '\0' ? "" : "/", name);
}

char *file_print(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}
