/* places.h - which updates of a training a sample executes. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/plan_train.h"
C_LINKAGE_BEGIN

struct places_request {
    const struct learning *learning;
    uint32_t updates, at, seed; /* run.sample */
};

struct places {
    struct plan_train_part *part; /* in the order of the training; owned */
    size_t count;
    size_t small; /* index of the part that is an epoch's last, smaller batch; count: there is none
                   */
    uint32_t updates; /* of all parts */
};

/* One part in each of `at` equal stretches of the training, at a place drawn from the seed: at
 * least three updates of whole batches in one epoch, and none before the training's first update.
 * If an epoch ends with a smaller batch, the first epoch's is a part, too.  False: so many updates
 * have no room. */
bool places_draw(const struct places_request *request, struct places *places);
void places_deinit(struct places *places);

C_LINKAGE_END
