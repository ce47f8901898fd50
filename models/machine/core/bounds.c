/* bounds.c - how far a core may run by itself.  See core.h. */
#include "models/machine/core/core.h"

static uint64_t later_by(uint64_t time_ps, uint64_t delay_ps)
{
    return time_ps < TIME_NEVER - delay_ps ? time_ps + delay_ps : TIME_NEVER;
}

uint64_t core_own_store_ps(const struct core *core)
{
    const struct write_buffer *buffer = &core->d.buffer;
    uint64_t start_ps;
    if (write_buffer_next(buffer, core->queues->store, &start_ps) == NULL) {
        return TIME_NEVER;
    }
    for (unsigned i = 0;; i++) {
        const struct posted_store *store = write_buffer_waiting(buffer, core->queues->store, i);
        if (store == NULL) {
            return TIME_NEVER;
        }
        if (store->comes_back) {
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
    event_ps =
        earlier_of(event_ps, core->d.signals == 0 ? TIME_NEVER : core->queues->signal[0].time_ps);
    event_ps = earlier_of(event_ps, core_own_store_ps(core));
    event_ps = earlier_of(event_ps, core_packet_ps(core));
    return event_ps;
}

/* The earliest time at which a shared interrupt line can change because of a future event. */
static uint64_t foreign_line_ps(const struct core *core, const struct core_time_bounds *bounds)
{
    uint64_t drain_ps;
    const bool drains = write_buffer_next(&core->d.buffer, core->queues->store, &drain_ps) != NULL;
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

void core_find_outer(struct core *core)
{
    core->outer_ps = outer_ps(core);
    core->outer_cycle = core_cycle_at(core, core->outer_ps);
}

void core_rebound_run(struct core *core, uint64_t cycle)
{
    if (!core->runs) {
        return; /* the access was an event */
    }
    core_find_outer(core);
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

void core_begin_bounds(struct core *core, const struct core_time_bounds *bounds)
{
    find_pause(core);
    core->hard_ps = known_event_ps(core, bounds);
    core->line_ps = foreign_line_ps(core, bounds);
    core->packet_ps = foreign_packet_ps(core, bounds);
    core->comms_ps = earlier_of(core->hard_ps, core->packet_ps);
}
