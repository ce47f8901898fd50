/* placed_words.h - words that carry their place with them: from many senders into one buffer, in
 * any order.
 *
 * A packet is taken by the fast interrupt in some 25 cycles.  Its key says what to do with it:
 *
 *     31     1: a word; its payload goes to place 11:0 of the buffer, and counter 16:12 counts it
 *     30:17  the edge, for the routers
 *     31     0: a signal, without payload; counter 5:0 of the signals counts it
 *
 * Who waits for some words waits for their count; nobody asks whether there is room: that no word
 * comes before the one it replaces is used up is the program's affair. */
#ifndef WORKLOADS_EXCHANGE_PLACED_WORDS_H
#define WORKLOADS_EXCHANGE_PLACED_WORDS_H
#define PLACED_WORD          0x80000000
#define PLACED_EDGE_SHIFT    17
#define PLACED_COUNTER_SHIFT 12
#define PLACED_COUNTERS      32
#define PLACED_PLACES        4096
#define PLACED_SIGNALS       64

#ifndef __ASSEMBLER__
#include <stdint.h>

extern volatile uint32_t placed_count[PLACED_COUNTERS];
extern volatile uint32_t placed_signal_count[PLACED_SIGNALS];

/* Takes the fast interrupt and lets packets in. */
void placed_begin(uint32_t *buffer);

/* Sends a word, or a signal; waits while the transmitter has no room.  At least `gap` cycles pass
 * before it returns. */
void placed_send(uint32_t key, uint32_t word, uint32_t gap);
void placed_signal(uint32_t key);
#endif
#endif
