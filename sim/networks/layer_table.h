/* layer_table.h - from a network to the table that programs execute (workloads/nn/layer_table.h).
 */
#pragma once
#include "sim/networks/network.h"
#include "workloads/nn/fixed_point.h"
#include "workloads/nn/layer_table.h"

/* Makes the table, in malloc'ed memory.  Parameters are stored layer by layer, weights before
 * biases, each aligned to a word; activations use two regions in turn.  STATUS_CONFIGURATION when
 * the network does not fit the table's fields. */
enum status layer_table_make(const struct network *network, struct nn_table **table,
                             struct diagnostic *diagnostic);

/* int16: runs layer i on a block of table->activation_bytes bytes, given the block of parameters,
 * and applies its activation.  Adds its events to *numerics; returns its output, in that block. */
int16_t *layer_table_run(const struct nn_table *table, size_t i, const uint8_t *parameters,
                         uint8_t *activations, struct nn_numerics *numerics);

/* A block for it, aligned as kernels need it, from aligned_alloc(); NULL when out of memory. */
uint8_t *layer_table_activations(const struct nn_table *table);
