/* loss.c - see loss.h. */
#include "loss.h"

#include "kernels.h"
#include "layer_table.h"
#ifdef NN_FLOAT32
#include "float32.h"
#endif

#include <stddef.h>

enum { LOG_BITS = 20, ONE_BITS = 31 };

/* ln 2 with 32 fractional bits. */
static const uint32_t LN_2 = 2977044472u;

/* ln(value / 2^16) with 16 fractional bits, value >= 2^16: the binary logarithm bit by bit, by
 * squaring. */
static uint32_t natural_logarithm(uint32_t value)
{
    uint32_t log2 = 0;
    while (value >> (NN_LOSS_FRACTION + 1 + log2) != 0) {
        log2++;
    }
    uint32_t x = value << (ONE_BITS - NN_LOSS_FRACTION - log2); /* [1, 2) */
    for (uint32_t i = 0; i < LOG_BITS; i++) {
        const uint64_t square = (uint64_t)x * x;
        const uint32_t bit = (uint32_t)(square >> (2 * ONE_BITS + 1));
        log2 = log2 << 1 | bit;
        x = (uint32_t)(square >> (ONE_BITS + bit));
    }
    const uint64_t ln = (uint64_t)log2 * LN_2 >> (32 + LOG_BITS - NN_LOSS_FRACTION - 1);
    return (uint32_t)((ln + 1) >> 1);
}

#ifdef NN_FLOAT32
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
        *loss = (uint32_t)below + natural_logarithm((uint32_t)nn_float_word(sum, NN_LOSS_FRACTION));
    }
    return best;
}
#else
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
                               natural_logarithm(sum);
        *loss = exact > UINT32_MAX ? UINT32_MAX : (uint32_t)exact;
    }
    return best;
}
#endif
