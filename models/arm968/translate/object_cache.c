/* object_cache.c - see object_cache.h. */
#include "models/arm968/translate/object_cache.h"

#include "models/common/compiler.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_CHARS = 512,
    NAME_CHARS = 64,
    OBJECT_BYTES_MOST = 64 << 20,
    FILES_MOST = 256,
    OTHERS = 077 /* mode bits of everybody else */
};

/* ---- keys ---- */

struct object_key object_key_begin(void)
{
    return (struct object_key){UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d)};
}

void object_key_add(struct object_key *key, const void *bytes, size_t size)
{
    const uint128 prime = (uint128)1 << 88 | 0x13b;
    uint128 hash = (uint128)key->high << 64 | key->low;
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * prime;
    }
    key->high = (uint64_t)(hash >> 64);
    key->low = (uint64_t)hash;
}

static bool find_program(const char *name, char path[PATH_CHARS], struct stat *about)
{
    if (strchr(name, '/') != NULL) {
        return snprintf(path, PATH_CHARS, "%s", name) < PATH_CHARS && stat(path, about) == 0;
    }
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        const int chars = snprintf(path, PATH_CHARS, "%.*s/%s", (int)length, folders, name);
        if (chars > 0 && chars < PATH_CHARS && stat(path, about) == 0 && access(path, X_OK) == 0) {
            return true;
        }
        folders += length + (folders[length] == ':');
    }
    return false;
}

bool object_key_add_program(struct object_key *key, const char *program)
{
    char path[PATH_CHARS];
    struct stat about;
    if (!find_program(program, path, &about)) {
        return false;
    }
    const uint64_t facts[] = {(uint64_t)about.st_ino, (uint64_t)about.st_size,
                              (uint64_t)about.st_mtim.tv_sec, (uint64_t)about.st_mtim.tv_nsec};
    object_key_add(key, path, strlen(path));
    object_key_add(key, facts, sizeof facts);
    return true;
}

/* ---- the folder ---- */

/* Opens the folder, made if need be; -1: none that can be trusted. */
static int open_folder(void)
{
    char path[PATH_CHARS];
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length;
    if (cache != NULL && cache[0] == '/') {
        length = snprintf(path, sizeof path, "%s", cache);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, sizeof path, "%s/.cache", home);
    } else {
        return -1;
    }
    static const char *const PARTS[] = {"", "/spinnsim", "/native"};
    for (unsigned i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        const size_t used = strlen(path);
        if (length < 0 || used + strlen(PARTS[i]) >= sizeof path) {
            return -1;
        }
        memcpy(path + used, PARTS[i], strlen(PARTS[i]) + 1);
        (void)mkdir(path, 0700);
    }
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat about;
    if (folder >= 0 && (fstat(folder, &about) != 0 || about.st_uid != geteuid() ||
                        (about.st_mode & OTHERS) != 0)) {
        (void)close(folder);
        return -1;
    }
    return folder;
}

static void object_name(char name[NAME_CHARS], struct object_key key, enum object_kind kind)
{
    (void)snprintf(name, NAME_CHARS, "%016" PRIx64 "%016" PRIx64 "%s", key.high, key.low,
                   kind == OBJECT_LIST ? ".list" : ".so");
}

/* ---- files: the object, and behind it the digest of its bytes ---- */

static uint8_t *read_all(int file, size_t *size)
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

static bool write_all(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t part = write(file, at, size);
        if (part <= 0) {
            return false;
        }
        at += part;
        size -= (size_t)part;
    }
    return true;
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
    return digest.high == found.high && digest.low == found.low;
}

static bool is_own(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & OTHERS) == 0;
}

uint8_t *object_cache_read(struct object_key key, enum object_kind kind, size_t *size)
{
    const int folder = open_folder();
    if (folder < 0) {
        return NULL;
    }
    char name[NAME_CHARS];
    object_name(name, key, kind);
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    uint8_t *bytes = file >= 0 && is_own(file) ? read_all(file, size) : NULL;
    if (bytes != NULL && !is_whole(bytes, *size)) {
        free(bytes);
        bytes = NULL;
    }
    if (file >= 0) {
        (void)futimens(file, NULL); /* it is wanted still */
        (void)close(file);
    }
    (void)close(folder);
    return bytes;
}

/* Removes the oldest file when there are too many. */
static void make_room(int folder)
{
    const int copy = dup(folder);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (list == NULL) {
        return;
    }
    char oldest[NAME_CHARS] = "";
    struct timespec when = {0};
    unsigned count = 0;
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        struct stat about;
        const size_t length = strlen(entry->d_name);
        if (length >= sizeof oldest || entry->d_name[0] == '.' ||
            fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
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
    if (count >= FILES_MOST) {
        (void)unlinkat(folder, oldest, 0);
    }
}

static void write_object(int folder, const char *name, const uint8_t *bytes, size_t size)
{
    char temporary[NAME_CHARS + 32];
    (void)snprintf(temporary, sizeof temporary, "%s.%ld", name, (long)getpid());
    const int file =
        openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return;
    }
    struct object_key digest = object_key_begin();
    object_key_add(&digest, bytes, size);
    const bool written = write_all(file, bytes, size) && write_all(file, &digest, sizeof digest);
    if (close(file) != 0 || !written || renameat(folder, temporary, folder, name) != 0) {
        (void)unlinkat(folder, temporary, 0);
    }
}

void object_cache_store(struct object_key key, enum object_kind kind, const uint8_t *bytes,
                        size_t size)
{
    const int folder = open_folder();
    if (folder >= 0) {
        char name[NAME_CHARS];
        object_name(name, key, kind);
        make_room(folder);
        write_object(folder, name, bytes, size);
        (void)close(folder);
    }
}

void object_cache_store_file(struct object_key key, enum object_kind kind, const char *path)
{
    size_t size;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    uint8_t *bytes = file < 0 ? NULL : read_all(file, &size);
    if (bytes != NULL) {
        object_cache_store(key, kind, bytes, size);
        free(bytes);
    }
    if (file >= 0) {
        (void)close(file);
    }
}

void object_cache_drop(struct object_key key, enum object_kind kind)
{
    const int folder = open_folder();
    if (folder >= 0) {
        char name[NAME_CHARS];
        object_name(name, key, kind);
        (void)unlinkat(folder, name, 0);
        (void)close(folder);
    }
}
