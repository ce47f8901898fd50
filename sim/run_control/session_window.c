/* session_window.c - see window.h. */
#include "sim/run_control/window.h"

#include "models/common/units.h"
#include "sim/steps.h"

#include <stdlib.h>

/* What the machine has counted, and the joules since the first command. */
struct look {
    struct session_sums sums;
    struct energy_joules joules;
};

static enum status look_at(const struct session *session, struct look *look,
                           struct diagnostic *diagnostic)
{
    look->joules = session->joules;
    return session_sum(session, &look->sums, diagnostic);
}

/* Kinds of counters are never fewer than before: those that are new were 0. */
static struct window_cost cost_between(const struct look *before, const struct look *after)
{
    struct window_cost cost = {.seconds = (double)(after->sums.time_ps - before->sums.time_ps) /
                                          (double)PS_PER_S,
                               .joules = {after->joules.low - before->joules.low,
                                          after->joules.value - before->joules.value,
                                          after->joules.high - before->joules.high}};
    for (size_t i = 0; i < after->sums.size; i++) {
        const uint64_t earlier = i < before->sums.size ? before->sums.count[i].value : 0;
        cost.count[i] = (double)(after->sums.count[i].value - earlier);
    }
    return cost;
}

/* Executes some updates of the window.  look[0] is taken before, look[1] after. */
static enum status fit(struct session *session, struct plan_train_part part, struct look *look,
                       struct window_cost *cost, struct diagnostic *diagnostic)
{
    TRY(look_at(session, &look[0], diagnostic));
    TRY(session_fit_part(session, part, diagnostic));
    TRY(look_at(session, &look[1], diagnostic));
    *cost = cost_between(&look[0], &look[1]);
    return STATUS_OK;
}

static enum status place(const struct session *session, struct plan_train_part part,
                         struct diagnostic *diagnostic)
{
    const enum status status = plan_train_place_part(&session->plan, session->machine, part);
    return status == STATUS_OK
               ? status
               : diagnose(diagnostic, status, "the machine's memory takes no images");
}

static enum status fit_window(struct session *session, struct plan_train_part part,
                              struct look *look, struct window_result *result,
                              struct diagnostic *diagnostic)
{
    const struct plan_train_part first = {part.first, 1};
    const struct plan_train_part others = {part.first + 1, part.updates - 1};
    TRY(place(session, first, diagnostic));
    TRY(session_train_begin(session, diagnostic));
    TRY(fit(session, first, look, &result->first, diagnostic));
    if (session->goes_on && others.updates > 0) {
        TRY(place(session, others, diagnostic));
        TRY(fit(session, others, look, &result->others, diagnostic));
    }
    TRY(session_train_end(session, diagnostic));
    return session_take_down(session, session->stop, diagnostic);
}

static enum status execute(struct session *session, const struct window *window,
                           struct window_result *result, struct diagnostic *diagnostic)
{
    struct look *look = calloc(2, sizeof *look);
    result->sums = calloc(1, sizeof *result->sums);
    enum status status = look == NULL || result->sums == NULL ? no_memory(diagnostic) : STATUS_OK;
    if (status == STATUS_OK) {
        status = fit_window(session, window->part, look, result, diagnostic);
    }
    if (status == STATUS_OK) {
        *result->sums = look[1].sums;
    }
    free(look);
    return status;
}

enum status window_execute(const struct job *job, const struct window *window,
                           struct outcome *outcome, struct window_result *result,
                           struct diagnostic *diagnostic)
{
    struct session session;
    struct job part = *job; /* resumes from the window's state; owns nothing */
    part.resumes = true;
    part.checkpoint = (struct checkpoint){.parameters = (int16_t *)window->parameters,
                                          .state = (int32_t *)window->state};
    part.options.progress = NULL;
    part.options.run_until = job_run_plain; /* a simulation kernel has one machine */
    *result = (struct window_result){.sums = NULL};
    TRY(session_open(&session, &part, outcome, diagnostic));
    const enum status status = execute(&session, window, result, diagnostic);
    session_close(&session);
    if (status != STATUS_OK) {
        window_result_deinit(result);
    }
    return status;
}

void window_result_deinit(struct window_result *result)
{
    free(result->sums);
    result->sums = NULL;
}
