/* session_looks.c - see session_looks.h. */
#include "sim/run_control/session_looks.h"

#include "models/common/units.h"
#include "sim/steps.h"

#include <stdlib.h>

enum status look_at(const struct session *session, struct look *look, struct diagnostic *diagnostic)
{
    TRY(session_joules(session, &look->joules, diagnostic));
    return session_sum(session, &look->sums, diagnostic);
}

/* Kinds of counters are never fewer than before: those that are new were 0. */
struct window_cost cost_between(const struct look *before, const struct look *after)
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

void looks_destroy(struct window_looks **looks)
{
    if (*looks != NULL) {
        free((*looks)->at);
    }
    free(*looks);
}

/* a + (b - a) x part. */
static double between(double a, double b, double part)
{
    return a + (b - a) * part;
}

/* From the command's begin to a time between two looks. */
static struct window_cost cost_until(const struct window_looks *looks, uint64_t end_ps)
{
    const uint64_t last_ps = looks->last.sums.time_ps;
    const double part = (double)(end_ps - last_ps) / (double)(looks->now.sums.time_ps - last_ps);
    const struct window_cost last = cost_between(&looks->begin, &looks->last);
    struct window_cost cost = cost_between(&looks->begin, &looks->now);
    cost.seconds = between(last.seconds, cost.seconds, part);
    cost.joules.low = between(last.joules.low, cost.joules.low, part);
    cost.joules.value = between(last.joules.value, cost.joules.value, part);
    cost.joules.high = between(last.joules.high, cost.joules.high, part);
    for (size_t i = 0; i < looks->now.sums.size; i++) {
        cost.count[i] = between(last.count[i], cost.count[i], part);
    }
    return cost;
}

void session_look(struct session *session)
{
    struct window_looks *looks = session->looks;
    if (looks->status != STATUS_OK || session->update_count == looks->count) {
        return;
    }
    looks->status = look_at(session, &looks->now, looks->diagnostic);
    for (; looks->count < session->update_count && looks->count < looks->most; looks->count++) {
        looks->at[looks->count] = cost_until(looks, session->update_ps[looks->count]);
    }
    looks->last = looks->now;
}
