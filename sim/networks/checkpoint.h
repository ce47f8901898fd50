/* checkpoint.h - a training between two epochs, in a file: what it needs to go on to the same bits,
 * on the modelled machine in any mapping or on the host.
 *
 *     training         text: SHA-256 of what makes the training (the layer table, the data, and
 * every number of the training but its end) epochs           int32: done parameters       int16[]:
 * the parameter block, as the layer table lays it out state            int32[]: what owners keep
 * for each of these 16 bits, one after the other time_ps, joules  int64, float64[3]: of the machine
 * until then (low, default, high) numerics         int64[5]: what the updates have met learning
 * float64[rows][9]: of learning.csv
 *
 * The file appears complete under its name or not at all.  What is read is checked, value by value:
 * nothing is taken that no training could have left. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/sha256.h"
#include "sim/networks/learning.h"
C_LINKAGE_BEGIN

enum {
    CHECKPOINT_ROW = 9, /* update, epoch, images, seconds, joules (3), loss, accuracy */
    CHECKPOINT_NUMERICS = 5
};

#define CHECKPOINT_FILE "checkpoint.npz" /* in a result folder */

struct checkpoint {
    char training[SHA256_HEX_CHARS];
    uint32_t epochs;
    size_t places, state_words; /* of the parameter block; words for each place */
    int16_t *parameters;        /* owned, as the next two */
    int32_t *state;             /* places * state_words */
    double (*row)[CHECKPOINT_ROW];
    size_t rows;
    uint64_t time_ps;
    double joules[3];
    uint64_t numerics[CHECKPOINT_NUMERICS];
};

/* Empty, with room for the parameters and the state of a training.  STATUS_INTERNAL when out of
 * memory; checkpoint_deinit() is due either way. */
enum status checkpoint_init(struct checkpoint *checkpoint, const struct learning *learning,
                            const struct nn_table *table, const char *data_digest,
                            struct diagnostic *diagnostic);
void checkpoint_deinit(struct checkpoint *checkpoint);

/* The folder is made where it is missing. */
enum status checkpoint_write(const struct checkpoint *checkpoint, const char *folder,
                             struct diagnostic *diagnostic);

/* Of the same training, with an epoch left: else STATUS_CONFIGURATION with file and hint. */
enum status checkpoint_read(struct checkpoint *checkpoint, const char *folder,
                            const struct learning *learning, const struct nn_table *table,
                            const char *data_digest, struct diagnostic *diagnostic);

C_LINKAGE_END
