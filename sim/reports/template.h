/* template.h - fills the placeholders of a page from result folders and recorded tables:
 *     {{RUN:KEY}}                    the text of a key (run_values.h)
 *     {{EXPRESSION; ... | FORMAT}}   numbers (expression.h)
 *     {{report RUN RUN}}             the tables of `spinnsim report`
 *     {{phases RUN}}                 time and joules of the test by phase (report_phases())
 *     {{text FILE}}                  the content of a file in the folder of the runs
 *     {{rows FILE [COLUMN=VALUE ...]}} ... {{end}}
 *                                    repeated for each row of a table in that folder that has these
 *                                    values; names are its columns, and an empty cell shows "-" */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct template_request {
    const char *file;
    const char *runs; /* the folder with the result folders and tables */
};

/* STATUS_CONFIGURATION with file and line of a placeholder that cannot be filled; the page is then
 * incomplete. */
enum status template_fill(FILE *stream, const struct template_request *request,
                          struct diagnostic *diagnostic);

C_LINKAGE_END
