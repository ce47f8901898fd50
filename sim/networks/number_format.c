/* number_format.c - see number_format.h. */
#include "sim/networks/number_format.h"

#define FORMAT(name, NAME, standard, value, total, bias, type, bits, error_bits, conv, op, train,  \
               infer)                                                                              \
    [NETWORK_##NAME] = {.text = (standard),                                                        \
                        .suffix = NETWORK_##NAME == NETWORK_INT16 ? "" : "_" #name,                \
                        .array = NPZ_##type,                                                       \
                        .value_bytes = sizeof(value),                                              \
                        .fraction = (bits),                                                        \
                        .error_fraction = (error_bits),                                            \
                        .convolves = (conv),                                                       \
                        .trains = (train),                                                         \
                        .infers = (infer)},
const struct number_format NUMBER_FORMAT[] = {
#include "workloads/nn/formats.def"
};
