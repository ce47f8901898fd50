/* activation.c - see activation.h. */
#include "activation.h"

#include "operators.h"

NN_NEEDS(OPERATORS)

enum {
    STEPS = 192,    /* of 1/16, up to 12 */
    STEP_BITS = 12, /* fractional bits of a place in the table */
    HALF_FRACTION = 17 + STEP_BITS
};

/* sigmoid(i / 16) - 1/2 with 17 fractional bits */
static const uint16_t SIGMOID[STEPS + 1] = {
    0,     2047,  4091,  6126,  8150,  10157, 12146, 14112, 16051, 17961, 19838, 21681, 23485,
    25250, 26973, 28652, 30285, 31873, 33412, 34904, 36346, 37740, 39084, 40379, 41625, 42823,
    43972, 45075, 46131, 47142, 48108, 49031, 49912, 50752, 51552, 52314, 53038, 53727, 54382,
    55003, 55593, 56152, 56683, 57185, 57660, 58110, 58536, 58939, 59320, 59680, 60019, 60340,
    60643, 60929, 61199, 61454, 61694, 61920, 62134, 62335, 62524, 62703, 62871, 63029, 63179,
    63319, 63451, 63576, 63693, 63803, 63907, 64004, 64096, 64182, 64263, 64340, 64412, 64479,
    64543, 64603, 64659, 64712, 64761, 64808, 64852, 64893, 64932, 64968, 65003, 65035, 65065,
    65093, 65120, 65145, 65169, 65191, 65212, 65231, 65250, 65267, 65283, 65299, 65313, 65327,
    65339, 65351, 65362, 65373, 65383, 65392, 65401, 65409, 65417, 65424, 65431, 65437, 65443,
    65449, 65454, 65459, 65464, 65468, 65472, 65476, 65480, 65483, 65486, 65489, 65492, 65495,
    65497, 65500, 65502, 65504, 65506, 65508, 65509, 65511, 65512, 65514, 65515, 65516, 65518,
    65519, 65520, 65521, 65522, 65523, 65523, 65524, 65525, 65526, 65526, 65527, 65527, 65528,
    65528, 65529, 65529, 65530, 65530, 65530, 65531, 65531, 65531, 65532, 65532, 65532, 65532,
    65533, 65533, 65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534,
    65534, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
};

/* sigmoid(place / 2^16) - 1/2 with HALF_FRACTION fractional bits, place >= 0 in steps of the table
 */
static int32_t half_sigmoid(uint32_t place)
{
    const uint32_t step = place >> STEP_BITS;
    if (step >= STEPS) {
        return (int32_t)SIGMOID[STEPS] << STEP_BITS;
    }
    const int32_t rest = (int32_t)(place & ((1u << STEP_BITS) - 1));
    const int32_t rise = SIGMOID[step + 1] - SIGMOID[step];
    return ((int32_t)SIGMOID[step] << STEP_BITS) + rise * rest;
}

static int32_t rounded(int32_t value, uint32_t shift)
{
    return ((value >> (shift - 1)) + 1) >> 1;
}

static int16_t cut(int32_t value)
{
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value);
}

static int16_t tanh_of(int16_t value, uint32_t fraction)
{
    /* 2 (sigmoid(2 x) - 1/2), odd */
    const uint32_t size = (uint32_t)(value < 0 ? -value : value);
    const int32_t half = half_sigmoid(size << (17 - fraction));
    const int16_t result = cut(rounded(half, HALF_FRACTION - 1 - fraction));
    return (int16_t)(value < 0 ? -result : result);
}

/* Of 1.7159 tanh(2 x / 3), rounded. */
static const uint32_t SCALED_PLACE = 2863311531u; /* 2^32 x 2/3 */
static const uint32_t SCALED_GAIN = 3684867192u;  /* 2^31 x 1.7159 */
static const int32_t SCALED_SLOPE = 1228289064;   /* 2^30 x 2/3 x 1.7159 */
static const uint32_t SCALED_FALL = 1668693706u;  /* 2^32 x 2/3 / 1.7159 */

/* The high word of a product: a x b / 2^32. */
static inline uint32_t scaled(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline int16_t scaled_tanh_of(int16_t value, uint32_t fraction)
{
    /* 2 x 1.7159 (sigmoid(4 x / 3) - 1/2), odd; the gain's halves leave one bit less */
    const uint32_t size = (uint32_t)(value < 0 ? -value : value);
    const int32_t half = half_sigmoid(scaled(size << (17 - fraction), SCALED_PLACE));
    const int32_t most = (int32_t)scaled((uint32_t)half, SCALED_GAIN);
    const int16_t result = cut(rounded(most, HALF_FRACTION - 2 - fraction));
    return (int16_t)(value < 0 ? -result : result);
}

/* Its derivative with 2 x fraction bits. */
static inline int32_t scaled_tanh_slope(int32_t y, uint32_t fraction)
{
    return (SCALED_SLOPE >> (30 - 2 * fraction)) - (int32_t)scaled((uint32_t)(y * y), SCALED_FALL);
}

static int16_t sigmoid_of(int16_t value, uint32_t fraction)
{
    const uint32_t size = (uint32_t)(value < 0 ? -value : value);
    const int32_t half = half_sigmoid(size << (16 - fraction));
    const int32_t middle = 1 << (HALF_FRACTION - 1);
    return cut(rounded(value < 0 ? middle - half : middle + half, HALF_FRACTION - fraction));
}

void nn_activate(enum nn_activation activation, uint32_t fraction, int16_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (activation == NN_TANH) {
            values[i] = tanh_of(values[i], fraction);
        } else if (activation == NN_SIGMOID) {
            values[i] = sigmoid_of(values[i], fraction);
        } else if (activation == NN_SCALED_TANH) {
            values[i] = scaled_tanh_of(values[i], fraction);
        }
    }
}

void nn_activation_back(enum nn_activation activation, uint32_t fraction, const int16_t *outputs,
                        int16_t *errors, uint32_t count)
{
    const bool is_scaled = activation == NN_SCALED_TANH;
    if (activation != NN_TANH && activation != NN_SIGMOID && !is_scaled) {
        return;
    }
    const int32_t one = 1 << fraction;
    const int64_t half = INT64_C(1) << (2 * fraction - 1);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t y = outputs[i];
        const int32_t slope = is_scaled               ? scaled_tanh_slope(y, fraction)
                              : activation == NN_TANH ? one * one - y * y
                                                      : y * (one - y);
        const int32_t error = (int32_t)(((int64_t)errors[i] * slope + half) >> (2 * fraction));
        errors[i] = is_scaled ? cut(error < INT16_MIN ? INT16_MIN : error) : (int16_t)error;
    }
}
