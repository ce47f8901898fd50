/* hdf5_child.c - see hdf5_read.h: the process that reads an HDF5 file, its limits, and what is
 * taken from it. */
#include "sim/config/config_arena.h"
#include "sim/file.h"
#include "sim/import/hdf5_walk.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the process may use: half a second of CPU and one more for each 64 MiB of the file, a
 * multiple of what a whole file takes.  Seconds of the clock are many, as the host may be busy. */
enum { LEAST_CPU_US = 500000, BYTES_PER_CPU_SECOND = 1 << 26, MOST_SECONDS = 60 };
static const rlim_t MOST_BYTES = 1u << 30; /* more than the process begins with */

static const char DAMAGED_HINT[] = "the file is damaged or cut short; save the model once more";

/* ---- in the process ---- */

static void limit(enum __rlimit_resource resource, rlim_t most)
{
    struct rlimit now = {0};
    if (getrlimit(resource, &now) == 0) {
        const rlim_t least = now.rlim_max < most ? now.rlim_max : most;
        (void)setrlimit(resource, &(struct rlimit){least, least});
    }
}

/* The bytes of its address space: the first number of the file is in pages. */
static rlim_t size_now(void)
{
    char text[64] = "";
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        (void)fread(text, 1, sizeof text - 1, file);
        (void)fclose(file);
    }
    return (rlim_t)strtoul(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Signals end the process, whatever this program does about them; nothing is printed. */
static void become_reader(size_t size)
{
    sigset_t none;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 1; i < NSIG; i++) {
        (void)signal(i, SIG_DFL);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)alarm(MOST_SECONDS);
    const time_t seconds = (time_t)(size / BYTES_PER_CPU_SECOND);
    (void)setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {seconds, LEAST_CPU_US}}, NULL);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = STDIN_FILENO; nowhere >= 0 && i <= STDERR_FILENO; i++) {
        (void)dup2(nowhere, i);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_AS, size_now() + MOST_BYTES);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, 0);
}

/* ---- here ---- */

struct reading {
    struct model *model;
    struct hdf5_content *content;
    size_t texts, values_left; /* texts: at most */
    struct diagnostic *diagnostic;
    int pipe;
    pid_t process;
};

static void end(struct reading *reading)
{
    if (reading->pipe >= 0) {
        (void)close(reading->pipe);
    }
    if (reading->process > 0) {
        (void)kill(reading->process, SIGKILL);
        while (waitpid(reading->process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}

/* False at the end of the pipe. */
static bool take(const struct reading *reading, void *bytes, size_t size)
{
    uint8_t *at = bytes;
    while (size > 0) {
        const ssize_t got = read(reading->pipe, at, size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static enum status refuse(const struct reading *reading, const char *why)
{
    return file_refuse(reading->model->path, DAMAGED_HINT, reading->diagnostic,
                       "the HDF5 library %s", why);
}

/* The process has ended without a last record. */
static enum status refuse_end(struct reading *reading)
{
    int ended = 0;
    while (waitpid(reading->process, &ended, 0) < 0 && errno == EINTR) {
    }
    reading->process = 0;
    const int signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    const char *why = signal == SIGPROF || signal == SIGALRM || signal == SIGKILL
                          ? "needs more time than a model takes"
                          : "fails in this file";
    return refuse(reading, why);
}

/* Nothing that comes from that process is believed. */
static bool is_sound(const struct reading *reading, const struct hdf5_record *record)
{
    uint64_t count = 1;
    if (record->kind > HDF5_REFUSAL || record->name_bytes > HDF5_MOST_PATH_CHARS ||
        record->rank > MODEL_MOST_RANK) {
        return false;
    }
    if (record->kind != HDF5_ARRAY) {
        return record->bytes <= HDF5_MOST_TEXT_BYTES &&
               (record->kind != HDF5_TEXT || reading->content->text_count < reading->texts);
    }
    for (unsigned i = 0; i < record->rank; i++) {
        if (record->shape[i] > MODEL_MOST_VALUES || count * record->shape[i] > MODEL_MOST_VALUES) {
            return false;
        }
        count *= record->shape[i];
    }
    return count <= reading->values_left && record->bytes == count * sizeof(double) &&
           reading->content->array_count < HDF5_MOST_ARRAYS;
}

static void keep_array(struct reading *reading, const struct hdf5_record *record, const char *name,
                       const double *value)
{
    struct hdf5_array *array = &reading->content->array[reading->content->array_count++];
    *array = (struct hdf5_array){
        .path = name, .rank = record->rank, .count = record->bytes / sizeof *value, .value = value};
    for (unsigned i = 0; i < record->rank; i++) {
        array->shape[i] = (int64_t)record->shape[i];
    }
    reading->values_left -= array->count;
}

/* Takes one record; *kind HDF5_END: it was the last. */
static enum status take_record(struct reading *reading, enum hdf5_kind *kind)
{
    struct hdf5_record record;
    char name[HDF5_MOST_PATH_CHARS];
    struct hdf5_content *content = reading->content;
    if (!take(reading, &record, sizeof record)) {
        return refuse_end(reading);
    }
    if (!is_sound(reading, &record)) { /* it waits to send more: end() ends it */
        return refuse(reading, "finds what no model has");
    }
    if (!take(reading, name, record.name_bytes)) {
        return refuse_end(reading);
    }
    *kind = record.kind;
    const char *own = model_text(reading->model, name, record.name_bytes);
    char *bytes = config_arena_take(reading->model->arena, record.bytes + 1);
    if (own == NULL) {
        return refuse(reading, "finds a name with control characters");
    }
    if (!take(reading, bytes, record.bytes)) {
        return refuse_end(reading);
    }
    switch (*kind) {
    case HDF5_TEXT:
        content->text[content->text_count++] = (struct hdf5_text){own, bytes, record.bytes};
        return STATUS_OK;
    case HDF5_ARRAY:
        keep_array(reading, &record, own, (const double *)(const void *)bytes);
        return STATUS_OK;
    case HDF5_REFUSAL:
        (void)file_refuse(reading->model->path, DAMAGED_HINT, reading->diagnostic, "%s%s%s", own,
                          own[0] == '\0' ? "" : " ", bytes);
        return STATUS_CONFIGURATION;
    case HDF5_END:
        break;
    }
    return STATUS_OK;
}

static enum status start(struct reading *reading, const uint8_t *bytes, size_t size,
                         const struct hdf5_wanted *wanted)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return diagnose(reading->diagnostic, STATUS_INTERNAL, "cannot make a pipe: %s",
                        strerror(errno));
    }
    reading->pipe = ends[0];
    (void)fflush(NULL);
    reading->process = fork();
    if (reading->process == 0) {
        become_reader(size);
        hdf5_walk(bytes, size, wanted, ends[1]);
        _exit(0);
    }
    const int error = errno;
    (void)close(ends[1]);
    return reading->process > 0 ? STATUS_OK
                                : diagnose(reading->diagnostic, STATUS_INTERNAL,
                                           "cannot start a process: %s", strerror(error));
}

enum status hdf5_read(struct model *model, const uint8_t *bytes, size_t size,
                      const struct hdf5_wanted *wanted, struct hdf5_content *content,
                      struct diagnostic *diagnostic)
{
    RELEASED(end)
    struct reading reading = {.model = model,
                              .content = content,
                              .values_left = MODEL_MOST_VALUES,
                              .diagnostic = diagnostic,
                              .pipe = -1};
    while (wanted->attribute[reading.texts] != NULL) {
        reading.texts++;
    }
    *content = (struct hdf5_content){
        .text = config_arena_take(model->arena, (reading.texts + 1) * sizeof *content->text),
        .array = config_arena_take(model->arena, HDF5_MOST_ARRAYS * sizeof *content->array)};
    TRY(start(&reading, bytes, size, wanted));
    enum hdf5_kind kind = HDF5_TEXT;
    while (kind != HDF5_END) {
        TRY(take_record(&reading, &kind));
    }
    return STATUS_OK;
}
