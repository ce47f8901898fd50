/* object_cache.c - see object_cache.h. */
#include "models/arm968/translate/object_cache.h"

#include "models/common/trusted_folder.h"
#include "models/common/user_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PATH_CHARS = 512,
    OBJECT_BYTES_MOST = 64 << 20,
    FILES_MOST = 256,
    OTHERS = 077, /* mode bits of group and others */
    OTHERS_WRITE = 022
};

bool object_key_add_program(struct object_key *key, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        return false;
    }
    const uint64_t facts[] = {(uint64_t)about.st_ino, (uint64_t)about.st_size,
                              (uint64_t)about.st_mtim.tv_sec, (uint64_t)about.st_mtim.tv_nsec};
    object_key_add(key, path, strlen(path));
    object_key_add(key, facts, sizeof facts);
    return true;
}

/* ---- the folder ---- */

int object_cache_open(void)
{
    return user_cache_open("native");
}

int object_cache_open_built(void)
{
    const char *path = getenv("SPINNSIM_NATIVE");
    return path == NULL ? -1 : trusted_folder_open(path, 0);
}

void object_name(char name[OBJECT_NAME_CHARS], struct object_key key, enum object_kind kind)
{
    static const char *const ENDS[] = {[OBJECT_CODE] = ".so",
                                       [OBJECT_LIST] = ".list",
                                       [OBJECT_MADE] = ".made",
                                       [OBJECT_TRIED] = ".tried"};
    (void)snprintf(name, OBJECT_NAME_CHARS, "%016" PRIx64 "%016" PRIx64 "%s", key.high, key.low,
                   ENDS[kind]);
}

bool object_cache_has(int folder, struct object_key key, enum object_kind kind, int64_t *seconds)
{
    char name[OBJECT_NAME_CHARS];
    struct stat about;
    object_name(name, key, kind);
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
        return false;
    }
    *seconds = (int64_t)time(NULL) - (int64_t)about.st_mtime;
    return true;
}

/* ---- files: the object, and behind it the digest of its bytes ---- */

uint8_t *object_file_read(int file, size_t *size)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0 ||
        about.st_size > OBJECT_BYTES_MOST) {
        return NULL;
    }
    *size = (size_t)about.st_size;
    uint8_t *bytes = malloc(*size);
    size_t done = 0;
    while (bytes != NULL && done < *size) {
        const ssize_t part = read(file, bytes + done, *size - done);
        if (part <= 0) {
            free(bytes);
            return NULL;
        }
        done += (size_t)part;
    }
    return bytes;
}

static bool is_whole(const uint8_t *bytes, size_t size)
{
    struct object_key found;
    struct object_key digest = object_key_begin();
    if (size <= sizeof found) {
        return false;
    }
    memcpy(&found, bytes + size - sizeof found, sizeof found);
    object_key_add(&digest, bytes, size - sizeof found);
    return object_key_same(&digest, &found);
}

static bool is_own(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & OTHERS) == 0;
}

static bool is_built(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
           (about.st_uid == geteuid() || about.st_uid == 0) && (about.st_mode & OTHERS_WRITE) == 0;
}

static int open_object(int folder, struct object_key key, enum object_kind kind)
{
    char name[OBJECT_NAME_CHARS];
    object_name(name, key, kind);
    return openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static uint8_t *read_own(int folder, struct object_key key, enum object_kind kind, size_t *size)
{
    const int file = open_object(folder, key, kind);
    if (file < 0) {
        return NULL;
    }
    uint8_t *bytes = is_own(file) ? object_file_read(file, size) : NULL;
    if (bytes != NULL) {
        (void)futimens(file, NULL); /* marks it as recently used */
    }
    (void)close(file);
    return bytes;
}

static uint8_t *read_built(struct object_key key, enum object_kind kind, size_t *size)
{
    const int folder = object_cache_open_built();
    const int file = folder < 0 ? -1 : open_object(folder, key, kind);
    uint8_t *bytes = file >= 0 && is_built(file) ? object_file_read(file, size) : NULL;
    if (file >= 0) {
        (void)close(file);
    }
    if (folder >= 0) {
        (void)close(folder);
    }
    return bytes;
}

void object_folder_make_room(int folder, unsigned most)
{
    const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (list == NULL) {
        return;
    }
    char oldest[OBJECT_NAME_CHARS] = "";
    struct timespec when = {0};
    unsigned count = 0;
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        struct stat about;
        const size_t length = strlen(entry->d_name);
        if (length >= sizeof oldest || entry->d_name[0] == '.' ||
            fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            S_ISDIR(about.st_mode)) {
            continue;
        }
        const bool older = count == 0 || about.st_mtim.tv_sec < when.tv_sec;
        if (older) {
            when = about.st_mtim;
            memcpy(oldest, entry->d_name, length + 1);
        }
        count++;
    }
    (void)closedir(list);
    if (count >= most) {
        (void)unlinkat(folder, oldest, 0);
    }
}

static void store(int folder, struct object_key key, enum object_kind kind, const uint8_t *bytes,
                  size_t size)
{
    char name[OBJECT_NAME_CHARS];
    object_name(name, key, kind);
    struct object_key digest = object_key_begin();
    object_key_add(&digest, bytes, size);
    const struct folder_part parts[] = {{bytes, size}, {&digest, sizeof digest}};
    object_folder_make_room(folder, FILES_MOST);
    (void)folder_write(folder, name, parts, 2);
}

void object_cache_store(struct object_key key, enum object_kind kind, const uint8_t *bytes,
                        size_t size)
{
    const int folder = object_cache_open();
    if (folder >= 0) {
        store(folder, key, kind, bytes, size);
        (void)close(folder);
    }
}

/* Turns an object that a keeper has made into a normal one. */
static void take_over(int folder, struct object_key key)
{
    size_t size;
    uint8_t *bytes = read_own(folder, key, OBJECT_MADE, &size);
    if (bytes != NULL) {
        char name[OBJECT_NAME_CHARS];
        object_name(name, key, OBJECT_MADE);
        store(folder, key, OBJECT_CODE, bytes, size);
        (void)unlinkat(folder, name, 0);
        free(bytes);
    }
}

static uint8_t *read_users(struct object_key key, enum object_kind kind, size_t *size)
{
    const int folder = object_cache_open();
    if (folder < 0) {
        return NULL;
    }
    if (kind == OBJECT_CODE) {
        take_over(folder, key);
    }
    uint8_t *bytes = read_own(folder, key, kind, size);
    (void)close(folder);
    return bytes;
}

/* Frees bytes that are not whole. */
static uint8_t *whole(uint8_t *bytes, const size_t *size)
{
    if (bytes != NULL && !is_whole(bytes, *size)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

uint8_t *object_cache_read(struct object_key key, enum object_kind kind, size_t *size)
{
    uint8_t *bytes = whole(read_users(key, kind, size), size);
    return bytes != NULL ? bytes : whole(read_built(key, kind, size), size);
}
