/* float32_plan.h - where the values of a float32 training lie: made once from a network.
 *
 * A plane has the values or gradients of a layer, for one block of images, with a border of zeros
 * where a convolution reads beyond them.  Planes that gradients of dense layers are made of are
 * kept for all blocks of a batch; the others are used again by the next blocks (scratch). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/dataset.h"
#include "sim/host_backend/float32_kernels.h"
#include "sim/networks/network.h"
#include "sim/run_control/job.h"
C_LINKAGE_BEGIN

/* All sizes in floats. */
struct float32_plane {
    bool kept;
    size_t at;    /* its first value, behind the border, in the block's kept or scratch memory */
    size_t start; /* with the border */
    size_t maps, height, width, border;
    size_t line, map; /* steps */
};

struct float32_layer {
    const struct network_layer *of;
    bool dense, convolution, relu;
    bool trains;                 /* has weights */
    bool passes;                 /* its input's gradient is needed */
    size_t weights, biases;      /* in the parameters */
    size_t weight_count, inputs; /* inputs: of a dense layer's output */
    struct float32_plane value, gradient;
    /* Of a convolution: places of the terms of a sum, relative to the input's border; and of the
     * terms of an input's gradient, relative to the border of this layer's gradient. */
    uint32_t *terms, *back_terms;
    size_t
        turned;  /* its weights for the way back, in `turned` of a pass: [input][output][window] */
    size_t sums; /* of a convolution: its gradients among those of all convolutions */
};

struct float32_plan {
    const struct float32_kernels *kernels;
    const struct network *network;
    size_t layers;
    struct float32_layer layer[NETWORK_LAYERS];
    struct float32_plane input;
    float unit; /* of a pixel */
    size_t parameters, turned, sums;
    size_t kept, scratch;               /* floats of a block */
    size_t largest_width, largest_sums; /* of a convolution: places in a row; weights */
    uint32_t *lists;                    /* owned */
    uint32_t *pixel;                    /* owned: place of each pixel in the input's planes */
};

/* Whether a network can be trained; STATUS_CONFIGURATION names the layer that cannot. */
enum status float32_check(const struct network *network, struct diagnostic *diagnostic);

/* The same for a job, with its optimizer. */
enum status float32_check_job(const struct job *job, struct diagnostic *diagnostic);

enum status float32_plan_init(struct float32_plan *plan, const struct network *network,
                              const struct float32_kernels *kernels, struct diagnostic *diagnostic);
void float32_plan_deinit(struct float32_plan *plan);

C_LINKAGE_END
