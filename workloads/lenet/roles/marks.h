/* marks.h - where a role program says what it is doing: empty functions that are never inlined,
 * whose names are symbols of the program. The host attributes a core's counters to phases when its
 * pc passes them; they cost a call. */
#pragma once
#include <layer_table.h>

/* The table made with the program from its network, NULL in a program for any network. */
extern const struct nn_table *const compiled_table;

/* <layer>_forward and <layer>_backward of layer number `layer`. */
void mark_layer(uint32_t layer);
void mark_layer_backward(uint32_t layer);

/* Phases that belong to no layer: symbols setup_load, images_wait, packets_wait (for values that
 * come), window_wait (until values may leave), result_store. */
void mark_load(void);
void mark_wait(void);
void mark_packets(void);
void mark_window(void);
void mark_result(void);

/* Of programs that train: transfers_wait (SDRAM), signals_wait (until other cores of the chip are
 * as far), gradients_exchange and weights_exchange (between chips), parameters_update,
 * values_exchange, record_store (once an update, at its end), commands_wait (for the host). */
void mark_transfers(void);
void mark_signals(void);
void mark_exchange_gradients(void);
void mark_exchange_weights(void);
void mark_update(void);
void mark_exchange_values(void);
void mark_record(void);
void mark_command(void);

/* The stage begins: all cores have loaded. */
void stage_train(void);
void stage_test(void);
