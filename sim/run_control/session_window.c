/* session_window.c - see window.h. */
#include "sim/run_control/window.h"

#include "sim/run_control/session_looks.h"
#include "sim/steps.h"

#include <stdlib.h>

static struct window_cost cost_minus(struct window_cost a, const struct window_cost *b)
{
    a.seconds -= b->seconds;
    a.joules.low -= b->joules.low;
    a.joules.value -= b->joules.value;
    a.joules.high -= b->joules.high;
    for (size_t i = 0; i < SESSION_SUMS; i++) {
        a.count[i] -= b->count[i];
    }
    return a;
}

/* Fills what each update of the command has taken: the last one all that is left. */
static void divide(const struct window_looks *looks, struct window_cost *update)
{
    const struct window_cost all = cost_between(&looks->begin, &looks->now);
    for (uint32_t i = 0; i < looks->most; i++) {
        const struct window_cost *end = i + 1 < looks->most ? &looks->at[i] : &all;
        update[i] = i == 0 ? *end : cost_minus(*end, &looks->at[i - 1]);
    }
}

static enum status place(const struct session *session, struct plan_train_part part,
                         struct diagnostic *diagnostic)
{
    const enum status status = plan_train_place_part(&session->plan, session->machine, part);
    return status == STATUS_OK
               ? status
               : diagnose(diagnostic, status, "the machine's memory takes no images");
}

static enum status fit(struct session *session, struct plan_train_part part,
                       struct window_looks *looks, struct diagnostic *diagnostic)
{
    TRY(look_at(session, &looks->begin, diagnostic));
    looks->last = looks->begin;
    session->looks = looks;
    const enum status status = session_fit_part(session, part, diagnostic);
    session->looks = NULL;
    TRY(status);
    TRY(looks->status);
    TRY(look_at(session, &looks->now, diagnostic));
    return session->goes_on && looks->count < looks->most
               ? diagnose(diagnostic, STATUS_INTERNAL, "a program does not mark its updates")
               : STATUS_OK;
}

static enum status fit_window(struct session *session, struct plan_train_part part,
                              struct window_looks *looks, struct window_result *result,
                              struct diagnostic *diagnostic)
{
    TRY(place(session, part, diagnostic));
    TRY(session_train_begin(session, diagnostic));
    TRY(fit(session, part, looks, diagnostic));
    if (session->goes_on) {
        divide(looks, result->update);
    }
    if (session->goes_on && result->state != NULL) {
        TRY(plan_train_read_values(&session->plan, session->machine, PLAN_TRAIN_STATE,
                                   result->state, diagnostic));
    }
    TRY(session_train_end(session, diagnostic));
    return session_take_down(session, session->stop, diagnostic);
}

static enum status execute(struct session *session, const struct window *window,
                           struct window_result *result, struct diagnostic *diagnostic)
{
    const uint32_t updates = window->part.updates;
    RELEASED(looks_destroy) struct window_looks *looks = calloc(1, sizeof *looks);
    result->sums = calloc(1, sizeof *result->sums);
    result->update = calloc(updates, sizeof *result->update);
    if (window->takes_state) {
        const size_t words = nn_rule_state_words(&session->plan.train->learning.rule);
        result->state =
            calloc(weights_places(session->plan.table) * words + 1, sizeof *result->state);
    }
    if (looks == NULL || result->sums == NULL || result->update == NULL ||
        (window->takes_state && result->state == NULL) ||
        (looks->at = calloc(updates, sizeof *looks->at)) == NULL) {
        return no_memory(diagnostic);
    }
    looks->most = updates;
    looks->diagnostic = diagnostic;
    TRY(fit_window(session, window->part, looks, result, diagnostic));
    *result->sums = looks->now.sums;
    return STATUS_OK;
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
    free(result->update);
    free(result->state);
    *result = (struct window_result){.sums = NULL};
}
