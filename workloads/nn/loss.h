/* loss.h - losses: the error and the value of the last layer's sums, by the rows of losses.def. */
#pragma once
#include "layer_table.h"
#include "operators.h"
NN_LINKAGE_BEGIN

enum { NN_LOSS_FRACTION = 16 };

/* ln(value / 2^16) with 16 fractional bits, value >= 2^16: the binary logarithm bit by bit, by
 * squaring. */
static inline uint32_t nn_natural_logarithm(uint32_t value)
{
    enum { LOG_BITS = 20, ONE_BITS = 31 };
    const uint32_t ln_2 = 2977044472u; /* 32 fractional bits */
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
    const uint64_t ln = (uint64_t)log2 * ln_2 >> (32 + LOG_BITS - NN_LOSS_FRACTION - 1);
    return (uint32_t)((ln + 1) >> 1);
}

/* The error and the value of a loss: the rows of losses.def, whose formulas stand in losses/.
 *
 * sums: of the last layer, with `fraction` fractional bits.  errors: the gradient with respect to
 * the sums, with error_fraction fractional bits (at most 14, of s16.15 15, and at most fraction),
 * rounded to nearest and cut to their format.  *loss, if not NULL: 16 fractional bits, cut to
 * 2^32 - 1.  exp_table: nn_exp_table() of kernels.h, of losses with exponentials; else NULL.
 * Returns the class with the largest sum, the first of equals. */
typedef uint32_t nn_loss_kernel(const nn_total *sums, uint32_t classes, uint32_t fraction,
                                const uint32_t *exp_table, uint32_t label, uint32_t error_fraction,
                                nn_value *errors, uint32_t *loss);

#define LOSS(NAME, name, kernel, HAS) nn_loss_kernel kernel NN_SYMBOL(kernel);
#include "losses.def"

/* In a program the kernel that it was linked for, under this name. */
nn_loss_kernel nn_loss_error;

/* The kernel of a row. */
static inline nn_loss_kernel *nn_loss_kernel_of(enum nn_loss loss)
{
#if __STDC_HOSTED__
    switch (loss) {
#define LOSS(NAME, name, kernel, HAS)                                                              \
    case NN_##NAME:                                                                                \
        return (HAS) ? (kernel) : nn_softmax_error;
#include "losses.def"
    default:
        return nn_softmax_error;
    }
#else
    (void)loss;
    return nn_loss_error;
#endif
}

NN_LINKAGE_END
