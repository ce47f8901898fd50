/* layer_table.h - from a network to the table that programs execute (workloads/nn/layer_table.h).
 */
#pragma once
#include "sim/networks/network.h"
#include "workloads/nn/layer_table.h"

/* Makes the table, in malloc'ed memory.  Parameters are stored layer by layer, weights before
 * biases, each aligned to a word; activations use two regions in turn.  STATUS_CONFIGURATION when
 * the network does not fit the table's fields. */
enum status layer_table_make(const struct network *network, struct nn_table **table,
                             struct diagnostic *diagnostic);
