/* wire.c - see wire.h. */
#include "sim/import/wire.h"

enum {
    TYPE_BITS = 3,
    GROUP = 7, /* bits of a varint in a byte */
    LAST_SHIFT = 63,
    MOST_NUMBER = 0x1fffffff
};

bool wire_varint(struct wire_span *span, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift <= LAST_SHIFT && span->at < span->end; shift += GROUP) {
        const uint8_t byte = *span->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

bool wire_fixed(struct wire_span *span, size_t bytes, uint64_t *value)
{
    *value = 0;
    if (wire_size(*span) < bytes) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        *value |= (uint64_t)*span->at++ << 8 * i;
    }
    return true;
}

/* Takes the value of a field whose key has been read. */
static bool take_value(struct wire_span *message, struct wire_field *field)
{
    switch (field->type) {
    case WIRE_VARINT:
        return wire_varint(message, &field->value);
    case WIRE_64_BITS:
        return wire_fixed(message, sizeof(uint64_t), &field->value);
    case WIRE_32_BITS:
        return wire_fixed(message, sizeof(uint32_t), &field->value);
    case WIRE_BYTES:
        if (!wire_varint(message, &field->value) || field->value > wire_size(*message)) {
            return false;
        }
        field->bytes = (struct wire_span){message->at, message->at + field->value};
        message->at = field->bytes.end;
        return true;
    default: /* groups, which proto3 does not have, and types that do not exist */
        return false;
    }
}

enum wire_step wire_next(struct wire_span *message, struct wire_field *field)
{
    struct wire_span rest = *message;
    uint64_t key;
    if (message->at == message->end) {
        return WIRE_END;
    }
    if (!wire_varint(&rest, &key) || key >> TYPE_BITS == 0 || key >> TYPE_BITS > MOST_NUMBER) {
        return WIRE_BROKEN;
    }
    *field = (struct wire_field){.number = (uint32_t)(key >> TYPE_BITS),
                                 .type = (enum wire_type)(key & ((1 << TYPE_BITS) - 1))};
    if (!take_value(&rest, field)) {
        return WIRE_BROKEN;
    }
    *message = rest;
    return WIRE_FIELD;
}
