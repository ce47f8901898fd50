/* session_stream.c - see session_stream.h. */
#include "sim/run_control/session_stream.h"

#include <stdlib.h>
#include <string.h>

static void append(struct session_stream *stream, const void *data, size_t size)
{
    if (stream->room - stream->size < size) {
        const size_t room = stream->size + stream->size / 2 + size;
        uint8_t *bytes = realloc(stream->bytes, room);
        if (bytes == NULL) {
            stream->failed = true;
            return;
        }
        stream->bytes = bytes;
        stream->room = room;
    }
    memcpy(stream->bytes + stream->size, data, size);
    stream->size += size;
}

bool session_stream_has(const struct session_stream *stream, size_t count, size_t bytes)
{
    return !stream->failed && count <= (stream->size - stream->at) / bytes;
}

const uint8_t *session_stream_skip(struct session_stream *stream, size_t size)
{
    if (!session_stream_has(stream, size, 1)) {
        stream->failed = true;
        return NULL;
    }
    const uint8_t *at = stream->bytes + stream->at;
    stream->at += size;
    return at;
}

void session_stream_visit(struct session_stream *stream, void *data, size_t size)
{
    if (stream->saving) {
        if (!stream->failed) {
            append(stream, data, size);
        }
        return;
    }
    const uint8_t *from = session_stream_skip(stream, size);
    if (from != NULL) {
        memcpy(data, from, size);
    }
}
