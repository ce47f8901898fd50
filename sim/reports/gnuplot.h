/* gnuplot.h - starts gnuplot, without a shell and without the user's settings, and writes text into
 * its scripts.  gnuplot executes text between backquotes, also inside double quotes; inside single
 * quotes it expands nothing. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* gnuplot executes file names that begin with '<' or '|' as commands.  It therefore runs in the
 * folder of its files and is never given a path. */
struct gnuplot_request {
    const char *folder;
    const char *script; /* a file of that folder; NULL: read `commands` */
    FILE *commands;     /* the script, read from its begin to its end */
    FILE *figure;       /* receives gnuplot's standard output; NULL: discard it */
};

/* If this gnuplot variable is defined, the script draws to standard output, not to its file. */
#define GNUPLOT_TO_OUTPUT "to_output"

/* Runs gnuplot and writes its standard output to the file `path`, which appears complete or not at
 * all.  STATUS_CONFIGURATION with a hint when gnuplot is not installed. */
enum status gnuplot_make(const char *path, struct gnuplot_request request,
                         struct diagnostic *diagnostic);

/* ---- text ---- */

enum { GNUPLOT_TEXT_BYTES = 1024 }; /* longest text; the rest is cut off */

/* Writes a text in single quotes, with quotes inside it escaped, in one line
 * (sim/results/printable.h).  All external text in a script must be written with this function or
 * gnuplot_put_tic(). */
void gnuplot_put_text(FILE *stream, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for an axis label, in which gnuplot interprets % as the start of a format. */
void gnuplot_put_tic(FILE *stream, const char *format, ...) PRINTF_LIKE(2, 3);

/* Writes the first lines of a script that draws the table NAME.csv in its folder as NAME.svg;
 * gnuplot's markup of texts is off.  `terminal` is what follows `set terminal svg`. */
void gnuplot_put_head(FILE *stream, const char *name, const char *terminal);

C_LINKAGE_END
