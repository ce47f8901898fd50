/* machine_save.c - the state of a machine as bytes.  See machine.h. */
#include "models/machine/machine_visit.h"

#include <stdlib.h>
#include <string.h>

/* A stream of bytes, written or read in the order of machine_visit(). */
struct stream {
    struct state_visitor visitor;
    uint8_t *bytes;
    size_t size, at, capacity;
};

static void put(struct stream *stream, const void *data, size_t size)
{
    if (stream->capacity - stream->size < size) {
        const size_t capacity = 2 * stream->capacity + size;
        uint8_t *bytes = realloc(stream->bytes, capacity);
        if (bytes == NULL) {
            stream->visitor.failed = true;
            return;
        }
        stream->bytes = bytes;
        stream->capacity = capacity;
    }
    memcpy(stream->bytes + stream->size, data, size);
    stream->size += size;
}

static void take(struct stream *stream, void *data, size_t size)
{
    if (stream->size - stream->at < size) {
        stream->visitor.failed = true;
        return;
    }
    memcpy(data, stream->bytes + stream->at, size);
    stream->at += size;
}

static void visit_data(struct state_visitor *visitor, void *data, size_t size)
{
    struct stream *stream = (struct stream *)visitor;
    if (visitor->loads) {
        take(stream, data, size);
    } else {
        put(stream, data, size);
    }
}

static void visit_tcm(struct state_visitor *visitor, struct core *core, uint8_t *bytes, size_t size)
{
    (void)core;
    visit_data(visitor, bytes, size);
}

static bool page_is_zero(const uint8_t *page)
{
    static const uint8_t ZERO[RAM_PAGE_BYTES];
    return memcmp(page, ZERO, sizeof ZERO) == 0;
}

/* A page in a stream: whether the guest has written it, and whether its bytes follow. */
enum { PAGE_BY_GUEST = 1, PAGE_PRESENT = 2 };

static void put_page(struct stream *stream, const uint8_t *bytes, uint8_t page)
{
    const bool present = (page & RAM_TOUCHED) != 0 && !page_is_zero(bytes);
    const uint8_t what =
        ((page & RAM_BY_GUEST) != 0 ? PAGE_BY_GUEST : 0) | (present ? PAGE_PRESENT : 0);
    put(stream, &what, sizeof what);
    if (present) {
        put(stream, bytes, RAM_PAGE_BYTES);
    }
}

static void take_page(struct stream *stream, uint8_t *bytes, uint8_t *page)
{
    uint8_t what = 0;
    take(stream, &what, sizeof what);
    if ((what & PAGE_PRESENT) != 0) {
        take(stream, bytes, RAM_PAGE_BYTES);
    } else if ((*page & RAM_TOUCHED) != 0) {
        memset(bytes, 0, RAM_PAGE_BYTES);
    }
    const bool touched = (what & PAGE_PRESENT) != 0 || (*page & RAM_TOUCHED) != 0;
    *page = (what & PAGE_BY_GUEST) != 0 ? RAM_BY_GUEST : 0;
    *page |= touched ? RAM_TOUCHED | RAM_CHANGED : 0;
}

static void visit_ram(struct state_visitor *visitor, struct ram *ram)
{
    struct stream *stream = (struct stream *)visitor;
    const uint32_t pages = ram->size / RAM_PAGE_BYTES;
    for (uint32_t page = 0; page < pages && !visitor->failed; page++) {
        uint8_t *bytes = ram->bytes + (size_t)page * RAM_PAGE_BYTES;
        if (visitor->loads) {
            take_page(stream, bytes, &ram->page[page]);
        } else {
            put_page(stream, bytes, ram->page[page]);
        }
    }
}

static bool holds(const struct state_visitor *visitor, uint64_t bytes)
{
    const struct stream *stream = (const struct stream *)visitor;
    return bytes <= stream->size - stream->at;
}

static const struct state_visitor STREAM = {
    .data = visit_data, .ram = visit_ram, .tcm = visit_tcm, .holds = holds};

/* Properties that a state and the machine that loads it must have in common. */
struct state_identity {
    struct machine_parameters parameters;
    struct arm968_timing timing;
    uint64_t chips;
};

static struct state_identity identity_of(const struct machine *machine)
{
    struct state_identity identity;
    memset(&identity, 0, sizeof identity);
    identity.parameters = machine->config.parameters;
    identity.timing = machine->config.timing;
    identity.chips = machine->chip_count;
    return identity;
}

uint8_t *machine_save(const struct machine *machine, size_t *size)
{
    struct stream stream = {.visitor = STREAM};
    const struct state_identity identity = identity_of(machine);
    put(&stream, &identity, sizeof identity);
    machine_visit((struct machine *)machine, &stream.visitor);
    *size = stream.size;
    if (stream.visitor.failed) {
        free(stream.bytes);
        return NULL;
    }
    return stream.bytes;
}

enum status machine_load(struct machine *machine, const uint8_t *bytes, size_t size)
{
    struct stream stream = {.visitor = STREAM, .bytes = (uint8_t *)bytes, .size = size};
    struct state_identity saved;
    const struct state_identity identity = identity_of(machine);
    memset(&saved, 0, sizeof saved);
    stream.visitor.loads = true;
    take(&stream, &saved, sizeof saved);
    if (stream.visitor.failed || memcmp(&saved, &identity, sizeof saved) != 0) {
        return STATUS_CONFIGURATION;
    }
    machine_visit(machine, &stream.visitor);
    return stream.visitor.failed || stream.at != size ? STATUS_CONFIGURATION : STATUS_OK;
}
