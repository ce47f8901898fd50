/* router_internal.h - declarations shared by the router's files. */
#pragma once
#include "models/network/router.h"

enum router_control_field {
    CONTROL_WAIT2 = 24, /* lowest bit of each field */
    CONTROL_WAIT1 = 16,
    CONTROL_RESTART = 15,
    CONTROL_MONITOR = 8,
    CONTROL_PHASE = 6,
    CONTROL_COUNT_ERRORS = 3, /* T, F, P as in 29:27 of the error registers */
    CONTROL_DUMP_INTERRUPT = 2,
    CONTROL_ERROR_INTERRUPT = 1,
    CONTROL_ENABLE = 0
};

enum router_timing_bit { TIMING_CYCLES, TIMING_BUSY, TIMING_HISTOGRAM };

enum router_catch_field {
    CATCH_KINDS = 27,
    CATCH_ARRIVAL = 24,
    CATCH_CONTROL = 16,
    CATCH_PHASE = 6,
    CATCH_MORE = 30,
    CATCH_SEEN = 31
};

enum { ROUTER_WAIT_FOREVER = 0xff };

static inline unsigned router_phase(const struct router *router)
{
    return bits_get(router->control, CONTROL_PHASE + 1, CONTROL_PHASE);
}

/* The monitor's bit among the outputs; 0 if the register names no core. */
static inline uint32_t router_monitor(const struct router *router)
{
    const unsigned bit =
        ROUTER_FIRST_CORE + bits_get(router->control, CONTROL_MONITOR + 4, CONTROL_MONITOR);
    return bit < 32 ? (uint32_t)ROUTER_CORE_OUTPUTS & 1u << bit : 0;
}

/* Time of an edge of the router's clock; TIME_NEVER for TIME_NEVER. */
static inline uint64_t router_cycle_ps(const struct router *router, uint64_t cycle)
{
    return cycle == TIME_NEVER ? TIME_NEVER : pace_ps(&router->pace, cycle);
}

/* Schedules the output stage's next event at a clock edge. */
static inline void router_set_due(struct router *router, uint64_t cycle)
{
    router->due_cycle = cycle;
    router->due_ps = router_cycle_ps(router, cycle);
}

/* Recomputes when the input accepts a packet. */
static inline void router_plan_accept(struct router *router)
{
    const bool taken = (router->control & ROUTER_ENABLED) != 0 && router->held_in_reset == 0 &&
                       router->held < router->config.pipeline_stages;
    router->accept_ps = taken ? router_cycle_ps(router, router->next_accept_cycle) : TIME_NEVER;
}

/* First edge at or after a time. */
static inline uint64_t router_edge(const struct router *router, uint64_t now_ps)
{
    return pace_cycle_up(&router->pace, now_ps);
}

/* Records a dropped or erroneous packet in its registers; false: they were full. */
bool router_catch_packet(struct router_catch *registers, const struct router *router,
                         const struct packet *packet, uint32_t kinds, uint32_t outputs);

/* Counts a packet that has left, in the diagnostic counters and the timing registers. */
void router_diagnose(struct router *router, const struct router_event *event,
                     uint64_t waited_cycles);
