/* toy_activation.c - an activation for a test: softplus, ln(1 + e^x), a smooth ReLU; its derivative
 * is 1 - e^-y.  Both by tables with interpolation, within 2^-8 beyond half a unit. */
#define NN_ACTIVATION softplus
#include "workloads/nn/activations/activation_kind.h"

#if NN_INTEGERS

enum { PLUS_STEPS = 40, PLUS_SHIFT = 2, SLOPE_STEPS = 80, SLOPE_SHIFT = 3, TABLE_FRACTION = 16 };

/* ln(1 + e^-(i/4)) */
static const int32_t PLUS[PLUS_STEPS + 1] = {
    45426, 37745, 31069, 25354, 20530, 16510, 13200, 10500, 8318, 6567, 5170, 4061, 3184, 2493,
    1950,  1523,  1189,  928,   724,   565,   440,   343,   267,  208,  162,  126,  98,   77,
    60,    47,    36,    28,    22,    17,    13,    10,    8,    6,    5,    4,    3,
};

/* 1 - e^-(i/8) */
static const int32_t SLOPE[SLOPE_STEPS + 1] = {
    0,     7701,  14497, 20494, 25786, 30457, 34579, 38217, 41427, 44260, 46760, 48966,
    50913, 52631, 54148, 55486, 56667, 57709, 58629, 59440, 60156, 60789, 61346, 61839,
    62273, 62657, 62995, 63293, 63557, 63790, 63995, 64176, 64336, 64477, 64601, 64711,
    64808, 64894, 64969, 65036, 65094, 65146, 65192, 65233, 65268, 65300, 65327, 65352,
    65374, 65393, 65409, 65424, 65437, 65449, 65459, 65468, 65476, 65483, 65489, 65495,
    65500, 65504, 65508, 65511, 65514, 65517, 65519, 65521, 65523, 65524, 65526, 65527,
    65528, 65529, 65530, 65530, 65531, 65532, 65532, 65533, 65533,
};

/* The table at x >= 0 with `fraction` bits; its places are 2^-shift apart. */
static int32_t at(const int32_t *table, uint32_t steps, uint32_t x, uint32_t shift)
{
    const uint32_t step = x >> shift;
    if (step >= steps) {
        return table[steps];
    }
    const int32_t rest = (int32_t)(x & ((1u << shift) - 1));
    return table[step] + ((table[step + 1] - table[step]) * rest >> shift);
}

static int16_t softplus_of(int16_t value, uint32_t fraction)
{
    const uint32_t size = (uint32_t)(value < 0 ? -value : value);
    const int32_t plus = at(PLUS, PLUS_STEPS, size, fraction - PLUS_SHIFT);
    const int32_t rounded = ((plus >> (TABLE_FRACTION - fraction - 1)) + 1) >> 1;
    const int32_t sum = (value < 0 ? 0 : value) + rounded;
    return (int16_t)(sum > INT16_MAX ? INT16_MAX : sum);
}

static int32_t softplus_slope(int32_t y, uint32_t fraction)
{
    const int32_t slope = at(SLOPE, SLOPE_STEPS, (uint32_t)y, fraction - SLOPE_SHIFT);
    return (int32_t)((uint32_t)slope << (2 * fraction - TABLE_FRACTION));
}

#include "workloads/nn/activations/activate.h"

#elif NN_DOUBLES

static double softplus_of(double x)
{
    return (x > 0 ? x : 0) + log(1 + reference_exp(x > 0 ? -x : x));
}

static double softplus_slope(double y)
{
    return 1 - reference_exp(-y);
}

#include "workloads/nn/activations/activate.h"

const struct activation activation_softplus = {ACTIVATION_ROW(SOFTPLUS, softplus),
                                               .forward = forward, .backward = backward};

#endif
