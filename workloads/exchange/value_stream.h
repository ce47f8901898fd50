/* value_stream.h - arrays of 16-bit values that are sent from core to core as multicast packets,
 * one value each, by interrupts while the program computes.
 *
 * The sender's interrupt sends a packet whenever the communications controller is free.  A value's
 * key is the first key plus the value's index, so that the record of a lost packet shows which
 * value it was.  Its payload is
 *
 *     31     the last value of the array
 *     30:16  its place in the receiver's input, signed
 *     15:0   the value
 *
 * The receiver's fast interrupt takes some 30 cycles for a packet: it stores the value at its place
 * and counts it in its key range (wait_note.h).  Reception goes in rounds: in each round every
 * range brings one array.  A range may be one round ahead. */
#pragma once
#include <spin1_api.h>
#include <wait_note.h>

/* Starts sending an array.  Sends by the fast interrupt if this core receives nothing by it,
 * otherwise by IRQ.  The array must not change until value_send_idle() returns nonzero. */
void value_send(const short *values, uint count, uint key, int place);
uint value_send_idle(void);

/* Starts receiving.  Place 0 is *input; negative places lie before it.  The rows of the note are
 * consecutive key ranges of 1 << shift keys. */
void value_receive_begin(short *input, struct nn_wait_note *note, uint shift);
uint value_receive_complete(void); /* all arrays of this round are here */
void value_receive_next(void);     /* the next round: its arrays may have come already */
