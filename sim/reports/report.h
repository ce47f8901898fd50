/* report.h - results of several runs on one page of Markdown. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stddef.h>
#include <stdio.h>
C_LINKAGE_BEGIN

/* STATUS_CONFIGURATION when a folder holds no results; nothing has been written then. */
enum status report_write(FILE *stream, const char *const *folder, size_t folder_count,
                         struct diagnostic *diagnostic);

/* Where the time and the joules of a run's test went, for one image: mean of the cores, by layer
 * or, where none is at work, by phase. */
enum status report_phases(FILE *stream, const char *folder, struct diagnostic *diagnostic);

C_LINKAGE_END
