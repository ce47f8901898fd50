/* host_files.c - see host_files.h. */
#include "sim/flat/host_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEW_FILE_MODE = 0666 }; /* less the user's umask */

void host_files_init(struct host_files *files)
{
    files->folder = -1;
    for (unsigned i = 0; i < HOST_FILES_MOST; i++) {
        files->descriptor[i] = -1;
    }
}

int host_files_lend(struct host_files *files, const char *folder)
{
    files->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return files->folder < 0 ? errno : 0;
}

void host_files_deinit(struct host_files *files)
{
    for (unsigned i = 0; i < HOST_FILES_MOST; i++) {
        (void)host_files_close(files, i);
    }
    if (files->folder >= 0) {
        (void)close(files->folder);
    }
    files->folder = -1;
}

/* ---- names ---- */

/* A file as an open folder and a name in it. */
struct place {
    int folder;
    char name[NAME_MAX + 1];
};

/* The next component of a name into `part`; an empty one: there is none. */
static int next_part(const char **name, char *part)
{
    static const char HERE[] = ".";
    static const char ABOVE[] = "..";
    do {
        *name += strspn(*name, "/");
        const size_t length = strcspn(*name, "/");
        if (length > NAME_MAX) {
            return ENAMETOOLONG;
        }
        memcpy(part, *name, length);
        part[length] = '\0';
        *name += length;
    } while (strcmp(part, HERE) == 0);
    return strcmp(part, ABOVE) == 0 ? HOST_FILE_REFUSED : 0;
}

/* Goes down into a folder. */
static int enter(int *folder, const char *name)
{
    const int below = openat(*folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) {
        return errno;
    }
    (void)close(*folder);
    *folder = below;
    return 0;
}

/* If the result is 0, the caller must close place->folder. */
static int find_place(const struct host_files *files, const char *name, struct place *place)
{
    static const char TEMPORARY[] = "/tmp/";
    const size_t skipped = strlen(TEMPORARY);
    if (strncmp(name, TEMPORARY, skipped) == 0 && strchr(name + skipped, '/') == NULL) {
        name += skipped;
    }
    if (files->folder < 0 || *name == '/') {
        return HOST_FILE_REFUSED;
    }
    char below[NAME_MAX + 1];
    place->name[0] = '\0';
    place->folder = fcntl(files->folder, F_DUPFD_CLOEXEC, 0);
    int error = place->folder < 0 ? errno : next_part(&name, place->name);
    if (error == 0 && place->name[0] == '\0') {
        error = HOST_FILE_REFUSED; /* the folder itself */
    }
    while (error == 0) {
        error = next_part(&name, below);
        if (error != 0 || below[0] == '\0') {
            break;
        }
        error = enter(&place->folder, place->name);
        memcpy(place->name, below, sizeof below);
    }
    if (error != 0 && place->folder >= 0) {
        (void)close(place->folder);
    }
    return error;
}

/* ---- open, remove, rename ---- */

/* Opens a regular file.  O_NONBLOCK: opening a FIFO must not block before its type is known. */
static int open_regular(const struct place *place, int flags, int *descriptor)
{
    const int file = openat(place->folder, place->name,
                            flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, NEW_FILE_MODE);
    if (file < 0) {
        return errno == ELOOP || errno == EISDIR || errno == ENXIO ? HOST_FILE_REFUSED : errno;
    }
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        (void)close(file);
        return HOST_FILE_REFUSED;
    }
    *descriptor = file;
    return 0;
}

int host_files_open(struct host_files *files, const char *name, unsigned mode, unsigned *index)
{
    static const int READ_WRITE_APPEND[] = {0, O_CREAT | O_TRUNC, O_CREAT | O_APPEND};
    struct place place;
    if (mode >= HOST_FILE_MODES) {
        return EINVAL;
    }
    unsigned slot = 0;
    while (slot < HOST_FILES_MOST && files->descriptor[slot] >= 0) {
        slot++;
    }
    const bool updates = (mode & 2) != 0;
    const int flags = READ_WRITE_APPEND[mode / 4] | (updates    ? O_RDWR
                                                     : mode < 4 ? O_RDONLY
                                                                : O_WRONLY);
    int error = find_place(files, name, &place);
    if (error != 0) {
        return error;
    }
    error =
        slot == HOST_FILES_MOST ? EMFILE : open_regular(&place, flags, &files->descriptor[slot]);
    *index = slot;
    (void)close(place.folder);
    return error;
}

/* Nothing but a regular file is removed or renamed. */
static int check_regular(const struct place *place)
{
    struct stat about;
    if (fstatat(place->folder, place->name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno;
    }
    return S_ISREG(about.st_mode) ? 0 : HOST_FILE_REFUSED;
}

int host_files_remove(const struct host_files *files, const char *name)
{
    struct place place;
    int error = find_place(files, name, &place);
    if (error != 0) {
        return error;
    }
    error = check_regular(&place);
    if (error == 0 && unlinkat(place.folder, place.name, 0) != 0) {
        error = errno;
    }
    (void)close(place.folder);
    return error;
}

static int rename_placed(const struct place *from, const struct place *to)
{
    int error = check_regular(from);
    if (error == 0) {
        error = check_regular(to);
        error = error == ENOENT ? 0 : error;
    }
    if (error == 0 && renameat(from->folder, from->name, to->folder, to->name) != 0) {
        error = errno;
    }
    return error;
}

int host_files_rename(const struct host_files *files, const char *from, const char *to)
{
    struct place old;
    struct place new;
    int error = find_place(files, from, &old);
    if (error != 0) {
        return error;
    }
    error = find_place(files, to, &new);
    if (error == 0) {
        error = rename_placed(&old, &new);
        (void)close(new.folder);
    }
    (void)close(old.folder);
    return error;
}

/* ---- open files ---- */

static int descriptor_of(const struct host_files *files, unsigned index)
{
    return index < HOST_FILES_MOST ? files->descriptor[index] : -1;
}

int host_files_close(struct host_files *files, unsigned index)
{
    const int file = descriptor_of(files, index);
    if (file < 0) {
        return EBADF;
    }
    files->descriptor[index] = -1;
    return close(file) == 0 ? 0 : errno;
}

int host_files_read(const struct host_files *files, unsigned index, uint8_t *bytes, size_t room,
                    size_t *got)
{
    const int file = descriptor_of(files, index);
    ssize_t count = 1;
    for (*got = 0; *got < room && count > 0; *got += count > 0 ? (size_t)count : 0) {
        do {
            count = read(file, bytes + *got, room - *got);
        } while (count < 0 && errno == EINTR);
    }
    return count < 0 ? errno : 0;
}

int host_files_write(const struct host_files *files, unsigned index, const uint8_t *bytes,
                     size_t count, size_t *put)
{
    const int file = descriptor_of(files, index);
    ssize_t wrote = 0;
    for (*put = 0; *put < count && wrote >= 0; *put += wrote > 0 ? (size_t)wrote : 0) {
        do {
            wrote = write(file, bytes + *put, count - *put);
        } while (wrote < 0 && errno == EINTR);
    }
    return wrote < 0 ? errno : 0;
}

int host_files_seek(const struct host_files *files, unsigned index, uint32_t position)
{
    return lseek(descriptor_of(files, index), (off_t)position, SEEK_SET) < 0 ? errno : 0;
}

int host_files_length(const struct host_files *files, unsigned index, uint64_t *bytes)
{
    struct stat about;
    if (fstat(descriptor_of(files, index), &about) != 0) {
        return errno;
    }
    *bytes = (uint64_t)about.st_size;
    return 0;
}
