/* perfetto.c - see perfetto.h. */
#include "sim/timeline/perfetto.h"

#include "models/common/memory.h"

#include <stdlib.h>
#include <string.h>

/* Types of fields on the wire. */
enum { WIRE_VARINT = 0, WIRE_FIXED = 1, WIRE_BYTES = 2, WIRE_TYPE_BITS = 3 };
enum { VARINT_BITS = 7, VARINT_MORE = 0x80, FIXED_BYTES = 8, BYTE_BITS = 8, FIRST_ROOM = 256 };

void perfetto_message_deinit(struct perfetto_message *message)
{
    free(message->byte);
    *message = (struct perfetto_message){.byte = NULL};
}

static void put_bytes(struct perfetto_message *message, const void *bytes, size_t count)
{
    if (message->room - message->bytes < count) {
        const size_t room = 2 * (message->bytes + count) + FIRST_ROOM;
        uint8_t *larger = realloc(message->byte, room);
        memory_need(larger);
        message->byte = larger;
        message->room = room;
    }
    memcpy(message->byte + message->bytes, bytes, count);
    message->bytes += count;
}

static void put_varint(struct perfetto_message *message, uint64_t value)
{
    uint8_t bytes[sizeof value * BYTE_BITS / VARINT_BITS + 1];
    size_t count = 0;
    for (; value >= VARINT_MORE; value >>= VARINT_BITS) {
        bytes[count++] = (uint8_t)(value | VARINT_MORE);
    }
    bytes[count++] = (uint8_t)value;
    put_bytes(message, bytes, count);
}

static void put_tag(struct perfetto_message *message, enum perfetto_field field, unsigned type)
{
    put_varint(message, (uint64_t)field << WIRE_TYPE_BITS | type);
}

void perfetto_put_number(struct perfetto_message *message, enum perfetto_field field,
                         uint64_t value)
{
    put_tag(message, field, WIRE_VARINT);
    put_varint(message, value);
}

void perfetto_put_fixed(struct perfetto_message *message, enum perfetto_field field, uint64_t value)
{
    uint8_t bytes[FIXED_BYTES];
    for (unsigned i = 0; i < FIXED_BYTES; i++) {
        bytes[i] = (uint8_t)(value >> (BYTE_BITS * i));
    }
    put_tag(message, field, WIRE_FIXED);
    put_bytes(message, bytes, sizeof bytes);
}

void perfetto_put_real(struct perfetto_message *message, enum perfetto_field field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    perfetto_put_fixed(message, field, bits);
}

void perfetto_put_text(struct perfetto_message *message, enum perfetto_field field,
                       const char *text)
{
    put_tag(message, field, WIRE_BYTES);
    put_varint(message, strlen(text));
    put_bytes(message, text, strlen(text));
}

void perfetto_put_message(struct perfetto_message *message, enum perfetto_field field,
                          struct perfetto_message *inner)
{
    put_tag(message, field, WIRE_BYTES);
    put_varint(message, inner->bytes);
    if (inner->bytes > 0) {
        put_bytes(message, inner->byte, inner->bytes);
    }
    inner->bytes = 0;
}
