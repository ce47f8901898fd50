/* chip_access.c - accesses, DMA bursts and neighbours' requests on a chip's system NoC.  See
 * chip.h. */
#include "models/machine/chip.h"
#include "models/machine/noc_devices.h"

#include <string.h>

enum { WORD_BYTES = 4 };

/* ---- what is not modelled ---- */

void chip_unmodelled(struct chip *chip, const struct core *core, struct memory_place place,
                     bool write)
{
    struct chip_data *d = &chip->d;
    d->counters.unmodelled_accesses++;
    for (unsigned i = 0; i < d->unmodelled_count; i++) {
        struct unmodelled_place *known = &d->unmodelled[i];
        if (known->block == place.block && known->offset == place.offset && known->write == write) {
            known->count++;
            return;
        }
    }
    if (d->unmodelled_count < CHIP_UNMODELLED) {
        d->unmodelled[d->unmodelled_count++] =
            (struct unmodelled_place){.block = place.block,
                                      .offset = place.offset,
                                      .write = write,
                                      .first_core = (uint8_t)core->on.index,
                                      .count = 1};
    }
}

/* The place behind the boot area: System RAM, or the boot ROM. */
static struct memory_place behind_boot_area(const struct chip *chip, struct memory_place place)
{
    if (place.block == MEMORY_BOOT) {
        place.block = sysctl_boot_from_ram(&chip->d.sysctl) ? MEMORY_SYSRAM : MEMORY_ROM;
    }
    return place;
}

/* ---- registers ---- */

/* Accesses one datum outside SDRAM. */
static enum register_reply register_datum(struct chip *chip, struct core *core,
                                          struct memory_place place,
                                          const struct arm968_access *access, bool write,
                                          uint32_t *datum, uint64_t now_ps)
{
    const struct register_block *block = chip->blocks.at[place.block];
    if (block != NULL) {
        struct register_access at = {.chip = chip,
                                     .core = core,
                                     .offset = place.offset,
                                     .size = access->size,
                                     .privileged = access->privileged,
                                     .now_ps = now_ps};
        return blocks_access(block, &at, write, datum);
    }
    if (access->kind == ARM968_FETCH) { /* no code there, including the empty boot ROM */
        chip_unmodelled(chip, core, place, false);
        return REGISTER_BUS_ERROR;
    }
    if (place.block == MEMORY_ROM && write) { /* SARK's example data_abort shows it */
        return REGISTER_BUS_ERROR;
    }
    if (!write) { /* no other block is modelled yet */
        *datum = 0;
    }
    return REGISTER_UNMODELLED;
}

static void access_registers(struct chip *chip, struct core *core, struct memory_place place,
                             struct arm968_access *access, uint64_t now_ps)
{
    const bool swap = access->kind == ARM968_SWAP;
    const bool write = access->kind == ARM968_WRITE;
    for (unsigned i = 0; i < access->words && !access->abort; i++) {
        uint32_t datum = access->data[i];
        enum register_reply reply =
            register_datum(chip, core, place, access, write, &datum, now_ps);
        if (swap && reply == REGISTER_OK) {
            reply = register_datum(chip, core, place, access, true, &access->data[i], now_ps);
        }
        access->data[i] = datum;
        access->abort = reply == REGISTER_BUS_ERROR;
        if (reply == REGISTER_UNMODELLED) {
            chip_unmodelled(chip, core, place, write);
        }
        place.offset += WORD_BYTES;
    }
}

bool chip_neighbour_access(struct chip *chip, uint32_t address, bool write, uint32_t *word,
                           uint64_t now_ps)
{
    const struct memory_place place = behind_boot_area(chip, memory_map_find_system(address));
    const struct arm968_access access = {.kind = write ? ARM968_WRITE : ARM968_READ,
                                         .address = address,
                                         .size = WORD_BYTES,
                                         .words = 1,
                                         .privileged = true};
    if (place.bus == MEMORY_BUS_SDRAM) {
        uint8_t bytes[WORD_BYTES];
        memcpy(bytes, word, sizeof bytes);
        (void)chip->memory.access(chip->memory.context, now_ps, place.offset, bytes, sizeof bytes,
                                  write);
        memcpy(word, bytes, sizeof bytes);
        return true;
    }
    if (place.bus != MEMORY_BUS_AHB) {
        return noc_devices_word(chip->noc, address, write, word, now_ps);
    }
    struct core *first =
        &chip->core[0]; /* named as the accessing core if the block is not modelled */
    const enum register_reply reply =
        register_datum(chip, first, place, &access, write, word, now_ps);
    if (reply == REGISTER_UNMODELLED) {
        chip_unmodelled(chip, first, place, write);
    }
    return reply != REGISTER_BUS_ERROR;
}

/* ---- accesses ---- */

/* The bytes of an access's data: several data are words. */
static void data_to_bytes(const struct arm968_access *access, uint8_t *bytes, uint32_t count)
{
    memcpy(bytes, access->data, count);
}

static void bytes_to_data(struct arm968_access *access, const uint8_t *bytes, uint32_t count)
{
    access->data[0] = 0;
    memcpy(access->data, bytes, count);
}

static uint64_t access_sdram(struct core *core, struct memory_place place,
                             struct arm968_access *access, uint64_t arrival_ps)
{
    uint8_t bytes[WORD_BYTES * ARM968_ACCESS_WORDS];
    const struct machine_memory_port *port = &core->on.chip->memory;
    const uint32_t count = (uint32_t)access->words * access->size;
    uint64_t done_ps = arrival_ps;
    uint8_t to_write[sizeof bytes];
    data_to_bytes(access, to_write, count);
    if (access->kind != ARM968_WRITE) {
        core->d.traffic.bytes_read += count;
        done_ps = port->access(port->context, done_ps, place.offset, bytes, count, false);
        bytes_to_data(access, bytes, count);
    }
    if (access->kind == ARM968_WRITE || access->kind == ARM968_SWAP) {
        core->d.traffic.bytes_written += count;
        done_ps = port->access(port->context, done_ps, place.offset, to_write, count, true);
    }
    return done_ps;
}

/* An access to a device of the chip's owner; the core has found that there is one. */
static uint64_t access_device(struct chip *chip, struct arm968_access *access, uint64_t arrival_ps)
{
    uint8_t bytes[WORD_BYTES * ARM968_ACCESS_WORDS];
    const uint32_t count = (uint32_t)access->words * access->size;
    const uint32_t address = access->address;
    uint64_t done_ps = arrival_ps;
    uint8_t to_write[sizeof bytes];
    data_to_bytes(access, to_write, count);
    if (access->kind != ARM968_WRITE) {
        memset(bytes, 0, count);
        access->abort =
            !noc_devices_access(chip->noc, address, &done_ps, bytes, count, false);
        bytes_to_data(access, bytes, count);
    }
    if (access->kind != ARM968_READ && !access->abort) {
        access->abort =
            !noc_devices_access(chip->noc, address, &done_ps, to_write, count, true);
    }
    return done_ps;
}

/* The completion time with the further words of a burst, or less what the prefetch buffer saves on
 * a sequential fetch. */
static uint64_t access_extra_ps(const struct core *core, const struct arm968_access *access,
                                uint64_t done_ps, uint64_t now_ps)
{
    const struct machine_parameters *parameters = &core->on.chip->parameters;
    const struct clock clock = core_pace(core)->clock;
    if (access->words > 1) {
        const uint64_t more = access->words - 1u;
        return done_ps + cycles_to_ps(clock, more * parameters->chip_burst_word_cycles);
    }
    if (access->kind == ARM968_FETCH && access->sequential) {
        /* The word was requested while the previous one was executed: it arrives after the
         * sequential time, unless other requests delayed it by more than that saves. */
        const uint64_t least_ps =
            now_ps + cycles_to_ps(clock, parameters->chip_fetch_sequential_cycles);
        const uint64_t saved_ps = cycles_to_ps(clock, parameters->chip_fetch_sequential_cycles);
        const uint64_t early_ps = done_ps > saved_ps ? done_ps - saved_ps : 0;
        return early_ps > least_ps ? early_ps : least_ps;
    }
    return done_ps;
}

uint64_t chip_access(struct chip *chip, struct core *core, struct arm968_access *access,
                     uint64_t now_ps)
{
    const struct machine_parameters *parameters = &chip->parameters;
    const struct memory_place place = behind_boot_area(chip, memory_map_find(access->address));
    const uint64_t arrival_ps = now_ps + parameters->chip_noc_request_ps;
    uint64_t done_ps;
    access->abort = false;
    switch (place.bus) {
    case MEMORY_BUS_SDRAM:
        done_ps = access_sdram(core, place, access, arrival_ps) + parameters->chip_noc_response_ps;
        break;
    case MEMORY_BUS_AHB:
        access_registers(chip, core, place, access, now_ps);
        done_ps =
            ahb_request(&chip->d.ahb, arrival_ps, access->words) + parameters->chip_noc_response_ps;
        break;
    case MEMORY_BUS_NONE:
        done_ps = access_device(chip, access, arrival_ps) + parameters->chip_noc_response_ps;
        break;
    case MEMORY_BUS_LOCAL:
    case MEMORY_BUS_PRIVATE:
    default: {
        access_registers(chip, core, place, access, now_ps);
        const uint64_t extra = access->kind == ARM968_WRITE
                                   ? parameters->chip_peripheral_write_cycles
                                   : parameters->chip_peripheral_read_cycles;
        done_ps = now_ps + cycles_to_ps(core_pace(core)->clock, extra + 1);
        break;
    }
    }
    chip->d.counters.bus_errors += access->abort;
    return access_extra_ps(core, access, done_ps, now_ps);
}

/* Transfers the words of a burst outside SDRAM; false: a word was refused. */
static bool burst_words(struct core *core, struct memory_place place, const struct dma_burst *burst,
                        uint8_t *data, uint64_t now_ps)
{
    const bool write = burst->to_system;
    const struct arm968_access word = {.kind = write ? ARM968_WRITE : ARM968_READ,
                                       .size = WORD_BYTES,
                                       .words = 1,
                                       .privileged = true};
    for (uint32_t at = 0; at < burst->bytes; at += WORD_BYTES) {
        uint32_t datum = 0;
        memcpy(&datum, data + at, write ? sizeof datum : 0);
        const enum register_reply reply =
            register_datum(core->on.chip, core, place, &word, write, &datum, now_ps);
        if (reply == REGISTER_BUS_ERROR) {
            return false;
        }
        if (reply == REGISTER_UNMODELLED) {
            chip_unmodelled(core->on.chip, core, place, write);
        }
        memcpy(data + at, &datum, sizeof datum);
        place.offset += WORD_BYTES;
    }
    return true;
}

uint64_t chip_burst(struct core *core, const struct dma_burst *burst, uint8_t *data,
                    uint64_t now_ps, bool *bus_error)
{
    struct chip *chip = core->on.chip;
    const struct machine_parameters *parameters = &chip->parameters;
    const struct memory_place place =
        behind_boot_area(chip, memory_map_find_system(burst->system_address));
    const uint64_t arrival_ps = now_ps + parameters->chip_noc_request_ps;
    *bus_error = false;
    if (place.bus == MEMORY_BUS_SDRAM) {
        struct core_traffic *traffic = &core->d.traffic;
        *(burst->to_system ? &traffic->bytes_written : &traffic->bytes_read) += burst->bytes;
        return chip->memory.access(chip->memory.context, arrival_ps, place.offset, data,
                                   burst->bytes, burst->to_system) +
               parameters->chip_noc_response_ps;
    }
    if (place.bus == MEMORY_BUS_NONE && chip->noc != NULL) {
        uint64_t done_ps = arrival_ps;
        *bus_error = !noc_devices_access(chip->noc, burst->system_address, &done_ps, data,
                                         burst->bytes, burst->to_system);
        return done_ps + parameters->chip_noc_response_ps;
    }
    *bus_error = place.bus != MEMORY_BUS_AHB || !burst_words(core, place, burst, data, now_ps);
    if (*bus_error) {
        return arrival_ps + parameters->chip_noc_response_ps;
    }
    return ahb_request(&chip->d.ahb, arrival_ps, burst->bytes / WORD_BYTES) +
           parameters->chip_noc_response_ps;
}
