/* report.h - writes the results of several runs on one page. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/reports/page.h"
#include <stddef.h>
#include <stdio.h>
C_LINKAGE_BEGIN

struct report_request {
    const char *const
        *folder; /* of runs; or folders, such as a sweep's, with those of runs in them */
    size_t folder_count;
    enum page_format format;
    const char *scripts_folder; /* as of struct plot_request; figures stand in HTML alone */
};

/* Markdown: tables.  HTML: a document in one file with the question, what differs between the runs,
 * the tables, figures, what identifies each run and how to repeat it.  STATUS_CONFIGURATION when a
 * folder holds no results; nothing is written then. */
enum status report_write(FILE *stream, const struct report_request *request,
                         struct diagnostic *diagnostic);

/* Writes time and joules per image of a run's test as means over the cores: by layer, and by phase
 * for phases without a layer. */
enum status report_phases(FILE *stream, const char *folder, struct diagnostic *diagnostic);

C_LINKAGE_END
