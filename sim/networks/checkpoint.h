/* checkpoint.h - the state of a training between two epochs, in a file.  A training resumed from it
 * gives the same bits, on the modelled machine in any mapping or on the host.
 *
 *     training         text: SHA-256 of what determines the training: the layer table, the data,
 *                      and every number of the training but its end
 *     rule             text: SHA-256 of what gives parameters and state their meaning: the layer
 *                      table, the optimizer and its number format
 *     epochs           int32: epochs done
 *     parameters       int16[]: the parameter block, as the layer table lays it out
 *     state            int32[]: optimizer state of each 16-bit place of that block, in order
 *     time_ps, joules  int64, float64[3]: of the machine until then (low, default, high)
 *     numerics         int64[5]: saturations, overflows and largest sum of the updates so far
 *     learning         float64[rows][11]: rows of learning.csv
 *     since_row        float64[2]: on the host, sum of losses and updates since the last of them
 *     run              uint8[], optional: the run itself, as its backend keeps it
 *     seal             text, with `run`: that this user wrote `run` and all of the above
 *
 * `run` is for the program that wrote it, which restores it as it is; so it is taken only with this
 * user's seal (sim/data/seal.h).  The other arrays may come from anybody.
 *
 * Another training of the same network and optimizer may go on from it, with other images, batches
 * or rates (train.continues): it takes epochs, parameters and state, and none of the results.
 *
 * The file appears under its name only when it is complete.  Reading checks every value and refuses
 * values that no training can have produced. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/sha256.h"
#include "sim/networks/learning.h"
C_LINKAGE_BEGIN

enum {
    CHECKPOINT_ROW = 11, /* update, epoch, images, seconds, joules (3), loss and accuracy of the
                            test, the same of the validation */
    CHECKPOINT_NUMERICS = 5,
    CHECKPOINT_SINCE_ROW = 2
};

#define CHECKPOINT_FILE "checkpoint.npz" /* in a result folder */

struct checkpoint {
    char training[SHA256_HEX_CHARS], rule[SHA256_HEX_CHARS];
    uint32_t epochs;
    size_t places, state_words; /* places of the parameter block; words of state for each place */
    int16_t *parameters;        /* owned, as the next two */
    int32_t *state;             /* places * state_words */
    double (*row)[CHECKPOINT_ROW];
    size_t rows;
    uint64_t time_ps;
    double joules[3];
    uint64_t numerics[CHECKPOINT_NUMERICS];
    double since_row[CHECKPOINT_SINCE_ROW];
    uint8_t *run; /* owned; NULL: none, or not this user's */
    size_t run_bytes;
    bool strange; /* there is a run, but without this user's seal */
};

/* Makes an empty checkpoint with memory for a training's parameters and state.  STATUS_INTERNAL
 * when out of memory; call checkpoint_deinit() in either case. */
enum status checkpoint_init(struct checkpoint *checkpoint, const struct learning *learning,
                            const struct nn_table *table, const char *data_digest,
                            struct diagnostic *diagnostic);
void checkpoint_deinit(struct checkpoint *checkpoint);

/* Creates the folder if it does not exist.  `run` is left out when there is no key to seal it
 * with, or when it is too long for an archive. */
enum status checkpoint_write(const struct checkpoint *checkpoint, const char *folder,
                             struct diagnostic *diagnostic);

/* Whether a run leaves a checkpoint behind an epoch (from 1), by its record keys. */
static inline bool checkpoint_is_due(uint64_t every_epochs, bool last, uint64_t epoch, bool ends)
{
    return ends ? last : every_epochs > 0 && epoch % every_epochs == 0;
}

/* Reads a checkpoint of the same training that has at least one epoch left; anything else is
 * STATUS_CONFIGURATION with file and hint.  `continues`: of any training with the same rule; its
 * results are then left out. */
enum status checkpoint_read(struct checkpoint *checkpoint, const char *folder,
                            const struct learning *learning, const struct nn_table *table,
                            const char *data_digest, bool continues, struct diagnostic *diagnostic);

C_LINKAGE_END
