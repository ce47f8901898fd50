/* packet.h - packets of GDB's remote serial protocol: $DATA#SUM, in both directions, with their
 * acknowledgements.  Data may be binary: $ # } and * are escaped by }.  Source: the GDB manual,
 * appendix "GDB Remote Serial Protocol". */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* The longest data of a packet: the client's, as it is told, and ours. */
enum { GDB_PACKET_BYTES = 0x4000 };

/* ---- what comes in ---- */

enum gdb_event {
    GDB_EVENT_NONE, /* more bytes are needed */
    GDB_EVENT_PACKET,
    GDB_EVENT_BAD_SUM,  /* a packet whose sum is wrong; its data are there */
    GDB_EVENT_TOO_LONG, /* a packet of more than GDB_PACKET_BYTES */
    GDB_EVENT_ACKNOWLEDGED,
    GDB_EVENT_REFUSED,  /* the client asks for our last packet again */
    GDB_EVENT_INTERRUPT /* Ctrl-C */
};

enum gdb_input_state { GDB_INPUT_OUTSIDE, GDB_INPUT_DATA, GDB_INPUT_SUM_HIGH, GDB_INPUT_SUM_LOW };

/* Initially all zero. */
struct gdb_input {
    uint8_t data[GDB_PACKET_BYTES + 1]; /* of the last packet, without escapes; a zero follows */
    size_t bytes;
    enum gdb_input_state state;
    uint8_t sum, told; /* of the bytes so far, escapes included; as the packet tells it */
    bool escaped, too_long, sum_malformed;
};

/* Takes the next byte; the data of a packet are valid until the next call. */
enum gdb_event gdb_input_put(struct gdb_input *input, uint8_t byte);

/* ---- what goes out ---- */

/* $, #, two digits; each byte of the data may need an escape. */
enum { GDB_FRAME_BYTES = 2 * GDB_PACKET_BYTES + 4 };

/* Writes a packet around at most GDB_PACKET_BYTES of data; returns its size. */
size_t gdb_frame(uint8_t frame[GDB_FRAME_BYTES], const uint8_t *data, size_t bytes);

/* ---- digits ---- */

/* The value of a hexadecimal digit; -1: it is none. */
int gdb_digit(uint8_t character);

/* Two digits for each byte; no zero follows. */
void gdb_hex(char *text, const uint8_t *bytes, size_t count);

/* The bytes of `count` pairs of digits; false: something else is among them. */
bool gdb_unhex(uint8_t *bytes, const char *text, size_t count);

C_LINKAGE_END
