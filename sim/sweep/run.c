/* run.c - see sweep.h: runs points, each in a process of its own. */
#include "sim/sweep/sweep.h"

#include "sim/file.h"
#include "sim/results/result_folder.h"
#include "sim/results/results.h"
#include "sim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the process of a point ---- */

/* Exit status of a process that has written results; any other means that it has none. */
enum { HAS_RESULTS = 0, HAS_NONE = 1 };

static int discard_output(void)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return nowhere < 0 ? -1 : dup2(nowhere, STDOUT_FILENO);
}

/* Writes the reason of a failure to the pipe. */
static int run_prepared(const struct sweep *sweep, size_t i, struct experiment *experiment,
                        int pipe)
{
    struct diagnostic diagnostic = {0};
    const enum status status = discard_output() < 0
                                   ? diagnose(&diagnostic, STATUS_INTERNAL, "cannot open /dev/null")
                                   : experiment_record(experiment, sweep->point[i].folder,
                                                       sweep->point[i].distrusted, &diagnostic);
    if (status == STATUS_OK) {
        return HAS_RESULTS;
    }
    const ssize_t ignored = write(pipe, diagnostic.text, strlen(diagnostic.text));
    (void)ignored;
    return HAS_NONE;
}

/* ---- processes at the same time ---- */

struct runner {
    struct sweep *sweep;
    int *pipe; /* of each point that runs: its reason, if it fails */
    size_t running, finished, total;
    struct diagnostic *diagnostic;
};

static void tell(const struct runner *runner)
{
    sweep_tell(runner->sweep, "sweep", runner->finished, runner->total);
}

static enum status start(struct runner *runner, size_t i)
{
    struct sweep *sweep = runner->sweep;
    RELEASED(experiment_deinit) struct experiment experiment = {.record = {0}};
    int ends[2];
    TRY(point_prepare(sweep, i, &experiment, runner->diagnostic));
    experiment.job.options.progress = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return diagnose(runner->diagnostic, STATUS_INTERNAL, "cannot make a pipe: %s",
                        strerror(errno));
    }
    (void)fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM); /* no run goes on by itself */
        _exit(run_prepared(sweep, i, &experiment, ends[1]));
    }
    const int error = errno;
    (void)close(ends[1]);
    if (process < 0) {
        (void)close(ends[0]);
        return diagnose(runner->diagnostic, STATUS_INTERNAL, "cannot start a process: %s",
                        strerror(error));
    }
    sweep->point[i].process = process;
    runner->pipe[i] = ends[0];
    runner->running++;
    return STATUS_OK;
}

/* Why a process has no results. */
static char *reason_of(int pipe, int ended)
{
    char text[DIAGNOSTIC_TEXT_CHARS];
    const ssize_t length = read(pipe, text, sizeof text - 1);
    text[length < 0 ? 0 : length] = '\0';
    if (text[0] == '\0' && WIFSIGNALED(ended)) {
        (void)snprintf(text, sizeof text, "ended by signal %d (%s)", WTERMSIG(ended),
                       strsignal(WTERMSIG(ended)));
    } else if (text[0] == '\0') {
        (void)snprintf(text, sizeof text, "ended with status %d", WEXITSTATUS(ended));
    }
    return strdup(text);
}

static enum status take_end(const struct runner *runner, size_t i, int ended, bool good)
{
    struct point *point = &runner->sweep->point[i];
    RELEASED(results_close) struct results results = {.arena = NULL};
    point->state = POINT_FAILED;
    if (good) {
        TRY(results_open(&results, point->folder, runner->diagnostic));
        return point_take_end(point, &results, runner->diagnostic);
    }
    point->message = reason_of(runner->pipe[i], ended);
    return point->message == NULL ? no_memory(runner->diagnostic) : STATUS_OK;
}

static enum status await_one(struct runner *runner)
{
    struct sweep *sweep = runner->sweep;
    int ended = 0;
    pid_t process;
    do {
        process = wait(&ended);
    } while (process < 0 && errno == EINTR);
    if (process < 0) {
        return diagnose(runner->diagnostic, STATUS_INTERNAL, "a point's process is lost: %s",
                        strerror(errno));
    }
    for (size_t i = 0; i < sweep->axes.points; i++) {
        struct point *point = &sweep->point[i];
        if (point->process != process) {
            continue;
        }
        const bool good = WIFEXITED(ended) && WEXITSTATUS(ended) == HAS_RESULTS;
        point->process = 0;
        runner->running--;
        runner->finished++;
        const enum status status = take_end(runner, i, ended, good);
        (void)close(runner->pipe[i]);
        tell(runner);
        return status;
    }
    return STATUS_OK; /* a process of somebody else: the compiler's keeper */
}

static enum status run_all(struct runner *runner)
{
    struct sweep *sweep = runner->sweep;
    for (size_t i = 0; i < sweep->axes.points; i++) {
        const struct point *point = &sweep->point[i];
        if (point->state != POINT_OPEN || point->runs_for != i) {
            continue;
        }
        while (runner->running >= sweep->request->jobs) {
            TRY(await_one(runner));
        }
        TRY(start(runner, i));
    }
    while (runner->running > 0) {
        TRY(await_one(runner));
    }
    return STATUS_OK;
}

static void stop_all(const struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->axes.points; i++) {
        if (sweep->point[i].process > 0) {
            (void)kill(sweep->point[i].process, SIGTERM);
        }
    }
}

/* Points that share a run end as it did. */
static enum status share(struct sweep *sweep, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < sweep->axes.points; i++) {
        struct point *point = &sweep->point[i];
        const struct point *run = &sweep->point[point->runs_for];
        if (run == point) {
            continue;
        }
        point->state = run->state;
        point->message = run->message == NULL ? NULL : strdup(run->message);
        if (run->message != NULL && point->message == NULL) {
            return no_memory(diagnostic);
        }
    }
    return STATUS_OK;
}

/* ---- afterwards ---- */

static enum status write_results(struct sweep *sweep, struct diagnostic *diagnostic)
{
    FREED char *path = file_print("%s/%s-sweep.csv", sweep->out, sweep->name);
    TRY(path == NULL ? no_memory(diagnostic) : sweep_write_table(sweep, path, diagnostic));
    return sweep->config.plot_x[0] == '\0' ? STATUS_OK : sweep_draw(sweep, diagnostic);
}

enum status sweep_run(struct sweep *sweep, struct diagnostic *diagnostic)
{
    TRY(sweep_plan(sweep, diagnostic));
    TRY(file_make_folder(sweep->out, diagnostic));
    result_folder_clean(sweep->out);
    FREED int *pipes = calloc(sweep->axes.points, sizeof *pipes);
    struct runner runner = {.sweep = sweep, .pipe = pipes, .diagnostic = diagnostic};
    if (pipes == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < sweep->axes.points; i++) {
        runner.total += sweep->point[i].state == POINT_OPEN && sweep->point[i].runs_for == i;
    }
    tell(&runner);
    const enum status status = run_all(&runner);
    if (status != STATUS_OK) {
        stop_all(sweep);
        return status;
    }
    TRY(share(sweep, diagnostic));
    return write_results(sweep, diagnostic);
}
