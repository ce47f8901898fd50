/* failing_calls.c - a library for LD_PRELOAD: lets the n-th call of a kind fail, as told by the
 * environment.
 *
 *     FAIL_KIND   allocate, open, write, close, rename, make, sync or thread
 *     FAIL_AT     the number of the call that fails, from 1; 0: none
 *     FAIL_ON     1: all calls behind it fail as well (a full disk, no memory at all)
 *     FAIL_COUNT  a file to which the number of calls is written when the program ends
 *
 * Calls count from main() on: what the loader and the initialisers of libraries do is not the
 * program's.  Children of the program run without.  Streams that are opened are made of the
 * functions here, so that their writes and closes count as well. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { ALLOCATE, OPEN, WRITE, CLOSE, RENAME, MAKE, SYNC, THREAD, KINDS };

static const char *const NAMES[KINDS] = {"allocate", "open", "write", "close",
                                         "rename",   "make", "sync",  "thread"};
static const int ERRORS[KINDS] = {ENOMEM, EMFILE, ENOSPC, EIO, ENOSPC, ENOSPC, EIO, EAGAIN};

static enum kind kind = KINDS;
static unsigned long fail_at;
static bool fail_on;
static char count_file[4096];
static atomic_bool begun;
static atomic_ulong calls;

static bool fails(enum kind of)
{
    if (of != kind || !atomic_load(&begun)) {
        return false;
    }
    const unsigned long call = atomic_fetch_add(&calls, 1) + 1;
    if (call == fail_at || (fail_on && fail_at != 0 && call > fail_at)) {
        errno = ERRORS[of];
        return true;
    }
    return false;
}

/* The function of this name that would have been called. */
#define NEXT(name) ((__typeof__(&(name)))next(#name))
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* ---- the beginning and the end ---- */

static int (*real_main)(int, char **, char **);

static int begin(int argc, char **argv, char **environment)
{
    const char *name = getenv("FAIL_KIND");
    const char *at = getenv("FAIL_AT");
    const char *file = getenv("FAIL_COUNT");
    while (name != NULL && kind > 0 && strcmp(NAMES[kind - 1], name) != 0) {
        kind--;
    }
    kind = name == NULL || kind == 0 ? KINDS : (enum kind)(kind - 1);
    fail_at = at == NULL ? 0 : strtoul(at, NULL, 10);
    fail_on = getenv("FAIL_ON") != NULL;
    if (file != NULL) {
        (void)snprintf(count_file, sizeof count_file, "%s", file);
    }
    static const char *const OWN[] = {"LD_PRELOAD", "FAIL_KIND", "FAIL_AT", "FAIL_ON",
                                      "FAIL_COUNT"};
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++) {
        (void)unsetenv(OWN[i]);
    }
    atomic_store(&begun, true);
    return real_main(argc, argv, environment);
}

typedef int start(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                  void (*)(void), void *);

/* NOLINTBEGIN(readability-identifier-naming): glibc's */
int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*loader)(void), void *stack);

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*loader)(void), void *stack)
{
    real_main = program;
    return ((start *)next("__libc_start_main"))(begin, argc, argv, init, fini, loader, stack);
}
/* NOLINTEND(readability-identifier-naming) */

__attribute__((destructor)) static void end(void)
{
    atomic_store(&begun, false);
    if (count_file[0] != '\0') {
        FILE *stream = fopen(count_file, "w");
        if (stream != NULL) {
            (void)fprintf(stream, "%lu\n", atomic_load(&calls));
            (void)fclose(stream);
        }
    }
}

/* ---- memory: glibc's own names need no dlsym(), which asks for memory itself ---- */

/* NOLINTBEGIN(readability-identifier-naming) */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
/* NOLINTEND(readability-identifier-naming) */

/* Its allocator does not look at what malloc() returns. */
static bool is_systemc(const void *caller)
{
    Dl_info info;
    return kind == ALLOCATE && dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
           strstr(info.dli_fname, "libsystemc") != NULL;
}

void *malloc(size_t size)
{
    return !is_systemc(__builtin_return_address(0)) && fails(ALLOCATE) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(ALLOCATE) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(ALLOCATE) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(ALLOCATE) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = aligned_alloc(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    return fails(ALLOCATE) ? MAP_FAILED
                           : NEXT(mmap)(address, size, protection, flags, file, offset);
}

/* ---- files ---- */

ssize_t write(int file, const void *bytes, size_t size)
{
    return file > 2 && fails(WRITE) ? -1 : NEXT(write)(file, bytes, size);
}

int close(int file)
{
    const bool failing = fails(CLOSE);
    const int result = NEXT(close)(file);
    if (failing) {
        errno = EIO;
    }
    return failing ? -1 : result;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    /* The analyzer does not know va_start() here.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails(OPEN) ? -1 : NEXT(open)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    /* The analyzer does not know va_start() here.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails(OPEN) ? -1 : NEXT(openat)(folder, path, flags, mode);
}

DIR *opendir(const char *path)
{
    return fails(OPEN) ? NULL : NEXT(opendir)(path);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : NEXT(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return fails(RENAME) ? -1 : NEXT(renameat)(from_folder, from, to_folder, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    return fails(RENAME) ? -1 : NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}

int mkdir(const char *path, mode_t mode)
{
    return fails(MAKE) ? -1 : NEXT(mkdir)(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    return fails(MAKE) ? -1 : NEXT(mkdirat)(folder, path, mode);
}

char *mkdtemp(char *path)
{
    return fails(MAKE) ? NULL : NEXT(mkdtemp)(path);
}

int fsync(int file)
{
    return fails(SYNC) ? -1 : NEXT(fsync)(file);
}

int syncfs(int file)
{
    return fails(SYNC) ? -1 : NEXT(syncfs)(file);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *),
                   void *context)
{
    return fails(THREAD) ? EAGAIN : NEXT(pthread_create)(thread, attributes, work, context);
}

/* ---- streams ---- */

enum { STREAMS = 64 };
static struct stream {
    FILE *stream;
    int file;
} streams[STREAMS];
static pthread_mutex_t streams_mutex = PTHREAD_MUTEX_INITIALIZER;

static ssize_t stream_read(void *cookie, char *bytes, size_t size)
{
    return read(((struct stream *)cookie)->file, bytes, size);
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t size)
{
    const ssize_t written = write(((struct stream *)cookie)->file, bytes, size);
    return written < 0 ? 0 : written;
}

static int stream_seek(void *cookie, off64_t *at, int whence)
{
    *at = lseek(((struct stream *)cookie)->file, *at, whence);
    return *at < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
    struct stream *stream = cookie;
    const int result = close(stream->file);
    stream->stream = NULL;
    return result;
}

FILE *fdopen(int file, const char *mode)
{
    static const cookie_io_functions_t FUNCTIONS = {stream_read, stream_write, stream_seek,
                                                    stream_close};
    (void)pthread_mutex_lock(&streams_mutex);
    size_t at = 0;
    while (at < STREAMS && streams[at].stream != NULL) {
        at++;
    }
    FILE *stream = at == STREAMS ? NULL : fopencookie(&streams[at], mode, FUNCTIONS);
    if (stream != NULL) {
        streams[at] = (struct stream){stream, file};
    }
    (void)pthread_mutex_unlock(&streams_mutex);
    return stream;
}

FILE *fopen(const char *path, const char *mode)
{
    const int flags = mode[0] == 'r'   ? O_RDONLY
                      : mode[0] == 'a' ? O_WRONLY | O_CREAT | O_APPEND
                                       : O_WRONLY | O_CREAT | O_TRUNC;
    const int file = open(path, flags | O_CLOEXEC, 0666);
    FILE *stream = file < 0 ? NULL : fdopen(file, mode);
    if (stream == NULL && file >= 0) {
        (void)NEXT(close)(file);
    }
    return stream;
}

int fileno(FILE *stream)
{
    for (size_t i = 0; i < STREAMS; i++) {
        if (stream != NULL && streams[i].stream == stream) {
            return streams[i].file;
        }
    }
    return NEXT(fileno)(stream);
}
