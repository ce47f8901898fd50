/* router_registers.c - the registers of the router (SpiNNaker datasheet v2.02, 10.11).  See
 * router.h. */
#include "models/network/router_internal.h"

#include "models/common/check.h"
#include "models/common/register_field.h"

#include <stddef.h>

enum router_register {
#define REG(name, offset, reset, access, help) name = offset,
#include "models/network/router_regs.def"
#undef REG
};

#define CONTROL_RESET     0x00400001u
#define CONTROL_STORED    0xffff1fffu
#define CATCH_RESET       0x07000000u
#define FIXED_ROUTE_RESET 0xfc000000u
#define DIVERSION_STORED  0x00000fffu
#define FILTER_STORED     0x41fffdffu
#define FILTER_SEEN       0x20000000u
#define FILTER_ENABLED    0x40000000u

enum {
    STATUS_ANY = 31,
    STATUS_ERROR = 30,
    STATUS_DUMP = 29,
    STATUS_STAGE = 24,
    STATUS_BUSY = 16,
    TIMING_ENABLES = 7,
    TIMING_RESETS = 16,
    TEST_MISS = 1,
    TEST_ENTRY = 1,
    EXPONENT_LOW = 4 /* where the wait byte's two formulas meet */
};

#define COUNTER_PART router
#define COUNTER_ROWS "models/network/router_counters.def"
#include "models/common/counter_table.inc"

static void plan_way(struct router *router)
{
    const uint64_t way_ps = cycles_to_ps(router->pace.clock, router->config.pipeline_stages);
    router->way_ps = way_ps > 0 ? way_ps - 1 : 0; /* times of edges are rounded down */
}

void router_init(struct router *router, const struct router_config *config)
{
    CHECK(config->pipeline_stages >= 1 && config->pipeline_stages <= ROUTER_STAGES_MAX,
          "a pipeline of 1 to ROUTER_STAGES_MAX stages");
    router->config = *config;
    router->pace.clock = config->clock;
    plan_way(router);
    router_reset(router, false, 0);
}

/* A reset clears the members between the pace and the counters. */
void router_reset(struct router *router, bool held, uint64_t now_ps)
{
    const size_t begin = offsetof(struct router, next_accept_cycle);
    memset((char *)router + begin, 0, offsetof(struct router, counters) - begin);
    router->next_accept_cycle = router_edge(router, now_ps);
    router->next_issue_cycle = router->next_accept_cycle;
    router_set_due(router, TIME_NEVER);
    router->control = CONTROL_RESET;
    router->fixed_route = FIXED_ROUTE_RESET;
    router->error.header = CATCH_RESET;
    router->dump.header = CATCH_RESET;
    router->held_in_reset = held;
    router_plan_accept(router);
}

void router_set_clock(struct router *router, struct clock clock, uint64_t now_ps)
{
    pace_change(&router->pace, clock, now_ps);
    plan_way(router);
    router_plan_accept(router);
    router_set_due(router, router->due_cycle);
}

uint64_t router_wait_cycles(unsigned wait)
{
    if (wait == ROUTER_WAIT_FOREVER) {
        return TIME_NEVER;
    }
    const unsigned mantissa = (wait & 15) + 16;
    const unsigned exponent = wait >> 4;
    const unsigned less = exponent <= EXPONENT_LOW ? 1u << (EXPONENT_LOW - exponent) : 0;
    return (uint64_t)(mantissa - less) << exponent;
}

/* Counters whose interrupt is active. */
static uint32_t counter_interrupts(const struct router *router)
{
    return router->armed & router->seen;
}

unsigned router_interrupts(const struct router *router)
{
    const bool dump = bits_test(router->dump.status, CATCH_SEEN) &&
                      bits_test(router->control, CONTROL_DUMP_INTERRUPT);
    const bool error = bits_test(router->error.status, CATCH_SEEN) &&
                       bits_test(router->control, CONTROL_ERROR_INTERRUPT);
    return (dump ? ROUTER_INTERRUPT_DUMP : 0u) | (error ? ROUTER_INTERRUPT_ERROR : 0u) |
           (counter_interrupts(router) != 0 ? ROUTER_INTERRUPT_COUNTER : 0u);
}

static uint32_t status(const struct router *router)
{
    const unsigned interrupts = router_interrupts(router);
    return (interrupts != 0 ? 1u << STATUS_ANY : 0) |
           ((interrupts & ROUTER_INTERRUPT_ERROR) != 0 ? 1u << STATUS_ERROR : 0) |
           ((interrupts & ROUTER_INTERRUPT_DUMP) != 0 ? 1u << STATUS_DUMP : 0) |
           router->stage << STATUS_STAGE | (router->held != 0 ? 1u << STATUS_BUSY : 0) |
           counter_interrupts(router);
}

/* r13: edges since it was reset, up to the one that begins the present cycle. */
static uint64_t cycle_now(const struct router *router, uint64_t now_ps)
{
    const uint64_t edge = router_edge(router, now_ps);
    return router_cycle_ps(router, edge) > now_ps ? edge - 1 : edge;
}

static uint32_t cycles(const struct router *router, uint64_t now_ps)
{
    if (!bits_test(router->timing_enable, TIMING_CYCLES)) {
        return router->cycles;
    }
    return router->cycles + (uint32_t)(cycle_now(router, now_ps) - router->cycles_since_cycle);
}

static void write_timing(struct router *router, uint32_t value, uint64_t now_ps)
{
    router->cycles = cycles(router, now_ps);
    router->cycles_since_cycle = cycle_now(router, now_ps);
    router->timing_enable = value & TIMING_ENABLES;
    if (bits_test(value, TIMING_RESETS + TIMING_CYCLES)) {
        router->cycles = 0;
    }
    if (bits_test(value, TIMING_RESETS + TIMING_BUSY)) {
        router->busy_cycles = 0;
        router->no_wait = 0;
    }
    if (bits_test(value, TIMING_RESETS + TIMING_HISTOGRAM)) {
        memset(router->histogram, 0, sizeof router->histogram);
    }
}

static void write_control(struct router *router, uint32_t value, uint64_t now_ps)
{
    const bool was_on = bits_test(router->control, CONTROL_ENABLE);
    router->control = value & CONTROL_STORED;
    if (!was_on && bits_test(value, CONTROL_ENABLE)) {
        const uint64_t edge = router_edge(router, now_ps);
        router->next_accept_cycle =
            router->next_accept_cycle > edge ? router->next_accept_cycle : edge;
    }
    router_plan_accept(router);
    if (!bits_test(value, CONTROL_RESTART) ||
        (router->stage != ROUTER_STAGE_WAIT1 && router->stage != ROUTER_STAGE_WAIT2)) {
        return;
    }
    const unsigned field = router->stage == ROUTER_STAGE_WAIT1 ? CONTROL_WAIT1 : CONTROL_WAIT2;
    const uint64_t wait = router_wait_cycles(bits_get(value, field + 7, field));
    router_set_due(router, wait == TIME_NEVER ? TIME_NEVER : router_edge(router, now_ps) + wait);
}

static void write_diagnostics(struct router *router, uint32_t value)
{
    router->diagnostic_enable = value & 0xffff;
    for (unsigned i = 0; i < ROUTER_DIAGNOSTICS; i++) {
        if (bits_test(value, ROUTER_DIAGNOSTICS + i)) {
            router->counter[i] = 0;
        }
    }
}

static bool in_group(uint32_t offset, uint32_t first, uint32_t words, unsigned *index)
{
    *index = (offset - first) / 4;
    return offset >= first && *index < words;
}

static uint32_t read_and_clear(uint32_t *status)
{
    const uint32_t old = *status;
    *status = 0;
    return old;
}

static uint32_t read_filter(struct router *router, unsigned index)
{
    const bool seen = bits_test(router->seen, index);
    const bool active = bits_test(counter_interrupts(router), index);
    router->seen &= ~(1u << index);
    return router->filter[index] | (seen ? FILTER_SEEN : 0) | (active ? 1u << STATUS_ANY : 0);
}

static void write_filter(struct router *router, unsigned index, uint32_t value)
{
    const uint32_t bit = 1u << index;
    router->filter[index] = value & FILTER_STORED;
    router->armed = (value & FILTER_ENABLED) != 0 ? router->armed | bit : router->armed & ~bit;
    for (unsigned i = 0; i < ROUTER_FILTER_BITS; i++) {
        const uint32_t others = router->filters_with[i] & ~bit;
        router->filters_with[i] = (uint16_t)(others | (bits_test(value, i) ? bit : 0));
    }
}

static uint32_t test_result(const struct router *router)
{
    const int entry = mc_table_lookup(&router->mc, router->test_key);
    return entry == MC_TABLE_MISS ? TEST_MISS : (uint32_t)entry << TEST_ENTRY;
}

/* Registers that are a word of the state, and registers that a write does not change. */
static const struct register_field FIELDS[] = {
#define ROW(offset, member, write, mask)                                                           \
    {                                                                                              \
        offset, REGISTER_MEMBER(router, member), REGISTER_##write, 0, mask                         \
    }
    ROW(RTR_CONTROL, control, READ_ONLY, 0), /* written below */
    ROW(RTR_EHDR, error.header, READ_ONLY, 0),
    ROW(RTR_EKEY, error.key, READ_ONLY, 0),
    ROW(RTR_EDAT, error.payload, READ_ONLY, 0),
    ROW(RTR_DHDR, dump.header, READ_ONLY, 0),
    ROW(RTR_DKEY, dump.key, READ_ONLY, 0),
    ROW(RTR_DDAT, dump.payload, READ_ONLY, 0),
    ROW(RTR_DLINK, dump.outputs, READ_ONLY, 0),
    ROW(RTR_DIAG_CTL, diagnostic_enable, READ_ONLY, 0), /* written below */
    ROW(RTR_TIMING_CTL, timing_enable, READ_ONLY, 0),   /* the same */
    ROW(RTR_BUSY, busy_cycles, READ_ONLY, 0),
    ROW(RTR_NO_WAIT, no_wait, READ_ONLY, 0),
    ROW(RTR_DIVERT, diversion, STORES, DIVERSION_STORED),
    ROW(RTR_FR_NN, fixed_route, STORES, FIXED_ROUTE_RESET | 0xffffffu),
    ROW(RTR_TEST_KEY, test_key, STORES, UINT32_MAX),
#undef ROW
    {RTR_STATUS, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {RTR_ESTAT, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {RTR_DSTAT, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {RTR_CYCLES, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {RTR_TEST_RESULT, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
};

static const struct register_field *find(uint32_t offset)
{
    return register_find(FIELDS, sizeof FIELDS / sizeof *FIELDS, offset);
}

static enum register_reply read_plain(struct router *router, uint32_t offset, uint64_t now_ps,
                                      uint32_t *value)
{
    switch (offset) {
    case RTR_STATUS:
        *value = status(router);
        return REGISTER_OK;
    case RTR_ESTAT:
        *value = read_and_clear(&router->error.status);
        return REGISTER_OK;
    case RTR_DSTAT:
        *value = read_and_clear(&router->dump.status);
        return REGISTER_OK;
    case RTR_CYCLES:
        *value = cycles(router, now_ps);
        return REGISTER_OK;
    case RTR_TEST_RESULT:
        *value = test_result(router);
        return REGISTER_OK;
    default:
        return register_read(find(offset), router, value);
    }
}

enum register_reply router_read32(struct router *router, uint32_t offset, uint64_t now_ps,
                                  uint32_t *value)
{
    *value = 0;
    unsigned index;
    if ((offset & 3) != 0 || in_group(offset, RTR_MC_KEY, MC_TABLE_ENTRIES, &index) ||
        in_group(offset, RTR_MC_MASK, MC_TABLE_ENTRIES, &index)) {
        return REGISTER_BUS_ERROR;
    }
    if (in_group(offset, RTR_MC_ROUTE, MC_TABLE_ENTRIES, &index)) {
        *value = router->mc.route[index];
    } else if (in_group(offset, RTR_P2P, P2P_TABLE_WORDS, &index)) {
        *value = p2p_table_read(&router->p2p, index);
    } else if (in_group(offset, RTR_HISTOGRAM, ROUTER_HISTOGRAM, &index)) {
        *value = router->histogram[index];
    } else if (in_group(offset, RTR_FILTER, ROUTER_DIAGNOSTICS, &index)) {
        *value = read_filter(router, index);
    } else if (in_group(offset, RTR_COUNTER, ROUTER_DIAGNOSTICS, &index)) {
        *value = router->counter[index];
    } else {
        return read_plain(router, offset, now_ps, value);
    }
    return REGISTER_OK;
}

static enum register_reply write_plain(struct router *router, uint32_t offset, uint32_t value,
                                       uint64_t now_ps)
{
    switch (offset) {
    case RTR_CONTROL:
        write_control(router, value, now_ps);
        return REGISTER_OK;
    case RTR_DIAG_CTL:
        write_diagnostics(router, value);
        return REGISTER_OK;
    case RTR_TIMING_CTL:
        write_timing(router, value, now_ps);
        return REGISTER_OK;
    default:
        return register_write(find(offset), router, value);
    }
}

enum register_reply router_write32(struct router *router, uint32_t offset, uint32_t value,
                                   uint64_t now_ps)
{
    unsigned index;
    if ((offset & 3) != 0) {
        return REGISTER_BUS_ERROR;
    }
    if (in_group(offset, RTR_MC_ROUTE, MC_TABLE_ENTRIES, &index)) {
        mc_table_write_route(&router->mc, index, value);
    } else if (in_group(offset, RTR_MC_KEY, MC_TABLE_ENTRIES, &index)) {
        mc_table_write_key(&router->mc, index, value);
    } else if (in_group(offset, RTR_MC_MASK, MC_TABLE_ENTRIES, &index)) {
        mc_table_write_mask(&router->mc, index, value);
    } else if (in_group(offset, RTR_P2P, P2P_TABLE_WORDS, &index)) {
        p2p_table_write(&router->p2p, index, value);
    } else if (in_group(offset, RTR_FILTER, ROUTER_DIAGNOSTICS, &index)) {
        write_filter(router, index, value);
    } else if (in_group(offset, RTR_COUNTER, ROUTER_DIAGNOSTICS, &index)) {
        router->counter[index] = value;
    } else if (!in_group(offset, RTR_HISTOGRAM, ROUTER_HISTOGRAM, &index)) {
        return write_plain(router, offset, value, now_ps);
    }
    return REGISTER_OK;
}
