/* machine_save.c - the state of a machine as bytes.  See machine.h. */
#include "models/machine/machine_state.h"

#include <stdlib.h>
#include <string.h>

/* A stream of bytes, written or read in the same order: visit_*() define the layout. */
struct stream {
    uint8_t *bytes;
    size_t size, at, capacity;
    bool saving, failed;
};

static void visit(struct stream *stream, void *data, size_t size)
{
    if (!stream->saving) {
        stream->failed = stream->failed || stream->size - stream->at < size;
        if (!stream->failed) {
            memcpy(data, stream->bytes + stream->at, size);
            stream->at += size;
        }
        return;
    }
    if (stream->failed) {
        return;
    }
    if (stream->capacity - stream->size < size) {
        const size_t capacity = 2 * stream->capacity + size;
        uint8_t *bytes = realloc(stream->bytes, capacity);
        if (bytes == NULL) {
            stream->failed = true;
            return;
        }
        stream->bytes = bytes;
        stream->capacity = capacity;
    }
    memcpy(stream->bytes + stream->size, data, size);
    stream->size += size;
}

static bool page_is_zero(const uint8_t *page)
{
    static const uint8_t ZERO[RAM_PAGE_BYTES];
    return memcmp(page, ZERO, sizeof ZERO) == 0;
}

/* Only pages that have been written. */
static void visit_ram(struct stream *stream, struct ram *ram)
{
    const uint32_t pages = ram->size / RAM_PAGE_BYTES;
    for (uint32_t page = 0; page < pages && !stream->failed; page++) {
        uint8_t *bytes = ram->bytes + (size_t)page * RAM_PAGE_BYTES;
        uint8_t present = stream->saving && !page_is_zero(bytes);
        visit(stream, &present, sizeof present);
        visit(stream, &ram->written[page], sizeof ram->written[page]);
        if (present != 0) {
            visit(stream, bytes, RAM_PAGE_BYTES);
        } else if (!stream->saving && !page_is_zero(bytes)) {
            memset(bytes, 0, RAM_PAGE_BYTES);
        }
    }
}

static void visit_core(struct stream *stream, struct core *core)
{
    struct arm968_snapshot snapshot;
    if (stream->saving) {
        memset(&snapshot, 0,
               sizeof snapshot); /* including the padding: equal states are equal bytes */
        arm968_save(core->cpu, &snapshot);
    }
    visit(stream, &snapshot, sizeof snapshot);
    visit(stream, &core->d, sizeof core->d);
    visit(stream, core->queues, sizeof *core->queues);
    visit(stream, core->itcm, core->on.parameters->chip_itcm_bytes);
    visit(stream, core->dtcm, core->on.parameters->chip_dtcm_bytes);
    if (!stream->saving && !stream->failed) {
        arm968_load(core->cpu, &snapshot);
    }
}

static void visit_drops(struct stream *stream, struct drops *drops)
{
    uint64_t count = drops->count;
    visit(stream, &drops->unrecorded, sizeof drops->unrecorded);
    visit(stream, &count, sizeof count);
    if (!stream->saving) {
        const bool fits = !stream->failed && count <= UINT32_MAX &&
                          count <= (stream->size - stream->at) / sizeof *drops->record &&
                          drops_reserve(drops, (uint32_t)count);
        stream->failed = !fits;
        drops->count = fits ? (uint32_t)count : 0;
    }
    if (drops->count > 0) {
        visit(stream, drops->record, drops->count * sizeof *drops->record);
    }
}

static void visit_machine(struct stream *stream, struct machine *machine)
{
    visit(stream, &machine->time_ps, sizeof machine->time_ps);
    for (unsigned i = 0; i < machine->chip_count; i++) {
        struct chip *chip = &machine->chip[i];
        uint8_t place[2] = {chip->x, chip->y};
        visit(stream, place, sizeof place);
        stream->failed = stream->failed || place[0] != chip->x || place[1] != chip->y;
        visit(stream, &chip->d, sizeof chip->d);
        visit(stream, chip->blocks.memory, chip->blocks.bytes);
        visit_drops(stream, &chip->drops);
        visit_ram(stream, &chip->sdram_content);
        visit_ram(stream, &chip->system_ram);
        for (unsigned p = 0; p < chip->core_count; p++) {
            visit_core(stream, &chip->core[p]);
        }
    }
}

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
    struct stream stream = {.saving = true};
    struct state_identity identity = identity_of(machine);
    visit(&stream, &identity, sizeof identity);
    visit_machine(&stream, (struct machine *)machine);
    *size = stream.size;
    if (stream.failed) {
        free(stream.bytes);
        return NULL;
    }
    return stream.bytes;
}

enum status machine_load(struct machine *machine, const uint8_t *bytes, size_t size)
{
    struct stream stream = {.bytes = (uint8_t *)bytes, .size = size};
    struct state_identity saved;
    const struct state_identity identity = identity_of(machine);
    memset(&saved, 0, sizeof saved);
    visit(&stream, &saved, sizeof saved);
    if (stream.failed || memcmp(&saved, &identity, sizeof saved) != 0) {
        return STATUS_CONFIGURATION;
    }
    visit_machine(&stream, machine);
    return stream.failed || stream.at != size ? STATUS_CONFIGURATION : STATUS_OK;
}
