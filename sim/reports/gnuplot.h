/* gnuplot.h - starts gnuplot, without a shell and without the user's settings, and writes text into
 * its scripts.  gnuplot executes text between backquotes, also inside double quotes; inside single
 * quotes it expands nothing. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* Formats of figures. */
enum gnuplot_format { GNUPLOT_SVG, GNUPLOT_PNG, GNUPLOT_PDF, GNUPLOT_FORMATS };
extern const char
    *const GNUPLOT_FORMAT_TEXT[GNUPLOT_FORMATS]; /* "svg" ...: also endings of files */

/* Runs the script `script`, a file of `folder`, and writes what it draws to the file `path`, which
 * appears complete or not at all.  gnuplot executes file names that begin with '<' or '|' as
 * commands; therefore it runs in the folder of its files and is never given a path.
 * STATUS_CONFIGURATION with a hint when gnuplot is not installed. */
struct gnuplot_request {
    const char *folder, *script;
    enum gnuplot_format format;
};
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

/* Writes the first lines of a script that draws the table NAME.csv in its folder as NAME.svg, or in
 * the format that the caller of gnuplot defines: its size, and the style of all figures. */
struct gnuplot_head {
    const char *name, *style; /* style: the text of scripts/plot/style.gp */
    double width_mm, height_mm;
    double text_size; /* in units of the style's 9 pt; 0: 1 */
};
void gnuplot_put_head(FILE *stream, const struct gnuplot_head *head);

C_LINKAGE_END
