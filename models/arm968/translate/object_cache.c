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
#include <time.h>
#include <unistd.h>

enum {
    PATH_CHARS = 512,
    NAME_CHARS = 64,
    OBJECT_BYTES_MOST = 64 << 20,
    FILES_MOST = 256,
    TEMPORARIES_MOST = 16,   /* of one object and process number */
    WORKSHOPS_MOST = 8,      /* each is of one compilation */
    WORKSHOP_SECONDS = 3600, /* after these nobody works there any more: compile_leave() */
    KEY_DIGITS = 32,
    OTHERS = 077 /* mode bits of group and others */
};

_Static_assert(OBJECT_PATH_CHARS >= PATH_CHARS + NAME_CHARS, "the folder and a name in it");

/* ---- keys ---- */

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

/* Opens the folder, which is created if necessary, and returns its path; -1: there is none that can
 * be trusted. */
static int open_folder(char path[PATH_CHARS])
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length;
    if (cache != NULL && cache[0] == '/') {
        length = snprintf(path, PATH_CHARS, "%s", cache);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, PATH_CHARS, "%s/.cache", home);
    } else {
        return -1;
    }
    static const char *const PARTS[] = {"", "/spinnsim", "/native"};
    for (unsigned i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        const size_t used = strlen(path);
        if (length < 0 || used + strlen(PARTS[i]) >= PATH_CHARS) {
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
    static const char *const ENDS[] = {
        [OBJECT_CODE] = ".so", [OBJECT_LIST] = ".list", [OBJECT_MADE] = ".made"};
    (void)snprintf(name, NAME_CHARS, "%016" PRIx64 "%016" PRIx64 "%s", key.high, key.low,
                   ENDS[kind]);
}

void folder_remove(int parent, const char *name)
{
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);
    if (list == NULL) {
        return;
    }
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        (void)unlinkat(folder, entry->d_name, 0);
    }
    (void)closedir(list);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
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
    return object_key_same(&digest, &found);
}

static bool is_own(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & OTHERS) == 0;
}

static uint8_t *read_own(int folder, struct object_key key, enum object_kind kind, size_t *size)
{
    char name[NAME_CHARS];
    object_name(name, key, kind);
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    uint8_t *bytes = is_own(file) ? read_all(file, size) : NULL;
    if (bytes != NULL) {
        (void)futimens(file, NULL); /* marks it as recently used */
    }
    (void)close(file);
    return bytes;
}

/* Removes the oldest file if there are too many. */
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
    if (count >= FILES_MOST) {
        (void)unlinkat(folder, oldest, 0);
    }
}

static void write_object(int folder, const char *name, const uint8_t *bytes, size_t size)
{
    char temporary[NAME_CHARS + 32];
    int file = -1;
    for (unsigned i = 0; file < 0 && i < TEMPORARIES_MOST; i++) { /* others may be left */
        (void)snprintf(temporary, sizeof temporary, "%s.%ld-%u", name, (long)getpid(), i);
        file =
            openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
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

static void store(int folder, struct object_key key, enum object_kind kind, const uint8_t *bytes,
                  size_t size)
{
    char name[NAME_CHARS];
    object_name(name, key, kind);
    make_room(folder);
    write_object(folder, name, bytes, size);
}

void object_cache_store(struct object_key key, enum object_kind kind, const uint8_t *bytes,
                        size_t size)
{
    char path[PATH_CHARS];
    const int folder = open_folder(path);
    if (folder >= 0) {
        store(folder, key, kind, bytes, size);
        (void)close(folder);
    }
}

/* Turns an object made in a workshop into a normal one. */
static void take_over(int folder, struct object_key key)
{
    size_t size;
    uint8_t *bytes = read_own(folder, key, OBJECT_MADE, &size);
    if (bytes != NULL) {
        char name[NAME_CHARS];
        object_name(name, key, OBJECT_MADE);
        store(folder, key, OBJECT_CODE, bytes, size);
        (void)unlinkat(folder, name, 0);
        free(bytes);
    }
}

uint8_t *object_cache_read(struct object_key key, enum object_kind kind, size_t *size)
{
    char path[PATH_CHARS];
    const int folder = open_folder(path);
    if (folder < 0) {
        return NULL;
    }
    if (kind == OBJECT_CODE) {
        take_over(folder, key);
    }
    uint8_t *bytes = read_own(folder, key, kind, size);
    if (bytes != NULL && !is_whole(bytes, *size)) {
        free(bytes);
        bytes = NULL;
    }
    (void)close(folder);
    return bytes;
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

/* ---- workshops: folders beside the objects, each named by the key of what is made there ---- */

static void workshop_name(char name[NAME_CHARS], struct object_key key)
{
    (void)snprintf(name, NAME_CHARS, ".%016" PRIx64 "%016" PRIx64, key.high, key.low);
}

static bool is_workshop(const char *name)
{
    return name[0] == '.' && strlen(name) == 1 + KEY_DIGITS &&
           strspn(name + 1, "0123456789abcdef") == KEY_DIGITS;
}

/* The number of workshops in use; removes abandoned ones. */
static unsigned count_workshops(int folder)
{
    const int copy = dup(folder);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (list == NULL) {
        return WORKSHOPS_MOST;
    }
    unsigned count = 0;
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        struct stat about;
        if (!is_workshop(entry->d_name) ||
            fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (time(NULL) - about.st_mtime > WORKSHOP_SECONDS) {
            folder_remove(folder, entry->d_name);
        } else {
            count++;
        }
    }
    (void)closedir(list);
    return count;
}

bool object_cache_workshop(struct object_key key, char workshop[OBJECT_PATH_CHARS])
{
    char path[PATH_CHARS];
    const int folder = open_folder(path);
    if (folder < 0) {
        return false;
    }
    char name[NAME_CHARS];
    workshop_name(name, key);
    (void)snprintf(workshop, OBJECT_PATH_CHARS, "%s/%s", path, name);
    const bool made = count_workshops(folder) < WORKSHOPS_MOST && mkdirat(folder, name, 0700) == 0;
    (void)close(folder);
    return made;
}

bool object_cache_awaits(struct object_key key)
{
    char path[PATH_CHARS];
    const int folder = open_folder(path);
    if (folder < 0) {
        return false;
    }
    char names[3][NAME_CHARS];
    object_name(names[0], key, OBJECT_CODE);
    object_name(names[1], key, OBJECT_MADE);
    workshop_name(names[2], key);
    bool found = false;
    for (unsigned i = 0; i < 3; i++) {
        found = found || faccessat(folder, names[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    }
    (void)close(folder);
    return found;
}
