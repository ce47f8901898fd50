/* compile.c - see compile.h. */
#include "models/arm968/translate/compile.h"

#include "models/arm968/translate/object_cache.h"
#include "models/common/check.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FOLDER_CHARS = 256, PATH_CHARS = 512 };

/* Beside -O2 or -O0; every compiler must take them.  No flag of this processor: objects are kept.
 * Loops are fast as they are written. */
static const char *const FLAGS[] = {"-w",
                                    "-fPIC",
                                    "-shared",
                                    "-nostdlib",
                                    "-fwrapv",
                                    "-fno-strict-aliasing",
                                    "-fno-tree-vectorize",
                                    "-fno-ivopts",
                                    "-funswitch-loops",
                                    "-fno-stack-protector",
                                    "-fno-asynchronous-unwind-tables"};
enum { FLAG_COUNT = sizeof FLAGS / sizeof *FLAGS };

static bool make_folder(char folder[FOLDER_CHARS])
{
    const char *base = getenv("TMPDIR");
    const int length = snprintf(folder, FOLDER_CHARS, "%s/spinnsim-XXXXXX",
                                base != NULL && base[0] == '/' ? base : "/tmp");
    return length > 0 && length < FOLDER_CHARS && mkdtemp(folder) != NULL; /* mode 0700 */
}

/* With all that is in it: a compiler that has been ended leaves its own files behind. */
static void remove_folder(const char *folder)
{
    DIR *list = opendir(folder);
    if (list != NULL) {
        for (const struct dirent *it = readdir(list); it != NULL; it = readdir(list)) {
            (void)unlinkat(dirfd(list), it->d_name, 0);
        }
        (void)closedir(list);
    }
    (void)rmdir(folder);
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
    const char *text = bytes;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return false;
    }
    bool done = true;
    while (done && size > 0) {
        const ssize_t written = write(file, text, size);
        done = written > 0;
        if (done) {
            text += written;
            size -= (size_t)written;
        }
    }
    return (close(file) == 0) && done;
}

/* ---- the compiler ---- */

/* The environment with TMPDIR=folder, so that the compiler's files are in there, too; the array is
 * the caller's. */
static char **environment(char *temporary)
{
    static const char NAME[] = "TMPDIR=";
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **copy = malloc((count + 2) * sizeof *copy);
    CHECK(copy != NULL, "out of memory");
    size_t used = 0;
    copy[used++] = temporary;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], NAME, sizeof NAME - 1) != 0) {
            copy[used++] = environ[i];
        }
    }
    copy[used] = NULL;
    return copy;
}

static bool spawn(char *const *arguments, const char *folder, pid_t *child)
{
    char temporary[PATH_CHARS];
    (void)snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); /* a group of its own */
    (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    char **variables = environment(temporary);
    const bool spawned =
        posix_spawnp(child, arguments[0], &actions, &attributes, arguments, variables) == 0;
    free((void *)variables);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return spawned;
}

static bool wait_for(pid_t child, struct compile_process *process, double *cpu_seconds)
{
    siginfo_t info;
    int status = 0;
    struct rusage usage = {0};
    int waited;
    do { /* it stays a zombie, so that nobody else gets its number while it may be ended */
        waited = waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    } while (waited < 0 && errno == EINTR);
    (void)pthread_mutex_lock(&process->mutex);
    process->group = 0;
    (void)pthread_mutex_unlock(&process->mutex);
    if (wait4(child, &status, 0, &usage) != child) {
        return false;
    }
    static const double MICRO = 1e-6;
    *cpu_seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * MICRO +
                   (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * MICRO;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool run(char *const *arguments, const char *folder, struct compile_process *process,
                double *cpu_seconds)
{
    pid_t child = 0;
    (void)pthread_mutex_lock(&process->mutex);
    const bool spawned = !process->cancelled && spawn(arguments, folder, &child);
    process->group = spawned ? child : 0;
    (void)pthread_mutex_unlock(&process->mutex);
    return spawned && wait_for(child, process, cpu_seconds);
}

void compile_cancel(struct compile_process *process)
{
    (void)pthread_mutex_lock(&process->mutex);
    process->cancelled = true;
    if (process->group != 0) {
        (void)kill(-process->group, SIGKILL);
    }
    (void)pthread_mutex_unlock(&process->mutex);
}

/* ---- all of it ---- */

static const char *optimisation(const struct compile_request *request)
{
    return request->quick ? "-O0" : "-O2";
}

/* The loader knows objects by their names, so each is loaded from a folder of its own. */
static void *load_from_cache(const char *folder, struct object_key key)
{
    char object[PATH_CHARS];
    size_t size;
    void *handle = NULL;
    uint8_t *bytes = object_cache_read(key, OBJECT_CODE, &size);
    (void)snprintf(object, sizeof object, "%s/code.so", folder);
    if (bytes != NULL && write_file(object, bytes, size)) {
        handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    }
    free(bytes);
    return handle;
}

void *compile_load(struct object_key key)
{
    char folder[FOLDER_CHARS];
    if (!make_folder(folder)) {
        return NULL;
    }
    void *handle = load_from_cache(folder, key);
    remove_folder(folder);
    return handle;
}

/* Compiles in a folder, and loads the object. */
static void compile_in(const char *folder, const struct compile_request *request,
                       const struct object_key *key, struct compile_result *result)
{
    char source[PATH_CHARS];
    char object[PATH_CHARS];
    (void)snprintf(source, sizeof source, "%s/code.c", folder);
    (void)snprintf(object, sizeof object, "%s/code.so", folder);
    const char *arguments[FLAG_COUNT + 6] = {request->compiler, optimisation(request)};
    memcpy(arguments + 2, FLAGS, sizeof FLAGS);
    arguments[FLAG_COUNT + 2] = "-o";
    arguments[FLAG_COUNT + 3] = object;
    arguments[FLAG_COUNT + 4] = source;
    char *copies[FLAG_COUNT + 6];
    memcpy(copies, arguments, sizeof copies);
    if (write_file(source, request->text, request->size) &&
        run(copies, folder, request->process, &result->cpu_seconds)) {
        result->handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
        if (key != NULL && result->handle != NULL) {
            object_cache_store_file(*key, OBJECT_CODE, object);
        }
    }
}

/* The key of what is wanted; false when there is no compiler. */
static bool key_of(const struct compile_request *request, struct object_key *key)
{
    *key = object_key_begin();
    for (unsigned i = 0; i < FLAG_COUNT; i++) {
        object_key_add(key, FLAGS[i], strlen(FLAGS[i]));
    }
    object_key_add(key, optimisation(request), strlen(optimisation(request)));
    object_key_add(key, request->text, request->size);
    return object_key_add_program(key, request->compiler);
}

void compile(const struct compile_request *request, struct compile_result *result)
{
    *result = (struct compile_result){0};
    char folder[FOLDER_CHARS];
    result->kept = request->cached && key_of(request, &result->key);
    if (!make_folder(folder)) {
        return;
    }
    if (result->kept) {
        result->handle = load_from_cache(folder, result->key);
        result->from_cache = result->handle != NULL;
    }
    if (result->handle == NULL) {
        compile_in(folder, request, result->kept ? &result->key : NULL, result);
    }
    remove_folder(folder);
}
