/* file.c - see file.h. */
#include "sim/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status cannot(struct diagnostic *diagnostic, const char *what, const char *path)
{
    const int why = errno;
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION, "cannot %s: %s", what, strerror(why));
    diagnostic_at(diagnostic, path, 0, 0);
    if (why == ENOENT) {
        diagnostic_hint(diagnostic, "is the name right? relative names start in the folder that "
                                    "the command is run in");
    }
    return status;
}

/* Appends the rest of a stream; NULL when out of memory. */
static uint8_t *read_all(FILE *stream, size_t *size)
{
    size_t capacity = 1u << 16;
    uint8_t *bytes = malloc(capacity + 1);
    *size = 0;
    while (bytes != NULL) {
        const size_t got = fread(bytes + *size, 1, capacity - *size, stream);
        *size += got;
        if (got == 0) {
            break;
        }
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

enum status file_read(const char *path, uint8_t **bytes, size_t *size,
                      struct diagnostic *diagnostic)
{
    *bytes = NULL;
    struct stat info;
    if (stat(path, &info) != 0) {
        return cannot(diagnostic, "read", path);
    }
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return cannot(diagnostic, "read", path);
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return cannot(diagnostic, "read", path);
    }
    *bytes = read_all(stream, size);
    const bool failed = ferror(stream) != 0;
    if (failed) {
        const enum status status = cannot(diagnostic, "read", path);
        (void)fclose(stream);
        free(*bytes);
        *bytes = NULL;
        return status;
    }
    (void)fclose(stream);
    if (*bytes == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    (*bytes)[*size] = 0;
    return STATUS_OK;
}

enum status file_create(struct file_writer *writer, const char *path, struct diagnostic *diagnostic)
{
    *writer = (struct file_writer){0};
    const size_t length = strlen(path) + 32;
    writer->path = strdup(path);
    writer->temporary = malloc(length);
    if (writer->path == NULL || writer->temporary == NULL) {
        file_discard(writer);
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    (void)snprintf(writer->temporary, length, "%s.part-%ld", path, (long)getpid());
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode)) {
        file_discard(writer);
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION, "cannot write: it is there, and no file");
        diagnostic_at(diagnostic, path, 0, 0);
        diagnostic_hint(diagnostic, "a device would be replaced by a file: give another name");
        return status;
    }
    writer->stream = fopen(writer->temporary, "wb");
    if (writer->stream == NULL) {
        const enum status status = cannot(diagnostic, "write", path);
        file_discard(writer);
        return status;
    }
    return STATUS_OK;
}

enum status file_commit(struct file_writer *writer, struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    const bool wrong = ferror(writer->stream) != 0;
    const bool not_closed = fclose(writer->stream) != 0;
    writer->stream = NULL;
    if (wrong || not_closed || rename(writer->temporary, writer->path) != 0) {
        status = cannot(diagnostic, "write", writer->path);
        (void)unlink(writer->temporary);
    }
    free(writer->path);
    free(writer->temporary);
    *writer = (struct file_writer){0};
    return status;
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

enum status file_make_folder(const char *path, struct diagnostic *diagnostic)
{
    char *copy = strdup(path);
    if (copy == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
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
    return cannot(diagnostic, "make folder", path);
}

char *file_join(const char *folder, const char *name)
{
    const size_t length = strlen(folder) + strlen(name) + 2;
    char *path = malloc(length);
    if (path != NULL) {
        const bool slash = folder[0] != '\0' && folder[strlen(folder) - 1] == '/';
        (void)snprintf(path, length, "%s%s%s", folder, slash || folder[0] == '\0' ? "" : "/", name);
    }
    return path;
}
