/* sigmoid.c - 1 / (1 + exp(-x)); its derivative is y (1 - y).  Beyond half a unit of the result
 * integers are at most 5.2e-5 away from the exact value. */
#define NN_ACTIVATION sigmoid
#include "activation_kind.h"
#include "half_sigmoid.h"

NN_NEEDS(OPERATORS)

#if NN_INTEGERS

static inline int16_t sigmoid_of(int16_t value, uint32_t fraction)
{
    const int32_t half = nn_half_sigmoid(nn_size_of(value) << (16 - fraction));
    const int32_t middle = 1 << (NN_SIGMOID_FRACTION - 1);
    return nn_rounded_down(value < 0 ? middle - half : middle + half,
                           NN_SIGMOID_FRACTION - fraction);
}

static inline int32_t sigmoid_slope(int32_t y, uint32_t fraction)
{
    return y * ((1 << fraction) - y);
}

#include "activate.h"

#elif NN_DOUBLES

static double sigmoid_of(double x)
{
    return reference_sigmoid(x);
}

static double sigmoid_slope(double y)
{
    return y * (1 - y);
}

#include "activate.h"

const struct activation activation_sigmoid = {ACTIVATION_ROW(SIGMOID, sigmoid), .most = 1,
                                              .forward = forward, .backward = backward};

#endif
