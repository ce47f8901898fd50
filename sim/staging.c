/* staging.c - see staging.h. */
#include "sim/staging.h"

#include "sim/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MOST = 1000, NAME_EXTRA_CHARS = 48 };

static const char PART[] = ".part-";

/* ---- making ---- */

static int open_new_file(const char *name)
{
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static int open_new_folder(const char *name)
{
    if (mkdir(name, 0777) != 0) {
        return -1;
    }
    const int folder = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        const int error = errno;
        (void)rmdir(name);
        errno = error == ENOENT ? EEXIST
                                : error; /* another process has swept it before it was opened */
    }
    return folder;
}

/* Locks a new staging file.  False if a sweeping process has locked or removed it, taking it for a
 * killed run's.  On file systems without locks nothing is swept. */
static bool hold(int file)
{
    struct stat info;
    return (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
           fstat(file, &info) == 0 && info.st_nlink > 0 && info.st_uid == geteuid();
}

static char *make(const char *path, int (*open_new)(const char *name), int *file)
{
    const size_t size = strlen(path) + NAME_EXTRA_CHARS;
    char *name = malloc(size);
    *file = -1;
    for (int i = 0; name != NULL && i < NAMES_MOST; i++) {
        (void)snprintf(name, size, i == 0 ? "%s%s%ld" : "%s%s%ld-%d", path, PART, (long)getpid(),
                       i);
        *file = open_new(name);
        if (*file >= 0 && hold(*file)) {
            return name;
        }
        if (*file >= 0) {
            (void)close(*file);
            *file = -1;
            errno = EEXIST;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    const int error = errno;
    free(name);
    errno = error;
    return NULL;
}

char *staging_file(const char *path, int *file)
{
    return make(path, open_new_file, file);
}

char *staging_folder(const char *path, int *folder)
{
    return make(path, open_new_folder, folder);
}

/* ---- sweeping ---- */

/* The end of the final name in a staging name; NULL: it is none. */
static const char *final_end(const char *name)
{
    const char *part = NULL;
    for (const char *at = strstr(name, PART); at != NULL; at = strstr(at + 1, PART)) {
        part = at;
    }
    if (part == NULL) {
        return NULL;
    }
    const char *number = part + sizeof PART - 1;
    return number[0] != '\0' && strspn(number, "0123456789-") == strlen(number) ? part : NULL;
}

bool staging_is_name(const char *name, const char *of)
{
    const size_t length = strlen(of);
    return strncmp(name, of, length) == 0 && final_end(name) == name + length;
}

int staging_open_parent(const char *path)
{
    const size_t length = (size_t)(file_name_of(path) - path);
    char *folder = length == 0 ? strdup(".") : strndup(path, length);
    if (folder == NULL) {
        return -1;
    }
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = errno;
    free(folder);
    errno = error;
    return file;
}

struct sweeping {
    int parent;
    const char *of;                        /* the final name */
    const struct staging_folders *folders; /* NULL: files */
};

/* Whether an open file still has the name.  A run gives its file the final name before it drops the
 * lock. */
static bool still_has(int file, int parent, const char *name)
{
    struct stat info;
    struct stat named;
    return fstat(file, &info) == 0 && fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           info.st_dev == named.st_dev && info.st_ino == named.st_ino;
}

/* Removes one staging file or folder if it belongs to this user, is not locked, and did not get its
 * final name meanwhile. */
static void sweep_one(const struct sweeping *sweeping, const char *name, const char *final_name)
{
    struct stat info;
    const bool folders = sweeping->folders != NULL;
    const int file = openat(sweeping->parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    if (fstat(file, &info) == 0 && info.st_uid == geteuid() &&
        (folders ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode)) &&
        flock(file, LOCK_EX | LOCK_NB) == 0 && still_has(file, sweeping->parent, name)) {
        if (folders) {
            sweeping->folders->empty(sweeping->parent, final_name, file);
        }
        (void)unlinkat(sweeping->parent, name, folders ? AT_REMOVEDIR : 0);
    }
    (void)close(file);
}

static void look_at(const struct sweeping *sweeping, const char *name)
{
    char final_name[NAME_MAX + 1];
    const char *end = final_end(name);
    if (end == NULL || end == name || end - name > NAME_MAX) {
        return;
    }
    (void)snprintf(final_name, sizeof final_name, "%.*s", (int)(end - name), name);
    if (strcmp(final_name, sweeping->of) == 0 ||
        (sweeping->folders != NULL && sweeping->folders->is_swept(final_name))) {
        sweep_one(sweeping, name, final_name);
    }
}

static void sweep(const char *path, const struct staging_folders *folders)
{
    const struct sweeping sweeping = {staging_open_parent(path), file_name_of(path), folders};
    struct file_names names;
    if (sweeping.parent < 0) {
        return;
    }
    (void)file_names_take(&names, sweeping.parent, ".");
    for (size_t i = 0; i < names.count; i++) {
        look_at(&sweeping, names.entry[i]->d_name);
    }
    file_names_deinit(&names);
    (void)close(sweeping.parent);
}

void staging_sweep(const char *path)
{
    sweep(path, NULL);
}

void staging_sweep_folders(const char *path, const struct staging_folders *folders)
{
    sweep(path, folders);
}
