/* flow_steps.c - how short can the steps be in which a core goes over six flows of packets, and
 * keeps up?  One flow sends a packet in each step, over the link to the east; the others are
 * silent.  Every core tries the same lengths, from the longest to the shortest, and names the last
 * before the first with which it was late by a whole step.
 *
 * As link_throughput of network_tester (SpiNNakerManchester) does: flows have bursts, probabilities
 * and retries, and a packet that finds no room waits in the queue of spin1_api, or is refused. */
#include <spin1_api.h>
#include <stdbool.h>

enum {
    FLOWS = 6,
    LONGEST_CYCLES = 480, /* of a step: 2.40 us */
    SHORTEST_CYCLES = 360,
    LESS_CYCLES = 2, /* 10 ns */
    STEPS = 500,     /* of each length: a cycle too many in each makes a core late by a step */
    BURST_STEPS = 1000000, /* more than all */
    EAST = 0,
    FREE_RUNNING = 0x82
};

#define CERTAIN 0xffffffffu

struct flow {
    uint key;
    uint burst_steps, steps_on, step; /* on for steps_on of burst_steps; 0: always */
    uint packets;                     /* of a step */
    uint probability;                 /* of each, in 1/2^32 */
    uint retries;
    uint load; /* NO_PAYLOAD or WITH_PAYLOAD */
    uint sent, refused, retried;
};

static struct flow flows[FLOWS];

static bool is_on(struct flow *flow)
{
    if (flow->burst_steps == 0) {
        return true;
    }
    const bool on = flow->step < flow->steps_on;
    flow->step++;
    if (flow->step >= flow->burst_steps) {
        flow->step = 0;
    }
    return on;
}

static bool is_drawn(const struct flow *flow)
{
    return flow->probability == CERTAIN ||
           (flow->probability != 0 && sark_rand() < flow->probability);
}

static void offer(struct flow *flow)
{
    uint result = spin1_send_mc_packet(flow->key, 0, flow->load);
    for (uint left = flow->retries; left != 0 && result != SUCCESS; left--) {
        result = spin1_send_mc_packet(flow->key, 0, flow->load);
        flow->retried++;
    }
    if (result == SUCCESS) {
        flow->sent++;
    } else {
        flow->refused++;
    }
}

static void go_over_flows(void)
{
    for (uint i = 0; i < FLOWS; i++) {
        struct flow *const flow = &flows[i];
        const uint packets = is_on(flow) ? flow->packets : 0;
        for (uint packet = 0; packet < packets; packet++) {
            if (is_drawn(flow)) {
                offer(flow);
            }
        }
    }
}

/* Makes STEPS steps; returns whether none was late by a step.  The timer counts down. */
static bool keeps_up(uint cycles)
{
    bool in_time = true;
    uint due = tc[T2_COUNT];
    for (uint left = STEPS; left != 0; left--) {
        uint now = tc[T2_COUNT];
        while ((int)(due - now) < 0) {
            now = tc[T2_COUNT];
        }
        due -= cycles;
        in_time &= (int)(due - now) < 0;
        go_over_flows();
    }
    return in_time;
}

static void find_shortest(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    spin1_callback_off(TIMER_TICK);
    tc[T2_LOAD] = 0;
    tc[T2_CONTROL] = FREE_RUNNING;
    uint kept = 0;
    bool has_kept_up = true;
    for (uint cycles = LONGEST_CYCLES; cycles >= SHORTEST_CYCLES; cycles -= LESS_CYCLES) {
        has_kept_up &= keeps_up(cycles);
        if (has_kept_up) {
            kept = cycles;
        }
    }
    io_printf(IO_BUF, "%u cycles; %u packets sent, %u refused\n", kept, flows[0].sent,
              flows[0].refused);
    spin1_exit(kept == 0);
}

void c_main(void)
{
    const uint core = spin1_get_core_id();
    const uint key = core << 8;
    for (uint i = 0; i < FLOWS; i++) {
        flows[i] = (struct flow){.key = i << 24 | key,
                                 .burst_steps = BURST_STEPS,
                                 .steps_on = BURST_STEPS,
                                 .packets = i == 0,
                                 .probability = CERTAIN,
                                 .load = NO_PAYLOAD};
    }
    rtr_mc_set(core, key, 0xffffffff, MC_LINK_ROUTE(EAST));
    spin1_set_timer_tick(100); /* by then all cores are ready */
    spin1_callback_on(TIMER_TICK, find_shortest, 2);
    spin1_start(SYNC_NOWAIT);
}
