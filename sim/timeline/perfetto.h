/* perfetto.h - messages of Perfetto's trace format (protocol buffers), written byte by byte.
 *
 * A message is a series of fields; a field is its number and type as a varint, and its value: a
 * varint, 8 bytes, or a length and as many bytes, which may be a message. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
C_LINKAGE_BEGIN

enum perfetto_field {
#define FIELD(MESSAGE, NAME, number) PERFETTO_##MESSAGE##_##NAME = (number),
#include "sim/timeline/perfetto_fields.def"
};

/* Values of PERFETTO_EVENT_TYPE, of PERFETTO_PACKET_SEQUENCE_FLAGS and of PERFETTO_TRACK_ORDER. */
enum { PERFETTO_BEGIN = 1, PERFETTO_END = 2, PERFETTO_INSTANT = 3, PERFETTO_COUNTER = 4 };
enum { PERFETTO_NAMES_BEGIN = 1, PERFETTO_NEEDS_NAMES = 2 };
enum { PERFETTO_ORDER_BY_RANK = 3 };

/* A message while it is made; all zero: an empty one.  Memory that runs out ends the process. */
struct perfetto_message {
    uint8_t *byte;
    size_t bytes, room;
};
void perfetto_message_deinit(struct perfetto_message *message);

void perfetto_put_number(struct perfetto_message *message, enum perfetto_field field,
                         uint64_t value);
void perfetto_put_fixed(struct perfetto_message *message, enum perfetto_field field,
                        uint64_t value);
void perfetto_put_real(struct perfetto_message *message, enum perfetto_field field, double value);
void perfetto_put_text(struct perfetto_message *message, enum perfetto_field field,
                       const char *text);

/* Puts a message into another one, and empties it. */
void perfetto_put_message(struct perfetto_message *message, enum perfetto_field field,
                          struct perfetto_message *inner);

C_LINKAGE_END
