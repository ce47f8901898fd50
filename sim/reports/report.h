/* report.h - results of several runs on one page of Markdown. */
#ifndef SIM_REPORTS_REPORT_H
#define SIM_REPORTS_REPORT_H
#include "models/common/status.h"
#include <stddef.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

/* STATUS_CONFIGURATION when a folder holds no results; nothing has been written then. */
enum status report_write(FILE *stream, const char *const *folder, size_t folder_count,
                         struct diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif
#endif
