/* report.h - writes the results of several runs as a page of Markdown. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stddef.h>
#include <stdio.h>
C_LINKAGE_BEGIN

/* STATUS_CONFIGURATION when a folder holds no results; nothing is written then. */
enum status report_write(FILE *stream, const char *const *folder, size_t folder_count,
                         struct diagnostic *diagnostic);

/* Writes time and joules per image of a run's test as means over the cores: by layer, and by phase
 * for phases without a layer. */
enum status report_phases(FILE *stream, const char *folder, struct diagnostic *diagnostic);

C_LINKAGE_END
