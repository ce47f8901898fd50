/* wire.h - walks the wire format of protocol buffers, field by field, in place.
 *
 * A message is a sequence of fields: a key, which is number << 3 | type as a varint, and a value of
 * that type.  Everything is checked against the end of the message; nothing is allocated, and
 * nothing is read twice.  Messages inside messages are spans of bytes: a caller descends as deep as
 * its format says, so nesting needs no limit here.
 * Source: protobuf.dev/programming-guides/encoding. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum wire_type { WIRE_VARINT = 0, WIRE_64_BITS = 1, WIRE_BYTES = 2, WIRE_32_BITS = 5 };

struct wire_span {
    const uint8_t *at, *end;
};

struct wire_field {
    uint32_t number; /* from 1 */
    enum wire_type type;
    uint64_t value;         /* all types but WIRE_BYTES */
    struct wire_span bytes; /* WIRE_BYTES */
};

enum wire_step { WIRE_FIELD, WIRE_END, WIRE_BROKEN };

static inline size_t wire_size(struct wire_span span)
{
    return (size_t)(span.end - span.at);
}

/* Takes the next field from the front of a message.  WIRE_BROKEN: a key or a value that no message
 * can have, or that is longer than the message; the span then begins where the field began. */
enum wire_step wire_next(struct wire_span *message, struct wire_field *field);

/* Takes a varint from the front; false if none is there. */
bool wire_varint(struct wire_span *span, uint64_t *value);

/* Takes an item of 4 or 8 bytes from the front, little-endian; false if it is cut. */
bool wire_fixed(struct wire_span *span, size_t bytes, uint64_t *value);

C_LINKAGE_END
