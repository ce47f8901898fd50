/* loss_float32.c - the error of logits that are singles. */
#include "kernels.h"
#include "loss.h"

#include <stddef.h>

NN_NEEDS(TRAINS)

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
