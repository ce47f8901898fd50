/* parallel.h - independent tasks on several threads.  The assignment of tasks to threads is not
 * defined.  Tasks must write to disjoint memory, so that results do not depend on the number of
 * threads. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
C_LINKAGE_BEGIN

enum { PARALLEL_MAX_THREADS = 256 };

typedef void parallel_task(void *context, unsigned worker, size_t task);

/* Calls task(context, worker, number) once for each number 0 .. tasks - 1, and returns when all
 * tasks are done. worker is less than parallel_workers(threads); a worker executes one task at a
 * time.  If a thread cannot be created, the others do its work. */
void parallel_run(unsigned threads, size_t tasks, parallel_task *task, void *context);

/* Number of workers: 1 to PARALLEL_MAX_THREADS. */
unsigned parallel_workers(unsigned threads);

C_LINKAGE_END
