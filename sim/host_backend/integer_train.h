/* integer_train.h - trains a network in integers on the host, with the kernels and the update rule
 * of the modelled cores: after the same updates the parameters are bit-identical.
 *
 * Sums of gradients are plain 32-bit additions: neither the number of threads nor the order of the
 * images within a batch changes anything. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/dataset.h"
#include "sim/host_backend/host_integer.h"
#include "sim/host_backend/integer_pass.h"
#include "sim/host_backend/reference_train.h"
#include "sim/networks/learning.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* State after an update, for a callback that compares parameters. */
struct integer_update {
    uint64_t update;          /* from 1 */
    const void *parameters;   /* a parameter block */
    const int32_t *gradients; /* of the batch: one for each place of the parameter block */
    const int32_t *state;     /* nn_rule_state_words() for each place */
};

/* State after an epoch and its test. */
struct integer_epoch {
    uint32_t epochs;
    const void *parameters; /* a parameter block */
    const int32_t *state;
    const struct outcome_training *met; /* saturations, overflows and largest sum of this training,
                                           without any from before a checkpoint */
};

/* The share of every batch that one of several processes trains; the others have the rest, and
 * sum() adds their gradients.  Losses and accuracies of batches are then of the share. */
struct integer_share {
    unsigned index, count;
    enum status (*sum)(void *context, int32_t *gradients, size_t places,
                       struct diagnostic *diagnostic);
    void *context;
};

struct integer_training {
    const struct network *network;
    const struct nn_table *table;
    const struct learning *learning;
    const struct dataset *train, *test;
    const struct dataset *validation; /* classified with each test; NULL or empty: none */
    const void *initial;              /* a parameter block */
    uint32_t test_every_epochs; /* 0: test only after the last epoch, which is always tested */
    uint64_t stop_after;  /* number of updates after which to stop; 0: at the end of the run */
    uint32_t first_epoch; /* epochs already done: the training continues after them from `initial`
                             and `state` */
    const int32_t *state; /* nn_rule_state_words() for each value of the block; NULL: zeros */
    unsigned threads;
    const struct integer_share *share;  /* NULL: all of each batch */
    integer_round_errors *round_errors; /* rounding for int16; NULL: nn_round_errors() */
    /* Both may be NULL. */
    void (*progress)(void *context, const struct reference_progress *progress);
    void (*updated)(void *context, const struct integer_update *update);
    /* Called after each epoch and its test; returning false ends the training. */
    bool (*epoch_done)(void *context, const struct integer_epoch *epoch);
    void *context;
};

struct integer_training_result {
    void *parameters; /* a parameter block; owned */
    uint64_t updates, images;
    struct outcome_training met;
    double train_loss, train_accuracy; /* of the last epoch, each image before its update */
    double test_loss, test_accuracy;   /* NAN: stopped before the last test */
};

/* STATUS_CONFIGURATION when the data do not fit the network, or when a sum of gradients has become
 * too large (learning_has_room()); the diagnostic then names layer, update and value.  *result is
 * then empty. */
enum status integer_train(const struct integer_training *training,
                          struct integer_training_result *result, struct diagnostic *diagnostic)
    NN_SYMBOL(integer_train);

/* ---- the same, update by update, without tests ---- */

struct integer_trainer;

/* What `training` points to must outlive the trainer.  Its callbacks, `test` and `stop_after` are
 * ignored. */
enum status integer_trainer_open(const struct integer_training *training,
                                 struct integer_trainer **trainer, struct diagnostic *diagnostic)
    NN_SYMBOL(integer_trainer_open);

/* Performs the next update; STATUS_INTERNAL after the last one of the run. */
enum status integer_trainer_step(struct integer_trainer *trainer, struct diagnostic *diagnostic)
    NN_SYMBOL(integer_trainer_step);

/* The current parameter block. */
const void *integer_trainer_parameters(const struct integer_trainer *trainer)
    NN_SYMBOL(integer_trainer_parameters);

void integer_trainer_close(struct integer_trainer *trainer) NN_SYMBOL(integer_trainer_close);

void integer_training_result_deinit(struct integer_training_result *result)
    NN_SYMBOL(integer_training_result_deinit);

/* ---- by number format ---- */

struct integer_backend {
    enum status (*train)(const struct integer_training *training,
                         struct integer_training_result *result, struct diagnostic *diagnostic);
    enum status (*open)(const struct integer_training *training, struct integer_trainer **trainer,
                        struct diagnostic *diagnostic);
    enum status (*step)(struct integer_trainer *trainer, struct diagnostic *diagnostic);
    const void *(*parameters)(const struct integer_trainer *trainer);
    void (*close)(struct integer_trainer *trainer);
    enum status (*test)(const struct host_integer_request *request, struct host_integer_run *run,
                        struct diagnostic *diagnostic);
};

/* [enum network_numbers] */
extern const struct integer_backend INTEGER_BACKEND[];

C_LINKAGE_END
