/* session_stream.h - bytes of a state that are written or read in the same order, by the same
 * functions. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct session_stream {
    uint8_t *bytes; /* malloc'ed; the owner's */
    size_t size, at, room;
    bool saving, failed; /* failed: out of memory, or too short; nothing is done then */
};

/* Writes the data, or reads them. */
void session_stream_visit(struct session_stream *stream, void *data, size_t size);

/* Whether so many items of so many bytes are left to be read. */
bool session_stream_has(const struct session_stream *stream, size_t count, size_t bytes);

/* The next bytes, which are passed over; NULL: there are not so many. */
const uint8_t *session_stream_skip(struct session_stream *stream, size_t size);

C_LINKAGE_END
