/* word_inbox.h - words that come as multicast packets and say in their keys where they belong.
 *
 *     31     1
 *     27:24  the counter that counts it
 *     23:12  its place in the receiver's buffer
 *     11:0   whom it is for: 0 all, or a receiver's number; others throw it away
 *
 * The fast interrupt takes a packet in some 25 cycles.  Nobody asks for packets: that a word has
 * been used before the next one comes to its place is up to the program. */
#pragma once

/* As the assembler takes them: bytes from word_inbox_note to the first counter's `arrived`. */
#define WORD_INBOX_ARRIVED 24

#ifndef __ASSEMBLER__
#include <stdint.h>

enum { WORD_INBOX_COUNTERS = 4, WORD_INBOX_STRIDE = 4 /* words from one counter to the next */ };

/* What each counter has come to, since the beginning: word_inbox_arrived()[WORD_INBOX_STRIDE x
 * counter]. */
const volatile uint32_t *word_inbox_arrived(void);

/* Lets packets in: for this receiver, and for all. */
void word_inbox_begin(uint32_t *buffer, uint32_t receiver);

/* What a counter will come to; the wait note says so. */
void word_inbox_expect(uint32_t counter, uint32_t count);

/* Sends a packet, when the transmitter is free. */
void word_send(uint32_t key, uint32_t word);

/* Sleeps for so long, by the second timer; packets are taken. */
void word_pause(uint32_t cycles);
#endif
