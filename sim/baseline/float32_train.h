/* float32_train.h - trains a network in float32 on the host, as fast as it can: the update rule,
 * the order of images and the initial weights are those of the other programs.
 *
 * The bits depend neither on the number of threads nor on how a batch is cut into parts; they do on
 * the instruction set. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/baseline/exchange.h"
#include "sim/baseline/float32_kernels.h"
#include "sim/data/dataset.h"
#include "sim/networks/learning.h"
C_LINKAGE_BEGIN

struct float32_training {
    const struct network *network;
    const struct learning *learning; /* batch, order, schedule */
    double learning_rate;            /* applies to the sum over the batch */
    double momentum;                 /* 0: none */
    bool accelegrad;                 /* instead of descent */
    const struct dataset *train;
    const double *initial; /* network_parameters() values, see weights_place() */
    unsigned threads;
    unsigned shards; /* a batch's gradients are sums of so many sums, one after the other: as that
                        many processes would; 0: one */
    const struct exchange *exchange;       /* NULL: one process */
    const struct float32_kernels *kernels; /* NULL: the fastest */
};

struct float32_score {
    uint32_t count, correct;
    double loss; /* sum */
};

struct float32_trainer;

enum status float32_trainer_open(const struct float32_training *training,
                                 struct float32_trainer **trainer, struct diagnostic *diagnostic);
void float32_trainer_close(struct float32_trainer *trainer);

/* Performs the next update; there must be one. */
enum status float32_trainer_step(struct float32_trainer *trainer, struct diagnostic *diagnostic);

/* Classifies images first .. end - 1.  logits: [image - first][class], or NULL. */
void float32_trainer_test(struct float32_trainer *trainer, const struct dataset *images,
                          uint32_t first, uint32_t end, float *logits, struct float32_score *score);

/* The current parameters. */
const float *float32_trainer_parameters(const struct float32_trainer *trainer);

C_LINKAGE_END
