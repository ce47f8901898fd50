/* point.c - the overrides of a point, and its experiment.  See sweep.h. */
#include "sim/sweep/sweep.h"

#include "sim/steps.h"

#include <stdlib.h>

static const char *const ALONE[] = {"sweep=null", "plot=null"}; /* one run, no sweep */
enum { ALONE_COUNT = sizeof ALONE / sizeof *ALONE };

bool point_sets_make(const struct sweep *sweep, size_t point, struct point_sets *sets)
{
    const struct experiment_request *run = &sweep->request->run;
    const bool sweeps = sweep->config.axis_count > 0;
    size_t bytes = 1;
    for (size_t k = 0; k < sweep->axes.keys; k++) {
        bytes += strlen(axes_key(&sweep->axes, k)) + strlen(axes_value(&sweep->axes, point, k)) + 2;
    }
    sets->set = calloc(run->set_count + ALONE_COUNT + sweep->axes.keys, sizeof *sets->set);
    sets->text = malloc(bytes);
    sets->count = 0;
    if (sets->set == NULL || sets->text == NULL) {
        point_sets_free(sets);
        return false;
    }
    for (size_t i = 0; i < run->set_count; i++) {
        sets->set[sets->count++] = run->sets[i];
    }
    for (size_t i = 0; sweeps && i < ALONE_COUNT; i++) {
        sets->set[sets->count++] = ALONE[i];
    }
    char *end = sets->text;
    for (size_t k = 0; k < sweep->axes.keys; k++) {
        sets->set[sets->count++] = end;
        end +=
            sprintf(end, "%s=%s", axes_key(&sweep->axes, k), axes_value(&sweep->axes, point, k)) +
            1;
    }
    return true;
}

void point_sets_free(struct point_sets *sets)
{
    free((void *)sets->set);
    free(sets->text);
    *sets = (struct point_sets){0};
}

enum status point_prepare(const struct sweep *sweep, size_t point, struct experiment *experiment,
                          struct diagnostic *diagnostic)
{
    RELEASED(point_sets_free) struct point_sets sets; /* the configuration has copies */
    struct experiment_request request = sweep->request->run;
    if (!point_sets_make(sweep, point, &sets)) {
        return no_memory(diagnostic);
    }
    request.sets = sets.set;
    request.set_count = sets.count;
    request.base = &sweep->config;
    request.job.store = sweep->store;
    return experiment_prepare(experiment, &request, diagnostic);
}
