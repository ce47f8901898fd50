/* packed.h - shared by the readers of packed data files, idx and npz: refusals that name an offset,
 * and how much can come out of a deflated part. */
#pragma once
#include "sim/file.h"
#include <string.h>

/* Refuses a file like file_refuse(), for what stands at an offset; `of` says of what the offset is,
 * "": of the file itself. */
#define packed_refuse(path, offset, of, hint, to, ...) /* NOLINT(readability-identifier-naming) */ \
    ((void)file_refuse(path, hint, to, __VA_ARGS__), packed_note_offset(to, offset, of),           \
     STATUS_CONFIGURATION)

static inline void packed_note_offset(struct diagnostic *diagnostic, size_t offset, const char *of)
{
    if (diagnostic != NULL) {
        const size_t used = strlen(diagnostic->text);
        (void)snprintf(diagnostic->text + used, sizeof diagnostic->text - used, " (offset %zu%s)",
                       offset, of);
    }
}

/* The most that so many deflated bytes unpack to: deflate expands at most 1032 times; the slack
 * covers the wrapper of small files. */
static inline uint64_t packed_capacity(size_t bytes)
{
    enum { DEFLATE_MAX_RATIO = 1032, DEFLATE_SLACK = 1024 };
    return (uint64_t)bytes * DEFLATE_MAX_RATIO + DEFLATE_SLACK;
}
