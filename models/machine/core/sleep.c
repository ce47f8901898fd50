/* sleep.c - what a core sleeps through, and its samples.  See core.h. */
#include "models/machine/core/core.h"

#include "models/common/compiler.h"

/* ---- sleep ---- */

bool core_asleep_at(const struct core *core, uint64_t time_ps)
{
    return core->d.state == CORE_WAITING && core->d.slept_from_ps <= time_ps;
}

/* When the current DMA burst began, but not before the sleep that is counted; now_ps if there is
 * none. */
static uint64_t burst_from(const struct core_data *d, uint64_t now_ps)
{
    if (!d->dma_begun || d->dma_begin_ps > now_ps) {
        return now_ps;
    }
    return d->slept_from_ps > d->dma_begin_ps ? d->slept_from_ps : d->dma_begin_ps;
}

static void tell(const struct core *core, uint64_t from_ps, uint64_t to_ps, enum core_wait wait)
{
    if (from_ps < to_ps) {
        core->on.ports->slept(core->on.chip, core,
                              (struct core_sleep){from_ps, to_ps, (uint8_t)wait});
    }
}

/* Tells of the sleep that is counted now: up to the burst, and during it. */
static NOINLINE void tell_sleep(const struct core *core, uint64_t from_ps, uint64_t busy_from_ps,
                                uint64_t now_ps)
{
    const bool for_packets = (core->d.vic.enable & VIC_RECEIVE_SOURCES) != 0;
    tell(core, from_ps, busy_from_ps, for_packets ? CORE_WAIT_PACKET : CORE_WAIT_OTHER);
    tell(core, busy_from_ps, now_ps, CORE_WAIT_DMA);
}

void core_count_sleep(struct core *core, uint64_t now_ps)
{
    struct core_data *d = &core->d;
    if (d->state != CORE_WAITING || now_ps <= d->slept_from_ps) {
        return;
    }
    const uint64_t busy_from_ps = burst_from(d, now_ps);
    d->dma.counters.core_wait_ps += now_ps - busy_from_ps;
    if ((d->vic.enable & VIC_RECEIVE_SOURCES) != 0) {
        d->comms.counters.core_wait_ps += busy_from_ps - d->slept_from_ps;
    }
    const uint64_t from_ps = d->slept_from_ps;
    d->slept_from_ps = now_ps;
    if (UNLIKELY(core->tells_sleep)) {
        tell_sleep(core, from_ps, busy_from_ps, now_ps);
    }
}

void core_sleep_until(struct core *core, uint64_t time_ps)
{
    if (core->d.state == CORE_WAITING) {
        core_count_sleep(core, time_ps);
        (void)arm968_run(core->cpu, core_cycle_at(core, time_ps));
    }
}

/* ---- samples ---- */

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

/* The step of samples at a number of active cycles, of which alone it depends. */
static uint64_t sample_step(const struct core *core, uint64_t active)
{
    uint64_t step = core->on.sample_every;
    while (core->on.sample_share != 0 && active / core->on.sample_share >= 2 * step) {
        step *= 2;
    }
    return step;
}

void core_take_sample(struct core *core)
{
    if (core->ahead
            .on) { /* a core that runs ahead stops there until the sample is its next event */
        return;
    }
    if (core_sample_has_come(core)) {
        core->on.ports->sample(core->on.chip, core);
    }
    if (core->on.sample_every == 0) { /* that was the last one */
        return;
    }
    const uint64_t step = sample_step(core, active_cycles(core));
    core->sample_at = (active_cycles(core) / step + 1) * step;
}
