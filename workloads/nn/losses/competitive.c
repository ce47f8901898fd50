/* competitive.c - of outputs that are minus distances y (rbf.h): y(label) + ln(exp(-j) + sum of
 * exp(-y)), the competitive loss of LeCun et al. 1998 (equation 9): the right distance is made
 * small, and others large where they compete.  j is the distance of what is none of the classes:
 * the loss is that of a softmax with this class, too.  Only in int16; classes < NN_MAX_CLASSES. */
#include "loss_kind.h"

NN_NEEDS(TRAINS)
NN_NEEDS(OPERATORS)

enum { DISTANCE_OF_NONE = 64 };

#if NN_INTEGERS

uint32_t nn_competitive_error(const int32_t *outputs, uint32_t classes, uint32_t fraction,
                              const uint32_t *exp_table, uint32_t label, uint32_t error_fraction,
                              int16_t *errors, uint32_t *loss)
{
    int32_t all[NN_MAX_CLASSES];
    int16_t error[NN_MAX_CLASSES];
    uint32_t best = 0;
    for (uint32_t c = 0; c < classes; c++) {
        all[c] = outputs[c];
        best = outputs[c] > outputs[best] ? c : best;
    }
    all[classes] = -(DISTANCE_OF_NONE << fraction);
    (void)nn_softmax_error(all, classes + 1, fraction, exp_table, label, error_fraction, error,
                           loss);
    for (uint32_t c = 0; c < classes; c++) {
        errors[c] = error[c];
    }
    return best;
}

#elif NN_DOUBLES

/* With one class more, whose distance is constant. */
static void with_none(const double *outputs, size_t classes, double all[NN_MAX_CLASSES])
{
    memcpy(all, outputs, classes * sizeof *all);
    all[classes] = -DISTANCE_OF_NONE;
}

static double value(const double *outputs, size_t classes, size_t label)
{
    double all[NN_MAX_CLASSES];
    with_none(outputs, classes, all);
    return reference_cross_entropy(all, classes + 1, label);
}

static void gradient(const double *outputs, size_t classes, size_t label, double *errors)
{
    double all[NN_MAX_CLASSES];
    double of_all[NN_MAX_CLASSES];
    with_none(outputs, classes, all);
    reference_softmax(all, classes + 1, of_all);
    of_all[label] -= 1;
    memcpy(errors, of_all, classes * sizeof *errors);
}

const struct loss loss_competitive = {value, gradient};

#endif
