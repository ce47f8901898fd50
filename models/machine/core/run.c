/* run.c - a core runs up to its bounds, and ahead.  See core.h. */
#include "models/machine/core/core.h"

#include "models/machine/core/ahead.h"
#include "models/machine/core/private.h"

/* A lookahead shorter than this is not run through by itself: entering a core costs the host as
 * much as some dozens of its instructions. */
enum { SHORT_CYCLES = 64 };

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
    return write_buffer_next(&core->d.buffer, core->queues->store, &start_ps) != NULL &&
           start_ps <= core_time_ps(core);
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

/* A sleeping core wakes at this time: its sleep up to then is counted. */
static void wake_up(struct core *core, uint64_t time_ps)
{
    core->d.work.awake_ps = time_ps;
    core_count_sleep(core, time_ps);
}

/* The core has slept up to an action of its timers; true: they wake it within this run. */
static bool is_woken(struct core *core)
{
    const uint64_t own_cycle = arm968_cycle(core->cpu);
    const uint64_t wake_cycle = arm968_wake_cycle(core->cpu);
    if (wake_cycle >= core->outer_cycle) {
        return false;
    }
    wake_up(core, pace_ps(core_pace(core), wake_cycle > own_cycle ? wake_cycle : own_cycle));
    return true;
}

/* Tells of a store to watched bytes, if the step has ended there. */
static void tell_watch(struct core *core)
{
    uint32_t address;
    if (arm968_watch_hit(core->cpu, &address)) {
        core->on.ports->watch(core->on.chip, core, address);
    }
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
        return is_woken(core);
    }
    tell_watch(core);
    return note_stop(core, stop) && !core->ends && !(core->ahead.on && core_sample_is_due(core));
}

/* Runs up to the bounds of the run, or to an event that involves others.  True: up to the
 * bounds. */
static bool run_on(struct core *core)
{
    bool goes_on = true;
    core_find_outer(core);
    while (goes_on && arm968_cycle(core->cpu) < core->outer_cycle) {
        const uint32_t enable = core->d.vic.enable;
        core_sample(core);
        goes_on = run_step(core);
        core_sample(core);
        if (core->d.vic.enable != enable) { /* possibly by a pending store */
            core_find_outer(core);
        }
    }
    return goes_on;
}

/* Whether nothing that the core has started prevents it from running beyond its lookahead. */
static bool can_run_ahead(const struct core *core)
{
    uint64_t start_ps;
    const uint64_t now_ps = core_time_ps(core);
    const bool posted =
        write_buffer_next(&core->d.buffer, core->queues->store, &start_ps) != NULL ||
        core->d.buffer.last_done_ps > now_ps;
    return now_ps < core->hard_ps && !posted && core->d.send_ps == TIME_NEVER;
}

/* Lets the core run on beyond its lookahead. */
static void run_ahead(struct core *core)
{
    core_sample(core); /* while it is certain */
    core_ahead_begin(core, core_time_ps(core));
    (void)run_on(core);
    core->ahead.met = core->d.state == CORE_ACCESS || core->d.marked;
    core_ahead_stopped(core);
    core->ahead.met = core->ahead.met || !core->ahead.on;
}

/* Whether the core runs ahead from the beginning, since its lookahead is short: it is then entered
 * once instead of twice.  Not where it has just met an access, which others often follow. */
static bool begins_ahead(struct core *core)
{
    if (core->d.state != CORE_RUNNING || core->ahead.met || !can_run_ahead(core)) {
        return false;
    }
    core_find_outer(core);
    return core->outer_ps < core->hard_ps &&
           core->outer_cycle < arm968_cycle(core->cpu) + SHORT_CYCLES;
}

/* The time before which nothing may interrupt the core any more.  A store that can come back ends
 * the run with its instruction; its signal may come earlier than that end, which is no mistake. */
static uint64_t reached_ps(const struct core *core)
{
    const uint64_t end_ps = earlier_of(core_time_ps(core), core->outer_ps);
    return earlier_of(end_ps, core_own_store_ps(core));
}

void core_run(struct core *core, const struct core_time_bounds *bounds)
{
    if (core->d.marked) {
        core->d.marked = false;
        core->on.ports->mark(core->on.chip, core);
    }
    core->runs = true;
    core_begin_bounds(core, bounds);
    if (core->d.state == CORE_WAITING) {
        wake_up(core, core_find_next_ps(core));
    }
    bool at_bounds = true;
    const bool may = core->on.run_ahead != RUN_AHEAD_OFF;
    if (!may || !begins_ahead(core)) {
        core->ahead.met = false;
        at_bounds = run_on(core);
    }
    core->d.horizon_ps = core_foreign_sources(core) != 0 ? reached_ps(core) : 0;
    if (at_bounds && may && can_run_ahead(core)) {
        run_ahead(core);
    }
    core->runs = false;
    core->comms_ps = 0;
}
