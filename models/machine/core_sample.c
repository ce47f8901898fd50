/* core_sample.c - where cores are, now and then: for profiles.  See core.h.
 *
 * A sample is taken at the first instruction boundary at or after each multiple of
 * machine_config.sample_cycles active cycles of the core.  Such a boundary is the same however the
 * core's runs are cut, and to stop there changes nothing. */
#include "models/machine/machine_state.h"

static uint64_t active_cycles(const struct core *core)
{
    return arm968_counters(core->cpu)->active_cycles;
}

uint64_t core_sample_cut(const struct core *core, uint64_t horizon)
{
    uint64_t from = arm968_cycle(core->cpu);
    if (arm968_waiting(core->cpu)) { /* sleep is not active */
        const uint64_t wake = arm968_wake_cycle(core->cpu);
        from = wake > from ? wake : from;
    }
    const uint64_t left = core->sample_at - active_cycles(core);
    return horizon > from && horizon - from > left ? from + left : horizon;
}

bool core_sample_has_come(const struct core *core)
{
    return core->sample_at != 0 && active_cycles(core) >= core->sample_at;
}

void core_take_sample(struct core *core)
{
    const uint64_t every = core->sample_every;
    if (core->ahead.on) { /* who runs ahead stops there until it is its turn */
        return;
    }
    if (core_sample_has_come(core)) {
        const struct machine_core id = {core->chip->x, core->chip->y, core->index};
        struct machine *machine = core->chip->machine;
        schedule_enter(machine);
        machine->config.observer.sample(machine->config.observer.context, id,
                                        arm968_register(core->cpu, 15));
        schedule_leave(machine);
    }
    core->sample_at = (active_cycles(core) / every + 1) * every;
}
