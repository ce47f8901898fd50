/* neuron_per_core.c - two layers of a network on a SpiNN-5, one neuron on each core, as in a
 * published attempt to train networks on it: the neurons of one layer multicast MESSAGES packets
 * each to all neurons of the other.
 *
 * MESSAGES is 1 when activations go forward: every packet is for everyone.  It is the number of
 * receivers when errors go backward, one product of error and weight for each of them: all
 * receivers get all products, and all but one discard each.  Senders spread over 0.5 ms of a tick
 * of 5 ms.  A receiver that has not got its packet from each sender waits for it. */
#include <spin1_api.h>
#include <wait_note.h>

enum {
    RECEIVERS = 300,
    SENDERS = 50,
    FIRST_NEURON = 324, /* number of the first receiver in a network 224-50-50-300-50-25-17 */
    TICK_US = 5000,
    SPREAD_US = 500,
    CORES = 17,
    SIDE = 8,
    CHIP_SHIFT = 24,
    CORE_SHIFT = 16
};
#define VALUE  1.0f
#define WEIGHT 0.5f

static uint neuron; /* 0 ..: receivers, then senders; larger: neither */
static struct {
    struct nn_wait_note head;
    struct nn_wait wait[SENDERS];
} waits;
static float sum;
static uint arrived, received, received_before;
static uint sent_at; /* the tick in which the last packet was queued */

/* ---- places ---- */

static uint exists(int x, int y)
{
    return x >= 0 && y >= 0 && x < SIDE && y < SIDE && x <= y + 4 && y <= x + 3;
}

/* A chip's number; chips are counted by x, then y. */
static int chip_number(int at_x, int at_y)
{
    int number = 0;
    for (int x = 0; x <= at_x; x++) {
        for (int y = 0; y < (x == at_x ? at_y : SIDE); y++) {
            number += exists(x, y);
        }
    }
    return number;
}

/* The neuron on a core, counted from the first receiver: negative or too large on other cores. */
static int neuron_at(int chip, int core)
{
    return chip * CORES + core - 1 - FIRST_NEURON;
}

static uint has_role(int chip, int first, int count)
{
    return neuron_at(chip, CORES) >= first && neuron_at(chip, 1) < first + count;
}

/* ---- the way of packets ---- */

static uint link_towards(int dx, int dy)
{
    enum { EAST, NORTH_EAST, NORTH, WEST, SOUTH_WEST, SOUTH };
    if (dx > 0) {
        return dy > 0 ? NORTH_EAST : EAST;
    }
    if (dx < 0) {
        return dy < 0 ? SOUTH_WEST : WEST;
    }
    return dy > 0 ? NORTH : SOUTH;
}

/* Route bit of the link by which packets from (x, y) to (to_x, to_y) leave this chip; 0: this chip
 * is not on their path. */
static uint link_on_way(int x, int y, int to_x, int to_y, int here_x, int here_y)
{
    static const int DX[] = {1, 1, 0, -1, -1, 0};
    static const int DY[] = {0, 1, 1, 0, -1, -1};
    while (x != to_x || y != to_y) {
        const uint link = link_towards(to_x - x, to_y - y);
        if (x == here_x && y == here_y) {
            return MC_LINK_ROUTE(link);
        }
        x += DX[link];
        y += DY[link];
    }
    return 0;
}

/* Links by which this chip forwards the packets of the senders on chip (x, y). */
static uint route_from(int x, int y, int here_x, int here_y)
{
    uint route = 0;
    for (int to_x = 0; to_x < SIDE; to_x++) {
        for (int to_y = 0; to_y < SIDE; to_y++) {
            const int chip = chip_number(to_x, to_y);
            if (exists(to_x, to_y) && has_role(chip, 0, RECEIVERS)) {
                route |= link_on_way(x, y, to_x, to_y, here_x, here_y);
            }
        }
    }
    return route;
}

static uint receivers_of(int chip)
{
    uint route = 0;
    for (int core = 1; core <= CORES; core++) {
        const int at = neuron_at(chip, core);
        route |= at >= 0 && at < RECEIVERS ? MC_CORE_ROUTE(core) : 0;
    }
    return route;
}

/* One entry for each chip with senders, also where its packets never come here. */
static void set_table(int here_x, int here_y)
{
    const int here = chip_number(here_x, here_y);
    uint entry = 0;
    for (int x = 0; x < SIDE; x++) {
        for (int y = 0; y < SIDE; y++) {
            const int chip = chip_number(x, y);
            if (exists(x, y) && has_role(chip, RECEIVERS, SENDERS)) {
                const uint key = (uint)chip << CHIP_SHIFT;
                const uint route = route_from(x, y, here_x, here_y) | receivers_of(here);
                rtr_mc_set(entry++, key, 0xffffffffu << CHIP_SHIFT, route);
            }
        }
    }
}

/* ---- neurons ---- */

static uint key_of_sender(uint sender)
{
    const uint place = FIRST_NEURON + RECEIVERS + sender;
    return (place / CORES) << CHIP_SHIFT | (place % CORES + 1) << CORE_SHIFT;
}

static void send(uint tick, uint none)
{
    (void)none;
    if (sent_at != 0) {
        if (tick > sent_at + 1) {
            spin1_exit(0); /* the queued packets have left, too */
        }
        return;
    }
    const uint sender = neuron - RECEIVERS;
    const float value = VALUE;
    uint payload;
    spin1_memcpy(&payload, &value, sizeof payload);
    spin1_delay_us(sender * SPREAD_US / SENDERS);
    for (uint message = 0; message < MESSAGES; message++) {
        while (spin1_send_mc_packet(key_of_sender(sender) + message, payload, WITH_PAYLOAD) ==
               FAILURE) {
            spin1_delay_us(1);
        }
    }
    sent_at = spin1_get_simulation_time();
}

static void receive(uint key, uint payload)
{
    received++;
    const uint message = key & ((1u << CORE_SHIFT) - 1);
    if (MESSAGES > 1 && message != neuron) {
        return; /* for another neuron */
    }
    const uint place = (key >> CHIP_SHIFT) * CORES + (key >> CORE_SHIFT & 0xff) - 1;
    struct nn_wait *from = &waits.wait[place - FIRST_NEURON - RECEIVERS];
    if (from->arrived != 0) {
        return; /* reinjected, although it had arrived */
    }
    float value;
    spin1_memcpy(&value, &payload, sizeof value);
    sum += value * WEIGHT;
    from->arrived = 1;
    arrived++;
}

/* A receiver that has all its packets stays until no more packets arrive. */
static void look(uint tick, uint none)
{
    (void)tick;
    (void)none;
    if (arrived == SENDERS && received == received_before) {
        if (sum != SENDERS * VALUE * WEIGHT) {
            rt_error(RTE_SWERR);
        }
        spin1_exit(0);
    }
    received_before = received;
}

static void note_waits(void)
{
    waits.head.magic = NN_WAIT_MAGIC;
    waits.head.count = SENDERS;
    for (uint sender = 0; sender < SENDERS; sender++) {
        waits.wait[sender] =
            (struct nn_wait){key_of_sender(sender) + (MESSAGES > 1 ? neuron : 0), 0xffffffff, 1, 0};
    }
    sark.vcpu->user1 = (uint)&waits;
}

void c_main(void)
{
    const int x = (int)(spin1_get_chip_id() >> 8);
    const int y = (int)(spin1_get_chip_id() & 0xff);
    const int core = (int)spin1_get_core_id();
    neuron = (uint)neuron_at(chip_number(x, y), core);
    if (core == 1) {
        set_table(x, y);
    }
    spin1_set_timer_tick(TICK_US);
    if (neuron < RECEIVERS) {
        note_waits();
        spin1_callback_on(MCPL_PACKET_RECEIVED, receive, -1);
        spin1_callback_on(TIMER_TICK, look, 2);
    } else if (neuron < RECEIVERS + SENDERS) {
        spin1_callback_on(TIMER_TICK, send, 2);
    } else {
        return; /* a neuron of another layer: its turn comes later */
    }
    spin1_start(SYNC_NOWAIT);
}
