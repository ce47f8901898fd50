/* program_table.h - a layer table as the program of an experiment reads it. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/machine/machine.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

/* The activations of a network that are no part of a layer's kernel, in the order of their places
 * in its program (NN_ACTIVATION_PLACES).  Returns their number, which may be larger than `row` has
 * room for. */
uint32_t program_activations(const struct nn_table *table, uint8_t row[NN_ACTIVATION_PLACES]);

/* nn_check() over a network's table as its program reads it.  STATUS_CONFIGURATION when the network
 * has more activations than there are places. */
enum status program_table_check(const struct nn_table *table, uint32_t *check,
                                struct diagnostic *diagnostic);

/* Writes a table, which has layers of the network `whole`, into a chip's memory. */
enum status program_table_write(const struct nn_table *whole, const struct nn_table *table,
                                struct machine *machine, struct machine_core core,
                                uint32_t address);

C_LINKAGE_END
