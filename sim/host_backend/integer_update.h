/* integer_update.h - an update of all parameters in a number format of the machine, by its rule
 * (workloads/nn/update.h), layer after layer. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/trainer.h"
C_LINKAGE_BEGIN

/* Adds to the note.  STATUS_CONFIGURATION with layer, update, place and value when a sum of
 * gradients leaves less than half of 32 bits free. */
enum status integer_update(const struct host_training *training, const struct host_step *step,
                           struct nn_update_note *note, struct diagnostic *diagnostic)
    NN_SYMBOL(integer_update);

C_LINKAGE_END
