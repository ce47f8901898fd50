/* operators.h - operators that few networks use: dropout on the machine, average pooling, tanh and
 * sigmoid in a layer table, connection tables.
 *
 * Code memory is 32 KiB, and the programs that train fill it without them.  So they are in programs
 * of their own, built with NN_OPERATORS; on the host always. */
#pragma once

#if defined(NN_OPERATORS) || __STDC_HOSTED__
#define NN_HAS_DROPOUT 1
#else
#define NN_HAS_DROPOUT 0
#endif

/* The others are there for int16 only. */
#if defined(NN_S1615) || defined(NN_FLOAT32)
#define NN_HAS_OPERATORS 0
#else
#define NN_HAS_OPERATORS NN_HAS_DROPOUT
#endif
