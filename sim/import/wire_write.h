/* wire_write.h - writes messages of protocol buffers into memory (wire.h reads them). */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* A message that grows; {0} is an empty one. */
struct wire_message {
    uint8_t *bytes; /* owned */
    size_t size, room;
    bool failed; /* out of memory: what was added is lost */
};

void wire_put_whole(struct wire_message *message, uint32_t number, uint64_t value);
void wire_put_single(struct wire_message *message, uint32_t number, float value);
void wire_put_bytes(struct wire_message *message, uint32_t number, const void *bytes, size_t size);
void wire_put_text(struct wire_message *message, uint32_t number, const char *text);

/* Adds fields that are written already. */
void wire_put_fields(struct wire_message *message, const void *bytes, size_t size);

/* Adds a message as a field, and empties it. */
void wire_put_message(struct wire_message *message, uint32_t number, struct wire_message *inner);

void wire_message_deinit(struct wire_message *message);

C_LINKAGE_END
