/* activate.h - the loops of the activation NN_ACTIVATION, from its NAME_of() and NAME_slope().
 * Included once, behind them. */
#include "../activation.h"

#include <stddef.h>

#define ACTIVATION_OF    NN_JOIN(NN_ACTIVATION, of)
#define ACTIVATION_SLOPE NN_JOIN(NN_ACTIVATION, slope)

#if NN_INTEGERS

static void forward(uint32_t fraction, int16_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = ACTIVATION_OF(values[i], fraction);
    }
}

static void back(uint32_t fraction, const int16_t *outputs, int16_t *errors, uint32_t count)
{
    const int64_t half = INT64_C(1) << (2 * fraction - 1);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t error = (int64_t)errors[i] * ACTIVATION_SLOPE(outputs[i], fraction);
        const int32_t rounded = (int32_t)((error + half) >> (2 * fraction));
        const int32_t least = rounded < INT16_MIN ? INT16_MIN : rounded;
        errors[i] = (int16_t)(least > INT16_MAX ? INT16_MAX : least);
    }
}

const struct nn_activation_kernels NN_JOIN(nn_activation, NN_ACTIVATION) = {forward, back};

#elif NN_DOUBLES

static void forward(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = ACTIVATION_OF(values[i]);
    }
}

static void backward(const double *output, double *gradient, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gradient[i] *= ACTIVATION_SLOPE(output[i]);
    }
}

#endif
