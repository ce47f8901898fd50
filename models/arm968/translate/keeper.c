/* keeper.c - see keeper.h. */
#include "models/arm968/translate/keeper.h"

#include "models/arm968/translate/host_process.h"
#include "models/arm968/translate/object_cache.h"
#include "models/arm968/translate/text.h"
#include "models/common/trusted_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIED_SECONDS = 24 * 3600,  /* after these it is tried again */
    LOOKS_MOST = 200,           /* at keepers that are about to end, ... */
    LOOK_NANOSECONDS = 10000000 /* ... one every 10 ms */
};

static const char WAITING[] = "waiting";
static const char CLOSED[] = "closed"; /* in a keeper's folder: nobody shall rely on it */
static const char *const KEEPERS[KEEPERS_MOST] = {"keeper-0", "keeper-1"};

static const char SCRIPT[] =
#include "keeper_script.inc"
    ;

/* ---- requests: KEY.c, or KEY.later until a second run asks for it ---- */

static const char REQUEST[] = ".c";
static const char LATER[] = ".later";

static void request_name(char name[OBJECT_NAME_CHARS], struct object_key key, const char *end)
{
    (void)snprintf(name, OBJECT_NAME_CHARS, "%016" PRIx64 "%016" PRIx64 "%s", key.high, key.low,
                   end);
}

static bool is_request(const char *name)
{
    const size_t length = strlen(name);
    return length > sizeof REQUEST - 1 &&
           strcmp(name + length - (sizeof REQUEST - 1), REQUEST) == 0;
}

static bool is_there(int parent, const char *folder, struct object_key key, const char *end)
{
    char name[OBJECT_NAME_CHARS];
    char path[2 * OBJECT_NAME_CHARS];
    request_name(name, key, end);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return faccessat(parent, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether there is an object, or a request that will be met without another one. */
static bool will_be(int cache, struct object_key key)
{
    int64_t seconds;
    bool found = object_cache_has(cache, key, OBJECT_CODE, &seconds) ||
                 object_cache_has(cache, key, OBJECT_MADE, &seconds) ||
                 is_there(cache, WAITING, key, REQUEST);
    for (unsigned n = 0; n < KEEPERS_MOST; n++) {
        found = found || is_there(cache, KEEPERS[n], key, REQUEST);
    }
    return found;
}

static bool is_built(struct object_key key)
{
    int64_t seconds;
    const int folder = object_cache_open_built();
    const bool found = folder >= 0 && object_cache_has(folder, key, OBJECT_CODE, &seconds);
    if (folder >= 0) {
        (void)close(folder);
    }
    return found;
}

bool keeper_awaits(struct object_key key)
{
    const int cache = object_cache_open();
    const bool found = cache >= 0 && (will_be(cache, key) || is_there(cache, WAITING, key, LATER));
    if (cache >= 0) {
        (void)close(cache);
    }
    return found || is_built(key);
}

/* A second run asks for what was to be compiled later; false: none has asked yet. */
static bool ask_again(int waiting, struct object_key key)
{
    char later[OBJECT_NAME_CHARS];
    char now[OBJECT_NAME_CHARS];
    request_name(later, key, LATER);
    request_name(now, key, REQUEST);
    return renameat(waiting, later, waiting, now) == 0;
}

static bool put(int waiting, const struct keeper_request *request)
{
    char name[OBJECT_NAME_CHARS];
    struct text head = {0};
    text_add(&head, "//%s\n//%s\n", request->options, request->compiler);
    const struct folder_part parts[] = {{head.at, head.size}, {request->text, request->size}};
    request_name(name, request->key, request->later ? LATER : REQUEST);
    object_folder_make_room(waiting, KEEPER_REQUESTS_MOST);
    const bool done = folder_write(waiting, name, parts, 2);
    free(head.at);
    return done;
}

static bool ask(int cache, const struct keeper_request *request)
{
    int64_t seconds;
    if (will_be(cache, request->key)) {
        return true;
    }
    if (object_cache_has(cache, request->key, OBJECT_TRIED, &seconds) && seconds < TRIED_SECONDS) {
        return false;
    }
    const int waiting = private_folder_open(cache, WAITING, true);
    const bool done = waiting >= 0 && (ask_again(waiting, request->key) || put(waiting, request));
    if (waiting >= 0) {
        (void)close(waiting);
    }
    return done;
}

bool keeper_ask(const struct keeper_request *request)
{
    if (strpbrk(request->compiler, "\n\\") != NULL) { /* it could not be told in a comment */
        return false;
    }
    const int cache = object_cache_open();
    const bool done = cache >= 0 && ask(cache, request);
    if (cache >= 0) {
        (void)close(cache);
    }
    return done;
}

/* ---- keepers ---- */

/* The requests in a folder. If `to` is not -1, they are moved there. */
static unsigned count_requests(int cache, const char *name, int to)
{
    const int folder = private_folder_open(cache, name, false);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);
    unsigned count = 0;
    if (list == NULL) {
        return 0;
    }
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (is_request(entry->d_name)) {
            count++;
            if (to >= 0) {
                (void)renameat(folder, entry->d_name, to, entry->d_name);
            }
        }
    }
    (void)closedir(list);
    return count;
}

static unsigned count_all(int cache)
{
    unsigned count = count_requests(cache, WAITING, -1);
    for (unsigned n = 0; n < KEEPERS_MOST; n++) {
        count += count_requests(cache, KEEPERS[n], -1);
    }
    return count;
}

/* The lock of a keeper that does not live; -1: it lives. */
static int lock_of(int keeper)
{
    const int lock = openat(keeper, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        (void)close(lock);
        return -1;
    }
    return lock;
}

/* Takes over what a keeper that does not live any more has left.  The caller has its lock, and
 * nobody relies on it. */
static void take_over(int cache, unsigned number, int keeper)
{
    const int waiting = private_folder_open(cache, WAITING, true);
    if (waiting >= 0) {
        (void)count_requests(cache, KEEPERS[number], waiting);
        (void)close(waiting);
    }
    folder_clear(keeper);
    (void)folder_write(keeper, CLOSED, NULL, 0);
}

static bool start(int cache, unsigned number, int lock)
{
    char closed[OBJECT_NAME_CHARS];
    (void)snprintf(closed, sizeof closed, "%s/%s", KEEPERS[number], CLOSED);
    (void)unlinkat(cache, closed, 0);
    const char *const arguments[] = {"sh", "-c", SCRIPT, KEEPERS[number], NULL};
    const struct host_process process = {
        .arguments = arguments, .folder = cache, .session = true, .input = -1, .kept = lock};
    pid_t child;
    if (!host_process_start(&process, &child)) {
        return false;
    }
    (void)waitpid(child, NULL, 0); /* the keeper is its child */
    return true;
}

enum look { LOOK_DONE, LOOK_AGAIN };

/* Starts as many keepers as are missing.  Again: all of them are about to end, and may not see a
 * request that has just been made. */
static enum look look(int cache)
{
    int lock[KEEPERS_MOST];
    unsigned working = 0;
    bool failed = false;
    for (unsigned n = 0; n < KEEPERS_MOST; n++) {
        const int keeper = private_folder_open(cache, KEEPERS[n], true);
        lock[n] = keeper < 0 ? -1 : lock_of(keeper);
        failed = failed || keeper < 0;
        if (lock[n] >= 0) {
            take_over(cache, n, keeper);
        } else {
            working += keeper >= 0 && faccessat(keeper, CLOSED, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
        }
        if (keeper >= 0) {
            (void)close(keeper);
        }
    }
    const unsigned waiting = count_requests(cache, WAITING, -1);
    for (unsigned n = 0; n < KEEPERS_MOST; n++) {
        if (lock[n] >= 0) {
            if (working < waiting && !failed) {
                failed = !start(cache, n, lock[n]);
                working++;
            }
            (void)close(lock[n]);
        }
    }
    return failed || working != 0 ? LOOK_DONE : LOOK_AGAIN;
}

void keeper_start(void)
{
    const int cache = object_cache_open();
    if (cache < 0) {
        return;
    }
    for (unsigned i = 0; i < LOOKS_MOST && count_all(cache) != 0 && look(cache) == LOOK_AGAIN;
         i++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_NANOSECONDS}, NULL);
    }
    (void)close(cache);
}
