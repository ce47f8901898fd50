/* number_format.h - the rows of workloads/nn/formats.def for the host. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/npz.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* NETWORK_INT16, ...: numbers that a network computes in. */
#define FORMAT(name, NAME, ...) NETWORK_##NAME,
enum network_numbers {
#include "workloads/nn/formats.def"
};

struct number_format {
    const char *text;        /* network.number_format */
    enum npz_type array;     /* of its values in a file */
    uint32_t value_bytes;    /* of a parameter, but for biases of int8 */
    uint32_t fraction;       /* fractional bits of weights and activations; 0: the network's own */
    uint32_t error_fraction; /* of errors; 0: by the size of the batch */
    bool convolves, pads, operators, trains; /* what there are kernels of */
};

extern const struct number_format NUMBER_FORMAT[];

C_LINKAGE_END
