/* quiet.c - a machine that makes no progress, and what its cores wait for.  See machine.h. */
#include "models/machine/machine_state.h"

enum { TICKS_SEEN = 2 }; /* a timer's handler may do anything: it must have done nothing twice */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Since when a core has done nothing but serve its timers; TIME_NEVER: it goes on. */
static uint64_t core_quiet_since(const struct core *core, uint64_t now_ps)
{
    const struct core_work *work = &core->d.work;
    if (core->d.state == CORE_OFF) {
        return 0;
    }
    if (core->d.dma_ps != TIME_NEVER) {
        return TIME_NEVER;
    }
    if (core->d.stalled && core->d.state == CORE_ACCESS) {
        return core->d.access_since_ps; /* until somebody lets it go on */
    }
    const bool asleep = core->d.state == CORE_WAITING;
    if (!asleep && (!work->by_timers || work->awake_ps + CORE_WORK_HANDLER_PS < now_ps)) {
        return TIME_NEVER;
    }
    const bool ticks = (core->d.vic.enable & CORE_WORK_TIMER_SOURCES) != 0 &&
                       timer_pair_next_cycle(&core->d.timers) != UINT64_MAX;
    const bool awaits_others = (core->d.vic.enable & ~VIC_OWN_SOURCES) != 0;
    if ((ticks || !asleep) && (!awaits_others || work->ticks < TICKS_SEEN)) {
        return TIME_NEVER; /* its timer is all that it waits for, or may still do something */
    }
    return work->worked_ps;
}

uint64_t machine_quiet_since_ps(const struct machine *machine)
{
    uint64_t since_ps = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct chip *chip = &machine->chip[i];
        since_ps = later(since_ps, router_last_ps(&chip->d.fabric.router));
        for (unsigned p = 0; p < chip->core_count; p++) {
            since_ps = later(since_ps, core_quiet_since(&chip->core[p], machine->time_ps));
        }
    }
    return since_ps;
}

struct machine_core_view machine_core_view(const struct machine *machine, struct machine_core id)
{
    static const enum machine_core_state STATE[] = {
        [CORE_OFF] = MACHINE_CORE_OFF,
        [CORE_RUNNING] = MACHINE_CORE_RUNNING,
        [CORE_ACCESS] = MACHINE_CORE_BLOCKED,
        [CORE_WAITING] = MACHINE_CORE_ASLEEP,
    };
    const struct core *core = machine_find_core(machine, id);
    if (core == NULL) {
        return (struct machine_core_view){.state = MACHINE_CORE_OFF};
    }
    struct machine_core_view view = {.state = STATE[core->d.state],
                                     .sources = core->d.vic.enable,
                                     .moves_data = core->d.dma_ps != TIME_NEVER};
    if (view.state == MACHINE_CORE_BLOCKED) {
        view.access_address = arm968_access(core->cpu)->address;
    }
    const struct comms_packet *packet = comms_ctrl_outgoing(&core->d.comms);
    if (packet != NULL) {
        view.sends = true;
        view.sends_key = packet->key;
    }
    return view;
}
