/* operators.h - operators that few networks use: dropout on the machine, average pooling, tanh and
 * sigmoid in a layer table, connection tables, losses other than the first of losses.def.
 *
 * Code memory is 32 KiB, and the training programs fill it without these operators.  So separate
 * programs, built with NN_OPERATORS, have them; on the host they are always there.  Those built
 * with NN_1998 also have what only networks of 1998 use. */
#pragma once
#include "number.h"

#if defined(NN_OPERATORS) || __STDC_HOSTED__
enum { NN_HAS_DROPOUT = 1 };
#else
enum { NN_HAS_DROPOUT = 0 };
#endif
/* Dropout and losses exist in every format, the other operators do not. */
enum {
    NN_HAS_LOSSES = NN_HAS_DROPOUT,
    NN_HAS_OPERATORS = NN_HAS_DROPOUT && NN_OF_FORMAT(NN_OPERATES)
};

/* Scaled tanh, the layer rbf, the competitive loss. */
#if defined(NN_1998) || __STDC_HOSTED__
enum { NN_HAS_1998 = NN_HAS_OPERATORS };
#else
enum { NN_HAS_1998 = 0 };
#endif

/* Convolutions with tables of links: in a program with NN_OPERATORS all are of that kind. */
#if defined(NN_OPERATORS) && !__STDC_HOSTED__
#define NN_LINKED_SYMBOL(plain, linked) NN_SYMBOL(plain)
#else
#define NN_LINKED_SYMBOL(plain, linked) NN_SYMBOL(linked)
#endif
