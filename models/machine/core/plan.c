/* plan.c - a core's next event, and when.  See core.h. */
#include "models/machine/core/core.h"

#define TIMER_SOURCES (1u << VIC_SOURCE_TIMER1 | 1u << VIC_SOURCE_TIMER2)

static uint64_t signal_ps(const struct core *core)
{
    return core->d.signals == 0 ? TIME_NEVER : core->queues->signal[0].time_ps;
}

/* ---- the next event ---- */

static void earlier(uint64_t *time_ps, enum core_event *event, uint64_t candidate_ps,
                    enum core_event candidate)
{
    if (candidate_ps < *time_ps) {
        *time_ps = candidate_ps;
        *event = candidate;
    }
}

/* When a sleeping core will be woken by itself: not before the instruction that put it to sleep has
 * ended, which is later than the core can see a line that has risen meanwhile.  A timer whose
 * interrupt the VIC has not enabled wakes no core: it is brought up to date when it is read. */
static uint64_t wake_ps(const struct core *core)
{
    const uint64_t line = arm968_wake_cycle(core->cpu);
    const bool timers = (core->d.vic.enable & TIMER_SOURCES) != 0;
    const bool awaited = timers || core->d.private_writes > 0;
    const uint64_t private = awaited ? core->private_cycle : UINT64_MAX;
    const uint64_t cycle = line < private ? line : private;
    const uint64_t own = arm968_cycle(core->cpu);
    return cycle == UINT64_MAX ? TIME_NEVER : pace_ps(core_pace(core), cycle > own ? cycle : own);
}

bool core_waits_for_room(const struct core *core, const struct arm968_access *access)
{
    return access->buffered && access->kind == ARM968_WRITE &&
           access->words + 1u <= core->on.write_buffer_entries;
}

/* Whether the store, to the core's own timers or VIC, overtakes posted stores to other blocks. */
static bool overtakes(const struct arm968_access *access)
{
    return access->kind == ARM968_WRITE &&
           memory_map_find(access->address).bus == MEMORY_BUS_PRIVATE;
}

/* When the pending access can be performed: not while stores before it have yet to be sent, but a
 * store may find room in the write buffer meanwhile. */
static uint64_t access_ps(const struct core *core, bool draining)
{
    if (!draining || overtakes(arm968_access(core->cpu))) {
        return core->d.access_ps;
    }
    if (!core_waits_for_room(core, arm968_access(core->cpu)) || core->d.buffer.started == 0) {
        return TIME_NEVER;
    }
    const uint64_t room_ps = write_buffer_room_ps(&core->d.buffer, core->queues->store);
    return room_ps > core->d.access_ps ? room_ps : core->d.access_ps;
}

/* The next event and its time; at equal times the order of enum core_event. */
static enum core_event next_event(const struct core *core, uint64_t *time_ps)
{
    enum core_event event = CORE_EVENT_NONE;
    *time_ps = TIME_NEVER;
    if ((core->d.vic.enable & VIC_TRANSMIT_SOURCES) != 0) {
        earlier(time_ps, &event, core_free_ps(core), CORE_EVENT_FREE);
    }
    earlier(time_ps, &event, signal_ps(core), CORE_EVENT_SIGNAL);
    earlier(time_ps, &event, core->d.dma_ps, CORE_EVENT_DMA);
    uint64_t drain_ps;
    const bool draining =
        write_buffer_next(&core->d.buffer, core->queues->store, &drain_ps) != NULL;
    if (draining) {
        earlier(time_ps, &event, drain_ps, CORE_EVENT_DRAIN);
    }
    earlier(time_ps, &event, core->d.send_ps, CORE_EVENT_SEND);
    switch (core->d.state) {
    case CORE_RUNNING:
        earlier(time_ps, &event, core_time_ps(core), CORE_EVENT_RUN);
        break;
    case CORE_ACCESS:
        if (!core->d.stalled) {
            earlier(time_ps, &event, access_ps(core, draining), CORE_EVENT_ACCESS);
        }
        break;
    case CORE_WAITING:
        earlier(time_ps, &event, wake_ps(core), CORE_EVENT_RUN);
        break;
    case CORE_OFF:
    default:
        break;
    }
    return event;
}

void core_plan(struct core *core)
{
    uint64_t time_ps;
    core->next_event = next_event(core, &time_ps);
    turns_set(core->on.turns, core->on.index, time_ps);
}
