/* progress.h - shows the progress of a long run on standard error: a line that is rewritten in
 * place on a terminal, or one JSON object per line for programs. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/job_progress.h"
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
C_LINKAGE_BEGIN

/* In the order of the texts of --progress. */
enum progress_mode {
    PROGRESS_AUTO, /* on a terminal only */
    PROGRESS_JSON,
    PROGRESS_NONE
};

struct progress {
    enum progress_mode mode;
    struct timespec started, shown;
    bool line_open, began;
    uint64_t first; /* job_progress.done at the first report */
    uint64_t told;  /* job_progress.done when progress was last shown */
};

void progress_begin(struct progress *progress, enum progress_mode mode);

/* The callback for job_options.progress; `context` is a struct progress. */
void progress_tell(void *context, const struct job_progress *now);

/* Clears the line. */
void progress_end(struct progress *progress);

C_LINKAGE_END
