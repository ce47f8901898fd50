/* softmax_cross_entropy.c - -ln of the label's probability, of the softmax of all classes.
 *
 * errors[c] = p(c) - [c is the label], each by one rounded division: exp(logit) by the sum of all.
 * The logits enter as they are: cut to 16 bits, a network that is sure of a wrong class no longer
 * learns.  The loss is exact however small p is. */
#include "loss_kind.h"

NN_NEEDS(TRAINS)

#if NN_INTEGERS

/* A difference of logits in the loss's format. */
static uint64_t aligned(uint32_t below, uint32_t fraction)
{
    return fraction >= NN_LOSS_FRACTION ? below >> (fraction - NN_LOSS_FRACTION)
                                        : (uint64_t)below << (NN_LOSS_FRACTION - fraction);
}

uint32_t nn_softmax_error(const int32_t *logits, uint32_t classes, uint32_t fraction,
                          const uint32_t *exp_table, uint32_t label, uint32_t error_fraction,
                          nn_value *errors, uint32_t *loss)
{
    uint32_t exponential[NN_MAX_CLASSES];
    uint32_t best = 0;
    for (uint32_t c = 1; c < classes; c++) {
        best = logits[c] > logits[best] ? c : best;
    }
    uint32_t sum = 0;
    for (uint32_t c = 0; c < classes; c++) {
        const uint32_t below = (uint32_t)logits[best] - (uint32_t)logits[c];
        exponential[c] = nn_exponential(below, fraction, exp_table);
        sum += exponential[c];
    }
    for (uint32_t c = 0; c < classes; c++) {
        errors[c] = (nn_value)(((exponential[c] << error_fraction) + sum / 2) / sum);
    }
    errors[label] = (nn_value)(errors[label] - (1 << error_fraction));
    if (loss != NULL) {
        const uint64_t exact = aligned((uint32_t)logits[best] - (uint32_t)logits[label], fraction) +
                               nn_natural_logarithm(sum);
        *loss = exact > UINT32_MAX ? UINT32_MAX : (uint32_t)exact;
    }
    return best;
}

#elif NN_FLOATS

uint32_t nn_softmax_error(const nn_total *logits, uint32_t classes, uint32_t fraction,
                          const uint32_t *exp_table, uint32_t label, uint32_t error_fraction,
                          nn_value *errors, uint32_t *loss)
{
    float exponential[NN_MAX_CLASSES];
    float sum;
    (void)fraction;
    (void)exp_table;
    (void)error_fraction;
    const uint32_t best = nn_float_exponentials(logits, classes, exponential, &sum);
    for (uint32_t c = 0; c < classes; c++) {
        errors[c] = exponential[c] / sum;
    }
    errors[label] -= 1;
    if (loss != NULL) {
        const int32_t below = nn_float_word(logits[best] - logits[label], NN_LOSS_FRACTION);
        *loss =
            (uint32_t)below + nn_natural_logarithm((uint32_t)nn_float_word(sum, NN_LOSS_FRACTION));
    }
    return best;
}

#elif NN_DOUBLES

static void gradient(const double *logits, size_t classes, size_t label, double *errors)
{
    reference_softmax(logits, classes, errors);
    errors[label] -= 1;
}

const struct loss loss_softmax_cross_entropy = {reference_cross_entropy, gradient};

#endif
