/* work.h - whether a core does anything but serve its own timers.  Private to models/machine.
 *
 * An awake period, from waking to sleeping again, is a timer's when nothing but the core's own
 * timers (and software interrupts, which it raises itself) asked for it and when it is short; any
 * other one is work. */
#pragma once
#include "models/chip/vic.h"
#include "models/common/c_linkage.h"
#include "models/common/units.h"
C_LINKAGE_BEGIN

/* A handler that takes longer is work, though a timer began it. */
#define CORE_WORK_HANDLER_PS (100 * PS_PER_US)

#define CORE_WORK_TIMER_SOURCES                                                                    \
    (1u << VIC_SOURCE_TIMER1 | 1u << VIC_SOURCE_TIMER2 | 1u << VIC_SOURCE_SOFTWARE)

struct core_work {
    uint64_t worked_ps; /* when it last went to sleep after work */
    uint64_t awake_ps;  /* when it last awoke */
    uint32_t ticks;     /* timers' periods since worked_ps */
    bool by_timers;     /* the present period, or the one that comes next, is a timer's so far */
    uint8_t gap[3];     /* named, so that saved states are the same bytes with every compiler */
};

/* Interrupts that the VIC lets in are asking for the core. */
static inline void core_work_asked(struct core_work *work, uint32_t sources)
{
    work->by_timers &= (sources & ~CORE_WORK_TIMER_SOURCES) == 0;
}

static inline void core_work_sleeps(struct core_work *work, uint64_t now_ps)
{
    if (work->by_timers && now_ps - work->awake_ps <= CORE_WORK_HANDLER_PS) {
        work->ticks++;
    } else {
        work->worked_ps = now_ps;
        work->ticks = 0;
    }
    work->by_timers = true;
}

C_LINKAGE_END
