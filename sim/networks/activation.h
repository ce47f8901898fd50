/* activation.h - the activations of layers: the rows of layers.def. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/networks/loss.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

struct activation {
    const char *name; /* in a network's file */
    uint8_t row;      /* enum nn_activation: of the layer table */
    bool is_operator; /* programs need NN_OPERATORS for it */
    bool masks;       /* an output of 0 lets no error back: dropout may follow */
    /* In doubles, in place; of softmax nothing, as outputs are logits.  backward: from the gradient
     * by the output to that by what was activated, by the derivative that follows from the output
     * (ReLU's at 0 is 0).  NULL: the identity. */
    void (*forward)(double *values, size_t count);
    void (*backward)(const double *output, double *gradient, size_t count);
    const struct loss *loss; /* of a network that ends in it; NULL: none does */
};

const struct activation *activation_of(enum network_activation activation);

C_LINKAGE_END
