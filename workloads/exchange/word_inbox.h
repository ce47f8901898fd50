/* word_inbox.h - receives words as multicast packets whose keys say where the words go.
 *
 *     31     1
 *     27:24  number of the counter that counts it
 *     23:12  its place in the receiver's buffer
 *     11:0   the receiver's number, or 0 for all; other receivers discard the packet
 *
 * The fast interrupt takes a packet in some 25 cycles.  There is no flow control: the program must
 * make sure that a word has been used before the next one arrives for the same place. */
#pragma once

/* For the assembler: bytes from word_inbox_note to the first counter's `arrived`. */
#define WORD_INBOX_ARRIVED 24

#ifndef __ASSEMBLER__
#include <stdint.h>

enum { WORD_INBOX_COUNTERS = 4, WORD_INBOX_STRIDE = 4 /* words from one counter to the next */ };

/* Words received since the beginning; counter n is word_inbox_arrived()[WORD_INBOX_STRIDE * n]. */
const volatile uint32_t *word_inbox_arrived(void);

/* Starts receiving the packets for `receiver` and those for all. */
void word_inbox_begin(uint32_t *buffer, uint32_t receiver);

/* Sets the number of words that a counter is to reach; the wait note shows it. */
void word_inbox_expect(uint32_t counter, uint32_t count);

/* Sleeps until the transmitter is free, then sends a packet. */
void word_send(uint32_t key, uint32_t word);

/* Sleeps for `cycles` cycles on the second timer; packets are still received. */
void word_pause(uint32_t cycles);
#endif
