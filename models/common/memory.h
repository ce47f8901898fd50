/* memory.h - ends the process if memory runs out in the middle of a run, where no error can be
 * returned.  Functions that create something return NULL or STATUS_INTERNAL instead. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"

#include <stddef.h>

C_LINKAGE_BEGIN

/* Reports the failure on standard error and ends the process with exit status 1, from any thread
 * and at once: nothing is flushed, removed or waited for. */
NOINLINE void memory_exhausted(void) __attribute__((noreturn, cold));

/* Checks the result of malloc() and the like. */
static inline void memory_need(const void *memory)
{
    if (UNLIKELY(memory == NULL)) {
        memory_exhausted();
    }
}

C_LINKAGE_END
