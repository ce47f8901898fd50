/* run.c - how far a core may run by itself, and the run.  See core.h. */
#include "models/machine/core/core.h"

#include "models/machine/core/ahead.h"
#include "models/machine/core/private.h"

/* ---- how far ---- */

static uint64_t later_by(uint64_t time_ps, uint64_t delay_ps)
{
    return time_ps < TIME_NEVER - delay_ps ? time_ps + delay_ps : TIME_NEVER;
}

/* When the next store is sent out, if a waiting store can cause an interrupt of this core. */
static uint64_t own_store_ps(const struct core *core)
{
    const struct write_buffer *buffer = &core->d.buffer;
    uint64_t start_ps;
    if (write_buffer_next(buffer, &start_ps) == NULL) {
        return TIME_NEVER;
    }
    for (unsigned i = 0;; i++) {
        const struct posted_store *store = write_buffer_waiting(buffer, i);
        if (store == NULL) {
            return TIME_NEVER;
        }
        if (core_store_comes_back(core, store->address)) {
            return start_ps;
        }
    }
}

/* No core runs past a multiple of chip.control_interval before all have reached it: the system
 * controller's pending effects on cores are performed there. */
static void find_pause(struct core *core)
{
    const uint64_t interval_ps = core->on.parameters->chip_control_interval_ps;
    const uint64_t next_ps = core_find_next_ps(core);
    if (next_ps >= core->pause_ps || core->pause_ps - next_ps > interval_ps) {
        core->pause_ps = (next_ps / interval_ps + 1) * interval_ps;
    }
}

/* When the next known event reaches the core, or all cores wait for each other. */
static uint64_t known_event_ps(const struct core *core, const struct core_time_bounds *bounds)
{
    uint64_t event_ps = earlier_of(bounds->limit_ps, core->pause_ps);
    event_ps = earlier_of(event_ps, core->d.dma_ps);
    event_ps = earlier_of(event_ps, core->d.signals == 0 ? TIME_NEVER : core->d.signal[0].time_ps);
    event_ps = earlier_of(event_ps, own_store_ps(core));
    event_ps = earlier_of(event_ps, core_packet_ps(core));
    return event_ps;
}

/* The earliest time at which a shared interrupt line can change because of a future event. */
static uint64_t foreign_line_ps(const struct core *core, const struct core_time_bounds *bounds)
{
    uint64_t drain_ps;
    const bool drains = write_buffer_next(&core->d.buffer, &drain_ps) != NULL;
    const uint64_t act_ps = earlier_of(bounds->others_ps, drains ? drain_ps : TIME_NEVER);
    return later_by(act_ps, core->on.parameters->chip_signal_floor_ps);
}

/* The earliest time at which a packet not yet sent can reach the core, or its own packet can be
 * taken. */
static uint64_t foreign_packet_ps(const struct core *core, const struct core_time_bounds *bounds)
{
    const struct machine_parameters *parameters = core->on.parameters;
    const uint64_t event_ps = later_by(bounds->packet_ps, parameters->router_core_transit_ps);
    if (!core_awaits_router(core) || core->d.send_ps != TIME_NEVER) {
        return event_ps;
    }
    return earlier_of(event_ps, later_by(bounds->others_ps, parameters->router_core_injection_ps));
}

/* The earlier of both, as far as the given sources depend on them. */
static uint64_t foreign_event_ps(const struct core *core, uint32_t sources)
{
    return earlier_of((sources & ~VIC_COMMS_SOURCES) != 0 ? core->line_ps : TIME_NEVER,
                      (sources & VIC_COMMS_SOURCES) != 0 ? core->packet_ps : TIME_NEVER);
}

/* The earliest time at which the packet that the core has just sent, and of which the fabric has
 * not been told, can affect it through the given sources: as itself, as a free transmitter, or as
 * an interrupt line of the router. */
static uint64_t answer_ps(const struct core *core, uint32_t sources)
{
    const struct machine_parameters *parameters = core->on.parameters;
    uint64_t answer_ps = TIME_NEVER;
    if (core->d.send_ps == TIME_NEVER) {
        return answer_ps;
    }
    if ((sources & VIC_COMMS_SOURCES) != 0) {
        answer_ps = parameters->router_core_transit_ps;
    }
    if ((sources & VIC_TRANSMIT_SOURCES) != 0) {
        answer_ps = earlier_of(answer_ps, parameters->router_core_injection_ps);
    }
    if ((sources & ~VIC_COMMS_SOURCES) != 0) {
        answer_ps = earlier_of(answer_ps, parameters->chip_signal_floor_ps);
    }
    return later_by(core->d.send_ps, answer_ps);
}

uint64_t core_unknown_ps(const struct core *core, uint32_t sources)
{
    return earlier_of(foreign_event_ps(core, sources), answer_ps(core, sources));
}

/* Up to when the run may continue, given the VIC's enables. */
static uint64_t outer_ps(const struct core *core)
{
    const uint32_t sources = core_foreign_sources(core);
    const bool transmits = (sources & VIC_TRANSMIT_SOURCES) != 0;
    const uint64_t known_ps =
        earlier_of(core->hard_ps, transmits ? core_free_ps(core) : TIME_NEVER);
    if (core->ahead.on) {
        return earlier_of(known_ps, core->ahead.end_ps);
    }
    return earlier_of(earlier_of(known_ps, foreign_event_ps(core, sources)),
                      answer_ps(core, sources));
}

void core_end_run(struct core *core)
{
    core->ends = true;
    arm968_limit_horizon(core->cpu, 0);
}

static void find_outer(struct core *core)
{
    core->outer_ps = outer_ps(core);
    core->outer_cycle = core_cycle_at(core, core->outer_ps);
}

void core_rebound_run(struct core *core, uint64_t cycle)
{
    if (!core->runs) {
        return; /* the access was an event */
    }
    find_outer(core);
    if (core->outer_cycle <= cycle) {
        core_end_run(core);
    } else {
        arm968_limit_horizon(core->cpu, core->private_cycle < core->outer_cycle
                                            ? core->private_cycle
                                            : core->outer_cycle);
    }
}

void core_sent(struct core *core)
{
    core->comms_ps = earlier_of(core->comms_ps, answer_ps(core, VIC_COMMS_SOURCES));
    core_rebound_run(core, 0);
}

void core_bound_run(struct core *core, uint64_t event_ps)
{
    core->hard_ps = earlier_of(core->hard_ps, event_ps);
    core->comms_ps = earlier_of(core->comms_ps, event_ps);
    core_rebound_run(core, 0);
}

/* ---- running ---- */

static void fall_asleep(struct core *core)
{
    core->d.slept_from_ps = core_time_ps(core);
    core_work_sleeps(&core->d.work, core->d.slept_from_ps);
    core->d.state = CORE_WAITING;
}

/* Whether a posted store has yet to be sent at or before the core's time. */
static bool sends_first(const struct core *core)
{
    uint64_t start_ps;
    return write_buffer_next(&core->d.buffer, &start_ps) != NULL && start_ps <= core_time_ps(core);
}

/* Records where a run has stopped; true if the core can continue at once. */
static bool note_stop(struct core *core, enum arm968_stop stop)
{
    core->d.state = CORE_RUNNING;
    switch (stop) {
    case ARM968_STOP_MARK:
        if (core->ahead.on || sends_first(core)) {
            core->d.marked = true; /* reported when the core runs on: what came before is counted */
            return false;
        }
        core->on.ports->mark(core->on.chip, core);
        return true;
    case ARM968_STOP_FAULT:
        core->d.faulted = true; /* reported at the core's next event */
        return false;
    case ARM968_STOP_OUTSIDE:
        core->d.state = CORE_ACCESS;
        core->d.access_ps = core->d.access_since_ps = core_time_ps(core);
        return false;
    case ARM968_STOP_WAIT:
        fall_asleep(core);
        return false;
    case ARM968_STOP_AHEAD:
        return false;
    case ARM968_STOP_HORIZON:
    case ARM968_STOP_BREAKPOINT:
    case ARM968_STOP_REQUEST:
    default:
        return true;
    }
}

/* Whether the core sleeps and nothing wakes it up to `cycle`. */
static bool sleeps_on(const struct core *core, uint64_t cycle)
{
    const uint64_t wake_cycle = arm968_wake_cycle(core->cpu);
    return arm968_waiting(core->cpu) && wake_cycle > cycle && wake_cycle > arm968_cycle(core->cpu);
}

/* Runs up to the next cycle that needs attention: the end of the run, an action of the core's
 * timers, a sample.  False: the core cannot continue. */
static bool run_step(struct core *core)
{
    const uint64_t horizon =
        core->private_cycle < core->outer_cycle ? core->private_cycle : core->outer_cycle;
    const uint64_t cut = core_sample_horizon(core, horizon);
    const bool asleep = sleeps_on(core, cut);
    core->ends = false;
    const enum arm968_stop stop = arm968_run(core->cpu, cut);
    core_private_advance(core, arm968_cycle(core->cpu));
    if (asleep) {
        return false;
    }
    return note_stop(core, stop) && !core->ends && !(core->ahead.on && core_sample_is_due(core));
}

/* Runs up to the bounds of the run, or to an event that involves others.  True: up to the
 * bounds. */
static bool run_on(struct core *core)
{
    bool goes_on = true;
    find_outer(core);
    while (goes_on && arm968_cycle(core->cpu) < core->outer_cycle) {
        const uint32_t enable = core->d.vic.enable;
        core_sample(core);
        goes_on = run_step(core);
        core_sample(core);
        if (core->d.vic.enable != enable) { /* possibly by a pending store */
            find_outer(core);
        }
    }
    return goes_on;
}

/* Lets the core run on beyond its lookahead, unless something it has started prevents that. */
static void run_ahead(struct core *core)
{
    uint64_t start_ps;
    const uint64_t now_ps = core_time_ps(core);
    const bool posted = write_buffer_next(&core->d.buffer, &start_ps) != NULL ||
                        core->d.buffer.last_done_ps > now_ps;
    if (now_ps < core->hard_ps && !posted && core->d.send_ps == TIME_NEVER) {
        core_ahead_begin(core, now_ps);
        (void)run_on(core);
        core_ahead_stopped(core);
    }
}

/* The time before which nothing may interrupt the core any more.  A store that can come back ends
 * the run with its instruction; its signal may come earlier than that end, which is no mistake. */
static uint64_t reached_ps(const struct core *core)
{
    const uint64_t end_ps = earlier_of(core_time_ps(core), core->outer_ps);
    return earlier_of(end_ps, own_store_ps(core));
}

void core_run(struct core *core, const struct core_time_bounds *bounds)
{
    find_pause(core);
    if (core->d.marked) {
        core->d.marked = false;
        core->on.ports->mark(core->on.chip, core);
    }
    core->runs = true;
    core->hard_ps = known_event_ps(core, bounds);
    core->line_ps = foreign_line_ps(core, bounds);
    core->packet_ps = foreign_packet_ps(core, bounds);
    core->comms_ps = earlier_of(core->hard_ps, core->packet_ps);
    if (core->d.state == CORE_WAITING) {
        core->d.work.awake_ps = core_find_next_ps(core);
        core_count_sleep(core, core->d.work.awake_ps);
    }
    const bool at_bounds = run_on(core);
    core->d.horizon_ps = core_foreign_sources(core) != 0 ? reached_ps(core) : 0;
    if (at_bounds && core->on.run_ahead != RUN_AHEAD_OFF) {
        run_ahead(core);
    }
    core->runs = false;
    core->comms_ps = 0;
}
