/* run_ahead.h - how far modelled cores run ahead of possible interrupts, before they are rolled
 * back (models/machine/README.md).  Results do not depend on it. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
API_BEGIN

/* One of these values; any other number is a seed by which each core draws its spans, for tests. */
#define RUN_AHEAD_AUTO UINT64_C(0) /* spans adapt: longer where few rollbacks occur */
#define RUN_AHEAD_OFF                                                                              \
    UINT64_MAX /* not at all, and every access is an event: the slow reference                     \
                */

/* Parses "auto", "off" or a number; false for any other text. */
bool run_ahead_of(const char *text, uint64_t *run_ahead);

API_END
