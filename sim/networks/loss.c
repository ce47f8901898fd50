/* loss.c - see loss.h. */
#include "sim/networks/loss.h"

#include "workloads/nn/loss.h"

#include <math.h>
#include <string.h>

/* x = n ln 2 + r, |r| <= ln 2 / 2, and e^r by Taylor's series: the first omitted term is 5e-18.
 * LN2_HIGH has 33 significant bits, so n LN2_HIGH is exact. */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW  0x1.a39ef35793c76p-33
#define LOG2_E   0x1.71547652b82fep+0

double reference_exp(double x)
{
    enum { TERMS = 13, LEAST_EXPONENT = -1021 };
    const double n = floor(x * LOG2_E + 0.5);
    if (!(n >= LEAST_EXPONENT)) {
        return x < 0 ? 0 : x; /* underflow, or NaN */
    }
    const double r = (x - n * LN2_HIGH) - n * LN2_LOW;
    double sum = 1;
    for (int k = TERMS; k > 0; k--) {
        sum = 1 + r * sum / k;
    }
    return ldexp(sum, (int)n);
}

static double largest_logit(const double *logits, size_t classes)
{
    double largest = logits[0];
    for (size_t c = 1; c < classes; c++) {
        largest = logits[c] > largest ? logits[c] : largest;
    }
    return largest;
}

void reference_softmax(const double *logits, size_t classes, double *probabilities)
{
    const double largest = largest_logit(logits, classes);
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        probabilities[c] = reference_exp(logits[c] - largest);
        sum += probabilities[c];
    }
    for (size_t c = 0; c < classes; c++) {
        probabilities[c] /= sum;
    }
}

double reference_cross_entropy(const double *logits, size_t classes, size_t label)
{
    const double largest = largest_logit(logits, classes);
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        sum += reference_exp(logits[c] - largest);
    }
    return log(sum) - (logits[label] - largest);
}

/* ---- the table ---- */

static double softmax_cross_entropy(const double *logits, size_t classes, size_t label)
{
    return reference_cross_entropy(logits, classes, label);
}

static void softmax_cross_entropy_gradient(const double *logits, size_t classes, size_t label,
                                           double *gradient)
{
    reference_softmax(logits, classes, gradient);
    gradient[label] -= 1;
}

static void square_gradient(const double *outputs, size_t classes, size_t label, double *gradient)
{
    for (size_t c = 0; c < classes; c++) {
        gradient[c] = outputs[c] - (c == label ? 1 : 0);
    }
}

static double square(const double *outputs, size_t classes, size_t label)
{
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        const double difference = outputs[c] - (c == label ? 1 : 0);
        sum += difference * difference;
    }
    return sum / 2;
}

/* With one class more, whose distance is constant. */
static void with_none(const double *outputs, size_t classes, double all[NN_MAX_CLASSES])
{
    memcpy(all, outputs, classes * sizeof *all);
    all[classes] = -NN_COMPETITIVE_NONE;
}

static double competitive(const double *outputs, size_t classes, size_t label)
{
    double all[NN_MAX_CLASSES];
    with_none(outputs, classes, all);
    return reference_cross_entropy(all, classes + 1, label);
}

static void competitive_gradient(const double *outputs, size_t classes, size_t label,
                                 double *gradient)
{
    double all[NN_MAX_CLASSES];
    double of_all[NN_MAX_CLASSES];
    with_none(outputs, classes, all);
    softmax_cross_entropy_gradient(all, classes + 1, label, of_all);
    memcpy(gradient, of_all, classes * sizeof *gradient);
}

const struct loss *loss_of(enum nn_loss loss)
{
    static const struct loss ROW[] = {
#define LOSS(NAME, name, kernel, HAS) [NN_##NAME] = {name, name##_gradient},
#include "workloads/nn/losses.def"
    };
    return &ROW[loss];
}

/* ---- of integers ---- */

double test_loss(const struct nn_table *table, const struct nn_result *result,
                 const uint8_t *labels, uint32_t count)
{
    const struct nn_layer *last = &table->layer[table->layers - 1];
    const uint32_t classes =
        table->classes < NN_RESULT_CLASSES ? table->classes : NN_RESULT_CLASSES;
    double loss = 0;
    for (uint32_t i = 0; i < count; i++) {
        double logit[NN_RESULT_CLASSES] = {0};
        if (result[i].done != 1 || labels[i] >= classes) {
            return NAN;
        }
        for (uint32_t c = 0; c < classes; c++) {
            logit[c] =
                ldexp(result[i].logits[c], -(int)(last->weight_fraction + last->input_fraction));
        }
        loss += loss_of(nn_loss_of(last))->of(logit, classes, labels[i]);
    }
    return count == 0 ? NAN : loss / count;
}
