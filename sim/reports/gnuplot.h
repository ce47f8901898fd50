/* gnuplot.h - starts gnuplot, without a shell and without the settings of whoever runs it; and text
 * in its scripts.  gnuplot runs what stands between backquotes, also inside double quotes; inside
 * single quotes it expands nothing. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdio.h>
C_LINKAGE_BEGIN

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

/* Draws to standard output, which appears whole under a path or not at all.  STATUS_CONFIGURATION
 * with a hint when gnuplot is not installed. */
enum status gnuplot_make(const char *path, struct gnuplot_request request,
                         struct diagnostic *diagnostic);

/* ---- text ---- */

enum { GNUPLOT_TEXT_BYTES = 1024 }; /* longest text; the rest is cut off */

/* Writes a text in single quotes, its own quotes between them, in one line
 * (sim/results/printable.h). The only way by which text that is not ours comes into a script. */
void gnuplot_put_text(FILE *stream, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for a label of an axis, in which gnuplot reads % as the begin of a format. */
void gnuplot_put_tic(FILE *stream, const char *format, ...) PRINTF_LIKE(2, 3);

/* The first lines of a script that draws the table NAME.csv beside it as NAME.svg; texts stand as
 * they are.  `terminal` is what follows `set terminal svg`. */
void gnuplot_put_head(FILE *stream, const char *name, const char *terminal);

C_LINKAGE_END
