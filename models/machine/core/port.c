/* port.c - accesses of a core outside its TCMs: those performed at once, and those that become
 * events.  See core.h. */
#include "models/machine/core/core.h"

#include "models/common/compiler.h"
#include "models/machine/core/ahead.h"
#include "models/machine/core/private.h"

enum { WORD_BYTES = 4 };

/* ---- the write buffer ---- */

/* Fills in a posted store.  Only the words that it has are copied: a copy of all of them would wait
 * for the host's own write buffer. */
static void describe(struct posted_store *store, const struct arm968_access *access,
                     uint64_t now_ps)
{
    store->ready_ps = now_ps;
    store->done_ps = 0;
    store->address = access->address;
    store->size = access->size;
    store->words = access->words;
    store->privileged = access->privileged;
    for (unsigned i = 0; i < access->words; i++) {
        store->data[i] = access->data[i];
    }
}

bool core_post(struct core *core, const struct arm968_access *access, struct memory_place place,
               uint64_t now_ps)
{
    struct write_buffer *buffer = &core->d.buffer;
    if (!access->buffered) {
        return false;
    }
    write_buffer_expire(buffer, core->queues->store, now_ps);
    if (!write_buffer_has_room(buffer, core->queues->store, access->words,
                               core->on.write_buffer_entries)) {
        return false;
    }
    struct posted_store *store = write_buffer_post(buffer, core->queues->store);
    describe(store, access, now_ps);
    store->comes_back = core_store_comes_back(core, place.block);
    if (store->comes_back) {
        core_end_run(core); /* until the time of its effect is known */
    }
    return true;
}

/* ---- the communications controller ---- */

/* Whether the access is a single word; any other access is performed as an event, and refused. */
static bool is_plain(const struct arm968_access *access)
{
    return access->words == 1 && access->size == WORD_BYTES &&
           (access->kind == ARM968_READ || access->kind == ARM968_WRITE);
}

/* Whether no posted store is pending. */
static bool buffer_is_empty(const struct core *core, uint64_t now_ps)
{
    const struct write_buffer *buffer = &core->d.buffer;
    uint64_t start_ps;
    return write_buffer_next(buffer, core->queues->store, &start_ps) == NULL &&
           buffer->last_done_ps <= now_ps;
}

/* The receiver is empty: the next packet enters when it arrives. */
static void make_room(struct core *core)
{
    const uint64_t next_ps = core_first_packet_ps(core);
    if (next_ps != TIME_NEVER) {
        core->on.ports->expects(core->on.chip, core->on.index);
        core_bound_run(core, next_ps);
    }
}

/* A packet has been handed to the transmitter at now_ps: the fabric is told at the core's send
 * event. */
static void post_packet(struct core *core, uint64_t now_ps)
{
    core->d.send_ps = now_ps;
    core->d.sends++;
    core_sent(core);
    if (core->ahead.on) {
        core_end_run(core);
    }
}

/* Whether a core that runs ahead would read a transmitter before it is known when that becomes
 * free. */
static bool looks_too_early(const struct core *core, struct memory_place place)
{
    return core->ahead.on && comms_ctrl_transmits(place.offset) && core_awaits_router(core);
}

/* Reads a word; false: the read must wait until others have performed their events up to now_ps. */
static bool read_comms(struct core *core, struct arm968_access *access, uint32_t offset,
                       uint64_t now_ps, uint64_t cycle)
{
    struct comms_ctrl *comms = &core->d.comms;
    const bool takes = comms_ctrl_takes(offset);
    const bool waits = !comms_ctrl_can_receive(comms); /* a packet waits to be read */
    if (takes && core_first_packet_ps(core) <= now_ps) {
        return false;
    }
    (void)comms_ctrl_read32(comms, offset, &access->data[0]);
    access->wait_cycles = (uint32_t)core->on.parameters->chip_peripheral_read_cycles;
    if (takes) {
        core_update_comms_interrupts(core, cycle + access->wait_cycles + 1);
        core->d.read_ps = waits ? now_ps : core->d.read_ps;
        make_room(core);
    }
    return true;
}

/* Writes a word; false: a packet has been sent of which the fabric has not yet been told. */
static bool write_comms(struct core *core, struct arm968_access *access, uint32_t offset,
                        uint64_t now_ps, uint64_t cycle)
{
    bool sent;
    if (core->d.send_ps != TIME_NEVER) {
        return false;
    }
    (void)comms_ctrl_write32(&core->d.comms, offset, access->data[0], &sent);
    access->wait_cycles = (uint32_t)core->on.parameters->chip_peripheral_write_cycles;
    core_update_comms_interrupts(core, cycle + access->wait_cycles + 1);
    if (sent) {
        post_packet(core, now_ps);
    }
    return true;
}

static NOINLINE enum arm968_reply access_comms(struct core *core, struct arm968_access *access,
                                               struct memory_place place, uint64_t cycle)
{
    const uint64_t now_ps = pace_ps(core->on.pace, cycle);
    const bool reads = access->kind == ARM968_READ;
    core_advance_transmitter(core, now_ps);
    if (now_ps >= core->comms_ps || looks_too_early(core, place) || !is_plain(access) ||
        !comms_ctrl_knows(place.offset, !reads) || !buffer_is_empty(core, now_ps)) {
        return ARM968_REPLY_OUTSIDE;
    }
    const bool done = reads ? read_comms(core, access, place.offset, now_ps, cycle)
                            : write_comms(core, access, place.offset, now_ps, cycle);
    return done ? ARM968_REPLY_DONE : ARM968_REPLY_OUTSIDE;
}

/* ---- timers and VIC ---- */

/* Whether the access is performed at once.  A read of the VIC's status or vector waits until posted
 * stores have been sent. */
static bool private_at_once(const struct core *core, const struct arm968_access *access,
                            struct memory_place place)
{
    uint64_t start_ps;
    if (core_private_raw(access, place) || (core->ahead.on && !core_private_known(access, place))) {
        return false;
    }
    return write_buffer_next(&core->d.buffer, core->queues->store, &start_ps) == NULL ||
           !core_private_shared(access, place);
}

/* Whether a store to the VIC enables a source of which an interrupt may already have arrived
 * without being known yet.  If the core runs ahead, it is rolled back when that becomes known. */
static bool lets_in_late(const struct core *core, const struct arm968_access *access,
                         struct memory_place place, uint64_t cycle)
{
    if (place.block != MEMORY_VIC || access->kind != ARM968_WRITE || !core->runs ||
        core->ahead.on) {
        return false;
    }
    const uint32_t let_in = is_plain(access) ? core_private_lets_in(core, access, place) : ~0u;
    const uint32_t sources = let_in & ~VIC_OWN_SOURCES;
    return sources != 0 && pace_ps(core->on.pace, cycle) >= core_unknown_ps(core, sources);
}

static NOINLINE enum arm968_reply access_private(struct core *core, struct arm968_access *access,
                                                 struct memory_place place, uint64_t cycle)
{
    if (lets_in_late(core, access, place, cycle) || !private_at_once(core, access, place)) {
        return ARM968_REPLY_OUTSIDE;
    }
    if (place.block == MEMORY_VIC) {
        core_advance_transmitter(core, pace_ps(core->on.pace, cycle));
    }
    const uint32_t enable = core->d.vic.enable;
    const uint64_t private_cycle = core->private_cycle;
    const enum arm968_reply reply = core_private_access(core, access, place, cycle);
    if (core->d.vic.enable != enable || core->private_cycle != private_cycle) {
        core_rebound_run(core, cycle + access->wait_cycles + 1);
    }
    return reply;
}

/* ---- the port ---- */

void core_perform(struct core *core, struct arm968_access *access, struct memory_place place,
                  uint64_t now_ps)
{
    const uint64_t done_ps = core->on.ports->access(core->on.chip, core, access, now_ps);
    if (core_store_comes_back(core, place.block)) {
        core_update_interrupts(core, core_cycle_at(core, done_ps));
    }
    const uint64_t elapsed = core_cycles_until(core, done_ps);
    const uint64_t issue = access->kind == ARM968_SWAP ? 2 : access->words;
    access->wait_cycles = (uint32_t)(elapsed > issue ? elapsed - issue : 0);
}

/* Whether the access is the next of all events, so that nothing is gained by leaving the core. */
static bool is_next(const struct core *core, uint64_t now_ps)
{
    return core->runs && core->d.send_ps == TIME_NEVER && buffer_is_empty(core, now_ps) &&
           core->on.ports->is_next(core->on.chip, now_ps);
}

/* Accesses beyond the write buffer. */
static NOINLINE enum arm968_reply access_outer(struct core *core, struct arm968_access *access,
                                               struct memory_place place, uint64_t cycle)
{
    if (core->ahead.on) {
        return ARM968_REPLY_OUTSIDE;
    }
    if (core_nobody_answers(core, access, place)) {
        access->abort = true;
        core->on.ports->bus_error(core->on.chip);
        return ARM968_REPLY_DONE;
    }
    const uint64_t now_ps = pace_ps(core_pace(core), cycle);
    if (core_post(core, access, place, now_ps)) {
        return ARM968_REPLY_DONE;
    }
    if (!is_next(core, now_ps)) {
        return ARM968_REPLY_OUTSIDE;
    }
    core->d.state = CORE_RUNNING; /* it has woken if it slept when the run began */
    const uint32_t signals = core->d.signals;
    core_perform(core, access, place, now_ps);
    const bool plain = place.bus == MEMORY_BUS_SDRAM || place.block == MEMORY_SYSRAM;
    if ((!plain && access->kind != ARM968_READ) || core->d.signals != signals) {
        core_bound_run(core, now_ps); /* what it causes may reach the core before it ends */
    }
    return ARM968_REPLY_DONE;
}

/* The reference: accesses one after the other, each of them an event. */
static NOINLINE enum arm968_reply access_stepwise(struct core *core, struct arm968_access *access,
                                                  struct memory_place place, uint64_t cycle)
{
    if (core_nobody_answers(core, access, place)) {
        return access_outer(core, access, place, cycle);
    }
    if (lets_in_late(core, access, place, cycle)) {
        return ARM968_REPLY_OUTSIDE;
    }
    core_advance_transmitter(core, pace_ps(core->on.pace, cycle));
    if (place.bus == MEMORY_BUS_PRIVATE && !core_private_shared(access, place)) {
        core_end_run(core); /* the bounds of the run may have changed */
        return core_private_access(core, access, place, cycle);
    }
    const uint64_t now_ps = pace_ps(core_pace(core), cycle);
    const bool posted = place.bus != MEMORY_BUS_PRIVATE && core_post(core, access, place, now_ps);
    return posted ? ARM968_REPLY_DONE : ARM968_REPLY_OUTSIDE;
}

enum arm968_reply core_port_access(void *context, struct arm968_access *access, uint64_t cycle)
{
    struct core *core = context;
    const struct memory_place place = memory_map_find(access->address);
    if (core->d.stalled) {
        return ARM968_REPLY_OUTSIDE;
    }
    if (core->on.run_ahead == RUN_AHEAD_OFF) {
        return access_stepwise(core, access, place, cycle);
    }
    if (place.bus == MEMORY_BUS_PRIVATE) {
        return access_private(core, access, place, cycle);
    }
    if (place.block == MEMORY_COMMS && !access->buffered) {
        return access_comms(core, access, place, cycle);
    }
    return access_outer(core, access, place, cycle);
}
