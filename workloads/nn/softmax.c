/* softmax.c - probabilities from 32-bit logits, in integers: subtract the largest, look the
 * exponential up, divide by the sum. Logits are never cut to 16 bits. */
#include "kernels.h"

/* exp(-1/64) with 32 fractional bits: 2^32 x 0.98449643700540840... */
#define STEP_FACTOR UINT64_C(4228380000)

enum { TABLE_BITS = 16, WORK_BITS = 32, INDEX_BITS = 6, INTERPOLATION_BITS = 10, RANGE = 16 };

void nn_exp_table(uint32_t table[NN_EXP_STEPS + 1])
{
    uint64_t value = UINT64_C(1) << WORK_BITS;
    for (uint32_t i = 0; i <= NN_EXP_STEPS; i++) {
        table[i] = (uint32_t)((value + (UINT64_C(1) << (WORK_BITS - TABLE_BITS - 1))) >>
                              (WORK_BITS - TABLE_BITS));
        value = (value * STEP_FACTOR + (UINT64_C(1) << (WORK_BITS - 1))) >> WORK_BITS;
    }
}

uint32_t nn_exponential(uint32_t below, uint32_t fraction, const uint32_t *table)
{
    const uint64_t place = (uint64_t)below << (INDEX_BITS + INTERPOLATION_BITS) >> fraction;
    const uint64_t index = place >> INTERPOLATION_BITS;
    if (index >= NN_EXP_STEPS) {
        return 0;
    }
    const uint32_t part = (uint32_t)place & ((1u << INTERPOLATION_BITS) - 1);
    const uint32_t drop = table[index] - table[index + 1];
    return table[index] - ((drop * part + (1u << (INTERPOLATION_BITS - 1))) >> INTERPOLATION_BITS);
}

uint32_t nn_softmax(const int32_t *logits, uint32_t classes, uint32_t fraction,
                    const uint32_t *exp_table, uint32_t *probabilities)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < classes; c++) {
        best = logits[c] > logits[best] ? c : best;
    }
    uint32_t sum = 0;
    for (uint32_t c = 0; c < classes; c++) {
        const uint32_t below = (uint32_t)logits[best] - (uint32_t)logits[c];
        probabilities[c] = nn_exponential(below, fraction, exp_table);
        sum += probabilities[c];
    }
    for (uint32_t c = 0; c < classes; c++) {
        const uint64_t scaled = (uint64_t)probabilities[c] << NN_PROBABILITY_FRACTION;
        probabilities[c] = (uint32_t)((scaled + sum / 2) / sum);
    }
    return best;
}
