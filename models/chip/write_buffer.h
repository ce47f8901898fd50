/* write_buffer.h - the core's AHB write buffer: a FIFO of posted stores (ARM DDI 0164A 5.2.1, for
 * the ARM966E-S; the 968's depth is not published).  A store takes one entry for its address and
 * one for each word.  Stores are sent out in order, one after the other; a store's entries are free
 * again when it has been answered.  Plain state: copying the struct saves it.  Time: picoseconds.
 * Owner: the core. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct write_buffer_counters {
#define COUNTER COUNTER_FIELD
#include "models/chip/write_buffer_counters.def"
#undef COUNTER
};

const struct counter_info *write_buffer_counter_info(size_t *count);

enum { WRITE_BUFFER_STORES = 32, WRITE_BUFFER_WORDS = 16 };

struct posted_store {
    uint64_t ready_ps; /* when the core issued it */
    uint64_t done_ps;  /* when it was answered; valid once started */
    uint32_t address;
    uint8_t size, words;
    bool privileged;
    bool comes_back; /* it can change the interrupt lines of the core that posted it */
    uint32_t data[WRITE_BUFFER_WORDS];
};

struct write_buffer {
    unsigned first, count; /* stores that occupy entries */
    unsigned started;      /* number of these that have been sent out, their done_ps known */
    uint32_t gap;          /* named, so that saved states are the same bytes with every compiler */
    uint64_t last_done_ps; /* of the last store sent out */
    struct write_buffer_counters counters;
};

/* The stores stand apart, since few cores have any: `ring` is WRITE_BUFFER_STORES elements that
 * belong to the buffer alone. */

/* Removes the stores that have been answered by now_ps. */
void write_buffer_expire(struct write_buffer *buffer, const struct posted_store *ring,
                         uint64_t now_ps);

/* Discards the stores that have not been sent out. */
void write_buffer_reset(struct write_buffer *buffer);

/* Whether a buffer of `entries` entries has room at now_ps for a store of `words` words.  Stores
 * whose end is not yet known count as present. */
bool write_buffer_has_room(const struct write_buffer *buffer, const struct posted_store *ring,
                           unsigned words, unsigned entries);
/* Adds a store, to be filled in by the caller, for which there is room. */
struct posted_store *write_buffer_post(struct write_buffer *buffer, struct posted_store *ring);

/* The next store to send out, and when it can start; NULL if all have been sent out. */
static inline const struct posted_store *write_buffer_next(const struct write_buffer *buffer,
                                                           const struct posted_store *ring,
                                                           uint64_t *start_ps)
{
    if (buffer->started == buffer->count) {
        return NULL;
    }
    const struct posted_store *store =
        &ring[(buffer->first + buffer->started) % WRITE_BUFFER_STORES];
    *start_ps = store->ready_ps > buffer->last_done_ps ? store->ready_ps : buffer->last_done_ps;
    return store;
}

/* Store number `index` of those not yet sent out; NULL beyond the last. */
const struct posted_store *write_buffer_waiting(const struct write_buffer *buffer,
                                                const struct posted_store *ring, unsigned index);

void write_buffer_started(struct write_buffer *buffer, struct posted_store *ring, uint64_t done_ps);

/* When the oldest store present is answered, so that room may appear.  That time must be known. */
uint64_t write_buffer_room_ps(const struct write_buffer *buffer, const struct posted_store *ring);

C_LINKAGE_END
