/* operators.h - operators that few networks use: dropout on the machine, average pooling, tanh and
 * sigmoid in a layer table, connection tables.
 *
 * Code memory is 32 KiB, and the programs that train fill it without them.  So they are in programs
 * of their own, built with NN_OPERATORS; on the host always. */
#ifndef WORKLOADS_NN_OPERATORS_H
#define WORKLOADS_NN_OPERATORS_H

#if defined(NN_OPERATORS) || __STDC_HOSTED__
#define NN_HAS_OPERATORS 1
#else
#define NN_HAS_OPERATORS 0
#endif

#endif
