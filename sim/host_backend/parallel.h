/* parallel.h - independent tasks on several threads, which stay for the next tasks.  The assignment
 * of tasks to threads is not defined.  Tasks must write to disjoint memory, so that results do not
 * depend on the number of threads. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
C_LINKAGE_BEGIN

struct parallel;

typedef void parallel_task(void *context, unsigned worker, size_t task);

/* Starts the threads; 0 counts as 1, and TEAM_THREADS_MAX is the most.  If a thread cannot be
 * created, the others do its work.  NULL when out of memory. */
struct parallel *parallel_create(unsigned threads);
void parallel_destroy(struct parallel *parallel);

/* Calls task(context, worker, number) once for each number 0 .. tasks - 1, and returns when all
 * tasks are done.  worker is less than parallel_workers(); a worker executes one task at a time. */
void parallel_run(struct parallel *parallel, size_t tasks, parallel_task *task, void *context);
unsigned parallel_workers(const struct parallel *parallel);

C_LINKAGE_END
