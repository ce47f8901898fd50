/* reference_train.h - trains a network in double precision, by the rules of optimizer.h, of which
 * gradient descent with momentum is
 *
 *     v <- momentum v + learning_rate (step / 256) G        w <- w - v
 *
 * G is the *sum* of the gradients over the global batch, not their mean; step rises over the
 * warm-up and then falls (workloads/nn/schedule.h); a last, smaller batch of an epoch is no special
 * case.  Images are shuffled anew for each epoch.  The integers learn by the same rules, see
 * workloads/nn/README.md.
 *
 * The same bits for any number of threads: a batch is cut into REFERENCE_LANES parts, whatever the
 * threads, and their sums are added in order. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/reference.h"
#include "sim/networks/optimizer.h"
#include "workloads/nn/order.h"
C_LINKAGE_BEGIN

enum { REFERENCE_LANES = 16 };

/* After each update, and once more after a test. */
struct reference_progress {
    uint32_t epoch;  /* from 1 */
    uint64_t update; /* from 1, over the whole run */
    uint64_t updates;
    uint64_t images; /* trained so far */
    bool tested;     /* loss and accuracy are of the test set, else of the update's batch */
    double loss;     /* mean cross-entropy */
    double accuracy; /* 0 to 1 */
};

struct reference_training {
    const struct network *network;
    const struct dataset *train, *test;
    uint64_t seed;         /* of initial parameters and order */
    uint32_t epochs;       /* at least 1 */
    uint32_t global_batch; /* at least 1 */
    enum config_initializer initializer;
    enum config_optimizer optimizer;
    double momentum;              /* of descent: share of the velocity that is kept, 0: none */
    double learning_rate;         /* applies to the sum over the batch */
    double warm_up;               /* share of the first epoch's updates */
    enum config_decay decay;      /* of the rate after that */
    uint32_t halve_every;         /* epochs between two halvings, of CONFIG_DECAY_STEP */
    uint32_t test_every_epochs;   /* 0: only after the last, which is always tested */
    const struct nn_order *order; /* of the images, as integers are trained; NULL: shuffled */
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

/* STATUS_CONFIGURATION when the request makes no sense, the data do not fit the network, or the
 * training diverges (a loss that is no number); *result is empty then. */
enum status reference_train(const struct reference_training *request,
                            struct reference_result *result, struct diagnostic *diagnostic);

/* Fills order[0 .. count - 1] with 0 .. count - 1 in the order of epoch 0, 1, ...: Fisher and
 * Yates' shuffle. */
void reference_order(uint64_t seed, uint32_t epoch, uint32_t *order, uint32_t count);

/* ---- the same, update by update, without tests ---- */

struct reference_trainer;

/* What `training` points to must last.  No tests are made. */
enum status reference_trainer_open(const struct reference_training *training,
                                   struct reference_trainer **trainer,
                                   struct diagnostic *diagnostic);

/* The next update; STATUS_INTERNAL after the last one of the run. */
enum status reference_trainer_step(struct reference_trainer *trainer,
                                   struct diagnostic *diagnostic);

/* As they are now. */
const double *reference_trainer_parameters(const struct reference_trainer *trainer);

void reference_trainer_close(struct reference_trainer *trainer);

void reference_result_deinit(struct reference_result *result);

C_LINKAGE_END
