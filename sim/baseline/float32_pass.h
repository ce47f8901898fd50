/* float32_pass.h - a batch forward and backward in float32, cut into tasks that may run on any
 * thread: parts of some blocks of images (both passes; gradients of convolutions), then pieces of
 * the gradients. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/baseline/float32_plan.h"
C_LINKAGE_BEGIN

struct float32_batch {
    const uint8_t **images; /* [count] */
    uint8_t *labels;
    size_t count;
    float *logits; /* [count][class], written by tests; NULL: not wanted */
};

/* A piece of a dense layer's gradients; or of the convolutions' (layer == plan->layers). */
struct float32_piece {
    size_t layer, output, outputs, input, inputs;
};

struct float32_pass {
    const struct float32_plan *plan;
    size_t blocks; /* room for so many */
    size_t part;   /* blocks of a part */
    unsigned workers;
    float *memory;  /* owned: the following */
    float *kept;    /* of all blocks */
    float *sums;    /* gradients of the convolutions, of all blocks */
    float *scratch; /* of each worker, for a part */
    float *room;    /* of each worker: sums of lanes, or a panel */
    float *ones;
    float *turned;
    size_t room_floats;
    struct float32_piece *piece; /* owned */
    size_t pieces;
};

/* Room for batches of at most `images` images; parts are cut for batches of `batch`. */
enum status float32_pass_init(struct float32_pass *pass, const struct float32_plan *plan,
                              size_t batch, size_t images, unsigned workers,
                              struct diagnostic *diagnostic);
void float32_pass_deinit(struct float32_pass *pass);

/* Number of parts of a batch. */
size_t float32_parts(const struct float32_pass *pass, size_t images);

/* Call it before the parts of a batch if parameters have changed. */
void float32_turn(struct float32_pass *pass, const float *parameters);

void float32_train_part(struct float32_pass *pass, unsigned worker, size_t part,
                        const struct float32_batch *batch, const float *parameters);

/* After all parts: writes a piece of the gradients' sum over the batch. */
void float32_train_piece(struct float32_pass *pass, unsigned worker, size_t piece,
                         const struct float32_batch *batch, float *gradients);

/* Classifies a part: adds to *correct and *loss. */
void float32_test_part(struct float32_pass *pass, unsigned worker, size_t part,
                       const struct float32_batch *batch, const float *parameters,
                       uint32_t *correct, double *loss);

C_LINKAGE_END
