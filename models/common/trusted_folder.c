/* trusted_folder.c - see trusted_folder.h. */
#include "models/common/trusted_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_CHARS = 4096,
    LINKS_MOST = 16,
    TEMPORARIES_MOST = 16, /* of one name and process number */
    OTHERS = 077,          /* mode bits of group and others */
    OTHERS_WRITE = 022,
    OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

/* ---- the way from the root ---- */

struct way {
    int folder;            /* open and trusted; -1: the way ends here */
    bool sticky;           /* others may create names in it */
    char rest[PATH_CHARS]; /* of the path, from this folder on */
    unsigned links;        /* followed so far */
    unsigned create;       /* how many of the last folders may be created */
};

static bool is_trusted_owner(const struct stat *about)
{
    return about->st_uid == 0 || about->st_uid == geteuid();
}

/* Goes on to an open folder, -1: there is none; the one before is closed. */
static void step_to(struct way *way, int folder)
{
    struct stat about;
    const bool trusted = folder >= 0 && fstat(folder, &about) == 0 && is_trusted_owner(&about) &&
                         ((about.st_mode & OTHERS_WRITE) == 0 || (about.st_mode & S_ISVTX) != 0);
    if (folder >= 0 && !trusted) {
        (void)close(folder);
    }
    if (way->folder >= 0) {
        (void)close(way->folder);
    }
    way->folder = trusted ? folder : -1;
    way->sticky = trusted && (about.st_mode & OTHERS_WRITE) != 0;
}

/* Puts the target of a link in front of the rest of the way. */
static void follow(struct way *way, const char *name)
{
    struct stat about;
    char path[PATH_CHARS];
    const int link = openat(way->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    ssize_t length = -1;
    if (link >= 0 && fstat(link, &about) == 0 && S_ISLNK(about.st_mode) &&
        is_trusted_owner(&about) && !way->sticky && way->links < LINKS_MOST) {
        length = readlinkat(link, "", path, sizeof path - 1);
    }
    if (link >= 0) {
        (void)close(link);
    }
    const size_t rest = strlen(way->rest) + 1;
    if (length <= 0 || (size_t)length + 1 + rest > sizeof path) {
        step_to(way, -1);
        return;
    }
    path[length] = '/';
    memcpy(path + length + 1, way->rest, rest);
    memcpy(way->rest, path, (size_t)length + 1 + rest);
    way->links++;
    if (path[0] == '/') {
        step_to(way, open("/", OPEN_FOLDER));
    }
}

/* The next name of the way, in `name`; false: there is none. */
static bool next_name(struct way *way, char name[NAME_MAX + 1])
{
    const char *at = way->rest + strspn(way->rest, "/");
    const size_t length = strcspn(at, "/");
    if (length == 0 || length > NAME_MAX) {
        if (length != 0) {
            step_to(way, -1);
        }
        return false;
    }
    memcpy(name, at, length);
    name[length] = '\0';
    at += length;
    memmove(way->rest, at, strlen(at) + 1);
    return true;
}

static unsigned names_in(const char *path)
{
    unsigned count = 0;
    for (path += strspn(path, "/"); *path != '\0'; path += strspn(path, "/")) {
        path += strcspn(path, "/");
        count++;
    }
    return count;
}

int trusted_folder_open(const char *path, unsigned create)
{
    struct way way = {.folder = -1, .create = create};
    char name[NAME_MAX + 1];
    const size_t length = strlen(path);
    if (path[0] != '/' || length >= sizeof way.rest) {
        return -1;
    }
    memcpy(way.rest, path, length + 1);
    step_to(&way, open("/", OPEN_FOLDER));
    while (way.folder >= 0 && next_name(&way, name)) {
        if (names_in(way.rest) < way.create) {
            (void)mkdirat(way.folder, name, 0700);
        }
        struct stat about;
        if (fstatat(way.folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(about.st_mode)) {
            follow(&way, name);
        } else { /* what has become a link meanwhile is not opened */
            step_to(&way, openat(way.folder, name, OPEN_FOLDER));
        }
    }
    return way.folder;
}

/* ---- folders of this user alone ---- */

bool private_folder_is(int folder)
{
    struct stat about;
    return fstat(folder, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & OTHERS) == 0;
}

int private_folder_open(int parent, const char *name, bool create)
{
    if (create) {
        (void)mkdirat(parent, name, 0700);
    }
    const int folder = openat(parent, name, OPEN_FOLDER);
    if (folder >= 0 && !private_folder_is(folder)) {
        (void)close(folder);
        return -1;
    }
    return folder;
}

static int folder_again(int folder)
{
    return openat(folder, ".", OPEN_FOLDER);
}

static void clear(int folder, bool all)
{
    const int again = folder_again(folder);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    if (list == NULL) {
        return;
    }
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (all || entry->d_name[0] != '.') {
            (void)unlinkat(folder, entry->d_name, 0);
        }
    }
    (void)closedir(list);
}

void folder_clear(int folder)
{
    clear(folder, false);
}

void folder_remove(int parent, const char *name)
{
    const int folder = openat(parent, name, OPEN_FOLDER);
    if (folder >= 0) {
        clear(folder, true);
        (void)close(folder);
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    }
}

/* ---- files ---- */

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

bool folder_write(int folder, const char *name, const struct folder_part *parts, unsigned count)
{
    char temporary[NAME_MAX];
    int file = -1;
    for (unsigned i = 0; file < 0 && i < TEMPORARIES_MOST; i++) { /* others may be left */
        (void)snprintf(temporary, sizeof temporary, "%s.%ld-%u", name, (long)getpid(), i);
        file =
            openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    if (file < 0) {
        return false;
    }
    bool written = true;
    for (unsigned i = 0; i < count; i++) {
        written = written && write_all(file, parts[i].bytes, parts[i].size);
    }
    if (close(file) != 0 || !written || renameat(folder, temporary, folder, name) != 0) {
        (void)unlinkat(folder, temporary, 0);
        return false;
    }
    return true;
}
