/* number_format.h - the rows of workloads/nn/formats.def for the host. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/npz.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* NETWORK_INT16, ...: number formats of a network. */
#define FORMAT(name, NAME, ...) NETWORK_##NAME,
enum network_numbers {
#include "workloads/nn/formats.def"
};

struct number_format {
    const char *text;        /* network.number_format */
    enum npz_type array;     /* array type of its values in a file */
    uint32_t value_bytes;    /* of a parameter, except biases of int8 */
    uint32_t fraction;       /* fractional bits of weights and activations; 0: the network's own */
    uint32_t error_fraction; /* fractional bits of errors; 0: depends on the batch size */
    bool convolves, pads, operators, trains; /* for which operations kernels exist */
};

extern const struct number_format NUMBER_FORMAT[];

C_LINKAGE_END
