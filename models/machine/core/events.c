/* events.c - a core's events that others can see, in the order of time.  See core.h. */
#include "models/machine/core/core.h"

#include "models/common/compiler.h"
#include "models/machine/core/ahead.h"
#include "models/machine/core/private.h"

#include <string.h>

/* Cache lines of struct core_data that every event uses. */
enum { PREFETCH_LINES = 9 };
void core_prefetch(const struct core *core)
{
    for (unsigned line = 0; line < PREFETCH_LINES; line++) {
        PREFETCH((const char *)core + (size_t)line * CACHE_LINE_BYTES);
    }
    PREFETCH(core->dtcm);
    arm968_prefetch(core->cpu);
}

/* ---- events: interrupt lines of the chip ---- */

static void do_signal(struct core *core)
{
    const struct signal signal = core->queues->signal[0];
    core->d.signals--;
    memmove(&core->queues->signal[0], &core->queues->signal[1], core->d.signals * sizeof signal);
    vic_set_input(&core->d.vic, (enum vic_source)signal.source, signal.level);
    const bool let_in =
        (core->d.vic.enable >> signal.source & 1) != 0; /* otherwise the lookahead ignores it */
    if (let_in && core->d.state != CORE_OFF && core->d.horizon_ps > signal.time_ps) {
        core->on.ports->late(core->on.chip);
    }
    core_update_interrupts(core, core_cycle_at(core, signal.time_ps));
}

/* ---- events: DMA ---- */

static uint64_t memory_accesses(const struct core *core)
{
    const struct arm968_counters *counters = arm968_counters(core->cpu);
    return counters->words_loaded + counters->words_stored;
}

/* The core's cycle at now_ps, as if the machine had stopped there: its own count stands still while
 * it sleeps or waits for an access, and is ahead by what it has run or been stalled beyond. */
static uint64_t cycle_by(const struct core *core, uint64_t now_ps)
{
    const uint64_t own = arm968_cycle(core->cpu);
    const uint64_t clock = core_cycle_at(core, now_ps);
    return own > clock ? own : clock;
}

static void begin_burst(struct core *core, uint64_t now_ps)
{
    struct core_data *d = &core->d;
    if (!dma_ctrl_next_burst(&d->dma, &d->burst)) {
        d->dma_ps = TIME_NEVER;
        return;
    }
    const uint32_t longest_bytes = (uint32_t)core->on.parameters->chip_dma_burst_words * 4;
    d->burst.bytes = d->burst.bytes < longest_bytes ? d->burst.bytes : longest_bytes;
    uint8_t *tcm = core_tcm(core, d->burst.tcm_address, d->burst.bytes);
    bool bus_error = false;
    uint64_t done_ps = now_ps;
    d->burst_end = DMA_BURST_DONE;
    if (tcm == NULL && d->burst.bytes > 0 && !d->burst.check_word) {
        d->burst_end = DMA_BURST_TCM_ERROR;
    } else if (d->burst.bytes > 0) { /* a transfer of no bytes makes no access */
        if (d->burst.check_word) {
            dma_ctrl_check_word(&d->dma, core->queues->burst_data);
        } else if (d->burst.to_system) {
            memcpy(core->queues->burst_data, tcm, d->burst.bytes);
        }
        done_ps =
            core->on.ports->burst(core, &d->burst, core->queues->burst_data, now_ps, &bus_error);
    }
    if (bus_error) {
        d->burst_end = DMA_BURST_BUS_ERROR;
        core->on.ports->bus_error(core->on.chip);
    }
    const uint64_t pace_ps = core->on.parameters->chip_dma_word_ps * (d->burst.bytes / 4);
    d->dma_ps = done_ps > now_ps + pace_ps ? done_ps : now_ps + pace_ps;
    d->dma_begun = true;
    d->dma_begin_ps = now_ps;
    d->burst_memory_accesses = memory_accesses(core);
    d->burst_cycle = cycle_by(core, now_ps);
}

/* Charges contention for the TCMs during the burst: the average number of collisions, of the
 * overlapping accesses one in so many as there are banks. */
static void charge_contention(struct core *core)
{
    struct core_data *d = &core->d;
    const uint64_t cycles = arm968_cycle(core->cpu) - d->burst_cycle;
    if (core->on.parameters->chip_dma_contention == 0 || cycles == 0 || d->state != CORE_RUNNING) {
        return;
    }
    const uint64_t accesses = memory_accesses(core) - d->burst_memory_accesses;
    const uint64_t words = d->burst.bytes / 4;
    const uint64_t collisions = words * accesses + d->contention_remainder;
    const uint64_t possible = core->on.parameters->chip_tcm_banks * cycles;
    d->contention_remainder = collisions % possible;
    arm968_stall(core->cpu, (uint32_t)(collisions / possible));
}

static void end_burst(struct core *core, uint64_t now_ps)
{
    struct core_data *d = &core->d;
    const bool to_tcm = !d->burst.to_system && !d->burst.check_word && d->burst.bytes > 0;
    if (d->burst_end == DMA_BURST_DONE && to_tcm) {
        memcpy(core_tcm(core, d->burst.tcm_address, d->burst.bytes), core->queues->burst_data,
               d->burst.bytes);
        if (d->burst.tcm_address < CORE_DTCM_BASE) {
            arm968_code_written(core->cpu, d->burst.tcm_address, d->burst.bytes);
        }
    }
    d->dma.counters.busy_ps += now_ps - d->dma_begin_ps;
    if (core->tells_bursts) {
        core->on.ports->moved(core->on.chip, core, now_ps);
    }
    charge_contention(core);
    const uint64_t cycles = ps_to_cycles_up(core_pace(core)->clock, now_ps - d->dma_begin_ps);
    dma_ctrl_end_burst(&d->dma, &d->burst, core->queues->burst_data, cycles, d->burst_end);
    core_update_interrupts(core, core_cycle_at(core, now_ps));
    begin_burst(core, now_ps);
}

static void do_dma(struct core *core)
{
    const uint64_t now_ps = core->d.dma_ps;
    if (core->d.dma_begun) {
        core_count_sleep(core, now_ps);
        core->d.dma_begun = false;
        end_burst(core, now_ps);
    } else {
        begin_burst(core, now_ps);
    }
}

/* ---- events: accesses ---- */

static void do_drain(struct core *core, uint64_t now_ps)
{
    uint64_t start_ps;
    const struct posted_store *store =
        write_buffer_next(&core->d.buffer, core->queues->store, &start_ps);
    const bool comes_back = store->comes_back;
    struct arm968_access access = {.kind = ARM968_WRITE,
                                   .address = store->address,
                                   .size = store->size,
                                   .words = store->words,
                                   .privileged = store->privileged};
    for (unsigned i = 0; i < store->words; i++) {
        access.data[i] = store->data[i];
    }
    const uint64_t done_ps = core->on.ports->access(core->on.chip, core, &access, now_ps);
    if (access.abort) {
        core->d.buffer.counters.lost++;
        dma_ctrl_store_failed(&core->d.dma);
    }
    if (comes_back) {
        core_update_interrupts(core, core_cycle_at(core, now_ps));
    }
    write_buffer_started(&core->d.buffer, core->queues->store, done_ps);
}

static void resume(struct core *core, struct arm968_access *access, uint64_t wait_cycles)
{
    access->wait_cycles = (uint32_t)wait_cycles;
    arm968_access_done(core->cpu);
    core->d.state = CORE_RUNNING;
}

/* Posts a store that has waited for a full buffer, as soon as there is room; false if the access is
 * not such a store. */
static bool post_late(struct core *core, struct arm968_access *access, struct memory_place place,
                      uint64_t now_ps)
{
    struct write_buffer *buffer = &core->d.buffer;
    if (!core_waits_for_room(core, access)) {
        return false;
    }
    if (core_post(core, access, place, now_ps)) {
        buffer->counters.stall_ps += now_ps - core->d.access_since_ps;
        resume(core, access, core_cycles_until(core, now_ps));
    } else {
        core->d.access_ps = write_buffer_room_ps(buffer, core->queues->store);
    }
    return true;
}

/* Performs a read of the VIC as an event, or an access at which a core was stalled. */
static void do_private(struct core *core, struct arm968_access *access, struct memory_place place,
                       uint64_t now_ps)
{
    const uint64_t stood = core_cycles_until(core, now_ps);
    core_advance_transmitter(core, now_ps);
    const uint64_t cycle = arm968_cycle(core->cpu) + stood;
    access->wait_cycles = 0;
    if (place.bus != MEMORY_BUS_PRIVATE) { /* nobody answers */
        access->abort = true;
        core->on.ports->bus_error(core->on.chip);
    } else {
        core_private_advance(core, cycle);
        (void)core_private_access(core, access, place, cycle);
    }
    resume(core, access, stood + access->wait_cycles);
}

static void do_access(struct core *core, uint64_t now_ps)
{
    struct arm968_access *access = arm968_access(core->cpu);
    const struct memory_place place = memory_map_find(access->address);
    struct write_buffer *buffer = &core->d.buffer;
    if (place.bus == MEMORY_BUS_PRIVATE || core_nobody_answers(core, access, place)) {
        do_private(core, access, place, now_ps);
        return;
    }
    if (post_late(core, access, place, now_ps)) {
        return;
    }
    if (buffer->last_done_ps > now_ps) { /* the buffer drains first */
        core->d.access_ps = buffer->last_done_ps;
        return;
    }
    buffer->counters.stall_ps += now_ps - core->d.access_since_ps;
    core_perform(core, access, place, now_ps);
    resume(core, access, access->wait_cycles);
}

/* ---- faults ---- */

/* Whether the core is locked up: it cannot fetch its abort vector and aborts forever; only a reset
 * would help. */
static bool locked_up(const struct core *core)
{
    const struct arm968_fault fault = arm968_fault(core->cpu);
    return fault.kind == ARM968_FAULT_PREFETCH && fault.pc == arm968_register(core->cpu, 15);
}

bool core_report_fault(struct core *core)
{
    core->d.faulted = false;
    core->d.state = locked_up(core) ? CORE_OFF : core->d.state;
    core_plan(core);
    return core->on.ports->guest_error(core->on.chip, core);
}

/* ---- events in order ---- */

static bool do_event(struct core *core, uint64_t now_ps)
{
    switch (core->next_event) {
    case CORE_EVENT_FREE:
        core_advance_transmitter(core, now_ps);
        core_comms_changed(core, now_ps);
        return true;
    case CORE_EVENT_SIGNAL:
        do_signal(core);
        return true;
    case CORE_EVENT_DMA:
        do_dma(core);
        return true;
    case CORE_EVENT_DRAIN:
        do_drain(core, now_ps);
        return true;
    case CORE_EVENT_SEND:
        core->d.send_ps = TIME_NEVER;
        core->on.ports->sent(core->on.chip, core->on.index, now_ps);
        return true;
    case CORE_EVENT_ACCESS:
        do_access(core, now_ps);
        return true;
    case CORE_EVENT_RUN: {
        if (core->d.faulted) {
            return false;
        }
        const struct core_time_bounds bounds = core->on.ports->time_bounds(core->on.chip);
        core_run(core, &bounds);
        return true;
    }
    case CORE_EVENT_NONE:
    default:
        return true;
    }
}

bool core_do_event(struct core *core)
{
    const uint64_t now_ps = core_find_next_ps(core);
    core_ahead_settle(core, now_ps);
    const bool go_on = do_event(core, now_ps);
    core_plan(core);
    return go_on;
}
