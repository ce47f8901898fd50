/* gnuplot.c - see gnuplot.h. */
#include "sim/reports/gnuplot.h"

#include "sim/file.h"
#include "sim/results/printable.h"
#include "sim/steps.h"

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

const char *const GNUPLOT_FORMAT_TEXT[GNUPLOT_FORMATS] = {"svg", "png", "pdf"};

/* If this gnuplot variable is defined, the script draws to standard output, not to its file. */
#define GNUPLOT_TO_OUTPUT "to_output"

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
static int connect_streams(const struct gnuplot_request *request, FILE *figure,
                           posix_spawn_file_actions_t *actions)
{
    int error = posix_spawn_file_actions_addchdir_np(actions, request->folder);
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    return error != 0 ? error
                      : posix_spawn_file_actions_adddup2(actions, fileno(figure), STDOUT_FILENO);
}

/* 0, or an error number. */
static int start(const struct gnuplot_request *request, FILE *figure, char *const *argv,
                 pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    char locale[] = "LC_ALL=C.UTF-8";
    char **variables = variables_for(locale);
    error = variables == NULL ? ENOMEM : connect_streams(request, figure, &actions);
    if (error == 0) {
        error = posix_spawnp(process, argv[0], &actions, NULL, argv, variables);
    }
    free((void *)variables);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static enum status run(const struct gnuplot_request *request, FILE *figure, char *const *argv,
                       struct diagnostic *diagnostic)
{
    pid_t process;
    int ended = 0;
    int error = start(request, figure, argv, &process);
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

static enum status run_script(const struct gnuplot_request *request, FILE *figure,
                              struct diagnostic *diagnostic)
{
    char program[] = "gnuplot";
    char defaults[] = "-d";
    char with[] = "-e";
    char *settings = NULL;
    char *script = NULL;
    enum status status = STATUS_OK;
    if (asprintf(&settings, GNUPLOT_TO_OUTPUT " = 1; format = '%s'",
                 GNUPLOT_FORMAT_TEXT[request->format]) < 0 ||
        asprintf(&script, "./%s", request->script) < 0) {
        status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    } else {
        char *const argv[] = {program, defaults, with, settings, script, NULL};
        status = run(request, figure, argv, diagnostic);
    }
    free(settings);
    free(script);
    return status;
}

enum status gnuplot_make(const char *path, struct gnuplot_request request,
                         struct diagnostic *diagnostic)
{
    struct file_writer writer;
    TRY(file_create(&writer, path, diagnostic));
    return file_finish(&writer, run_script(&request, writer.stream, diagnostic), diagnostic);
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

void gnuplot_put_head(FILE *stream, const struct gnuplot_head *head)
{
    (void)fprintf(
        stream,
        "# Run in this folder, gnuplot draws the figure again; as PDF: gnuplot -e \"format "
        "= 'pdf'\" FILE\nwidth = %.1f\nheight = %.1f\ntext_size = %.3f\n%s\n",
        head->width_mm, head->height_mm, head->text_size > 0 ? head->text_size : 1, head->style);
    /* Names begin with "./": gnuplot takes some others as commands. */
    (void)fputs("if (!exists('" GNUPLOT_TO_OUTPUT "')) set output ", stream);
    gnuplot_put_text(stream, "./%s.", head->name);
    (void)fputs(" . format\ntable = ", stream);
    gnuplot_put_text(stream, "./%s.csv", head->name);
    (void)fputs("\nset datafile separator ','\nset datafile commentschars ''\n", stream);
}
