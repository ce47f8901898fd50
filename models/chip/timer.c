/* timer.c - see timer.h.
 * A counter loaded with N reaches zero N ticks later: then the interrupt rises and a periodic timer
 * reloads. (Whether silicon takes N or N+1 ticks is open; SpiNNaker software assumes N.) */
#include "models/chip/timer.h"

#include "models/common/bits.h"

#include <stddef.h>

enum timer_register {
#define REG(name, offset, reset, access, help) name = offset,
#include "models/chip/timer_regs.def"
#undef REG
};

enum {
    SECOND_TIMER = 0x20,
    CONTROL_ENABLE = 1u << 7,
    CONTROL_PERIODIC = 1u << 6,
    CONTROL_PRESCALE_SHIFT = 2,
    CONTROL_32_BIT = 1u << 1,
    CONTROL_ONE_SHOT = 1u << 0,
    CONTROL_STORED = 0xef,
    CONTROL_RESET = 0x20,
    PERIPH_ID0 = 0x04
};

static bool running(const struct timer *timer)
{
    return (timer->control & CONTROL_ENABLE) != 0 && !timer->stopped;
}

static uint32_t mask(const struct timer *timer)
{
    return (timer->control & CONTROL_32_BIT) != 0 ? 0xffffffffu : 0xffffu;
}

/* Core cycles per tick: 1, 16 or 256. */
static uint64_t tick_cycles(const struct timer *timer)
{
    switch ((timer->control >> CONTROL_PRESCALE_SHIFT) & 3) {
    case 0:
        return 1;
    case 1:
        return 16;
    default:
        return 256;
    }
}

/* Ticks from one zero to the next; a load value of 0 makes every tick a zero. */
static uint64_t period_ticks(const struct timer *timer)
{
    if ((timer->control & CONTROL_PERIODIC) == 0) {
        return (uint64_t)mask(timer) + 1;
    }
    const uint64_t load = timer->load & mask(timer);
    return load == 0 ? 1 : load;
}

/* Ticks to the next zero, at since_cycle.  The counter's size matters while it runs, not when it is
 * loaded. */
static uint64_t ticks_left(const struct timer *timer)
{
    const uint32_t count = timer->count & mask(timer);
    return count == 0 ? period_ticks(timer) : count;
}

static uint64_t zero_cycle(const struct timer *timer)
{
    return timer->since_cycle + ticks_left(timer) * tick_cycles(timer);
}

static void advance(struct timer *timer, uint64_t cycle)
{
    if (!running(timer)) {
        timer->since_cycle = cycle;
        return;
    }
    const uint64_t zero = zero_cycle(timer);
    if (cycle < zero) {
        const uint64_t ticks = (cycle - timer->since_cycle) / tick_cycles(timer);
        timer->count = (uint32_t)(ticks_left(timer) - ticks);
        timer->since_cycle += ticks * tick_cycles(timer);
        return;
    }
    timer->raw = true;
    if ((timer->control & CONTROL_ONE_SHOT) != 0) {
        timer->stopped = true;
        timer->count = 0;
        timer->since_cycle = cycle;
        return;
    }
    const uint64_t period = period_ticks(timer);
    const uint64_t ticks = (cycle - zero) / tick_cycles(timer);
    timer->since_cycle = zero + ticks * tick_cycles(timer);
    const uint64_t into = ticks % period;
    timer->count = into == 0 ? (uint32_t)(period & mask(timer)) : (uint32_t)(period - into);
}

void timer_pair_advance(struct timer_pair *pair, uint64_t cycle)
{
    for (unsigned i = 0; i < TIMERS; i++) {
        advance(&pair->timer[i], cycle);
    }
}

void timer_pair_reset(struct timer_pair *pair, uint64_t cycle)
{
    for (unsigned i = 0; i < TIMERS; i++) {
        pair->timer[i] =
            (struct timer){.control = CONTROL_RESET, .count = 0xffffffffu, .since_cycle = cycle};
    }
}

uint64_t timer_pair_next_cycle(const struct timer_pair *pair)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < TIMERS; i++) {
        const struct timer *timer = &pair->timer[i];
        const bool can_rise =
            running(timer) && !timer->raw && (timer->control & TIMER_CONTROL_INTERRUPT) != 0;
        if (can_rise && zero_cycle(timer) < next) {
            next = zero_cycle(timer);
        }
    }
    return next;
}

static struct timer *select(struct timer_pair *pair, uint32_t *offset)
{
    if (*offset >= 2 * SECOND_TIMER) {
        return NULL;
    }
    struct timer *timer = &pair->timer[*offset / SECOND_TIMER];
    *offset %= SECOND_TIMER;
    return timer;
}

bool timer_pair_knows(uint32_t offset)
{
    return (offset & 3) == 0 && offset < 2 * SECOND_TIMER && offset % SECOND_TIMER <= T1_BG_LOAD;
}

enum register_reply timer_pair_read32(struct timer_pair *pair, uint32_t offset, uint64_t cycle,
                                      uint32_t *value)
{
    *value = 0;
    if (offset == T_PERIPH_ID0) {
        *value = PERIPH_ID0;
        return REGISTER_OK;
    }
    struct timer *timer = select(pair, &offset);
    if (timer == NULL) {
        return REGISTER_UNMODELLED;
    }
    advance(timer, cycle);
    switch (offset) {
    case T1_LOAD:
    case T1_BG_LOAD:
        *value = timer->load;
        return REGISTER_OK;
    case T1_COUNT:
        /* A stopped counter shows all its bits: 32 ones after reset. */
        *value = running(timer) ? timer->count & mask(timer) : timer->count;
        return REGISTER_OK;
    case T1_CONTROL:
        *value = timer->control;
        return REGISTER_OK;
    case T1_RAW_INT:
        *value = timer->raw;
        return REGISTER_OK;
    case T1_MASK_INT:
        *value = timer_interrupt(timer);
        return REGISTER_OK;
    case T1_INT_CLR:
        return REGISTER_OK; /* write only: reads 0 */
    default:
        return REGISTER_UNMODELLED;
    }
}

enum register_reply timer_pair_write32(struct timer_pair *pair, uint32_t offset, uint32_t value,
                                       uint64_t cycle)
{
    struct timer *timer = select(pair, &offset);
    if (timer == NULL) {
        return offset == T_PERIPH_ID0 ? REGISTER_OK : REGISTER_UNMODELLED;
    }
    advance(timer, cycle);
    switch (offset) {
    case T1_LOAD:
        timer->load = value;
        timer->count = value;
        timer->since_cycle = cycle;
        timer->stopped = false;
        return REGISTER_OK;
    case T1_BG_LOAD:
        timer->load = value;
        return REGISTER_OK;
    case T1_CONTROL:
        timer->control = value & CONTROL_STORED;
        timer->since_cycle = cycle;
        return REGISTER_OK;
    case T1_INT_CLR:
        timer->raw = false;
        return REGISTER_OK;
    case T1_COUNT:
    case T1_RAW_INT:
    case T1_MASK_INT:
        return REGISTER_OK; /* read only: ignored */
    default:
        return REGISTER_UNMODELLED;
    }
}
