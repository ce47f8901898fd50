/* operators.h - what a program has of the kernels.
 *
 * Code memory is 32 KiB.  So a program has the kernels of its experiment, and no others: it is
 * linked for it (sim/mapping/program_recipe.c).  In programs a kernel is a weak symbol, NULL where
 * it is missing.  On the host all kernels are there that the number format has. */
#pragma once
#include "number.h"

/* Dropout exists in every format, the other operators do not. */
#if __STDC_HOSTED__
#define NN_HAS(kernel) NN_OF_FORMAT(NN_OPERATORS)
#define NN_HAS_DROPOUT 1
#define NN_OPTIONAL
#else
#define NN_HAS(kernel) ((kernel) != NULL)
#define NN_HAS_DROPOUT NN_HAS(nn_dropout)
#define NN_OPTIONAL    __attribute__((weak))
#endif

/* Whether kernels call those of connection tables, and layers' own, themselves.  In programs these
 * replace the kernels of plain convolutions. */
enum { NN_CHOOSES_LINKS = __STDC_HOSTED__ && NN_OF_FORMAT(NN_OPERATORS) };

/* Defined by the linker where memory for the words of other members is short: in networks of 1998,
 * and of convolutions with many inputs.  Only its address counts. */
extern const char NN_TAKES_FEW[] NN_OPTIONAL;
