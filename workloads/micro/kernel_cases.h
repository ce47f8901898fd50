/* kernel_cases.h - each kernel of workloads/nn at one size, on numbers made by a hash: what
 * nn_kernels runs on the ARM, and a test once more on the host for the same bits. */
#pragma once
#include "../nn/number.h"

struct kernel_case {
    const char *name;      /* the calls begin_NAME() and end_NAME() stand around the kernel's */
    const char *what;      /* sizes */
    uint32_t (*run)(void); /* a check of its output's bits; NULL: the format has no such kernel */
    uint32_t macs;         /* multiply-accumulates that change a sum; of other kernels: outputs */
    uint32_t dense_macs;   /* macs if every output had an error; 0: does not apply */
};

extern const struct kernel_case kernel_cases[] NN_SYMBOL(kernel_cases);
extern const uint32_t kernel_case_count NN_SYMBOL(kernel_case_count);
