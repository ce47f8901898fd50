/* estimates.h - from what windows of a training have taken to what an epoch takes. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/outcome.h"
#include "sim/run_control/window.h"
#include "sim/sampling/places.h"
C_LINKAGE_BEGIN

/* Fills outcome->sample.row and the outcome's epochs.  result[i] is that of places->part[i]. */
enum status estimates_make(const struct learning *learning, const struct places *places,
                           const struct window_result *result, struct outcome *outcome,
                           struct diagnostic *diagnostic);

C_LINKAGE_END
