/* loss.c - see loss.h. */
#include "sim/networks/loss.h"

#include <math.h>

const struct loss *loss_of(enum nn_loss loss)
{
    static const struct loss *const ROW[] = {
#define LOSS(NAME, name, kernel, HAS) [NN_##NAME] = &loss_##name,
#include "workloads/nn/losses.def"
    };
    return ROW[loss];
}

/* ---- of integers ---- */

double test_loss(const struct nn_table *table, double logit_factor, const struct nn_result *result,
                 const uint8_t *labels, uint32_t count)
{
    const struct nn_layer *last = &table->layer[table->layers - 1];
    const uint32_t classes = table->classes;
    double loss = 0;
    for (uint32_t i = 0; i < count; i++) {
        double logit[NN_RESULT_CLASSES] = {0};
        if (result[i].done != 1 || labels[i] >= classes) {
            return NAN;
        }
        for (uint32_t c = 0; c < classes; c++) {
            logit[c] =
                ldexp(result[i].logits[c], -(int)(last->weight_fraction + last->input_fraction)) /
                logit_factor;
        }
        loss += loss_of(nn_loss_of(last))->of(logit, classes, labels[i]);
    }
    return count == 0 ? NAN : loss / count;
}
