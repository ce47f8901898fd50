/* float32_pass.h - some blocks of images forward and backward in float32, layer by layer. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/float32_plan.h"
#include "sim/host_backend/host_format.h"
C_LINKAGE_BEGIN

/* Some blocks of a batch: what a task works on. */
struct float32_part {
    const struct float32_plan *plan;
    const float *parameters;
    const float *turned; /* the convolutions' weights for the way back */
    const float *ones;
    float *room;           /* for sums of lanes */
    float *sums;           /* gradients of the convolutions, of its first block */
    float *kept, *scratch; /* of its first block */
    size_t first, blocks;
};

const struct float32_plane *float32_input_of(const struct float32_plan *plan, size_t layer);

/* Where values of a block of the part are: at `at` of the plane's memory. */
float *float32_of_block(const struct float32_part *part, const struct float32_plane *plane,
                        size_t block, size_t at);

void float32_forward(const struct float32_part *part, const struct host_batch *batch);

/* After the gradients of the last layer have been set; writes those of the convolutions. */
void float32_backward(const struct float32_part *part);

C_LINKAGE_END
