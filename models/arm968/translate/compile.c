/* compile.c - see compile.h. */
#include "models/arm968/translate/compile.h"

#include "models/arm968/translate/host_process.h"
#include "models/arm968/translate/keeper.h"
#include "models/arm968/translate/object_cache.h"
#include "models/arm968/translate/text.h"
#include "models/common/trusted_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
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

enum { PATH_CHARS = 512, NAME_CHARS = 64 };

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

/* ---- the compiler ---- */

/* The process that watches over a compiler: the leader of its process group, which reads from a
 * pipe whose only writer is this program.  This program never writes; when it ends, even if killed,
 * the pipe closes. */
struct watch {
    pid_t leader; /* 0: there is none */
    int pipe;
};

/* Watches over a compiler that will work in a folder of this name in an open one. */
static void begin_watch(struct watch *watch, int parent, const char *name)
{
    static const char SCRIPT[] =
        "read line; trap '' TERM; kill -TERM 0; rm -rf \"$0\"; kill -KILL 0";
    const char *const arguments[] = {"sh", "-c", SCRIPT, name, NULL};
    int ends[2];
    *watch = (struct watch){.pipe = -1};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    const struct host_process process = {
        .arguments = arguments, .folder = parent, .input = ends[0], .kept = -1};
    if (!host_process_start(&process, &watch->leader)) {
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

static bool run(const char *const *arguments, int folder, const struct watch *watch,
                struct compile_process *process, double *cpu_seconds)
{
    const struct host_process host = {.arguments = arguments,
                                      .folder = folder,
                                      .temporary = ".",
                                      .group = watch->leader,
                                      .input = -1,
                                      .kept = -1};
    pid_t child = 0;
    (void)pthread_mutex_lock(&process->mutex);
    const bool spawned = !process->cancelled && host_process_start(&host, &child);
    process->group = !spawned ? 0 : watch->leader != 0 ? watch->leader : child;
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

/* Loads the bytes of an object from memory: a program that is killed meanwhile leaves no file. */
static void *load_bytes(const uint8_t *bytes, size_t size, const struct object_key *digest)
{
    char path[PATH_CHARS];
    void *handle = NULL;
    const int file = memfd_create("spinnsim", MFD_CLOEXEC);
    if (file >= 0) {
        if (write_all(file, bytes, size) && path_of_file(file, path)) {
            handle = load(path, digest);
        }
        (void)close(file);
    }
    return handle;
}

void *compile_load(struct object_key key, const struct object_key *digest)
{
    size_t size;
    uint8_t *bytes = object_cache_read(key, OBJECT_CODE, &size);
    void *handle = bytes == NULL ? NULL : load_bytes(bytes, size, digest);
    free(bytes);
    return handle;
}

/* ---- a run of the compiler ---- */

static const char SOURCE[] = "code.c";
static const char OBJECT[] = "code.so";

/* The bytes of the object that a compiler has left in an open folder; NULL: there is none. */
static uint8_t *read_made(int folder, size_t *size)
{
    const int file = openat(folder, OBJECT, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    uint8_t *bytes = file < 0 ? NULL : object_file_read(file, size);
    if (file >= 0) {
        (void)close(file);
    }
    return bytes;
}

/* Compiles in an open folder, and loads the object. */
static void compile_in(int folder, const char *compiler, const struct watch *watch,
                       const struct compile_request *request, struct compile_result *result)
{
    const char *arguments[FLAG_COUNT + 6] = {compiler, optimisation(request->effort)};
    memcpy(arguments + 2, FLAGS, sizeof FLAGS);
    arguments[FLAG_COUNT + 2] = "-o";
    arguments[FLAG_COUNT + 3] = OBJECT;
    arguments[FLAG_COUNT + 4] = SOURCE;
    size_t size;
    const struct folder_part text = {request->text, request->size};
    uint8_t *bytes = folder_write(folder, SOURCE, &text, 1) &&
                             run(arguments, folder, watch, request->process, &result->cpu_seconds)
                         ? read_made(folder, &size)
                         : NULL;
    if (bytes != NULL) {
        result->handle = load_bytes(bytes, size, request->digest);
        if (result->kept && result->handle != NULL) {
            object_cache_store(result->key, OBJECT_CODE, bytes, size);
        }
    }
    free(bytes);
}

/* Compiles in a new folder in an open one, under a name that nobody can guess. */
static void compile_below(int parent, const char *compiler, const struct compile_request *request,
                          struct compile_result *result)
{
    uint64_t number[2];
    char name[NAME_CHARS];
    if (getrandom(number, sizeof number, 0) != (ssize_t)sizeof number) {
        return;
    }
    (void)snprintf(name, sizeof name, "spinnsim-%016" PRIx64 "%016" PRIx64, number[0], number[1]);
    struct watch watch;
    begin_watch(&watch, parent, name); /* from here on the watching process removes the folder */
    const int folder = private_folder_open(parent, name, true);
    if (folder >= 0) {
        compile_in(folder, compiler, &watch, request, result);
        (void)close(folder);
        folder_remove(parent, name); /* a compiler that was killed leaves files */
    }
    end_watch(&watch);
}

/* The key of an object that the compiler at a path is to make; false: there is no compiler. */
static bool key_of(const struct compile_request *request, const char *compiler,
                   struct object_key *key)
{
    *key = object_key_begin();
    for (unsigned i = 0; i < FLAG_COUNT; i++) {
        object_key_add(key, FLAGS[i], strlen(FLAGS[i]));
    }
    object_key_add(key, optimisation(request->effort), strlen(optimisation(request->effort)));
    object_key_add(key, request->text, request->size);
    return object_key_add_program(key, compiler);
}

void compile(const struct compile_request *request, struct compile_result *result)
{
    char compiler[HOST_PATH_CHARS];
    *result = (struct compile_result){0};
    if (!host_program_find(request->compiler, compiler)) {
        return;
    }
    result->kept = request->cached && key_of(request, compiler, &result->key);
    if (result->kept) {
        result->handle = compile_load(result->key, request->digest);
        result->from_cache = result->handle != NULL;
    }
    if (result->handle == NULL) {
        const char *place = getenv("TMPDIR");
        const int parent =
            trusted_folder_open(place != NULL && place[0] == '/' ? place : "/tmp", 0);
        if (parent >= 0) {
            compile_below(parent, compiler, request, result);
            (void)close(parent);
        }
    }
}

bool compile_later(const struct compile_request *request, bool hurry, struct object_key *key)
{
    char compiler[HOST_PATH_CHARS];
    if (!host_program_find(request->compiler, compiler) || !key_of(request, compiler, key)) {
        return false;
    }
    struct text options = {0};
    text_add(&options, "%s", optimisation(request->effort));
    for (unsigned i = 0; i < FLAG_COUNT; i++) {
        text_add(&options, " %s", FLAGS[i]);
    }
    const struct keeper_request kept = {.compiler = compiler,
                                        .options = options.at,
                                        .text = request->text,
                                        .size = request->size,
                                        .key = *key,
                                        .later = !hurry};
    const bool asked = keeper_ask(&kept);
    free(options.at);
    return asked;
}
