/* compile.c - see compile.h. */
#include "models/arm968/translate/compile.h"

#include "models/arm968/translate/object_cache.h"
#include "models/arm968/translate/text.h"
#include "models/common/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FOLDER_CHARS = 256, PATH_CHARS = 512 };

/* In addition to -O2, -Og or -O0; every compiler must accept them.  No flags for this processor,
 * since objects are kept on disk.  Loops are already generated in a fast form. */
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

/* An unpredictable name. */
static bool name_folder(char folder[FOLDER_CHARS])
{
    uint64_t number[2];
    const char *base = getenv("TMPDIR");
    if (getrandom(number, sizeof number, 0) != (ssize_t)sizeof number) {
        return false;
    }
    const int length =
        snprintf(folder, FOLDER_CHARS, "%s/spinnsim-%016" PRIx64 "%016" PRIx64,
                 base != NULL && base[0] == '/' ? base : "/tmp", number[0], number[1]);
    return length > 0 && length < FOLDER_CHARS;
}

static bool write_all(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    bool done = true;
    while (done && size > 0) {
        const ssize_t written = write(file, at, size);
        done = written > 0;
        if (done) {
            at += written;
            size -= (size_t)written;
        }
    }
    return done;
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool done = file >= 0 && write_all(file, bytes, size);
    return file >= 0 && close(file) == 0 && done;
}

/* ---- the compiler ---- */

/* The environment with TMPDIR=folder, so that the compiler's files are in the folder too; the
 * caller frees the array. */
static char **environment(char *temporary)
{
    static const char NAME[] = "TMPDIR=";
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **copy = malloc((count + 2) * sizeof *copy);
    memory_need(copy);
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

/* Closes descriptors that this program may have left open to its children. */
static void close_others(posix_spawn_file_actions_t *actions)
{
#if defined __GLIBC__
#if __GLIBC_PREREQ(2, 34)
    (void)posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    return;
#endif
#endif
    (void)actions;
}

/* Starts a program in a process group (0: a new one) with this standard input (-1: none). */
static bool spawn(const char *const *arguments, char *const *variables, pid_t group, int input,
                  pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    (void)posix_spawnattr_setpgroup(&attributes, group);
    if (input < 0) {
        (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    } else {
        (void)posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    }
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    close_others(&actions);
    const bool spawned = posix_spawnp(child, arguments[0], &actions, &attributes,
                                      (char *const *)arguments, variables) == 0;
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return spawned;
}

/* The process that watches over a compiler: the leader of its process group, which reads from a
 * pipe whose only writer is this program.  This program never writes; when it ends, even if killed,
 * the pipe closes. */
struct watch {
    pid_t leader; /* 0: there is none */
    int pipe;
};

static void begin_watch(struct watch *watch, const char *folder)
{
    static const char SCRIPT[] =
        "read line; trap '' TERM; kill -TERM 0; rm -rf \"$0\"; kill -KILL 0";
    const char *const arguments[] = {"sh", "-c", SCRIPT, folder, NULL};
    int ends[2];
    *watch = (struct watch){.pipe = -1};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    if (!spawn(arguments, environ, 0, ends[0], &watch->leader)) {
        watch->leader = 0;
    }
    (void)close(ends[0]);
    watch->pipe = ends[1];
}

static void end_watch(const struct watch *watch)
{
    if (watch->leader != 0) {
        (void)kill(-watch->leader, SIGKILL); /* also processes that the compiler has left running */
        (void)waitpid(watch->leader, NULL, 0);
    }
    if (watch->pipe >= 0) {
        (void)close(watch->pipe);
    }
}

static bool wait_for(pid_t child, struct compile_process *process, double *cpu_seconds)
{
    siginfo_t info;
    int status = 0;
    struct rusage usage = {0};
    int waited;
    do { /* the child remains a zombie, so its number is not reused while it may still be killed */
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

static bool run(const char *const *arguments, const char *folder, const struct watch *watch,
                struct compile_process *process, double *cpu_seconds)
{
    char temporary[PATH_CHARS];
    (void)snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    char **variables = environment(temporary);
    pid_t child = 0;
    (void)pthread_mutex_lock(&process->mutex);
    const bool spawned =
        !process->cancelled && spawn(arguments, variables, watch->leader, -1, &child);
    process->group = !spawned ? 0 : watch->leader != 0 ? watch->leader : child;
    (void)pthread_mutex_unlock(&process->mutex);
    const bool done = spawned && wait_for(child, process, cpu_seconds);
    free((void *)variables);
    return done;
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

static const char *optimisation(enum compile_effort effort)
{
    static const char *const OPTIONS[] = {
        [COMPILE_WELL] = "-O2", [COMPILE_FAIRLY] = "-Og", [COMPILE_PLAINLY] = "-O0"};
    return OPTIONS[effort];
}

/* Whether an object was made from the text with this digest. */
static bool is_of(void *handle, const struct object_key *digest)
{
    const uint64_t *found = dlsym(handle, "spinnsim_digest");
    return found != NULL && found[0] == digest->high && found[1] == digest->low;
}

/* Loads an object, if it is the expected one. */
static void *load(const char *path, const struct object_key *digest)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL && digest != NULL && !is_of(handle, digest)) {
        (void)dlclose(handle);
        return NULL;
    }
    return handle;
}

/* A path of an open file that differs from those of all loaded files: the loader identifies objects
 * by their paths.  The file's number is encoded as one or two slashes between the parts. */
static bool path_of_file(int file, char path[PATH_CHARS])
{
    struct stat about;
    if (fstat(file, &about) != 0) {
        return false;
    }
    int length = snprintf(path, PATH_CHARS, "/proc/self/fd");
    for (unsigned bit = 0; bit < 64; bit++) {
        length += snprintf(path + length, PATH_CHARS - (size_t)length, "%s",
                           (about.st_ino >> bit & 1) != 0 ? "//." : "/.");
    }
    (void)snprintf(path + length, PATH_CHARS - (size_t)length, "/%d", file);
    return true;
}

/* Loads from memory: a program that is killed meanwhile leaves no file. */
void *compile_load(struct object_key key, const struct object_key *digest)
{
    char path[PATH_CHARS];
    size_t size;
    void *handle = NULL;
    uint8_t *bytes = object_cache_read(key, OBJECT_CODE, &size);
    const int file = bytes == NULL ? -1 : memfd_create("spinnsim", MFD_CLOEXEC);
    if (file >= 0) {
        if (write_all(file, bytes, size) && path_of_file(file, path)) {
            handle = load(path, digest);
        }
        (void)close(file);
    }
    free(bytes);
    return handle;
}

/* Compiles in a folder, and loads the object. */
static void compile_in(const char *folder, const struct watch *watch,
                       const struct compile_request *request, struct compile_result *result)
{
    char source[PATH_CHARS];
    char object[PATH_CHARS];
    (void)snprintf(source, sizeof source, "%s/code.c", folder);
    (void)snprintf(object, sizeof object, "%s/code.so", folder);
    const char *arguments[FLAG_COUNT + 6] = {request->compiler, optimisation(request->effort)};
    memcpy(arguments + 2, FLAGS, sizeof FLAGS);
    arguments[FLAG_COUNT + 2] = "-o";
    arguments[FLAG_COUNT + 3] = object;
    arguments[FLAG_COUNT + 4] = source;
    if (write_file(source, request->text, request->size) &&
        run(arguments, folder, watch, request->process, &result->cpu_seconds)) {
        result->handle = load(object, request->digest);
        if (result->kept && result->handle != NULL) {
            object_cache_store_file(result->key, OBJECT_CODE, object);
        }
    }
}

/* The key of the requested object; false if there is no compiler. */
static bool key_of(const struct compile_request *request, struct object_key *key)
{
    *key = object_key_begin();
    for (unsigned i = 0; i < FLAG_COUNT; i++) {
        object_key_add(key, FLAGS[i], strlen(FLAGS[i]));
    }
    object_key_add(key, optimisation(request->effort), strlen(optimisation(request->effort)));
    object_key_add(key, request->text, request->size);
    return object_key_add_program(key, request->compiler);
}

void compile(const struct compile_request *request, struct compile_result *result)
{
    *result = (struct compile_result){0};
    char folder[FOLDER_CHARS];
    result->kept = request->cached && key_of(request, &result->key);
    if (result->kept) {
        result->handle = compile_load(result->key, request->digest);
        result->from_cache = result->handle != NULL;
    }
    if (result->handle != NULL || !name_folder(folder)) {
        return;
    }
    struct watch watch;
    begin_watch(&watch, folder); /* from here on the watching process removes the folder */
    if (mkdir(folder, 0700) == 0) {
        compile_in(folder, &watch, request, result);
        folder_remove(AT_FDCWD, folder); /* a compiler that was killed leaves files */
    }
    end_watch(&watch);
}

/* ---- compilations that outlive this program ---- */

bool compile_prepare(struct compile_keeper *keeper, const struct compile_request *request,
                     struct object_key *key)
{
    if (!key_of(request, key)) {
        return false;
    }
    if (object_cache_awaits(*key)) {
        return true;
    }
    char *folder = keeper->folder[keeper->count];
    if (keeper->count == KEEPER_OBJECTS_MOST || !object_cache_workshop(*key, folder)) {
        return false;
    }
    char source[OBJECT_PATH_CHARS + sizeof "/code.c"];
    (void)snprintf(source, sizeof source, "%s/code.c", folder);
    if (!write_file(source, request->text, request->size)) {
        folder_remove(AT_FDCWD, folder);
        return false;
    }
    keeper->count++;
    return true;
}

void compile_leave(struct compile_keeper *keeper, const char *compiler, enum compile_effort effort)
{
    /* Each folder contains code.c; the object is moved to the name for which the folder was made.
     * The first shell ends at once, so no process has to wait for the second.  The limits in
     * seconds are those of compile.h: a compiler that hangs costs little, and not forever. */
    static const char SCRIPT[] =
        "compiler=$0 options=$1; shift; umask 077; ulimit -t 60; { for folder; do "
        "TMPDIR=$folder timeout -s KILL 300 nice -n 19 \"$compiler\" $options "
        "-o \"$folder/code.so\" \"$folder/code.c\" && "
        "mv -f \"$folder/code.so\" \"${folder%/*}/${folder##*/.}.made\"; "
        "rm -rf \"$folder\"; done; } &";
    struct text options = {0};
    text_add(&options, "%s", optimisation(effort));
    for (unsigned i = 0; i < FLAG_COUNT; i++) {
        text_add(&options, " %s", FLAGS[i]);
    }
    const char *arguments[5 + KEEPER_OBJECTS_MOST + 1] = {"sh", "-c", SCRIPT, compiler, options.at};
    for (unsigned i = 0; i < keeper->count; i++) {
        arguments[5 + i] = keeper->folder[i];
    }
    pid_t child;
    if (keeper->count != 0 && spawn(arguments, environ, 0, -1, &child)) {
        (void)waitpid(child, NULL, 0);
    } else {
        for (unsigned i = 0; i < keeper->count; i++) {
            folder_remove(AT_FDCWD, keeper->folder[i]);
        }
    }
    keeper->count = 0;
    free(options.at);
}
