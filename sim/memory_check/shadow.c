/* shadow.c - see shadow.h. */
#include "sim/memory_check/shadow.h"

#include "models/common/memory.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096, LANE_BITS = 64, LANES = PAGE_BYTES / LANE_BITS };

struct shadow_page {
    uint64_t lane[LANES];
};

void shadow_init(struct shadow *shadow, uint32_t bytes)
{
    shadow->bytes = bytes;
    shadow->page = calloc(bytes / PAGE_BYTES + 1, sizeof *shadow->page);
    memory_need((void *)shadow->page);
}

void shadow_deinit(struct shadow *shadow)
{
    for (uint32_t i = 0; shadow->page != NULL && i < shadow->bytes / PAGE_BYTES; i++) {
        free(shadow->page[i]);
    }
    free((void *)shadow->page);
    *shadow = (struct shadow){0};
}

static uint32_t end_of(const struct shadow *shadow, uint32_t offset, uint32_t bytes)
{
    const uint64_t end = (uint64_t)offset + bytes;
    return end < shadow->bytes ? (uint32_t)end : shadow->bytes;
}

/* The part of a range that is in one lane. */
struct part {
    uint32_t page, lane;
    uint64_t bits;
    uint32_t end; /* of the part, in the memory */
};

static struct part part_at(uint32_t at, uint32_t end)
{
    const uint32_t first = at % LANE_BITS;
    const uint32_t room = LANE_BITS - first;
    const uint32_t count = end - at < room ? end - at : room;
    const uint64_t ones = count == LANE_BITS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    return (struct part){at / PAGE_BYTES, at % PAGE_BYTES / LANE_BITS, ones << first, at + count};
}

void shadow_set(struct shadow *shadow, uint32_t offset, uint32_t bytes, bool written)
{
    const uint32_t end = end_of(shadow, offset, bytes);
    for (uint32_t at = offset; at < end;) {
        const struct part part = part_at(at, end);
        struct shadow_page **page = &shadow->page[part.page];
        at = part.end;
        if (*page == NULL) {
            if (!written) {
                continue;
            }
            *page = calloc(1, sizeof **page);
            memory_need(*page);
        }
        uint64_t *lane = &(*page)->lane[part.lane];
        *lane = written ? *lane | part.bits : *lane & ~part.bits;
    }
}

uint32_t shadow_written(const struct shadow *shadow, uint32_t offset, uint32_t bytes)
{
    const uint32_t end = end_of(shadow, offset, bytes);
    for (uint32_t at = offset; at < end;) {
        const struct part part = part_at(at, end);
        const struct shadow_page *page = shadow->page[part.page];
        const uint64_t lacks = part.bits & ~(page == NULL ? 0 : page->lane[part.lane]);
        if (lacks != 0) {
            const uint32_t lane_begin = at - at % LANE_BITS;
            return lane_begin + (uint32_t)__builtin_ctzll(lacks) - offset;
        }
        at = part.end;
    }
    return bytes;
}

void shadow_copy(struct shadow *to, uint32_t to_offset, const struct shadow *from,
                 uint32_t from_offset, uint32_t bytes)
{
    if (shadow_written(from, from_offset, bytes) == bytes) {
        shadow_set(to, to_offset, bytes, true);
        return;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        shadow_set(to, to_offset + i, 1, shadow_written(from, from_offset + i, 1) == 1);
    }
}
