/* result_of.h - a result folder of the user, or of an experiment that is run for it. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/job.h"
C_LINKAGE_BEGIN

struct result_of {
    char *folder;    /* owned */
    char *temporary; /* the folder that goes with it; owned; NULL: it is the user's */
};

/* `what` ends in .yaml: runs that experiment into a temporary folder; else it is a result folder.
 * Errors of the experiment and of its run are passed on; results outside `accept` are none. */
enum status result_of_take(struct result_of *result, const char *what, const char *configs_folder,
                           const struct job_options *options, struct diagnostic *diagnostic);

/* Removes what was made. */
void result_of_release(struct result_of *result);

C_LINKAGE_END
