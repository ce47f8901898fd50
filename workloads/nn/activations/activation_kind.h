/* activation_kind.h - what the files of this folder begin with.  A file is an activation,
 * NN_ACTIVATION its name, with up to two sections; each is compiled by itself (../doubles.h):
 *
 *   NN_INTEGERS   NAME_of(value, fraction): what a value becomes; NAME_slope(y, fraction): the
 *                 derivative where it has become y, with 2 x fraction bits.  Then activate.h makes
 *                 its kernels of them (../activation.h)
 *   NN_DOUBLES    the same in doubles, NAME_of(x) and NAME_slope(y), then activate.h, and `struct
 *                 activation activation_NAME`: what only the host needs
 *
 * The derivative is a function of the output, as cores keep no other value for the way back. */
#pragma once
#include "../activation.h"

#include <stddef.h>

#if NN_DOUBLES
#include "../doubles.h"
#endif
