/* scaled_tanh.c - 1.7159 tanh(2 x / 3): LeCun et al. 1998, appendix A.  Its derivative is 1.14393 -
 * 0.38852 y^2.  Beyond half a unit of the result integers are at most 1.8e-4 away from the exact
 * value. */
#define NN_ACTIVATION scaled_tanh
#include "activation_kind.h"
#include "half_sigmoid.h"

NN_NEEDS(OPERATORS)

#if NN_INTEGERS

/* rounded */
static const uint32_t PLACE = 2863311531u; /* 2^32 x 2/3 */
static const uint32_t GAIN = 3684867192u;  /* 2^31 x 1.7159 */
static const int32_t SLOPE = 1228289064;   /* 2^30 x 2/3 x 1.7159 */
static const uint32_t FALL = 1668693706u;  /* 2^32 x 2/3 / 1.7159 */

/* The high word of a product: a x b / 2^32. */
static inline uint32_t scaled(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline int16_t scaled_tanh_of(int16_t value, uint32_t fraction)
{
    /* 2 x 1.7159 (sigmoid(4 x / 3) - 1/2), odd; the gain's halves leave one bit less */
    const int32_t half = nn_half_sigmoid(scaled(nn_size_of(value) << (17 - fraction), PLACE));
    const int32_t most = (int32_t)scaled((uint32_t)half, GAIN);
    const int16_t result = nn_rounded_down(most, NN_SIGMOID_FRACTION - 2 - fraction);
    return (int16_t)(value < 0 ? -result : result);
}

static inline int32_t scaled_tanh_slope(int32_t y, uint32_t fraction)
{
    return (SLOPE >> (30 - 2 * fraction)) - (int32_t)scaled((uint32_t)(y * y), FALL);
}

#include "activate.h"

#elif NN_DOUBLES

static const double GAIN = 1.7159;

static double scaled_tanh_of(double x)
{
    return GAIN * reference_tanh(2 * x / 3);
}

static double scaled_tanh_slope(double y)
{
    return (GAIN - y * y / GAIN) * 2 / 3;
}

#include "activate.h"

const struct activation activation_scaled_tanh = {ACTIVATION_ROW(SCALED_TANH, scaled_tanh),
                                                  .of_1998 = true, .most = 1.7159,
                                                  .forward = forward, .backward = backward};

#endif
