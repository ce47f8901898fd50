/* verdict.c - see sweep.h: what came of the points. */
#include "sim/steps.h"
#include "sim/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

bool point_has_results(const struct point *point)
{
    return point->state == POINT_DONE || point->state == POINT_OUTSIDE ||
           point->state == POINT_LIMIT || point->state == POINT_GUEST;
}

enum status point_take_end(struct point *point, const struct results *results,
                           struct diagnostic *diagnostic)
{
    static const struct {
        const char *status; /* in summary.json */
        enum point_state state;
    } END[] = {{"done", POINT_DONE},
               {"rejected", POINT_OUTSIDE},
               {"limit", POINT_LIMIT},
               {"guest_failed", POINT_GUEST}};
    const char *status = results_text(results, "status");
    struct result_value failure;
    for (size_t i = 0; i < sizeof END / sizeof *END; i++) {
        point->state = strcmp(status, END[i].status) == 0 ? END[i].state : point->state;
    }
    if ((point->state == POINT_LIMIT || point->state == POINT_GUEST) &&
        results_find(results, "failure", &failure)) {
        point->message = strdup(failure.text);
        return point->message == NULL ? no_memory(diagnostic) : STATUS_OK;
    }
    return STATUS_OK;
}

struct sweep_counts sweep_count(const struct sweep *sweep)
{
    struct sweep_counts counts = {{0}};
    for (size_t i = 0; i < sweep->axes.points; i++) {
        counts.of[sweep->point[i].state]++;
    }
    return counts;
}

/* ---- the exit status ---- */

static const struct point *first_in(const struct sweep *sweep, enum point_state state)
{
    const struct point *point = sweep->point;
    while (point->state != state) {
        point++;
    }
    return point;
}

enum status sweep_verdict(const struct sweep *sweep, bool strict, struct diagnostic *diagnostic)
{
    static const struct {
        enum point_state state;
        enum status status;
        const char *text; /* where a point has no message */
    } WORST[] = {{POINT_FAILED, STATUS_INTERNAL, "ended without results"},
                 {POINT_GUEST, STATUS_GUEST, "the guest failed"},
                 {POINT_LIMIT, STATUS_LIMIT, "a limit was reached"},
                 {POINT_OUTSIDE, STATUS_REJECTED, "a result is outside `accept`"},
                 {POINT_REFUSED, STATUS_CONFIGURATION, "refused"}};
    const struct sweep_counts counts = sweep_count(sweep);
    const size_t points = sweep->axes.points;
    const size_t worked = counts.of[POINT_DONE] + counts.of[POINT_OUTSIDE];
    if (strict ? counts.of[POINT_DONE] == points : worked > 0) {
        return STATUS_OK;
    }
    size_t worst = 0;
    while (counts.of[WORST[worst].state] == 0) {
        worst++;
    }
    const struct point *first = first_in(sweep, WORST[worst].state);
    const char *text = first->message == NULL ? WORST[worst].text : first->message;
    if (counts.of[POINT_REFUSED] == points) {
        return diagnose(diagnostic, WORST[worst].status, "every point is refused: %s", text);
    }
    return diagnose(diagnostic, WORST[worst].status,
                    "%zu of %zu points did not work; point %zu: %s",
                    points - (strict ? counts.of[POINT_DONE] : worked), points,
                    (size_t)(first - sweep->point) + 1, text);
}
