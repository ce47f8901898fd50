/* trainer.h - the host's trainings, in any format of host_format.h: epochs, batches, updates,
 * tests, threads.
 *
 * After the same updates, parameters in a format of the machine are bit-identical to those of the
 * modelled cores.  The bits do not depend on the number of threads in any format. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/dataset.h"
#include "sim/host_backend/host_format.h"
#include "sim/host_backend/integer_pass.h"
#include "sim/host_backend/operations.h"
#include "sim/networks/learning.h"
C_LINKAGE_BEGIN

enum trainer_event {
    TRAINER_EPOCH_BEGINS,
    TRAINER_UPDATED,
    TRAINER_EPOCH_TRAINED, /* before its test */
    TRAINER_CLASSIFIED,    /* the test images; before those of the validation */
    TRAINER_TESTED,
    TRAINER_EPOCH_ENDS
};

/* Where a training is. */
struct trainer_news {
    enum trainer_event event;
    uint32_t epoch;        /* from 1 */
    uint64_t update;       /* done, from 1, over the whole run */
    uint64_t updates;      /* of the whole run */
    uint64_t images;       /* trained so far */
    double loss, accuracy; /* mean; after a test of its images, else of the update's batch; NAN: the
                              format does not tell */
    double validation_loss, validation_accuracy; /* after a test; NAN: no validation images */
    uint32_t batch;                              /* images of the update */
    const double *work; /* [image of the batch, in the order of its positions]: products that
                           depend on its errors (integer_pass.h); 0 of formats that skip none */
    const void *parameters, *state;
    const void *gradients;              /* of the batch */
    const struct outcome_training *met; /* since the training was opened */
};

struct host_training {
    const struct host_format *format;
    const struct network *network;
    const struct nn_table *table;
    const struct learning *learning; /* NULL: tests alone */
    struct {
        enum config_optimizer optimizer;
        double rate;     /* applies to the sum over the batch */
        double momentum; /* of gradient descent: share of the velocity that is kept */
    } reals;             /* the rule of float64 and float32, in place of learning->rule */
    bool shuffled;       /* trainer_order(), in place of learning->order */
    uint64_t seed;       /* of that */
    const struct dataset *train;
    const struct dataset *test, *validation; /* NULL or empty: none */
    const void *initial;                     /* parameters of the format */
    const void *state;                       /* of the optimizer, for each of these; NULL: zeros */
    uint32_t first_epoch;                    /* epochs already done */
    uint32_t test_every_epochs; /* 0: test only after the last epoch, which is always tested */
    unsigned threads;
    const struct spinnsim_backend *operations; /* of formats that ask a backend for operations */
    uint32_t without;                          /* capabilities of it that are switched off */
    struct operations_log *log;                /* what it is asked for */
    bool keeps; /* nobody looks at parameters within an epoch: they may stay with the backend */
    const struct exchange *exchange;    /* several processes share each batch and test; NULL: one */
    integer_round_errors *round_errors; /* for tests, of int16; NULL: nn_round_errors() */
    const char *instructions;           /* for tests, the set of float32; NULL: the fastest */
    /* Hears of each event; a failure ends the training with that status, and so does *enough, set
     * at the end of an epoch.  NULL: nobody listens. */
    enum status (*listener)(void *context, const struct trainer_news *news, bool *enough,
                            struct diagnostic *diagnostic);
    void *context;
};

struct trainer;

/* What `training` points to must outlive the trainer.  STATUS_CONFIGURATION when the data do not
 * fit the network. */
enum status trainer_open(const struct host_training *training, struct trainer **trainer,
                         struct diagnostic *diagnostic);
void trainer_close(struct trainer *trainer);

/* Performs all updates, with tests.  STATUS_CONFIGURATION when the data do not fit, or when the
 * training diverges: a sum of gradients is too large (learning_has_room()), a loss is no number. */
enum status trainer_run(struct trainer *trainer, struct diagnostic *diagnostic);

/* Performs the next update, heard by nobody; STATUS_INTERNAL after the last one of the run. */
enum status trainer_step(struct trainer *trainer, struct diagnostic *diagnostic);

/* Classifies images with the current parameters.  result: of each image, by one process; or NULL.
 */
enum status trainer_test(struct trainer *trainer, const struct dataset *images,
                         struct nn_result *result, struct host_score *score,
                         struct diagnostic *diagnostic);

/* The same without a training: with training->initial. */
enum status trainer_classify(const struct host_training *training, const struct dataset *images,
                             struct nn_result *result, struct host_score *score,
                             struct diagnostic *diagnostic);

/* The current parameters: `bytes` of them. */
const void *trainer_parameters(const struct trainer *trainer);
size_t trainer_parameter_bytes(const struct host_training *training);

/* Fills order[0 .. count - 1] with a Fisher-Yates shuffle of 0 .. count - 1 for epoch 0, 1, ... */
void trainer_order(uint64_t seed, uint32_t epoch, uint32_t *order, uint32_t count);

C_LINKAGE_END
