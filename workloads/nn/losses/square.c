/* square.c - half the sum of the squared differences from a target that is one for the label and
 * zero for the other classes; the gradient is the difference.  The last layer's sums are outputs
 * here, without softmax. */
#include "loss_kind.h"

NN_NEEDS(TRAINS)

#if NN_INTEGERS

enum { HALF_SQUARE_FRACTION = 16, MOST_FRACTION_OF_FACTOR = 16 };

/* Its square with 16 fractional bits, down to at least 2^-15 of a difference. */
static uint64_t square_of(uint64_t size, uint32_t fraction)
{
    const uint32_t drop =
        fraction > MOST_FRACTION_OF_FACTOR ? fraction - MOST_FRACTION_OF_FACTOR : 0;
    const uint64_t short_size = size >> drop;
    const uint32_t kept = 2 * (fraction - drop);
    const uint64_t square = short_size * short_size;
    return kept >= HALF_SQUARE_FRACTION ? square >> (kept - HALF_SQUARE_FRACTION)
                                        : square << (HALF_SQUARE_FRACTION - kept);
}

uint32_t nn_square_error(const nn_total *outputs, uint32_t classes, uint32_t fraction,
                         const uint32_t *exp_table, uint32_t label, uint32_t error_fraction,
                         nn_value *errors, uint32_t *loss)
{
    const uint32_t shift = fraction - error_fraction;
    const int64_t half = (INT64_C(1) << shift) >> 1;
    uint32_t best = 0;
    uint64_t sum = 0;
    (void)exp_table;
    for (uint32_t c = 0; c < classes; c++) {
        best = outputs[c] > outputs[best] ? c : best;
        const int64_t difference = outputs[c] - (c == label ? INT64_C(1) << fraction : 0);
        const int64_t error = (difference + half) >> shift;
        const int64_t least = error < NN_VALUE_LEAST ? NN_VALUE_LEAST : error;
        errors[c] = (nn_value)(least > NN_VALUE_MOST ? NN_VALUE_MOST : least);
        sum += square_of((uint64_t)(difference < 0 ? -difference : difference), fraction);
    }
    if (loss != NULL) {
        *loss = sum / 2 > UINT32_MAX ? UINT32_MAX : (uint32_t)(sum / 2);
    }
    return best;
}

#elif NN_FLOATS

uint32_t nn_square_error(const nn_total *outputs, uint32_t classes, uint32_t fraction,
                         const uint32_t *exp_table, uint32_t label, uint32_t error_fraction,
                         nn_value *errors, uint32_t *loss)
{
    uint32_t best = 0;
    float sum = 0;
    (void)fraction;
    (void)exp_table;
    (void)error_fraction;
    for (uint32_t c = 0; c < classes; c++) {
        best = outputs[c] > outputs[best] ? c : best;
        errors[c] = outputs[c] - (c == label ? 1.0F : 0.0F);
        sum += errors[c] * errors[c];
    }
    if (loss != NULL) {
        *loss = (uint32_t)nn_float_word(sum * 0.5F, NN_LOSS_FRACTION);
    }
    return best;
}

#elif NN_DOUBLES

static double value(const double *outputs, size_t classes, size_t label)
{
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        const double difference = outputs[c] - (c == label ? 1 : 0);
        sum += difference * difference;
    }
    return sum / 2;
}

static void gradient(const double *outputs, size_t classes, size_t label, double *errors)
{
    for (size_t c = 0; c < classes; c++) {
        errors[c] = outputs[c] - (c == label ? 1 : 0);
    }
}

const struct loss loss_square = {value, gradient};

#endif
