/* write_buffer.c - see write_buffer.h. */
#include "models/chip/write_buffer.h"

#include <assert.h>

#define COUNTER_PART write_buffer
#define COUNTER_ROWS "models/chip/write_buffer_counters.def"
#include "models/common/counter_table.inc"

static const struct posted_store *at(const struct write_buffer *buffer,
                                     const struct posted_store *ring, unsigned index)
{
    return &ring[(buffer->first + index) % WRITE_BUFFER_STORES];
}

void write_buffer_expire(struct write_buffer *buffer, const struct posted_store *ring,
                         uint64_t now_ps)
{
    while (buffer->started > 0 && at(buffer, ring, 0)->done_ps <= now_ps) {
        buffer->first = (buffer->first + 1) % WRITE_BUFFER_STORES;
        buffer->count--;
        buffer->started--;
    }
}

void write_buffer_reset(struct write_buffer *buffer)
{
    buffer->counters.lost += buffer->count - buffer->started;
    buffer->count = buffer->started;
}

bool write_buffer_has_room(const struct write_buffer *buffer, const struct posted_store *ring,
                           unsigned words, unsigned entries)
{
    unsigned used = 0;
    for (unsigned i = 0; i < buffer->count; i++) {
        used += 1u + at(buffer, ring, i)->words;
    }
    return used + 1 + words <= entries && buffer->count < WRITE_BUFFER_STORES;
}

struct posted_store *write_buffer_post(struct write_buffer *buffer, struct posted_store *ring)
{
    assert(buffer->count < WRITE_BUFFER_STORES && "posting into a full buffer");
    struct posted_store *store = &ring[(buffer->first + buffer->count) % WRITE_BUFFER_STORES];
    buffer->count++;
    buffer->counters.writes++;
    return store;
}

const struct posted_store *write_buffer_waiting(const struct write_buffer *buffer,
                                                const struct posted_store *ring, unsigned index)
{
    return buffer->started + index < buffer->count ? at(buffer, ring, buffer->started + index)
                                                   : NULL;
}

void write_buffer_started(struct write_buffer *buffer, struct posted_store *ring, uint64_t done_ps)
{
    assert(buffer->started < buffer->count && "no store to start");
    ring[(buffer->first + buffer->started) % WRITE_BUFFER_STORES].done_ps = done_ps;
    buffer->started++;
    buffer->last_done_ps = done_ps;
}

uint64_t write_buffer_room_ps(const struct write_buffer *buffer, const struct posted_store *ring)
{
    assert(buffer->started > 0 && "the end of the oldest store is not known");
    return at(buffer, ring, 0)->done_ps;
}
