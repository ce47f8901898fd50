/* gnuplot.c - see gnuplot.h. */
#include "sim/experiment/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum status gnuplot_run(char *const *argv, struct diagnostic *diagnostic)
{
    pid_t process;
    int ended = 0;
    const int error = posix_spawnp(&process, argv[0], NULL, NULL, argv, environ);
    if (error == ENOENT) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "figures need gnuplot, which is not installed");
        diagnostic_hint(diagnostic, "apt-get install gnuplot-nox");
        return STATUS_CONFIGURATION;
    }
    if (error != 0 || waitpid(process, &ended, 0) < 0) {
        return diagnose(diagnostic, STATUS_INTERNAL, "cannot run gnuplot: %s",
                        strerror(error != 0 ? error : errno));
    }
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0) {
        return diagnose(diagnostic, STATUS_INTERNAL, "gnuplot failed");
    }
    return STATUS_OK;
}

enum status gnuplot_draw(const char *folder, const char *name,
                         const struct figure_listener *listener, struct diagnostic *diagnostic)
{
    char *load = NULL;
    char *figure = NULL;
    enum status status = STATUS_OK;
    if (asprintf(&load, "cd '%s'; load '%s.gp'", folder, name) < 0 ||
        asprintf(&figure, "%s/%s.svg", folder, name) < 0) {
        status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    } else {
        char program[] = "gnuplot";
        char option[] = "-e";
        char *const argv[] = {program, option, load, NULL};
        status = gnuplot_run(argv, diagnostic);
    }
    if (status == STATUS_OK) {
        listener->made(listener->context, figure);
    }
    free(load);
    free(figure);
    return status;
}
