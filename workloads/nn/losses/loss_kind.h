/* loss_kind.h - what the files of this folder begin with.  A file is a loss, with up to three
 * sections; each is compiled by itself (../doubles.h):
 *
 *   NN_INTEGERS   its nn_loss_kernel (../loss.h)
 *   NN_FLOATS     the same on singles: the sums and errors as they are, without fractions
 *   NN_DOUBLES    `struct loss loss_NAME`: value and gradient */
#pragma once
#include "../kernels.h"
#include "../loss.h"

#include <stddef.h>

#if NN_DOUBLES
#include "../doubles.h"

#include <string.h>
#endif
