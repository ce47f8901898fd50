/* gnuplot.c - see gnuplot.h. */
#include "sim/reports/gnuplot.h"

#include "sim/file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The environment with a locale of UTF-8, as the scripts are; the array is the caller's.  NULL: no
 * memory. */
static char **variables_for(char *locale)
{
    static const char NAME[] = "LC_ALL=";
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **variables = calloc(count + 2, sizeof *variables);
    size_t used = 0;
    for (size_t i = 0; variables != NULL && i < count; i++) {
        if (strncmp(environ[i], NAME, sizeof NAME - 1) != 0) {
            variables[used++] = environ[i];
        }
    }
    if (variables != NULL) {
        variables[used] = locale;
    }
    return variables;
}

/* 0, or an error number. */
static int connect_streams(const struct gnuplot_request *request,
                           posix_spawn_file_actions_t *actions)
{
    static const char NOTHING[] = "/dev/null";
    int error = posix_spawn_file_actions_addchdir_np(actions, request->folder);
    if (error == 0) {
        error =
            request->commands != NULL
                ? posix_spawn_file_actions_adddup2(actions, fileno(request->commands), STDIN_FILENO)
                : posix_spawn_file_actions_addopen(actions, STDIN_FILENO, NOTHING, O_RDONLY, 0);
    }
    if (error == 0) {
        error =
            request->figure != NULL
                ? posix_spawn_file_actions_adddup2(actions, fileno(request->figure), STDOUT_FILENO)
                : posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, NOTHING, O_WRONLY, 0);
    }
    return error;
}

/* 0, or an error number. */
static int start(const struct gnuplot_request *request, char *const *argv, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    char locale[] = "LC_ALL=C.UTF-8";
    char **variables = variables_for(locale);
    error = variables == NULL ? ENOMEM : connect_streams(request, &actions);
    if (error == 0) {
        error = posix_spawnp(process, argv[0], &actions, NULL, argv, variables);
    }
    free((void *)variables);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static enum status run(const struct gnuplot_request *request, char *const *argv,
                       struct diagnostic *diagnostic)
{
    pid_t process;
    int ended = 0;
    int error = start(request, argv, &process);
    if (error == ENOENT) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "figures need gnuplot, which is not installed");
        diagnostic_hint(diagnostic, "apt-get install gnuplot-nox");
        return STATUS_CONFIGURATION;
    }
    while (error == 0 && waitpid(process, &ended, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    if (error != 0) {
        return diagnose(diagnostic, STATUS_INTERNAL, "cannot run gnuplot: %s", strerror(error));
    }
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0) {
        return diagnose(diagnostic, STATUS_INTERNAL, "gnuplot failed");
    }
    return STATUS_OK;
}

enum status gnuplot_run(const struct gnuplot_request *request, struct diagnostic *diagnostic)
{
    char program[] = "gnuplot";
    char defaults[] = "-d";
    char with[] = "-e";
    char to_output[] = GNUPLOT_TO_OUTPUT " = 1";
    char *script = NULL;
    const bool from_file = request->script != NULL;
    if (asprintf(&script, "%s%s", from_file ? "./" : "/dev/stdin",
                 from_file ? request->script : "") < 0) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    char *const argv[] = {program, defaults, with, to_output, script, NULL};
    const enum status status = run(request, argv, diagnostic);
    free(script);
    return status;
}

enum status gnuplot_make(const char *path, struct gnuplot_request request,
                         const struct figure_listener *listener, struct diagnostic *diagnostic)
{
    struct file_writer writer;
    enum status status = file_create(&writer, path, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    request.figure = writer.stream;
    status = gnuplot_run(&request, diagnostic);
    if (status != STATUS_OK) {
        file_discard(&writer);
        return status;
    }
    status = file_commit(&writer, diagnostic);
    if (status == STATUS_OK) {
        listener->made(listener->context, path);
    }
    return status;
}

enum status gnuplot_draw(const char *folder, const char *name,
                         const struct figure_listener *listener, struct diagnostic *diagnostic)
{
    char *script = NULL;
    char *figure = NULL;
    enum status status = STATUS_OK;
    if (asprintf(&script, "%s.gp", name) < 0) {
        script = NULL;
        status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    } else if (asprintf(&figure, "%s/%s.svg", folder, name) < 0) {
        figure = NULL;
        status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    } else {
        const struct gnuplot_request request = {.folder = folder, .script = script};
        status = gnuplot_make(figure, request, listener, diagnostic);
    }
    free(script);
    free(figure);
    return status;
}
