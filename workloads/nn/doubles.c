/* doubles.c - see doubles.h: exponentials and probabilities. */
#include "doubles.h"

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

double reference_sigmoid(double x)
{
    const double small = reference_exp(x < 0 ? x : -x);
    return (x < 0 ? small : 1) / (1 + small);
}

double reference_tanh(double x)
{
    return x < 0 ? 2 * reference_sigmoid(2 * x) - 1 : 1 - 2 * reference_sigmoid(-2 * x);
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
