/* estimates.h - from what windows of a training have taken to what an epoch takes. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/run_control/outcome.h"
#include "sim/run_control/window.h"
#include "sim/sampling/places.h"
C_LINKAGE_BEGIN

struct estimates_request {
    const struct learning *learning;
    const struct places *places;
    const struct window_result *result; /* [part of places] */
    const double *work; /* [update of the training]: products that depend on data, as the host has
                           counted them; of whole batches all or none are 0 */
};

/* Fills outcome->sample.row and the outcome's epochs. */
enum status estimates_make(const struct estimates_request *request, struct outcome *outcome,
                           struct diagnostic *diagnostic);

C_LINKAGE_END
