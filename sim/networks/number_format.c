/* number_format.c - see number_format.h. */
#include "sim/networks/number_format.h"

#define FORMAT(name, NAME, standard, value, total, bias, type, bits, error_bits, conv, pad, oper,  \
               train)                                                                              \
    [NETWORK_##NAME] = {.text = (standard),                                                        \
                        .array = NPZ_##type,                                                       \
                        .value_bytes = sizeof(value),                                              \
                        .fraction = (bits),                                                        \
                        .error_fraction = (error_bits),                                            \
                        .convolves = (conv),                                                       \
                        .pads = (pad),                                                             \
                        .operators = (oper),                                                       \
                        .trains = (train)},
const struct number_format NUMBER_FORMAT[] = {
#include "workloads/nn/formats.def"
};
