/* core.c - see core.h: the private side of a core, and its acts in the order of time. */
#include "models/machine/core.h"

#include "models/common/compiler.h"
#include "models/machine/chip.h"
#include "models/machine/core_ahead.h"
#include "models/machine/core_port.h"
#include "models/machine/core_private.h"
#include "models/machine/core_run.h"
#include "models/machine/machine_state.h"

#include <string.h>

/* Of struct core_data: what every act looks at. */
enum { PREFETCH_LINES = 8 };
#define TIMER_SOURCES (1u << VIC_SOURCE_TIMER1 | 1u << VIC_SOURCE_TIMER2)
#define CORE_ID       0x41059681u /* CP15 main ID, ARM968E-S revision 1: assumed */
#define CONTROL_START                                                                              \
    0x00001074u /* TCMs on, vectors low, should-be-one bits: as a loader leaves it */

/* ---- life cycle ---- */

enum status core_init(struct core *core, struct chip *chip, uint8_t index)
{
    const struct machine_parameters *parameters = &chip->parameters;
    *core = (struct core){
        .chip = chip, .index = index, .pace = &chip->d.pace[sysctl_clock_of_core(index)]};
    const struct machine_config *wanted = &chip->machine->config;
    core->sample_every = wanted->observer.sample == NULL ? 0 : wanted->sample_cycles;
    core->d.dma_ps = TIME_NEVER;
    core->d.send_ps = TIME_NEVER;
    core->itcm = ram_map(parameters->chip_itcm_bytes);
    core->dtcm = ram_map(parameters->chip_dtcm_bytes);
    if (core->itcm == NULL || core->dtcm == NULL) {
        return STATUS_INTERNAL;
    }
    const struct arm968_config config = {
        .timing = chip->timing,
        .code = {0, (uint32_t)parameters->chip_itcm_bytes, core->itcm},
        .data = {CORE_DTCM_BASE, (uint32_t)parameters->chip_dtcm_bytes, core->dtcm},
        .id = CORE_ID,
        .reset_control = CONTROL_START,
        .ports = {core, core_port_access},
        .library = chip->library,
        .translator = chip->translator,
    };
    core->cpu = arm968_create(&config);
    vic_reset(&core->d.vic);
    timer_pair_reset(&core->d.timers, 0);
    dma_ctrl_reset(&core->d.dma, index, false);
    comms_ctrl_reset(&core->d.comms);
    return core->cpu == NULL ? STATUS_INTERNAL : STATUS_OK;
}

void core_deinit(struct core *core)
{
    arm968_destroy(core->cpu);
    core_ahead_deinit(core);
    if (core->chip != NULL) {
        ram_unmap(core->itcm, core->chip->parameters.chip_itcm_bytes);
        ram_unmap(core->dtcm, core->chip->parameters.chip_dtcm_bytes);
    }
    *core = (struct core){0};
}

const struct pace *core_pace(const struct core *core)
{
    return core->pace;
}

uint64_t core_time_ps(const struct core *core)
{
    return pace_ps(core_pace(core), arm968_cycle(core->cpu));
}

uint64_t core_cycle_at(const struct core *core, uint64_t time_ps)
{
    return pace_cycle_up(core_pace(core), time_ps);
}

void core_start(struct core *core, uint32_t entry, uint32_t argument, uint64_t now_ps)
{
    const uint64_t cycle = core_cycle_at(core, now_ps);
    arm968_reset(core->cpu);
    arm968_hold(core->cpu, cycle);
    if ((entry & 1) != 0) {
        arm968_set_cpsr(core->cpu, arm968_cpsr(core->cpu) | 1u << 5);
    }
    arm968_set_register(core->cpu, 0, argument);
    arm968_set_register(core->cpu, 15, entry);
    timer_pair_reset(&core->d.timers, cycle);
    core->d.work = (struct core_work){.awake_ps = now_ps};
    core->d.state = CORE_RUNNING;
    core->d.started = true;
}

uint8_t *core_tcm(const struct core *core, uint32_t address, uint32_t bytes)
{
    const uint64_t itcm_bytes = core->chip->parameters.chip_itcm_bytes;
    const uint64_t dtcm_bytes = core->chip->parameters.chip_dtcm_bytes;
    if ((uint64_t)address + bytes <= itcm_bytes) {
        return core->itcm + address;
    }
    const uint32_t offset = address - CORE_DTCM_BASE;
    if ((uint64_t)offset + bytes <= dtcm_bytes) {
        return core->dtcm + offset;
    }
    return NULL;
}

static uint64_t signal_ps(const struct core *core)
{
    return core->d.signals == 0 ? TIME_NEVER : core->d.signal[0].time_ps;
}

/* ---- acts ---- */

static void earlier(uint64_t *time_ps, enum core_next_act *act, uint64_t candidate_ps,
                    enum core_next_act candidate)
{
    if (candidate_ps < *time_ps) {
        *time_ps = candidate_ps;
        *act = candidate;
    }
}

/* When a sleeping core will be woken by itself.  A timer whose interrupt the VIC does not let
 * through wakes nobody: it is brought up to date when somebody looks. */
static uint64_t wake_ps(const struct core *core)
{
    const uint64_t line = arm968_wake_cycle(core->cpu);
    const bool timers = (core->d.vic.enable & TIMER_SOURCES) != 0;
    const bool awaited = timers || core->d.private_writes > 0;
    const uint64_t private = awaited ? core->private_cycle : UINT64_MAX;
    const uint64_t cycle = line < private ? line : private;
    return cycle == UINT64_MAX ? TIME_NEVER : pace_ps(core_pace(core), cycle);
}

/* Is the pending access a store that only waits for room in the write buffer? */
static bool waits_for_room(const struct core *core, const struct arm968_access *access)
{
    return access->buffered && access->kind == ARM968_WRITE &&
           access->words + 1u <= core->chip->timing.write_buffer_entries;
}

/* A store to the core's own timers or VIC overtakes what has been posted to others. */
static bool overtakes(const struct arm968_access *access)
{
    return access->kind == ARM968_WRITE &&
           memory_map_find(access->address).bus == MEMORY_BUS_PRIVATE;
}

/* When the pending access comes next: not while stores before it are still to be sent, but room for
 * a further one may appear meanwhile. */
static uint64_t access_ps(const struct core *core, bool draining)
{
    if (!draining || overtakes(arm968_access(core->cpu))) {
        return core->d.access_ps;
    }
    if (!waits_for_room(core, arm968_access(core->cpu)) || core->d.buffer.started == 0) {
        return TIME_NEVER;
    }
    const uint64_t room_ps = write_buffer_room_ps(&core->d.buffer);
    return room_ps > core->d.access_ps ? room_ps : core->d.access_ps;
}

/* The next act and its time; at equal times the order of enum act. */
static enum core_next_act next_act(const struct core *core, uint64_t *time_ps)
{
    enum core_next_act act = CORE_ACT_NONE;
    *time_ps = TIME_NEVER;
    if ((core->d.vic.enable & VIC_TRANSMIT_SOURCES) != 0) {
        earlier(time_ps, &act, core_free_ps(core), CORE_ACT_FREE);
    }
    earlier(time_ps, &act, signal_ps(core), CORE_ACT_SIGNAL);
    earlier(time_ps, &act, core->d.dma_ps, CORE_ACT_DMA);
    uint64_t drain_ps;
    const bool draining = write_buffer_next(&core->d.buffer, &drain_ps) != NULL;
    if (draining) {
        earlier(time_ps, &act, drain_ps, CORE_ACT_DRAIN);
    }
    earlier(time_ps, &act, core->d.send_ps, CORE_ACT_SEND);
    switch (core->d.state) {
    case CORE_RUNNING:
        earlier(time_ps, &act, core_time_ps(core), CORE_ACT_RUN);
        break;
    case CORE_ACCESS:
        if (!core->d.stalled) {
            earlier(time_ps, &act, access_ps(core, draining), CORE_ACT_ACCESS);
        }
        break;
    case CORE_WAITING:
        earlier(time_ps, &act, wake_ps(core), CORE_ACT_RUN);
        break;
    case CORE_OFF:
    default:
        break;
    }
    return act;
}

uint64_t core_find_next_ps(const struct core *core)
{
    return core->chip->core_next_ps[core->index];
}

void core_plan(struct core *core)
{
    uint64_t time_ps;
    core->next_act = next_act(core, &time_ps);
    chip_core_acts_at(core->chip, core->index, time_ps);
}

void core_prefetch(const struct core *core)
{
    for (unsigned line = 0; line < PREFETCH_LINES; line++) {
        PREFETCH((const char *)core + (size_t)line * CACHE_LINE_BYTES);
    }
    PREFETCH(core->dtcm);
    arm968_prefetch(core->cpu);
}

/* ---- acts: interrupt lines of the chip ---- */

static void act_signal(struct core *core)
{
    const struct signal signal = core->d.signal[0];
    core->d.signals--;
    memmove(&core->d.signal[0], &core->d.signal[1], core->d.signals * sizeof signal);
    vic_set_input(&core->d.vic, (enum vic_source)signal.source, signal.level);
    const bool let_in = (core->d.vic.enable >> signal.source & 1) != 0; /* else no promise holds */
    if (let_in && core->d.state != CORE_OFF && core->d.horizon_ps > signal.time_ps) {
        core->chip->d.late_interrupts++;
    }
    core_update_interrupts(core, core_cycle_at(core, signal.time_ps));
}

/* ---- acts: DMA ---- */

static uint64_t memory_accesses(const struct core *core)
{
    const struct arm968_counters *counters = arm968_counters(core->cpu);
    return counters->words_loaded + counters->words_stored;
}

static void begin_burst(struct core *core, uint64_t now_ps)
{
    struct core_data *d = &core->d;
    if (!dma_ctrl_next_burst(&d->dma, &d->burst)) {
        d->dma_ps = TIME_NEVER;
        return;
    }
    uint8_t *tcm = core_tcm(core, d->burst.tcm_address, d->burst.bytes);
    bool bus_error = false;
    uint64_t done_ps = now_ps;
    d->burst_end = DMA_BURST_DONE;
    if (tcm == NULL && d->burst.bytes > 0 && !d->burst.check_word) {
        d->burst_end = DMA_BURST_TCM_ERROR;
    } else if (d->burst.bytes > 0) { /* a transfer of nothing asks nobody */
        if (d->burst.check_word) {
            dma_ctrl_check_word(&d->dma, d->burst_data);
        } else if (d->burst.to_system) {
            memcpy(d->burst_data, tcm, d->burst.bytes);
        }
        done_ps = chip_burst(core, &d->burst, d->burst_data, now_ps, &bus_error);
    }
    if (bus_error) {
        d->burst_end = DMA_BURST_BUS_ERROR;
        core->chip->d.counters.bus_errors++;
    }
    const uint64_t pace_ps = core->chip->parameters.chip_dma_word_ps * (d->burst.bytes / 4);
    d->dma_ps = done_ps > now_ps + pace_ps ? done_ps : now_ps + pace_ps;
    d->dma_begun = true;
    d->dma_begin_ps = now_ps;
    d->burst_memory_accesses = memory_accesses(core);
    d->burst_cycles = arm968_cycle(core->cpu);
}

/* DMA and core shared the TCMs during the burst: the average number of collisions, half of the
 * overlapping accesses since DTCM has two banks. */
static void charge_contention(struct core *core)
{
    struct core_data *d = &core->d;
    const uint64_t cycles = arm968_cycle(core->cpu) - d->burst_cycles;
    if (core->chip->parameters.chip_dma_contention == 0 || cycles == 0 ||
        d->state != CORE_RUNNING) {
        return;
    }
    const uint64_t accesses = memory_accesses(core) - d->burst_memory_accesses;
    const uint64_t words = d->burst.bytes / 4;
    const uint64_t collisions = words * accesses + d->contention_remainder;
    d->contention_remainder = collisions % (2 * cycles);
    arm968_stall(core->cpu, (uint32_t)(collisions / (2 * cycles)));
}

static void end_burst(struct core *core, uint64_t now_ps)
{
    struct core_data *d = &core->d;
    const bool to_tcm = !d->burst.to_system && !d->burst.check_word && d->burst.bytes > 0;
    if (d->burst_end == DMA_BURST_DONE && to_tcm) {
        memcpy(core_tcm(core, d->burst.tcm_address, d->burst.bytes), d->burst_data, d->burst.bytes);
        if (d->burst.tcm_address < CORE_DTCM_BASE) {
            arm968_code_written(core->cpu, d->burst.tcm_address, d->burst.bytes);
        }
    }
    d->dma.counters.busy_ps += now_ps - d->dma_begin_ps;
    charge_contention(core);
    const uint64_t cycles = ps_to_cycles_up(core_pace(core)->clock, now_ps - d->dma_begin_ps);
    dma_ctrl_end_burst(&d->dma, &d->burst, d->burst_data, cycles, d->burst_end);
    core_update_interrupts(core, core_cycle_at(core, now_ps));
    begin_burst(core, now_ps);
}

static void act_dma(struct core *core)
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

/* ---- acts: accesses ---- */

static void act_drain(struct core *core, uint64_t now_ps)
{
    uint64_t start_ps;
    const struct posted_store *store = write_buffer_next(&core->d.buffer, &start_ps);
    struct arm968_access access = {.kind = ARM968_WRITE,
                                   .address = store->address,
                                   .size = store->size,
                                   .words = store->words,
                                   .privileged = store->privileged};
    memcpy(access.data, store->data, sizeof access.data);
    const uint64_t done_ps = chip_access(core->chip, core, &access, now_ps);
    if (access.abort) {
        core->d.buffer.counters.lost++;
        dma_ctrl_store_failed(&core->d.dma);
    }
    if (core_store_comes_back(access.address)) {
        core_update_interrupts(core, core_cycle_at(core, now_ps));
    }
    write_buffer_started(&core->d.buffer, done_ps);
}

/* Cycles from the core's own time to a later one. */
static uint64_t cycles_until(const struct core *core, uint64_t time_ps)
{
    const uint64_t cycle = core_cycle_at(core, time_ps);
    return cycle > arm968_cycle(core->cpu) ? cycle - arm968_cycle(core->cpu) : 0;
}

static void resume(struct core *core, struct arm968_access *access, uint64_t wait_cycles)
{
    access->wait_cycles = (uint32_t)wait_cycles;
    arm968_access_done(core->cpu);
    core->d.state = CORE_RUNNING;
}

/* An access that is complete at done_ps: the core waits for what goes beyond the instruction's own
 * issue cycles. */
static void finish_access(struct core *core, struct arm968_access *access, uint64_t done_ps)
{
    const uint64_t elapsed = cycles_until(core, done_ps);
    const uint64_t issue = access->kind == ARM968_SWAP ? 2 : access->words;
    resume(core, access, elapsed > issue ? elapsed - issue : 0);
}

/* A store held up by a full buffer is posted as soon as there is room; false when it is none of
 * that kind. */
static bool post_late(struct core *core, struct arm968_access *access, uint64_t now_ps)
{
    struct write_buffer *buffer = &core->d.buffer;
    if (!waits_for_room(core, access)) {
        return false;
    }
    if (core_post(core, access, now_ps)) {
        buffer->counters.stall_ps += now_ps - core->d.access_since_ps;
        resume(core, access, cycles_until(core, now_ps));
    } else {
        core->d.access_ps = write_buffer_room_ps(buffer);
    }
    return true;
}

/* A look at the VIC, in its turn, or what a core that was stalled has stood before. */
static void act_private(struct core *core, struct arm968_access *access, struct memory_place place,
                        uint64_t now_ps)
{
    const uint64_t stood = cycles_until(core, now_ps);
    core_advance_transmitter(core, now_ps);
    const uint64_t cycle = arm968_cycle(core->cpu) + stood;
    access->wait_cycles = 0;
    if (place.bus == MEMORY_BUS_NONE) {
        access->abort = true;
        core->chip->d.counters.bus_errors++;
    } else {
        core_private_advance(core, cycle);
        (void)core_private_access(core, access, place, cycle);
    }
    resume(core, access, stood + access->wait_cycles);
}

static void act_access(struct core *core, uint64_t now_ps)
{
    struct arm968_access *access = arm968_access(core->cpu);
    const struct memory_place place = memory_map_find(access->address);
    struct write_buffer *buffer = &core->d.buffer;
    if (place.bus == MEMORY_BUS_PRIVATE || place.bus == MEMORY_BUS_NONE) {
        act_private(core, access, place, now_ps);
        return;
    }
    if (post_late(core, access, now_ps)) {
        return;
    }
    if (buffer->last_done_ps > now_ps) { /* the buffer drains first */
        core->d.access_ps = buffer->last_done_ps;
        return;
    }
    buffer->counters.stall_ps += now_ps - core->d.access_since_ps;
    const uint64_t done_ps = chip_access(core->chip, core, access, now_ps);
    if (core_store_comes_back(access->address)) {
        core_update_interrupts(core, core_cycle_at(core, done_ps));
    }
    finish_access(core, access, done_ps);
}

/* ---- faults ---- */

/* A core whose abort vector cannot be fetched aborts for ever: only a reset would help. */
static bool locked_up(const struct core *core)
{
    const struct arm968_fault fault = arm968_fault(core->cpu);
    return fault.kind == ARM968_FAULT_PREFETCH && fault.pc == arm968_register(core->cpu, 15);
}

bool core_report_fault(struct core *core)
{
    const struct machine_observer *observer = core->chip->observer;
    const struct machine_core id = {core->chip->x, core->chip->y, core->index};
    core->d.faulted = false;
    core->d.state = locked_up(core) ? CORE_OFF : core->d.state;
    core_plan(core);
    return observer->guest_error != NULL &&
           observer->guest_error(observer->context, id, arm968_fault(core->cpu));
}

/* ---- acts in order ---- */

static bool act(struct core *core, uint64_t now_ps)
{
    switch (core->next_act) {
    case CORE_ACT_FREE:
        core_advance_transmitter(core, now_ps);
        core_comms_changed(core, now_ps);
        return true;
    case CORE_ACT_SIGNAL:
        act_signal(core);
        return true;
    case CORE_ACT_DMA:
        act_dma(core);
        return true;
    case CORE_ACT_DRAIN:
        act_drain(core, now_ps);
        return true;
    case CORE_ACT_SEND:
        core->d.send_ps = TIME_NEVER;
        fabric_core_sent(core->chip, core->index, now_ps);
        return true;
    case CORE_ACT_ACCESS:
        act_access(core, now_ps);
        return true;
    case CORE_ACT_RUN: {
        if (core->d.faulted) {
            return false;
        }
        const struct core_outlook outlook = chip_outlook(core->chip);
        core_run(core, &outlook);
        return true;
    }
    case CORE_ACT_NONE:
    default:
        return true;
    }
}

bool core_act(struct core *core)
{
    const uint64_t now_ps = core->chip->core_next_ps[core->index];
    core_ahead_settle(core, now_ps);
    const bool go_on = act(core, now_ps);
    core_plan(core);
    return go_on;
}
