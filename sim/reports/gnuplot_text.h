/* gnuplot_text.h - text in a gnuplot script.  gnuplot runs what stands between backquotes, also
 * inside double quotes; inside single quotes it expands nothing. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { GNUPLOT_TEXT_BYTES = 1024 }; /* longest text; the rest is cut off */

/* Writes a text in single quotes, its own quotes between them, in one line (results/printable.h).
 * The only way by which text that is not ours comes into a script. */
void gnuplot_put_text(FILE *stream, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for a label of an axis, in which gnuplot reads % as the begin of a format. */
void gnuplot_put_tic(FILE *stream, const char *format, ...) PRINTF_LIKE(2, 3);

/* The first lines of a script that draws the table NAME.csv beside it as NAME.svg; texts stand as
 * they are.  `terminal` is what follows `set terminal svg`. */
void gnuplot_put_head(FILE *stream, const char *name, const char *terminal);

C_LINKAGE_END
