/* run_layer.h - from the kind of a row to its kernel. */
#pragma once
#include "average_pool.h"
#include "kernels.h"
#include "rbf.h"

static inline void nn_run_layer(const struct nn_arguments *arguments)
{
    if (!NN_CONVOLVES) {
        nn_dense(arguments);
        return;
    }
    switch ((enum nn_layer_kind)arguments->layer->kind) {
#define KIND(NAME, kernel, HAS)                                                                    \
    case NN_##NAME:                                                                                \
        if (HAS) {                                                                                 \
            kernel(arguments);                                                                     \
        }                                                                                          \
        break;
#include "layer_kinds.def"
    default:
        break;
    }
}
