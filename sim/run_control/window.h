/* window.h - a window of a training: some consecutive updates of one epoch, executed by the
 * modelled machine from the state that the training has before them.
 *
 * One command executes it.  Its first update has the command's beginning, too, and its last one the
 * end, from where the update before has marked its own end. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/session.h"
C_LINKAGE_BEGIN

struct window {
    struct plan_train_part part; /* at least one update; the small batch at an epoch's end: alone */
    const int16_t *parameters;   /* before them: a parameter block; the caller's, as the next */
    const int32_t *state;        /* nn_rule_state_words() for each place of the block */
    bool takes_state;            /* the result gets the state after them */
};

/* What a stretch of machine time has taken. */
struct window_cost {
    double seconds;
    struct energy_joules joules;
    double count[SESSION_SUMS]; /* the first sums->size */
};

struct window_result {
    struct session_sums *sums;  /* names and units of the counts; owned */
    struct window_cost *update; /* [update of the window]; owned */
    int32_t *state;             /* as that of the window; NULL: not wanted; owned */
};

/* Makes a machine, executes the window, and fills the outcome like a run, with the parameters after
 * it in outcome->trained.  STATUS_OK although a program may have failed: see outcome->end. */
enum status window_execute(const struct job *job, const struct window *window,
                           struct outcome *outcome, struct window_result *result,
                           struct diagnostic *diagnostic);
void window_result_deinit(struct window_result *result);

C_LINKAGE_END
