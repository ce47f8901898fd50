/* control.c - effects of the chip on a core: interrupt lines, packets, resets, stalls.  See core.h.
 */
#include "models/machine/core/ahead.h"
#include "models/machine/core/private.h"

#include <string.h>

#define RESET_VECTOR  0xffff0000u
#define CONTROL_RESET 0x00003074u /* CP15: TCMs on, vectors high, should-be-one bits */

/* ---- interrupt lines, packets ---- */

/* Whether a later change of the same source is pending. */
static bool superseded(const struct core *core, unsigned at)
{
    unsigned later = at + 1;
    while (later < core->d.signals &&
           core->queues->signal[later].source != core->queues->signal[at].source) {
        later++;
    }
    return later < core->d.signals;
}

/* More changes are pending than accesses can cause in that time.  Only the last change of each
 * source matters: drops the first change that is not the last of its source. */
static void drop_signal(struct core *core)
{
    unsigned at = 0;
    while (!superseded(core, at)) {
        at++;
    }
    core->d.signals--;
    memmove(&core->queues->signal[at], &core->queues->signal[at + 1],
            (core->d.signals - at) * sizeof core->queues->signal[0]);
}

void core_signal(struct core *core, enum vic_source source, bool level, uint64_t time_ps)
{
    if (core->d.signals == SIGNALS) {
        drop_signal(core);
    }
    core->queues->signal[core->d.signals++] =
        (struct signal){.time_ps = time_ps, .level = level, .source = (uint8_t)source};
    core_foresee(core, 1u << source, time_ps);
    core_plan(core);
}

void core_comms_changed(struct core *core, uint64_t time_ps)
{
    const bool let_in =
        (core->d.vic.enable & VIC_COMMS_SOURCES) != 0; /* otherwise the lookahead ignores it */
    if (let_in && core->d.state != CORE_OFF && core->d.horizon_ps > time_ps) {
        core->on.ports->late(core->on.chip);
    }
    core_update_interrupts(core, core_cycle_at(core, time_ps));
    core_plan(core);
}

void core_taken(struct core *core)
{
    const uint32_t meanwhile = core->ahead.on ? core->ahead.let_in : 0;
    if (((core->d.vic.enable | meanwhile) & VIC_TRANSMIT_SOURCES) != 0) {
        core_foresee(core, VIC_TRANSMIT_SOURCES, core_free_ps(core));
        core_plan(core);
    }
}

/* ---- resets and stalls ---- */

void core_reset(struct core *core, bool hard, uint64_t now_ps)
{
    struct core_data *d = &core->d;
    core_ahead_settle(core, now_ps);
    core_sleep_until(core, now_ps);
    const uint64_t at_cycle = core_cycle_at(core, now_ps);
    const uint64_t own_cycle = arm968_cycle(core->cpu);
    const uint64_t cycle = at_cycle > own_cycle ? at_cycle : own_cycle;
    write_buffer_reset(&d->buffer);
    d->private_writes = 0;
    dma_ctrl_reset(&d->dma, (uint8_t)core->on.index, !hard);
    d->dma_ps = TIME_NEVER;
    d->dma_begun = false;
    d->send_ps = TIME_NEVER;
    d->marked = false;
    comms_ctrl_reset(&d->comms);
    d->comms.held = true;
    core->on.ports->reset(core->on.chip, core->on.index, now_ps);
    if (hard) {
        vic_reset(&d->vic);
        timer_pair_reset(&d->timers, cycle);
    }
    d->state = CORE_OFF;
    d->faulted = false;
    d->horizon_ps = 0;
    core_private_plan(core);
    core_update_interrupts(core, cycle);
    core_plan(core);
}

void core_leave_reset(struct core *core, uint64_t now_ps, uint64_t first_ps)
{
    arm968_hold(core->cpu, core_cycle_at(core, first_ps));
    arm968_reset(core->cpu);
    arm968_set_control(core->cpu, CONTROL_RESET);
    arm968_set_register(core->cpu, 15, RESET_VECTOR);
    core->d.state = CORE_RUNNING;
    core->d.started = true;
    core->d.comms.held = false;
    core->on.ports->read(core->on.chip, core->on.index,
                         now_ps); /* packets that have waited for the core */
    core_update_interrupts(core, core_cycle_at(core, now_ps));
    core_plan(core);
}

void core_stall(struct core *core, bool stalled, uint64_t now_ps)
{
    struct core_data *d = &core->d;
    core_ahead_settle(core, now_ps);
    if (d->stalled && !stalled && d->state == CORE_ACCESS) {
        d->access_ps = d->access_ps > now_ps ? d->access_ps : now_ps;
    }
    d->stalled = stalled;
    core_plan(core);
}
