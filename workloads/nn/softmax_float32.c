/* softmax_float32.c - the exponential and probabilities of singles. */
#include "kernels.h"

/* e^x = 2^n e^r with n = x / ln 2 to nearest, |r| <= ln 2 / 2; e^r by Taylor's series, which is
 * within 2^-25 of it after the seventh power.  ln 2 is in two parts, the first of which has so few
 * bits that its products with n are exact (Cody and Waite 1980). */
float nn_float_exp(float value)
{
    static const float LEAST = -87.0F;
    static const float PER_LN_2 = 1.44269502F;
    static const float LN_2_UPPER = 0.693359375F;
    static const float LN_2_LOWER = -2.12194442e-4F;
    static const float COEFFICIENT[] = {1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24,
                                        1.0F / 6,    0.5F,       1.0F,       1.0F};
    if (!(value >= LEAST)) {
        return 0;
    }
    const int32_t n = nn_float_word(value * PER_LN_2, 0);
    const float part = (float)n;
    const float rest = (value - part * LN_2_UPPER) - part * LN_2_LOWER;
    float sum = COEFFICIENT[0];
    for (uint32_t i = 1; i < sizeof COEFFICIENT / sizeof *COEFFICIENT; i++) {
        sum = sum * rest + COEFFICIENT[i];
    }
    return sum * nn_float_power(n);
}

uint32_t nn_float_exponentials(const float *logits, uint32_t classes, float *exponential,
                               float *sum)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < classes; c++) {
        best = logits[c] > logits[best] ? c : best;
    }
    *sum = 0;
    for (uint32_t c = 0; c < classes; c++) {
        exponential[c] = nn_float_exp(logits[c] - logits[best]);
        *sum += exponential[c];
    }
    return best;
}

uint32_t nn_softmax(const nn_total *logits, uint32_t classes, uint32_t fraction,
                    const uint32_t *exp_table, uint32_t *probabilities)
{
    float exponential[NN_MAX_CLASSES];
    float sum;
    (void)fraction;
    (void)exp_table;
    const uint32_t best = nn_float_exponentials(logits, classes, exponential, &sum);
    for (uint32_t c = 0; c < classes; c++) {
        probabilities[c] = (uint32_t)nn_float_word(exponential[c] / sum, NN_PROBABILITY_FRACTION);
    }
    return best;
}
