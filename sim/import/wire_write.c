/* wire_write.c - see wire_write.h. */
#include "sim/import/wire_write.h"

#include "sim/import/wire.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 256, TYPE_BITS = 3, GROUP = 7 };

static void put_raw(struct wire_message *message, const void *bytes, size_t size)
{
    if (message->failed || size == 0) {
        return;
    }
    if (message->room - message->size < size) {
        const size_t room = 2 * (message->size + size) + LEAST_ROOM;
        uint8_t *larger = realloc(message->bytes, room);
        if (larger == NULL) {
            message->failed = true;
            return;
        }
        message->bytes = larger;
        message->room = room;
    }
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

static void put_varint(struct wire_message *message, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 1 << GROUP; value >>= GROUP) {
        bytes[size++] = (uint8_t)(value | 1 << GROUP);
    }
    bytes[size++] = (uint8_t)value;
    put_raw(message, bytes, size);
}

static void put_key(struct wire_message *message, uint32_t number, enum wire_type type)
{
    put_varint(message, (uint64_t)number << TYPE_BITS | type);
}

void wire_put_fields(struct wire_message *message, const void *bytes, size_t size)
{
    put_raw(message, bytes, size);
}

void wire_put_whole(struct wire_message *message, uint32_t number, uint64_t value)
{
    put_key(message, number, WIRE_VARINT);
    put_varint(message, value);
}

void wire_put_single(struct wire_message *message, uint32_t number, float value)
{
    put_key(message, number, WIRE_32_BITS);
    put_raw(message, &value, sizeof value); /* hosts are little endian */
}

void wire_put_bytes(struct wire_message *message, uint32_t number, const void *bytes, size_t size)
{
    put_key(message, number, WIRE_BYTES);
    put_varint(message, size);
    put_raw(message, bytes, size);
}

void wire_put_text(struct wire_message *message, uint32_t number, const char *text)
{
    wire_put_bytes(message, number, text, strlen(text));
}

void wire_put_message(struct wire_message *message, uint32_t number, struct wire_message *inner)
{
    wire_put_bytes(message, number, inner->bytes, inner->size);
    message->failed = message->failed || inner->failed;
    wire_message_deinit(inner);
}

void wire_message_deinit(struct wire_message *message)
{
    free(message->bytes);
    *message = (struct wire_message){0};
}
