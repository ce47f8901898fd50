/* relu.c - max(x, 0), whose slope at 0 is 0.  The kernels of layers compute it themselves. */
#define NN_ACTIVATION relu
#include "activation_kind.h"

#if NN_DOUBLES

static double relu_of(double x)
{
    return x > 0 ? x : 0;
}

static double relu_slope(double y)
{
    return y > 0 ? 1 : 0;
}

#include "activate.h"

const struct activation activation_relu = {ACTIVATION_ROW(RELU, relu), .masks = true,
                                           .forward = forward, .backward = backward};

#endif
