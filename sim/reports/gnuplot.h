/* gnuplot.h - starts gnuplot, without a shell and without the settings of whoever runs it. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* Is told each figure's path. */
struct figure_listener {
    void (*made)(void *context, const char *path);
    void *context;
};

/* gnuplot takes names that begin with '<' or '|' as commands, so no path reaches it: it runs in the
 * folder where its files are. */
struct gnuplot_request {
    const char *folder;
    const char *script; /* a file of that folder, or NULL: */
    FILE *commands;     /* a file, all of it */
    FILE *figure;       /* gets what goes to standard output; NULL: nobody */
};

/* A variable that is there: the script is to draw to standard output, not to its file. */
#define GNUPLOT_TO_OUTPUT "to_output"

/* STATUS_CONFIGURATION with a hint when gnuplot is not installed. */
enum status gnuplot_run(const struct gnuplot_request *request, struct diagnostic *diagnostic);

/* Draws to standard output, which appears whole under a path or not at all, and tells of that. */
enum status gnuplot_make(const char *path, struct gnuplot_request request,
                         const struct figure_listener *listener, struct diagnostic *diagnostic);

/* Runs folder/name.gp, which draws folder/name.svg, and tells of that. */
enum status gnuplot_draw(const char *folder, const char *name,
                         const struct figure_listener *listener, struct diagnostic *diagnostic);

C_LINKAGE_END
