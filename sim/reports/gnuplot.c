/* gnuplot.c - see gnuplot.h. */
#include "sim/reports/gnuplot.h"

#include "sim/file.h"
#include "sim/results/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A copy of the environment with a UTF-8 locale, for the scripts; the caller frees the array. NULL:
 * out of memory. */
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

static enum status run_script(const struct gnuplot_request *request, struct diagnostic *diagnostic)
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
                         struct diagnostic *diagnostic)
{
    struct file_writer writer;
    enum status status = file_create(&writer, path, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    request.figure = writer.stream;
    status = run_script(&request, diagnostic);
    if (status != STATUS_OK) {
        file_discard(&writer);
        return status;
    }
    return file_commit(&writer, diagnostic);
}

/* ---- text ---- */

/* gnuplot reads '' in single quotes as a quote only after another character, so quotes are written
 * as separate strings. */
static const char QUOTE[] = "'.\"'\".'";

static void put_quoted(FILE *stream, bool tic, const char *format, va_list arguments)
{
    char text[GNUPLOT_TEXT_BYTES];
    char character[PRINTABLE_BYTES];
    (void)vsnprintf(text, sizeof text, format, arguments);
    (void)fputc('\'', stream);
    for (const char *at = text; *at != '\0';) {
        /* ]]> may not stand in XML, and gnuplot's SVG has it as it is */
        const bool end = at - text >= 2 && strncmp(at - 2, "]]>", 3) == 0;
        at = printable_next(at, character);
        (void)fputs(*character == '\''         ? QUOTE
                    : *character == '%' && tic ? "%%"
                    : end                      ? PRINTABLE_REPLACEMENT
                                               : character,
                    stream);
    }
    (void)fputc('\'', stream);
}

void gnuplot_put_text(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_quoted(stream, false, format, arguments);
    va_end(arguments);
}

void gnuplot_put_tic(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_quoted(stream, true, format, arguments);
    va_end(arguments);
}

/* Names begin with "./": gnuplot takes some others as commands. */
static void put_file(FILE *stream, const char *what, const char *name, const char *suffix)
{
    (void)fputs(what, stream);
    gnuplot_put_text(stream, "./%s.%s", name, suffix);
    (void)fputc('\n', stream);
}

void gnuplot_put_head(FILE *stream, const char *name, const char *terminal)
{
    (void)fprintf(stream,
                  "# gnuplot, run in this folder, draws it again\nset encoding utf8\nset terminal "
                  "svg noenhanced %s\n",
                  terminal);
    put_file(stream, "if (!exists('" GNUPLOT_TO_OUTPUT "')) set output ", name, "svg");
    put_file(stream, "table = ", name, "csv");
    (void)fputs("set datafile separator ','\nset datafile commentschars ''\n", stream);
}
