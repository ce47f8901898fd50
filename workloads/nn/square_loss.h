/* square_loss.h - the error of outputs against one for the label and zero for the others: half the
 * sum of squared differences, whose gradient is the difference. */
#pragma once
#include "number.h"
NN_LINKAGE_BEGIN

/* outputs: sums with `fraction` fractional bits, more than error_fraction (at most 14).  errors:
 * rounded to nearest and cut.  *loss, if not NULL: 16 fractional bits, 2^32 - 1 when it is larger.
 * Returns the class of the largest output, the first of equals. */
uint32_t nn_square_error(const int32_t *outputs, uint32_t classes, uint32_t fraction,
                         uint32_t label, uint32_t error_fraction, nn_value *errors, uint32_t *loss);

NN_LINKAGE_END
