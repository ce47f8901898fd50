/* message.c - see message.h. */
#include "sim/cli/message.h"

#include "sim/cli/command.h"
#include "sim/results/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put(const char *before, const char *text, const char *behind)
{
    (void)fputs(before, stderr);
    printable_put(stderr, text);
    (void)fputs(behind, stderr);
}

static void tell(const char *what, const struct diagnostic *diagnostic)
{
    (void)fprintf(stderr, "spinnsim: %s", what);
    if (diagnostic->file[0] != '\0') {
        put("", diagnostic->file, ":");
        if (diagnostic->line > 0) {
            (void)fprintf(stderr, "%d:", diagnostic->line);
        }
        if (diagnostic->line > 0 && diagnostic->column > 0) {
            (void)fprintf(stderr, "%d:", diagnostic->column);
        }
        (void)fputc(' ', stderr);
    }
    if (diagnostic->key[0] != '\0') {
        put("", diagnostic->key, ": ");
    }
    put("", diagnostic->text, "\n");
    if (diagnostic->hint[0] != '\0') {
        put("    hint: ", diagnostic->hint, "\n");
    }
}

int message_error(enum status status, const struct diagnostic *diagnostic)
{
    static const struct diagnostic NO_MEMORY = {.text = "out of memory"};
    if (status != STATUS_OK) { /* only a failed allocation leaves an empty diagnostic */
        tell("", diagnostic->text[0] != '\0' ? diagnostic : &NO_MEMORY);
    }
    return status_exit_code(status);
}

void message_warning(const struct diagnostic *diagnostic)
{
    tell("warning: ", diagnostic);
}

int message_own_status(enum status status)
{
    return argp_err_exit_status - EXIT_USAGE + status_exit_code(status);
}

/* ---- streams ---- */

static void close_output(void)
{
    const bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed) {
        return;
    }
    (void)fprintf(stderr, "spinnsim: standard output: cannot write%s%s\n", errno != 0 ? ": " : "",
                  errno != 0 ? strerror(errno) : "");
    _exit(message_own_status(STATUS_INTERNAL));
}

void streams_begin(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) < 0) { /* opened in the wrong direction, so that reads and writes
                                           fail as on a closed stream */
            (void)open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
    (void)atexit(close_output);
}
