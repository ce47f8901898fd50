/* timer.h - the pair of counter/timers of a core (SpiNNaker datasheet v2.02, 6).  A timer's next
 * event is computed from the core clock; there is no work per cycle.  All times are core cycles and
 * must not go back.  Plain state: copying the struct saves it.  Owner: the core. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/register_reply.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { TIMERS = 2, TIMER_CONTROL_INTERRUPT = 1u << 5 };

struct timer {
    uint32_t load;
    uint32_t control;
    uint32_t count; /* at since_cycle */
    uint32_t gap;   /* named, so that saved states are the same bytes with every compiler */
    uint64_t since_cycle;
    bool raw;     /* raw interrupt */
    bool stopped; /* a one-shot that has reached zero */
    uint8_t gap_behind[6];
};

struct timer_pair {
    struct timer timer[TIMERS];
};

void timer_pair_reset(struct timer_pair *pair, uint64_t cycle);

/* Word registers of both timers. */
enum register_reply timer_pair_read32(struct timer_pair *pair, uint32_t offset, uint64_t cycle,
                                      uint32_t *value);
enum register_reply timer_pair_write32(struct timer_pair *pair, uint32_t offset, uint32_t value,
                                       uint64_t cycle);

/* Whether the register exists. */
bool timer_pair_knows(uint32_t offset);

/* Brings both timers up to `cycle`: timers that have expired by then have set their interrupt. */
void timer_pair_advance(struct timer_pair *pair, uint64_t cycle);

/* Interrupt output of timer 0 or 1 of the pair. */
static inline bool timer_interrupt(const struct timer *timer)
{
    return timer->raw && (timer->control & TIMER_CONTROL_INTERRUPT) != 0;
}

/* First cycle at which an interrupt output that is now low will rise; UINT64_MAX if none will. */
uint64_t timer_pair_next_cycle(const struct timer_pair *pair);

C_LINKAGE_END
