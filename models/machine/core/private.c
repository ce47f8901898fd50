/* private.c - a core's timers and VIC.  See private.h. */
#include "models/machine/core/private.h"

#include "models/machine/core/ahead.h"

#include <string.h>

enum {
    WORD_BYTES = 4,
    ALIAS_BITS = 0xfff,    /* the VIC's high alias is the last 4 KiB of a region of its own */
    VIC_STATUS_END = 0x0c, /* IRQ, FIQ and raw status, which others can change */
    VIC_RAW_OFFSET = 0x08, /* raw status, which also shows disabled sources */
    VIC_VADDR_OFFSET = 0x30
};

#define TIMER_SOURCES (1u << VIC_SOURCE_TIMER1 | 1u << VIC_SOURCE_TIMER2)
#define DMA_SOURCES                                                                                \
    (1u << VIC_SOURCE_DMA_DONE | 1u << VIC_SOURCE_DMA_ERROR | 1u << VIC_SOURCE_DMA_TIMEOUT)

/* ---- interrupts ---- */

/* Sets the core's two interrupt pins from its VIC. */
static void update_lines(struct core *core, uint64_t cycle)
{
    const struct vic *vic = &core->d.vic;
    core_work_asked(&core->d.work, vic_pending(vic));
    const uint64_t since = cycle > core->d.enabled_cycle ? cycle : core->d.enabled_cycle;
    arm968_set_line(core->cpu, ARM968_IRQ, vic_irq(vic), since);
    arm968_set_line(core->cpu, ARM968_FIQ, vic_fiq(vic), since);
}

static void connect_timers(struct core *core)
{
    const struct timer *timer = core->d.timers.timer;
    const uint32_t levels = (timer_interrupt(&timer[0]) ? 1u << VIC_SOURCE_TIMER1 : 0) |
                            (timer_interrupt(&timer[1]) ? 1u << VIC_SOURCE_TIMER2 : 0);
    vic_set_inputs(&core->d.vic, TIMER_SOURCES, levels);
}

static void connect_comms(struct core *core)
{
    vic_set_inputs(&core->d.vic, VIC_COMMS_SOURCES, comms_ctrl_interrupts(&core->d.comms));
}

void core_update_comms_interrupts(struct core *core, uint64_t cycle)
{
    const uint32_t input = core->d.vic.input;
    connect_comms(core);
    if (core->d.vic.input != input) {
        update_lines(core, cycle);
    }
}

void core_update_interrupts(struct core *core, uint64_t cycle)
{
    connect_timers(core);
    vic_set_inputs(&core->d.vic, DMA_SOURCES, dma_ctrl_interrupts(&core->d.dma));
    connect_comms(core);
    update_lines(core, cycle);
}

/* ---- what happens by itself ---- */

static uint64_t first_write_cycle(const struct core *core)
{
    return core->d.private_writes == 0 ? UINT64_MAX : core->d.private_write[0].cycle;
}

void core_private_plan(struct core *core)
{
    const uint64_t timer = timer_pair_next_cycle(&core->d.timers);
    const uint64_t write = first_write_cycle(core);
    core->private_cycle = timer < write ? timer : write;
}

static enum register_reply private_write(struct core *core, struct memory_place place,
                                         uint32_t value, bool privileged, uint64_t cycle)
{
    const bool timer = place.block == MEMORY_TIMER;
    const enum register_reply reply =
        timer ? timer_pair_write32(&core->d.timers, place.offset, value, cycle)
              : vic_write32(&core->d.vic, place.offset & ALIAS_BITS, privileged, value);
    if (timer) {
        core_private_plan(core);
        connect_timers(core);
    } else {
        core->d.enabled_cycle = cycle;
        core_ahead_lets_in(core);
    }
    update_lines(core, cycle);
    return reply;
}

static enum register_reply private_read(struct core *core, struct memory_place place,
                                        bool privileged, uint64_t cycle, uint32_t *value)
{
    if (place.block == MEMORY_TIMER) {
        return timer_pair_read32(&core->d.timers, place.offset, cycle, value);
    }
    const uint32_t in_service = core->d.vic.in_service;
    const enum register_reply reply =
        vic_read32(&core->d.vic, place.offset & ALIAS_BITS, privileged, value);
    if (core->d.vic.in_service != in_service) { /* by a read of the vector */
        update_lines(core, cycle);
    }
    return reply;
}

/* The first pending store takes effect. */
static void land(struct core *core, uint64_t cycle)
{
    const struct private_write write = core->d.private_write[0];
    core->d.private_writes--;
    memmove(&core->d.private_write[0], &core->d.private_write[1],
            core->d.private_writes * sizeof write);
    if (private_write(core, write.place, write.value, write.privileged, cycle) != REGISTER_OK) {
        core->on.ports->unmodelled(core->on.chip, core, write.place, true);
    }
}

void core_private_catch_up(struct core *core, uint64_t cycle)
{
    while (core->private_cycle <= cycle) {
        const uint64_t next = core->private_cycle;
        timer_pair_advance(&core->d.timers, next);
        connect_timers(core);
        if (first_write_cycle(core) == next) {
            land(core, next);
        }
        core_private_plan(core);
        update_lines(core, next);
    }
}

static void finish_private(struct core *core, struct arm968_access *access,
                           struct memory_place place, enum register_reply reply)
{
    access->abort = reply == REGISTER_BUS_ERROR;
    if (access->abort) {
        core->on.ports->bus_error(core->on.chip);
    }
    if (reply == REGISTER_UNMODELLED) {
        core->on.ports->unmodelled(core->on.chip, core, place, access->kind == ARM968_WRITE);
    }
}

/* Posts a store to a buffered alias: it takes effect later; the core continues at once. */
static bool post_private(struct core *core, const struct arm968_access *access,
                         struct memory_place place, uint64_t cycle)
{
    const bool word = access->words == 1 && access->size == 4;
    if (!access->buffered || !word || core->d.private_writes == PRIVATE_WRITES) {
        return false;
    }
    const uint64_t cost = core->on.parameters->chip_peripheral_write_cycles;
    uint64_t begin = cycle;
    if (core->d.private_writes > 0) {
        begin = core->d.private_write[core->d.private_writes - 1].cycle;
    }
    core->d.private_write[core->d.private_writes++] =
        (struct private_write){.cycle = begin + cost + 1,
                               .place = place,
                               .value = access->data[0],
                               .privileged = access->privileged};
    core_private_plan(core);
    return true;
}

/* Cycles until all pending private stores have taken effect. */
static uint64_t private_drain(const struct core *core, uint64_t cycle)
{
    if (core->d.private_writes == 0) {
        return 0;
    }
    const uint64_t last = core->d.private_write[core->d.private_writes - 1].cycle;
    return last > cycle ? last - cycle : 0;
}

/* Accesses words one after the other, the first at `cycle`; parts of words and swaps are
 * refused. */
static enum register_reply private_words(struct core *core, struct arm968_access *access,
                                         struct memory_place *place, uint64_t cycle, uint64_t cost)
{
    const bool read = access->kind == ARM968_READ;
    enum register_reply reply = REGISTER_OK;
    if (access->size != WORD_BYTES || (!read && access->kind != ARM968_WRITE)) {
        return REGISTER_BUS_ERROR;
    }
    for (unsigned i = 0; i < access->words && reply == REGISTER_OK; i++) {
        place->offset += i > 0 ? WORD_BYTES : 0;
        core_private_advance(core, cycle);
        reply = read ? private_read(core, *place, access->privileged, cycle, &access->data[i])
                     : private_write(core, *place, access->data[i], access->privileged, cycle);
        cycle += cost + 1;
    }
    return reply;
}

enum arm968_reply core_private_access(struct core *core, struct arm968_access *access,
                                      struct memory_place place, uint64_t cycle)
{
    const struct machine_parameters *parameters = core->on.parameters;
    if (access->kind == ARM968_WRITE && post_private(core, access, place, cycle)) {
        return ARM968_REPLY_DONE;
    }
    const uint64_t drain = private_drain(core, cycle);
    const uint64_t cost = access->kind == ARM968_WRITE ? parameters->chip_peripheral_write_cycles
                                                       : parameters->chip_peripheral_read_cycles;
    const enum register_reply reply = private_words(core, access, &place, cycle + drain, cost);
    access->wait_cycles = (uint32_t)(drain + cost * access->words);
    finish_private(core, access, place, reply);
    return ARM968_REPLY_DONE;
}

uint32_t core_private_lets_in(const struct core *core, const struct arm968_access *access,
                              struct memory_place place)
{
    return vic_lets_in(&core->d.vic, place.offset & ALIAS_BITS, access->data[0]);
}

bool core_private_raw(const struct arm968_access *access, struct memory_place place)
{
    const uint32_t first = place.offset & ALIAS_BITS;
    return access->kind == ARM968_READ && place.block == MEMORY_VIC && first < VIC_STATUS_END &&
           first + WORD_BYTES * access->words > VIC_RAW_OFFSET;
}

bool core_private_known(const struct arm968_access *access, struct memory_place place)
{
    return access->words == 1 && access->size == WORD_BYTES && access->privileged &&
           (access->kind == ARM968_READ || access->kind == ARM968_WRITE) &&
           (place.block == MEMORY_VIC ? vic_knows(place.offset & ALIAS_BITS)
                                      : timer_pair_knows(place.offset));
}

bool core_private_shared(const struct arm968_access *access, struct memory_place place)
{
    const uint32_t offset = place.offset & ALIAS_BITS;
    const bool reaches_vector =
        offset <= VIC_VADDR_OFFSET && offset + WORD_BYTES * access->words > VIC_VADDR_OFFSET;
    return access->kind == ARM968_READ && place.block == MEMORY_VIC &&
           (offset < VIC_STATUS_END || reaches_vector);
}
