/* hinge.c - the hinge of several classes (Crammer and Singer 2001): max(0, 1 + the largest output
 * of another class - the label's output).  The gradient is 1 for this other class, the first of
 * equals, and -1 for the label where the loss is not 0; else 0.  The last layer's sums are outputs
 * here, without softmax. */
#include "loss_kind.h"

NN_NEEDS(TRAINS)

#if !NN_DOUBLES

/* The best of the other classes; at least two classes. */
static uint32_t rival_of(const nn_total *outputs, uint32_t classes, uint32_t label)
{
    uint32_t rival = label == 0 ? 1 : 0;
    for (uint32_t c = rival + 1; c < classes; c++) {
        rival = c != label && outputs[c] > outputs[rival] ? c : rival;
    }
    return rival;
}

#endif

#if NN_INTEGERS

uint32_t nn_hinge_error(const nn_total *outputs, uint32_t classes, uint32_t fraction,
                        const uint32_t *exp_table, uint32_t label, uint32_t error_fraction,
                        nn_value *errors, uint32_t *loss)
{
    const uint32_t rival = rival_of(outputs, classes, label);
    const int64_t short_by = (INT64_C(1) << fraction) + outputs[rival] - (int64_t)outputs[label];
    (void)exp_table;
    for (uint32_t c = 0; c < classes; c++) {
        errors[c] = 0;
    }
    if (short_by > 0) {
        errors[rival] = (nn_value)(1 << error_fraction);
        errors[label] = (nn_value) - (1 << error_fraction);
    }
    if (loss != NULL) {
        const uint64_t size = short_by > 0 ? (uint64_t)short_by : 0;
        const uint64_t value = fraction >= NN_LOSS_FRACTION ? size >> (fraction - NN_LOSS_FRACTION)
                                                            : size << (NN_LOSS_FRACTION - fraction);
        *loss = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    }
    return outputs[rival] > outputs[label] || (outputs[rival] == outputs[label] && rival < label)
               ? rival
               : label;
}

#elif NN_FLOATS

uint32_t nn_hinge_error(const nn_total *outputs, uint32_t classes, uint32_t fraction,
                        const uint32_t *exp_table, uint32_t label, uint32_t error_fraction,
                        nn_value *errors, uint32_t *loss)
{
    const uint32_t rival = rival_of(outputs, classes, label);
    const float short_by = 1.0F + outputs[rival] - outputs[label];
    (void)fraction;
    (void)exp_table;
    (void)error_fraction;
    for (uint32_t c = 0; c < classes; c++) {
        errors[c] = 0;
    }
    if (short_by > 0) {
        errors[rival] = 1.0F;
        errors[label] = -1.0F;
    }
    if (loss != NULL) {
        *loss = short_by > 0 ? (uint32_t)nn_float_word(short_by, NN_LOSS_FRACTION) : 0;
    }
    return outputs[rival] > outputs[label] || (outputs[rival] == outputs[label] && rival < label)
               ? rival
               : label;
}

#elif NN_DOUBLES

static size_t rival_of(const double *outputs, size_t classes, size_t label)
{
    size_t rival = label == 0 ? 1 : 0;
    for (size_t c = rival + 1; c < classes; c++) {
        rival = c != label && outputs[c] > outputs[rival] ? c : rival;
    }
    return rival;
}

static double value(const double *outputs, size_t classes, size_t label)
{
    const double short_by = 1 + outputs[rival_of(outputs, classes, label)] - outputs[label];
    return short_by > 0 ? short_by : 0;
}

static void gradient(const double *outputs, size_t classes, size_t label, double *errors)
{
    const size_t rival = rival_of(outputs, classes, label);
    const double error = 1 + outputs[rival] - outputs[label] > 0 ? 1 : 0;
    for (size_t c = 0; c < classes; c++) {
        errors[c] = c == rival ? error : c == label ? -error : 0;
    }
}

const struct loss loss_hinge = {value, gradient};

#endif
