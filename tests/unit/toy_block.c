/* toy_block.c - see toy_block.h. */
#include "tests/unit/toy_block.h"

#include "models/chip/vic.h"

static enum register_reply read_toy(const struct register_access *at, uint32_t *word)
{
    const struct toy *toy = at->state;
    const bool runs = toy->due_tick != UINT64_MAX;
    *word = at->offset == TOY_CLEAR ? toy->up : runs ? (uint32_t)(toy->due_tick - at->tick) : 0;
    return at->offset <= TOY_CLEAR ? REGISTER_OK : REGISTER_UNMODELLED;
}

static enum register_reply write_toy(const struct register_access *at, uint32_t word)
{
    struct toy *toy = at->state;
    if (at->offset == TOY_TICKS) {
        toy->due_tick = at->tick + word;
    } else {
        toy->up = 0;
    }
    return at->offset <= TOY_CLEAR ? REGISTER_OK : REGISTER_UNMODELLED;
}

static void reset_toy(void *state, uint64_t tick)
{
    struct toy *toy = state;
    (void)tick;
    toy->due_tick = UINT64_MAX;
    toy->up = 0;
}

static uint64_t next_tick(const void *state)
{
    return ((const struct toy *)state)->due_tick;
}

static enum register_request run_out(struct chip *chip, void *state, uint64_t tick)
{
    struct toy *toy = state;
    (void)chip;
    (void)tick;
    toy->due_tick = UINT64_MAX;
    toy->up = 1;
    toy->counters.rises++;
    return REGISTER_REQUEST_NONE;
}

static uint32_t lines(const struct chip *chip, const void *state)
{
    (void)chip;
    return ((const struct toy *)state)->up << TOY_SOURCE;
}

static const struct counter_info *counter_info(size_t *count)
{
    static const struct counter_info INFO[] = {
#define COUNTER COUNTER_INFO
#include "tests/unit/toy_block_counters.def"
#undef COUNTER
    };
    *count = sizeof INFO / sizeof *INFO;
    return INFO;
}

static const void *counters(const struct chip *chip, const void *state)
{
    (void)chip;
    return &((const struct toy *)state)->counters;
}

const struct register_block TOY_BLOCK = {.place = MEMORY_ETHERNET,
                                         .state_bytes = sizeof(struct toy),
                                         .read = read_toy,
                                         .write = write_toy,
                                         .reset = reset_toy,
                                         .part = SYSCTL_PART_CHIP,
                                         .next_tick = next_tick,
                                         .event = run_out,
                                         .lines = lines,
                                         .component = "toy",
                                         .counter_info = counter_info,
                                         .counters = counters};
