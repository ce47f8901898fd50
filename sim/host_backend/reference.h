/* reference.h - a network in double precision: the reference for the integer implementations, and
 * the means to train weights on the host.
 *
 * Parameters are a vector of network_parameters() doubles, laid out by weights_place(); so are
 * their gradients.  Fixed-point formats apply to the input only: a pixel p is p * 2^(input_shift -
 * activation_fraction), for LeNet-1 p / 256, exactly as in the integers. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/networks/loss.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* Draws initial parameters: weights uniform in +-learning_bound(), each a function of (seed, layer,
 * index) only; biases 0. */
void reference_draw(const struct network *network, enum config_initializer initializer,
                    uint64_t seed, double *parameters);

/* Working memory for one image at a time. */
struct reference_pass {
    const struct network *network;
    double *value[NETWORK_LAYERS + 1];    /* the input; [i + 1]: layer i's output */
    double *gradient[NETWORK_LAYERS + 1]; /* [i]: gradient of the loss with respect to value[i]; [0]
                                             is NULL: not needed */
    double *room;                         /* of the layer at work */
    double *memory;                       /* owned */
};

enum status reference_pass_init(struct reference_pass *pass, const struct network *network,
                                struct diagnostic *diagnostic);
void reference_pass_deinit(struct reference_pass *pass);

/* The logits of an image of network_values(network->input) pixels; valid up to the next call. */
const double *reference_forward(struct reference_pass *pass, const double *parameters,
                                const uint8_t *image);

/* The same in steps, for who wants to see the numbers between: the image into value[0]; what layer
 * i makes of value[i], in value[i + 1], without its activation; the activation, in place. */
void reference_load(struct reference_pass *pass, const uint8_t *image);
void reference_sums(struct reference_pass *pass, size_t i, const double *parameters);
void reference_activate(struct reference_pass *pass, size_t i);

/* Index of the largest logit, the first one if several are equal. */
uint32_t reference_label(const double *logits, uint32_t classes);

/* The loss that a training of the network minimises. */
const struct loss *reference_loss(const struct network *network);

/* After reference_forward(), with the same parameters: *adds* the gradients of the loss of that
 * image. */
void reference_backward(struct reference_pass *pass, const double *parameters, uint32_t label,
                        double *gradients);

C_LINKAGE_END
