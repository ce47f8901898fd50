/* report_parts.h - the parts of a report, each in a file of its own. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/reports/report.h"
#include "sim/reports/run_folders.h"
#include "sim/results/results.h"
C_LINKAGE_BEGIN

/* How many keys may differ between runs that are taken for points of a sweep. */
enum { REPORT_AXES_MOST = 4 };

/* The runs of a report.  Keys of the configuration that differ between them, in the order of the
 * configuration. */
struct report_runs {
    struct run_folders folders;
    struct results_list list;
    size_t count;
    struct results *results; /* of the list, in the order of the report */
    const char **differing;  /* owned; the names are the results' */
    size_t differing_count, differing_room;
};

/* Folders that are no runs stand for those in them, ordered by what differs.  Close after an error,
 * too. */
enum status report_runs_open(struct report_runs *runs, const struct report_request *request,
                             struct diagnostic *diagnostic);
void report_runs_close(struct report_runs *runs);

/* The value of a key of the configuration as written; NULL: the run has none. */
const char *report_configured(const struct results *results, const char *key);

/* Whether this is a number of all runs that have it (a run that has failed may not), and not the
 * same in all. */
bool report_varies(const struct report_runs *runs, const char *key);

/* A table's first cell of a run. */
void report_name_cell(const struct page *page, const struct report_runs *runs, size_t run);

/* The summary at the head of the page: how many runs ended how, and from where to where results
 * go. */
void report_summary(const struct page *page, const struct report_runs *runs);
void report_tables(const struct page *page, const struct report_runs *runs);
void report_figures(const struct page *page, const struct report_runs *runs,
                    const char *scripts_folder);

C_LINKAGE_END
