/* watchdog.c - see watchdog.h.
 * As with the timers, a counter loaded with N reaches zero N ticks later, and then reloads.  The
 * first zero raises the interrupt; another zero while the interrupt is pending requests a reset. */
#include "models/chip/watchdog.h"

#include "models/chip/vic.h"
#include "models/common/register_field.h"

enum watchdog_register {
#define REG(name, offset, reset, access, help) name = offset,
#include "models/chip/watchdog_regs.def"
#undef REG
};

enum {
    CONTROL_INTERRUPT = 1u << 0,
    CONTROL_RESET = 1u << 1,
    CONTROL_STORED = 3,
    PERIPH_ID0 = 0x05,
    UNLOCK = 0x1acce551
};

#define LOAD_RESET 0xffffffffu

/* Registers that are a word of the state, and registers that a write does not change. */
static const struct register_field FIELDS[] = {
    {WD_LOAD, REGISTER_MEMBER(watchdog, load), REGISTER_READ_ONLY, 0, 0},
    {WD_COUNT, REGISTER_MEMBER(watchdog, count), REGISTER_READ_ONLY, 0, 0},
    {WD_CTRL, REGISTER_MEMBER(watchdog, control), REGISTER_READ_ONLY, 0, 0},
    {WD_INTCLR, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {WD_RAWINT, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {WD_MSKINT, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {WD_ID0, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
};

static const struct register_field *find(uint32_t offset)
{
    return register_find(FIELDS, sizeof FIELDS / sizeof *FIELDS, offset);
}

static bool running(const struct watchdog *watchdog)
{
    return (watchdog->control & CONTROL_INTERRUPT) != 0;
}

/* A load of 0 makes every tick a zero. */
static uint32_t period(const struct watchdog *watchdog)
{
    return watchdog->load == 0 ? 1 : watchdog->load;
}

static void reload(struct watchdog *watchdog, uint64_t tick)
{
    watchdog->count = period(watchdog);
    watchdog->since_tick = tick;
}

void watchdog_reset(struct watchdog *watchdog, uint64_t tick)
{
    *watchdog = (struct watchdog){.load = LOAD_RESET, .count = LOAD_RESET, .since_tick = tick};
}

static void expire(struct watchdog *watchdog)
{
    watchdog->reset |= watchdog->raw && (watchdog->control & CONTROL_RESET) != 0;
    watchdog->raw = true;
}

void watchdog_advance(struct watchdog *watchdog, uint64_t tick)
{
    const uint64_t passed = tick - watchdog->since_tick;
    watchdog->since_tick = tick;
    if (!running(watchdog)) {
        return;
    }
    if (passed < watchdog->count) {
        watchdog->count -= (uint32_t)passed;
        return;
    }
    const uint64_t beyond = passed - watchdog->count;
    expire(watchdog);
    if (beyond >= period(watchdog)) {
        expire(watchdog); /* a third zero has no further effect */
    }
    watchdog->count = period(watchdog) - (uint32_t)(beyond % period(watchdog));
}

bool watchdog_interrupt(const struct watchdog *watchdog)
{
    return watchdog->raw && running(watchdog);
}

bool watchdog_reset_request(const struct watchdog *watchdog)
{
    return watchdog->reset;
}

uint64_t watchdog_next_tick(const struct watchdog *watchdog)
{
    const uint64_t zero = watchdog->since_tick + watchdog->count;
    if (!running(watchdog)) {
        return UINT64_MAX;
    }
    if (!watchdog->raw) {
        return zero;
    }
    const bool can_reset = (watchdog->control & CONTROL_RESET) != 0 && !watchdog->reset;
    return can_reset ? zero : UINT64_MAX;
}

enum register_reply watchdog_read32(struct watchdog *watchdog, uint32_t offset, uint64_t tick,
                                    uint32_t *value)
{
    *value = 0;
    if ((offset & 3) != 0) {
        return REGISTER_BUS_ERROR;
    }
    watchdog_advance(watchdog, tick);
    switch (offset) {
    case WD_RAWINT:
        *value = watchdog->raw;
        return REGISTER_OK;
    case WD_MSKINT:
        *value = watchdog_interrupt(watchdog);
        return REGISTER_OK;
    case WD_LOCK:
        *value = watchdog->locked;
        return REGISTER_OK;
    case WD_ID0:
        *value = PERIPH_ID0;
        return REGISTER_OK;
    default:
        return register_read(find(offset), watchdog, value);
    }
}

/* Writes a register that the lock protects. */
static void write_guarded(struct watchdog *watchdog, uint32_t offset, uint32_t value, uint64_t tick)
{
    const bool was_running = running(watchdog);
    switch (offset) {
    case WD_LOAD:
        watchdog->load = value;
        reload(watchdog, tick);
        break;
    case WD_INTCLR:
        watchdog->raw = false;
        reload(watchdog, tick);
        break;
    default: /* WD_CTRL */
        watchdog->control = value & CONTROL_STORED;
        if (running(watchdog) && !was_running) {
            reload(watchdog, tick);
        }
        break;
    }
}

enum register_reply watchdog_write32(struct watchdog *watchdog, uint32_t offset, uint32_t value,
                                     uint64_t tick)
{
    if ((offset & 3) != 0) {
        return REGISTER_BUS_ERROR;
    }
    watchdog_advance(watchdog, tick);
    switch (offset) {
    case WD_LOAD:
    case WD_CTRL:
    case WD_INTCLR:
        if (!watchdog->locked) {
            write_guarded(watchdog, offset, value, tick);
        }
        return REGISTER_OK;
    case WD_LOCK:
        watchdog->locked = value != UNLOCK;
        return REGISTER_OK;
    default:
        return register_write(find(offset), watchdog, value);
    }
}

/* ---- as a block of the chip ---- */

static enum register_reply read_block(const struct register_access *at, uint32_t *word)
{
    return watchdog_read32(at->state, at->offset, at->tick, word);
}

static enum register_reply write_block(const struct register_access *at, uint32_t word)
{
    return watchdog_write32(at->state, at->offset, word, at->tick);
}

static void reset_block(void *state, uint64_t tick)
{
    watchdog_reset(state, tick);
}

static uint64_t next_tick(const void *state)
{
    return watchdog_next_tick(state);
}

/* One of its outputs rises. */
static enum register_request rise(struct chip *chip, void *state, uint64_t tick)
{
    (void)chip;
    watchdog_advance(state, tick);
    return watchdog_reset_request(state) ? REGISTER_REQUEST_CHIP_RESET
                                         : REGISTER_REQUEST_MONITOR_RESET;
}

static uint32_t lines(const struct chip *chip, const void *state)
{
    (void)chip;
    return watchdog_interrupt(state) ? 1u << VIC_SOURCE_WATCHDOG : 0;
}

const struct register_block WATCHDOG_BLOCK = {.place = MEMORY_WATCHDOG,
                                              .state_bytes = sizeof(struct watchdog),
                                              .read = read_block,
                                              .write = write_block,
                                              .reset = reset_block,
                                              .part = SYSCTL_PART_CHIP,
                                              .next_tick = next_tick,
                                              .event = rise,
                                              .lines = lines};
