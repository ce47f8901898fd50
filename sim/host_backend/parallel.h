/* parallel.h - independent tasks on several threads.  Which thread does which task is left open, so
 * a task writes only where no other one does; results are then the same for any number of threads.
 */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
C_LINKAGE_BEGIN

enum { PARALLEL_MAX_THREADS = 256 };

typedef void parallel_task(void *context, unsigned worker, size_t task);

/* Calls task(context, worker, number) for the numbers 0 .. tasks - 1, each once, and returns when
 * all are done.  worker is less than parallel_workers(threads); one worker does one task at a time.
 * Threads that cannot be had are done without. */
void parallel_run(unsigned threads, size_t tasks, parallel_task *task, void *context);

/* 1 to PARALLEL_MAX_THREADS. */
unsigned parallel_workers(unsigned threads);

C_LINKAGE_END
