/* average_events.h - from the errors behind an average pool to the events of the convolution in
 * front of it (backward.h). */
#pragma once
#include "backward.h"
NN_LINKAGE_BEGIN

/* The pool's windows must not overlap.  values: the convolution's own output, which is used up;
 * errors: of the pool's output, used up, too.  events: room for one of each of the convolution's
 * outputs, all of which may be written. */
void nn_average_pool_events(const struct nn_layer *conv, const struct nn_layer *pool,
                            nn_value *values, nn_value *errors, struct nn_event *events,
                            uint16_t *counts);

NN_LINKAGE_END
