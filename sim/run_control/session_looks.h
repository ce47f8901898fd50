/* session_looks.h - where a command of a window is cut into its updates.  Private to
 * sim/run_control. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/session.h"
#include "sim/run_control/window.h"
C_LINKAGE_BEGIN

/* What the machine has counted, and its joules. */
struct look {
    struct session_sums sums;
    struct energy_joules joules;
};

/* A command is cut into its updates by looks: each at the machine's first stop after an update's
 * end, as the first core marks it.  The time from the end to the stop is charged at the mean rates
 * of the update. */
struct window_looks {
    struct look begin, last, now;
    struct window_cost *at; /* [update]: from the command's begin to the update's end; owned */
    uint32_t count, most;   /* updates that have ended; all of the command */
    enum status status;
    struct diagnostic *diagnostic;
};

void looks_destroy(struct window_looks **looks);

/* Looks at the machine now. */
enum status look_at(const struct session *session, struct look *look,
                    struct diagnostic *diagnostic);

/* What has been counted from one look to a later one. */
struct window_cost cost_between(const struct look *before, const struct look *after);

C_LINKAGE_END
