/* parallel.c - see parallel.h. */
#include "sim/host_backend/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

struct team {
    parallel_task *task;
    void *context;
    size_t tasks;
    atomic_size_t next;
};

struct member {
    struct team *team;
    unsigned worker;
    pthread_t thread;
};

static void *work(void *argument)
{
    const struct member *member = argument;
    struct team *team = member->team;
    size_t task;
    while ((task = atomic_fetch_add(&team->next, 1)) < team->tasks) {
        team->task(team->context, member->worker, task);
    }
    return NULL;
}

unsigned parallel_workers(unsigned threads)
{
    if (threads == 0) {
        return 1;
    }
    return threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
}

void parallel_run(unsigned threads, size_t tasks, parallel_task *task, void *context)
{
    struct team team = {.task = task, .context = context, .tasks = tasks};
    struct member member[PARALLEL_MAX_THREADS];
    unsigned workers = parallel_workers(threads);
    workers = tasks < workers ? (unsigned)tasks : workers;
    unsigned started = 1;
    for (; started < workers; started++) {
        member[started] = (struct member){.team = &team, .worker = started};
        if (pthread_create(&member[started].thread, NULL, work, &member[started]) != 0) {
            break;
        }
    }
    member[0] = (struct member){.team = &team, .worker = 0};
    (void)work(&member[0]);
    for (unsigned i = 1; i < started; i++) {
        (void)pthread_join(member[i].thread, NULL);
    }
}
