/* parallel.c - see parallel.h. */
#include "sim/host_backend/parallel.h"

#include "models/machine/team.h"

#include <stdatomic.h>
#include <stdlib.h>

struct parallel {
    struct team *team; /* NULL: one thread */
    unsigned workers;
    atomic_flag in_use[TEAM_THREADS_MAX]; /* [worker] */
};

struct round {
    struct parallel *parallel;
    parallel_task *task;
    void *context;
};

static void do_task(void *context, unsigned task)
{
    const struct round *round = context;
    struct parallel *parallel = round->parallel;
    unsigned worker = 0;
    while (atomic_flag_test_and_set(&parallel->in_use[worker])) {
        worker = (worker + 1) % parallel->workers;
    }
    round->task(round->context, worker, task);
    atomic_flag_clear(&parallel->in_use[worker]);
}

struct parallel *parallel_create(unsigned threads)
{
    struct parallel *parallel = calloc(1, sizeof *parallel);
    if (parallel != NULL) {
        parallel->workers = threads < 1                  ? 1
                            : threads > TEAM_THREADS_MAX ? TEAM_THREADS_MAX
                                                         : threads;
        parallel->team = parallel->workers > 1 ? team_create(parallel->workers) : NULL;
    }
    return parallel;
}

void parallel_destroy(struct parallel *parallel)
{
    if (parallel != NULL) {
        team_destroy(parallel->team);
        free(parallel);
    }
}

void parallel_run(struct parallel *parallel, size_t tasks, parallel_task *task, void *context)
{
    struct round round = {parallel, task, context};
    if (parallel->team != NULL) {
        team_run(parallel->team, (unsigned)tasks, do_task, &round);
        return;
    }
    for (size_t i = 0; i < tasks; i++) {
        task(context, 0, i);
    }
}

unsigned parallel_workers(const struct parallel *parallel)
{
    return parallel->workers;
}
