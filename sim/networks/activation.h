/* activation.h - the activations of layers: the rows of layers.def. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

struct activation {
    const char *name;  /* in a network's file */
    uint8_t row;       /* its enum nn_activation in the layer table */
    uint8_t operators; /* enum operators: which programs have it */
    bool masks;        /* an output of 0 passes no error back: dropout may follow */
    bool ends;         /* the last layer has it, and no other */
    /* On doubles, in place. backward turns the gradient with respect to the output into the
     * gradient with respect to the activation's input, by the derivative as a function of the
     * output (ReLU: 0 at 0).  NULL: identity, also for softmax, as the outputs are logits. */
    void (*forward)(double *values, size_t count);
    void (*backward)(const double *output, double *gradient, size_t count);
};

/* Whether its values are within +-1.72, a bound that rbf layers need. */
bool activation_is_bounded(enum network_activation activation);

const struct activation *activation_of(enum network_activation activation);

C_LINKAGE_END
