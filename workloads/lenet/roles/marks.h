/* marks.h - phase markers of role programs: empty functions that are never inlined and whose names
 * are symbols of the program.  When a core's pc passes a marker, the simulator attributes the
 * core's counters to that phase from then on.  A marker costs a call. */
#pragma once
#include <layer_table.h>

/* Call the markers layer_NN_forward and layer_NN_backward of layer number `layer`. */
void mark_layer(uint32_t layer);
void mark_layer_backward(uint32_t layer);

/* Phases outside of layers.  Symbols: setup_load, images_wait, packets_wait (for values to arrive),
 * window_wait (until values may be sent), result_store. */
void mark_load(void);
void mark_wait(void);
void mark_packets(void);
void mark_window(void);
void mark_result(void);

/* Phases of training.  Symbols: transfers_wait (SDRAM), signals_wait (for other cores of the chip),
 * gradients_exchange and weights_exchange (between chips), parameters_update, values_exchange,
 * record_store (once per update, at its end), commands_wait (for the host). */
void mark_transfers(void);
void mark_signals(void);
void mark_exchange_gradients(void);
void mark_exchange_weights(void);
void mark_update(void);
void mark_exchange_values(void);
void mark_record(void);
void mark_command(void);

/* A stage begins: all cores have loaded. */
void stage_train(void);
void stage_test(void);
