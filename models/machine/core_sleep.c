/* core_sleep.c - what a sleeping core waits for.  See core.h. */
#include "models/machine/chip.h"

bool core_asleep_at(const struct core *core, uint64_t time_ps)
{
    return core->d.state == CORE_WAITING && core->d.slept_from_ps <= time_ps;
}

/* When the DMA burst under way began, no earlier than the sleep that is counted; now when none is.
 */
static uint64_t burst_from(const struct core_data *d, uint64_t now_ps)
{
    if (!d->dma_begun || d->dma_begin_ps > now_ps) {
        return now_ps;
    }
    return d->slept_from_ps > d->dma_begin_ps ? d->slept_from_ps : d->dma_begin_ps;
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
    d->slept_from_ps = now_ps;
}

void core_sleep_until(struct core *core, uint64_t time_ps)
{
    if (core->d.state == CORE_WAITING) {
        core_count_sleep(core, time_ps);
        (void)arm968_run(core->cpu, core_cycle_at(core, time_ps));
    }
}
