/* integer_pass.h - one image forward and backward through a network, with the kernels of
 * workloads/nn: its gradients equal those of the modelled cores bit for bit. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "workloads/nn/backward.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

/* What dropout depends on (workloads/nn/dropout.h). */
struct integer_draw {
    uint32_t seed, epoch, image;
};

/* Rounds sums to errors: nn_round_errors(), unless a test replaces it to show the effect of other
 * rounding. */
typedef void integer_round_errors(const nn_total *sums, nn_value *errors, uint32_t count,
                                  uint32_t shift, struct nn_numerics *numerics);

/* Working memory of one image at a time. */
struct integer_pass {
    const struct nn_table *table;
    integer_round_errors *round_errors; /* may be replaced after integer_pass_init() */
    uint32_t error_fraction;
    struct integer_draw draw; /* set before integer_forward() if the network has dropout */
    uint32_t first_trained; /* the first layer with parameters: its input's errors are not needed */
    nn_value *value[NN_MAX_LAYERS + 1]; /* the input; [i + 1]: layer i's output */
    nn_value *error[NN_MAX_LAYERS + 1]; /* [i]: errors of value[i] */
    uint8_t *choice[NN_MAX_LAYERS];     /* of pooling layers */
    nn_total *logits, *sums;
    struct nn_event *event;
    uint16_t *event_count;
    uint32_t exp_table[NN_EXP_STEPS + 1];
    uint8_t *memory; /* owned */
    struct nn_numerics numerics;
    uint64_t products; /* of convolutions with errors other than 0, by all integer_backward() */
};

/* STATUS_CONFIGURATION where the network cannot be trained: after the first layer with parameters,
 * a pooling layer must follow a convolution directly, and windows of average pooling must not
 * overlap. */
enum status integer_pass_init(struct integer_pass *pass, const struct nn_table *table,
                              uint32_t error_fraction, struct diagnostic *diagnostic)
    NN_SYMBOL(integer_pass_init);
void integer_pass_deinit(struct integer_pass *pass) NN_SYMBOL(integer_pass_deinit);

/* Runs the forward pass.  Returns the class, and the loss as its loss has it (nn_loss_kernel_of());
 * leaves the error of the logits in error[layers]. */
uint32_t integer_forward(struct integer_pass *pass, const nn_value *parameters,
                         const uint8_t *image, uint32_t label, uint32_t *loss)
    NN_SYMBOL(integer_forward);

/* Runs the backward pass after integer_forward() with the same parameters.  Adds to `gradients`:
 * one value for each place of the parameter block. */
void integer_backward(struct integer_pass *pass, const nn_value *parameters, int32_t *gradients)
    NN_SYMBOL(integer_backward);

C_LINKAGE_END
