/* external_data.c - weights in a file beside the model (readers.h). */
#include "sim/file.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCATION_CHARS = 1024 };

static void close_at(const int *file)
{
    if (*file >= 0) {
        (void)close(*file);
    }
}

static enum status refuse(const struct model *model, const char *location, const char *what,
                          struct diagnostic *diagnostic)
{
    return model_refuse(model, NULL, "weights lie in the model's folder, or in a folder below it",
                        diagnostic, "weights in the file \"%s\": %s", location, what);
}

/* Whether a part of a path, up to a slash, is one that leads nowhere else. */
static bool is_plain(const char *part, size_t length)
{
    return length > 0 && !(part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.')));
}

static int open_folder(const struct model *model)
{
    const char *slash = strrchr(model->path, '/');
    FREED char *folder =
        slash == NULL
            ? strdup(".")
            : strndup(model->path, slash == model->path ? 1 : (size_t)(slash - model->path));
    return folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Opens the file, part by part, so that no part can be a link. */
static enum status open_location(const struct model *model, const char *location, int *file,
                                 struct diagnostic *diagnostic)
{
    char part[LOCATION_CHARS];
    if (location[0] == '/' || strlen(location) >= sizeof part) {
        return refuse(model, location, "its name is absolute, or too long", diagnostic);
    }
    int folder = open_folder(model);
    const char *at = location;
    for (;;) {
        const size_t length = strcspn(at, "/");
        const bool last = at[length] == '\0';
        if (!is_plain(at, length)) {
            close_at(&folder);
            return refuse(model, location, "its name leads out of the model's folder", diagnostic);
        }
        (void)snprintf(part, sizeof part, "%.*s", (int)length, at);
        const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
        const int next = folder < 0 ? -1 : openat(folder, part, last ? flags : flags | O_DIRECTORY);
        const bool is_link = next < 0 && (errno == ELOOP || errno == ENOTDIR);
        const bool is_there = next >= 0 || errno != ENOENT;
        close_at(&folder);
        if (next < 0) {
            return refuse(model, location,
                          is_link     ? "a part of its name is a link, or no folder"
                          : !is_there ? "there is no such file; it belongs to the model: get both"
                                      : "it cannot be opened",
                          diagnostic);
        }
        if (last) {
            *file = next;
            return STATUS_OK;
        }
        folder = next;
        at += length + 1;
    }
}

enum status external_data_read(const struct model *model, const char *location, uint64_t offset,
                               uint64_t bytes, size_t most, uint8_t **data, size_t *size,
                               struct diagnostic *diagnostic)
{
    struct stat about;
    RELEASED(close_at) int file = -1;
    TRY(open_location(model, location, &file, diagnostic));
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        return refuse(model, location, "it is no file", diagnostic);
    }
    const uint64_t whole = (uint64_t)about.st_size;
    if (bytes == SIZE_MAX && offset <= whole) {
        bytes = whole - offset;
    }
    if (offset > whole || bytes > whole - offset || bytes > most) {
        return refuse(model, location, "it is shorter than the model says, or too long",
                      diagnostic);
    }
    *size = (size_t)bytes;
    *data = malloc(*size + 1);
    if (*data == NULL) {
        return no_memory(diagnostic);
    }
    size_t read = 0;
    while (read < *size) {
        const ssize_t got = pread(file, *data + read, *size - read, (off_t)(offset + read));
        if (got == 0 || (got < 0 && errno != EINTR)) {
            free(*data);
            *data = NULL;
            return refuse(model, location, "it cannot be read", diagnostic);
        }
        read += got > 0 ? (size_t)got : 0;
    }
    return STATUS_OK;
}
