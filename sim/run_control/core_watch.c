/* core_watch.c - see core_watch.h. */
#include "sim/run_control/core_watch.h"

#include "models/common/units.h"
#include "sim/run_control/core_memory.h"

/* Active cycles in which a core is stopped before each instruction: so many are enough for the last
 * ones even if each of them waits for hundreds of cycles. */
enum { WATCHED_CYCLES = 20000 };

/* Machine time between two takings: bounds the memory of recorded packets. */
#define TAKE_PS (100 * PS_PER_US)

static bool is_same(struct machine_core a, struct machine_core b)
{
    return a.x == b.x && a.y == b.y && a.p == b.p;
}

/* ---- instructions ---- */

void core_watch_begin(struct core_watch *watch, struct machine *machine)
{
    const uint64_t until = watch->until_active_cycles;
    watch->sees_each = until <= WATCHED_CYCLES;
    watch->before = trace_view_of(machine_core_processor(machine, watch->core));
    watch->taken_ps = machine_time_ps(machine);
    (void)machine_sample_core(machine, watch->core, watch->sees_each ? 1 : until - WATCHED_CYCLES);
    machine_record(machine, 1u << MACHINE_EVENT_SENT | 1u << MACHINE_EVENT_RECEIVED);
}

static void note(struct core_watch *watch, const struct machine *machine)
{
    const struct core_memory memory = {machine, watch->core};
    const struct trace_view now = trace_view_of(machine_core_processor(machine, watch->core));
    last_instructions_note(&watch->instructions, core_memory_read, &memory, &watch->before, &now);
    watch->before = now;
}

void core_watch_sample(struct core_watch *watch, struct machine *machine, struct machine_core core)
{
    if (!is_same(core, watch->core)) {
        return;
    }
    if (watch->sees_each) {
        note(watch, machine);
    } else {
        watch->sees_each = true;
        watch->before = trace_view_of(machine_core_processor(machine, core));
        (void)machine_sample_core(machine, core, 1);
    }
    watch->last_ps = machine_core_time_ps(machine, core);
}

void core_watch_end(struct core_watch *watch, struct machine *machine)
{
    core_watch_take(watch, machine);
    if (watch->sees_each) {
        note(watch, machine);
    }
}

/* ---- packets ---- */

static void take_event(void *context, const struct machine_event *event)
{
    struct core_watch *watch = context;
    if (is_same((struct machine_core){event->x, event->y, event->p}, watch->core)) {
        struct watch_packets *to =
            event->kind == MACHINE_EVENT_SENT ? &watch->sent : &watch->received;
        to->of[to->count++ % WATCH_PACKETS] = *event;
    }
}

uint64_t core_watch_stop_ps(const struct core_watch *watch)
{
    return watch->taken_ps + TAKE_PS;
}

void core_watch_take(struct core_watch *watch, struct machine *machine)
{
    watch->taken_ps = machine_time_ps(machine);
    machine_take_events(machine, take_event, watch);
}
