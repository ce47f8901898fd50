/* memory.h - the end of a process for which there is no memory in the middle of a run, where there
 * is no way back.  What can be refused beforehand is: functions that make something return NULL or
 * STATUS_INTERNAL. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"

#include <stddef.h>

C_LINKAGE_BEGIN

/* Says so on standard error and ends the process with exit status 1, from any thread and at once:
 * nothing is flushed, removed or waited for. */
NOINLINE void memory_exhausted(void) __attribute__((noreturn, cold));

/* For what malloc() and the like have returned. */
static inline void memory_need(const void *memory)
{
    if (UNLIKELY(memory == NULL)) {
        memory_exhausted();
    }
}

C_LINKAGE_END
