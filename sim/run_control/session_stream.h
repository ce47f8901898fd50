/* session_stream.h - bytes of a state that are written or read in the same order, by the same
 * functions. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/sha256.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct session_stream {
    uint8_t *bytes; /* malloc'ed; the owner's */
    size_t size, at, room;
    bool saving, failed; /* failed: out of memory, or too short; nothing is done then */
};

/* Frees the bytes. */
void session_stream_deinit(struct session_stream *stream);

/* Writes the data, or reads them. */
void session_stream_visit(struct session_stream *stream, void *data, size_t size);

/* An array in malloc'ed memory whose items are visited one by one: its count, and when it is read
 * the array, all zero (NULL: out of memory, the stream has failed and *count is 0). */
void *session_stream_items(struct session_stream *stream, void *items, size_t *count, size_t bytes);

/* The same with all its items, which are plain data. */
void *session_stream_rows(struct session_stream *stream, void *rows, size_t *count, size_t bytes);

/* A pointer to constant data of this program, or NULL.  Only the same program's file reads it. */
void session_stream_constant(struct session_stream *stream, const void **data);

/* A digest up to here. */
void session_stream_hash(struct session_stream *stream, struct sha256 *hash);

/* Whether so many items of so many bytes are left to be read. */
bool session_stream_has(const struct session_stream *stream, size_t count, size_t bytes);

/* The next bytes, which are passed over; NULL: there are not so many. */
const uint8_t *session_stream_skip(struct session_stream *stream, size_t size);

C_LINKAGE_END
