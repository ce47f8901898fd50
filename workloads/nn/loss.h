/* loss.h - what a training wants: the error of the logits under softmax and cross-entropy. */
#pragma once
#include "number.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { NN_LOSS_FRACTION = 16 };

/* errors[c] = p(c) - [c is the label], with error_fraction fractional bits (at most 14, of s16.15
 * 15), each by one rounded division: exp(logit) by the sum of all.  The logits are sums with
 * `fraction` fractional bits and enter as they are: cut to 16 bits, a network that is sure of a
 * wrong class no longer learns.  *loss, if not NULL: -ln p(label), 16 fractional bits, exact
 * however small p is; 2^32 - 1 when it is larger.  exp_table: nn_exp_table() of kernels.h. Returns
 * the most probable class, the first of equals. */
uint32_t nn_softmax_error(const nn_total *logits, uint32_t classes, uint32_t fraction,
                          const uint32_t *exp_table, uint32_t label, uint32_t error_fraction,
                          nn_value *errors, uint32_t *loss);

#ifdef __cplusplus
}
#endif
