/* square_loss_float32.c - the squared differences of outputs that are singles. */
#include "kernels.h"
#include "loss.h"

#include <stddef.h>

NN_NEEDS(TRAINS)

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
