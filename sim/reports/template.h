/* template.h - a page with places that are filled from result folders and recorded tables:
 *     {{RUN:KEY}}                    the text of a key (run_values.h)
 *     {{EXPRESSION; ... | FORMAT}}   numbers (expression.h)
 *     {{report RUN RUN}}             the tables of `spinnsim report`
 *     {{phases RUN}}                 where the test's time and joules went
 *     {{text FILE}}                  a file of the folder of the runs
 *     {{rows FILE [COLUMN=VALUE]}} ... {{end}}
 *                                    for each row of a table; names are then its columns */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct template_request {
    const char *file;
    const char *runs; /* the folder in which result folders lie; FILEs of rows are the caller's */
};

/* STATUS_CONFIGURATION with file and line of a place that cannot be filled; the page is then not
 * whole. */
enum status template_fill(FILE *stream, const struct template_request *request,
                          struct diagnostic *diagnostic);

C_LINKAGE_END
