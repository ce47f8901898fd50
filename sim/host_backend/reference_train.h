/* reference_train.h - trains a network in double precision, by the rules of optimizer.h, of which
 * gradient descent with momentum is
 *
 *     v <- momentum v + learning_rate (step / 256) G        w <- w - v
 *
 * G is the *sum* of the gradients over the global batch, not their mean. step rises during the
 * warm-up and then falls (workloads/nn/schedule.h).  A smaller last batch of an epoch is treated
 * like any other.  Images are reshuffled for each epoch.  Integer training follows the same rules,
 * see workloads/nn/README.md.
 *
 * The bits do not depend on the number of threads: a batch is always cut into REFERENCE_LANES
 * parts, whose sums are added in order. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/reference.h"
#include "sim/networks/optimizer.h"
#include "workloads/nn/order.h"
C_LINKAGE_BEGIN

enum { REFERENCE_LANES = 16 };

/* Reported after each update, and once more after a test. */
struct reference_progress {
    uint32_t epoch;  /* from 1 */
    uint64_t update; /* from 1, over the whole run */
    uint64_t updates;
    uint64_t images; /* trained so far */
    bool tested;     /* true: loss and accuracy of the test set; false: of the update's batch */
    double loss;     /* mean cross-entropy */
    double accuracy; /* 0 to 1 */
    double validation_loss, validation_accuracy; /* with a test, if there are validation images */
};

struct reference_training {
    const struct network *network;
    const struct dataset *train, *test;
    uint64_t seed;         /* of initial parameters and order */
    uint32_t epochs;       /* at least 1 */
    uint32_t global_batch; /* at least 1 */
    enum config_initializer initializer;
    enum config_optimizer optimizer;
    double momentum;         /* of gradient descent: share of the velocity that is kept; 0: none */
    double learning_rate;    /* applies to the sum over the batch */
    double warm_up;          /* share of the first epoch's updates */
    enum config_decay decay; /* of the rate after that */
    uint32_t halve_every;    /* epochs between two halvings, for CONFIG_DECAY_STEP */
    uint32_t test_every_epochs;   /* 0: test only after the last epoch, which is always tested */
    const struct nn_order *order; /* order of the images, as in integer training; NULL: shuffled */
    const double *initial;        /* parameters to begin with; NULL: reference_draw() */
    unsigned threads;
    void (*progress)(void *context, const struct reference_progress *progress); /* may be NULL */
    void *context;
};

struct reference_result {
    double *parameters; /* network_parameters(), see weights_place(); owned */
    uint64_t updates, images;
    struct reference_score train; /* of the last epoch, each image before its update */
    struct reference_score test;
};

/* STATUS_CONFIGURATION when the request is invalid, the data do not fit the network, or the
 * training diverges (a loss is NaN); *result is then empty. */
enum status reference_train(const struct reference_training *request,
                            struct reference_result *result, struct diagnostic *diagnostic);

/* Fills order[0 .. count - 1] with a Fisher-Yates shuffle of 0 .. count - 1 for epoch 0, 1, ... */
void reference_order(uint64_t seed, uint32_t epoch, uint32_t *order, uint32_t count);

/* ---- the same, update by update, without tests ---- */

struct reference_trainer;

/* What `training` points to must outlive the trainer.  No tests are run. */
enum status reference_trainer_open(const struct reference_training *training,
                                   struct reference_trainer **trainer,
                                   struct diagnostic *diagnostic);

/* Performs the next update; STATUS_INTERNAL after the last one of the run. */
enum status reference_trainer_step(struct reference_trainer *trainer,
                                   struct diagnostic *diagnostic);

/* The current parameters. */
const double *reference_trainer_parameters(const struct reference_trainer *trainer);

void reference_trainer_close(struct reference_trainer *trainer);

void reference_result_deinit(struct reference_result *result);

C_LINKAGE_END
