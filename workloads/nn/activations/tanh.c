/* tanh.c - the hyperbolic tangent, as 2 (sigmoid(2 x) - 1/2); its derivative is 1 - y^2.  Beyond
 * half a unit of the result integers are at most 1.05e-4 away from the exact value. */
#define NN_ACTIVATION tanh
#include "activation_kind.h"
#include "half_sigmoid.h"

NN_NEEDS(OPERATORS)

#if NN_INTEGERS

static inline int16_t tanh_of(int16_t value, uint32_t fraction)
{
    const int32_t half = nn_half_sigmoid(nn_size_of(value) << (17 - fraction));
    const int16_t result = nn_rounded_down(half, NN_SIGMOID_FRACTION - 1 - fraction);
    return (int16_t)(value < 0 ? -result : result); /* odd */
}

static inline int32_t tanh_slope(int32_t y, uint32_t fraction)
{
    return (1 << 2 * fraction) - y * y;
}

#include "activate.h"

#elif NN_DOUBLES

static double tanh_of(double x)
{
    return reference_tanh(x);
}

static double tanh_slope(double y)
{
    return 1 - y * y;
}

#include "activate.h"

const struct activation activation_tanh = {ACTIVATION_ROW(TANH, tanh), .most = 1,
                                           .forward = forward, .backward = backward};

#endif
