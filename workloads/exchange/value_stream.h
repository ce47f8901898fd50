/* value_stream.h - arrays of 16-bit values that go from core to core as multicast packets, one
 * value each, behind the program's back.
 *
 * A sender's packets leave whenever its communications controller is free.  A value's key is the
 * first key plus the value's index, so that a lost packet tells what was in it; its payload is
 *
 *     31     the last value of the array
 *     30:16  its place in the receiver's input, with a sign
 *     15:0   the value
 *
 * A receiver's packets are taken by the fast interrupt, in some 30 cycles each, stored at their
 * places and counted by the key range that they come from (wait_note.h), in rounds: in each round
 * every range brings one array.  A range may be one round ahead. */
#pragma once
#include <spin1_api.h>
#include <wait_note.h>

/* Begins to send, by the fast interrupt if nothing is received by it; the array must stay as it is
 * until value_send_idle(). */
void value_send(const short *values, uint count, uint key, int place);
uint value_send_idle(void);

/* Lets values in.  Place 0 is *input; places below 0 lie before it.  The note's rows are key ranges
 * of 1 << shift keys that follow each other. */
void value_receive_begin(short *input, struct nn_wait_note *note, uint shift);
uint value_receive_complete(void); /* all arrays of this round are here */
void value_receive_next(void);     /* the next round: its arrays may have come already */
