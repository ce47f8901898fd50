/* run_ahead.h - how far modelled cores run ahead of what may interrupt them, before they are rolled
 * back (models/machine/README.md).  No result depends on it. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* One of these, or a seed by which each core draws how far, for tests. */
#define RUN_AHEAD_AUTO UINT64_C(0) /* further where it goes well */
#define RUN_AHEAD_OFF                                                                              \
    UINT64_MAX /* not at all, and every access is an event: the slow reference                     \
                */

/* From "auto", "off" or a number; false when the text is none of them. */
bool run_ahead_of(const char *text, uint64_t *run_ahead);

C_LINKAGE_END
