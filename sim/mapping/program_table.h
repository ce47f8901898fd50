/* program_table.h - a layer table as the program of an experiment reads it: with places of the
 * program in place of what the host numbers over all networks. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/machine/machine.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

/* What a network has beside the kernels that each program knows, in the order of its program's
 * places.  A count may be larger than the program has places. */
struct program_places {
    uint8_t activation[NN_ACTIVATION_PLACES]; /* enum nn_activation, beyond NN_RELU */
    uint8_t kernels[NN_KERNEL_PLACES];        /* enum nn_kernels */
    uint32_t activations, kernel_count;
};

struct program_places program_places_of(const struct nn_table *table);

/* nn_check() over a network's table as its program reads it.  STATUS_CONFIGURATION when the network
 * has more activations or kernels than there are places. */
enum status program_table_check(const struct nn_table *table, uint32_t *check,
                                struct diagnostic *diagnostic);

/* Writes a table, which has layers of the network `whole`, into a chip's memory. */
enum status program_table_write(const struct nn_table *whole, const struct nn_table *table,
                                struct machine *machine, struct machine_core core,
                                uint32_t address);

C_LINKAGE_END
