/* session_stream.c - see session_stream.h. */
#include "sim/run_control/session_stream.h"

#include <stdlib.h>
#include <string.h>

void session_stream_deinit(struct session_stream *stream)
{
    free(stream->bytes);
    *stream = (struct session_stream){.bytes = NULL};
}

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

void *session_stream_items(struct session_stream *stream, void *items, size_t *count, size_t bytes)
{
    session_stream_visit(stream, count, sizeof *count);
    if (stream->saving) {
        return items;
    }
    /* an item takes at least a byte of the stream */
    void *here = session_stream_has(stream, *count, 1) ? calloc(*count + 1, bytes) : NULL;
    stream->failed = stream->failed || here == NULL;
    *count = here == NULL ? 0 : *count;
    return here;
}

void *session_stream_rows(struct session_stream *stream, void *rows, size_t *count, size_t bytes)
{
    void *here = session_stream_items(stream, rows, count, bytes);
    if (*count > 0) {
        session_stream_visit(stream, here, *count * bytes);
    }
    return here;
}

/* Constants of one program have the same distances wherever it is loaded. */
void session_stream_constant(struct session_stream *stream, const void **data)
{
    static const char ORIGIN[] = "";
    const uintptr_t origin = (uintptr_t)ORIGIN;
    uintptr_t distance = *data == NULL ? 0 : (uintptr_t)*data - origin;
    session_stream_visit(stream, &distance, sizeof distance);
    if (!stream->saving) {
        const uintptr_t place = distance == 0 ? 0 : origin + distance;
        memcpy(data, &place, sizeof place);
    }
}

/* What the host's CPU can do stays its own. */
void session_stream_hash(struct session_stream *stream, struct sha256 *hash)
{
    session_stream_visit(stream, hash->state, sizeof hash->state);
    session_stream_visit(stream, &hash->total_bytes, sizeof hash->total_bytes);
    session_stream_visit(stream, hash->block, sizeof hash->block);
}
