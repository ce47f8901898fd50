/* fabric.c - see fabric.h. */
#include "models/machine/fabric.h"

#include "models/common/bits.h"
#include "models/common/check.h"
#include "models/common/draw.h"
#include "models/machine/chip.h"
#include "models/machine/core/ahead.h"

#include <string.h>

/* Links code four bits in a symbol (SpiNNaker application note 7). */
enum { BITS_PER_SYMBOL = 4, LINK_NORTH = 2 };

/* Lowest bits of the fields of the register that switches links off. */
enum { LINKS_OFF_RX = 0, LINKS_OFF_TX = 8 };

static struct fabric *fabric_of(const struct chip *chip)
{
    return (struct fabric *)&chip->d.fabric;
}

void fabric_init(struct fabric *fabric, const struct machine_parameters *parameters,
                 const struct topology_chip *place)
{
    const struct router_config config = {
        .clock = clock_of(2 * parameters->clock_cpu_hz, (uint32_t)parameters->clock_router_divider),
        .pipeline_stages = (uint32_t)parameters->router_pipeline_stages};
    router_init(&fabric->router, &config);
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        const bool leads = place->neighbour[link] != TOPOLOGY_NO_CHIP;
        link_tx_init(&fabric->tx[link], leads ? (unsigned)parameters->link_buffer : 0);
    }
    fabric->next_ps = TIME_NEVER;
    fabric->links_ps = TIME_NEVER;
    fabric->cores_ps = TIME_NEVER;
    fabric->inputs_ps = TIME_NEVER;
    for (unsigned input = 0; input < FABRIC_INPUTS; input++) {
        fabric->input_ps[input] = TIME_NEVER;
    }
}

/* Recomputes the time of the fabric's next event, which is not before now_ps. */
static void plan(struct chip *chip, uint64_t now_ps);
static void plan_links(struct fabric *fabric);
static void plan_cores(struct chip *chip);
static bool step_router(struct chip *chip, uint64_t now_ps);

/* ---- what there is to look at ---- */

static void note_output(struct fabric *fabric, unsigned output, bool full)
{
    fabric->full = (fabric->full & ~(1u << output)) | (full ? 1u << output : 0);
}

static void note_core(struct chip *chip, unsigned core)
{
    struct fabric *fabric = fabric_of(chip);
    const struct core_way *to = &fabric->core[core];
    const bool due = to->count > 0;
    fabric->due_cores = (fabric->due_cores & ~(1u << core)) | (due ? 1u << core : 0);
    note_output(fabric, ROUTER_FIRST_CORE + core, to->count >= chip->parameters.router_core_buffer);
}

/* Sets the arrival time of the packet at an input; TIME_NEVER: there is none. */
static void note_input(struct fabric *fabric, unsigned input, uint64_t there_ps)
{
    const uint32_t others = fabric->waiting & ~(1u << input);
    fabric->waiting = others | (there_ps != TIME_NEVER ? 1u << input : 0);
    fabric->input_ps[input] = there_ps;
}

static void plan_inputs(struct fabric *fabric)
{
    fabric->inputs_ps = TIME_NEVER;
    for (uint32_t left = fabric->waiting; left != 0; left &= left - 1) {
        fabric->inputs_ps = earlier_of(fabric->inputs_ps, fabric->input_ps[bits_lowest(left)]);
    }
}

/* A packet has come to an input. */
static void expect_input(struct fabric *fabric, unsigned input, uint64_t there_ps)
{
    note_input(fabric, input, there_ps);
    fabric->inputs_ps = earlier_of(fabric->inputs_ps, there_ps);
}

/* Recomputes all bit masks, after a change not caused by a packet. */
static void note_all(struct chip *chip)
{
    struct fabric *fabric = fabric_of(chip);
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        note_output(fabric, link, fabric->tx[link].full);
        note_input(fabric, link, link_rx_next_ps(&fabric->rx[link]));
    }
    for (unsigned p = 0; p < chip->core_count; p++) {
        note_core(chip, p);
    }
    plan_links(fabric);
    plan_cores(chip);
    plan_inputs(fabric);
}

/* ---- links ---- */

/* A packet of n bits takes n / 4 symbols and an end symbol. */
static uint64_t symbols(unsigned bits)
{
    return bits / BITS_PER_SYMBOL + 1;
}

/* The time of a packet on one direction of a link, where equal links differ (link.spread): drawn
 * evenly from a range around packet_ps, by the place of the sender alone. */
static uint64_t spread_ps(const struct machine_parameters *parameters,
                          const struct topology_chip *place, unsigned link, uint64_t packet_ps)
{
    enum { PPM = 1000000, DRAWN_BITS = 32 };
    const uint64_t spread = parameters->link_spread_ppm;
    const uint64_t at = (place->x * UINT64_C(256) + place->y) * TOPOLOGY_LINKS + link;
    const uint64_t drawn = draw_word(parameters->link_seed, DRAW_LINKS, at) >> (64 - DRAWN_BITS);
    /* packet_ps (1 - spread / 2 + spread drawn), rounded */
    const uint128 one = (uint128)(2 * PPM) << DRAWN_BITS;
    const uint128 factor = one - ((uint128)spread << DRAWN_BITS) + (uint128)2 * spread * drawn;
    return (uint64_t)((packet_ps * factor + one / 2) / one);
}

uint64_t fabric_long_ps(uint64_t short_ps)
{
    return short_ps * symbols(PACKET_BITS_LONG) / symbols(PACKET_BITS_SHORT);
}

struct link_rate fabric_rate(const struct machine_parameters *parameters,
                             const struct topology_chip *place, unsigned link)
{
    struct link_rate rate = {.short_ps = parameters->link_packet_ps};
    if (place->between_boards[link]) {
        rate.short_ps = parameters->link_packet_between_boards_ps;
        rate.latency_ps = parameters->link_latency_between_boards_ps;
    } else if (link == LINK_NORTH) {
        rate.short_ps = parameters->link_packet_north_ps;
    }
    rate.short_ps = spread_ps(parameters, place, link, rate.short_ps);
    rate.long_ps = fabric_long_ps(rate.short_ps);
    return rate;
}

/* When the router next accepts a packet; TIME_NEVER: none waits, or the router cannot. */
static uint64_t feed_ps(const struct fabric *fabric)
{
    const uint64_t first_ps = fabric->replies > 0 ? 0 : fabric->inputs_ps;
    return later_of(router_accept_ps(&fabric->router), first_ps);
}

/* A neighbour has caused an event of the fabric at time_ps. */
static void wake(struct chip *chip, uint64_t time_ps)
{
    struct fabric *fabric = fabric_of(chip);
    fabric->next_ps = earlier_of(time_ps, fabric->next_ps);
    *chip->scheduled_next_ps = earlier_of(time_ps, *chip->scheduled_next_ps);
    *chip->scheduled_reach_ps = earlier_of(time_ps, *chip->scheduled_reach_ps);
}

static struct chip *neighbour(const struct chip *chip, unsigned link)
{
    return &chip->chips[chip->place->neighbour[link]];
}

static void begin_on_link(struct chip *chip, unsigned link, uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    struct link_tx *tx = &fabric->tx[link];
    struct fabric_outbox *outbox = &chip->outbox;
    struct link_place *begun = &outbox->link[link].begun;
    begun->arrival_ps = link_tx_begin(tx, &chip->rate[link], now_ps);
    begun->packet = tx->packet;
    begun->packet.arrival = (uint8_t)topology_opposite(link);
    traffic_sent(&fabric->traffic, link, &tx->packet, tx->done_ps - now_ps);
    CHECK((outbox->begun >> link & 1) == 0, "a link has begun two packets in a window");
    outbox->begun |= 1u << link;
    if (event_log_wants(&chip->log, MACHINE_EVENT_LINK)) {
        event_log_link(chip, link, now_ps);
    }
}

/* Starts the packets that can start by now_ps, and determines when the next one can. */
static void begin_on_links(struct chip *chip, uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    fabric->links_ps = TIME_NEVER;
    for (uint32_t left = fabric->full & ROUTER_LINK_OUTPUTS; left != 0; left &= left - 1) {
        const unsigned link = bits_lowest(left);
        const uint64_t next_ps = link_tx_next_ps(&fabric->tx[link]);
        if (next_ps <= now_ps) {
            begin_on_link(chip, link, now_ps);
            note_output(fabric, link, false);
        } else {
            fabric->links_ps = earlier_of(fabric->links_ps, next_ps);
        }
    }
}

static void plan_links(struct fabric *fabric)
{
    fabric->links_ps = TIME_NEVER;
    for (uint32_t left = fabric->full & ROUTER_LINK_OUTPUTS; left != 0; left &= left - 1) {
        const uint64_t next_ps = link_tx_next_ps(&fabric->tx[bits_lowest(left)]);
        fabric->links_ps = earlier_of(fabric->links_ps, next_ps);
    }
}

/* Returns a credit to the sender: a place in the buffer of a link's receiver is free. */
static void return_credit(struct chip *chip, unsigned link, uint64_t now_ps)
{
    struct fabric_outbox *outbox = &chip->outbox;
    const uint32_t credit = outbox->link[link].credits++;
    CHECK(credit < LINK_BUFFER_MAX, "more credits than places");
    outbox->link[link].credit_ps[credit] = now_ps + chip->parameters.link_credit_latency_ps;
    outbox->credited |= 1u << link;
}

void fabric_packet_comes(struct chip *to, unsigned input, const struct link_place *begun)
{
    struct fabric *fabric = fabric_of(to);
    struct link_rx *rx = &fabric->rx[input];
    link_rx_put(rx, &begun->packet, begun->arrival_ps);
    if (rx->count == 1) { /* otherwise another packet is the first */
        expect_input(fabric, input, link_rx_next_ps(rx));
        wake(to, feed_ps(fabric));
    }
}

void fabric_credit_comes(struct chip *from, unsigned link, uint64_t time_ps)
{
    struct fabric *fabric = fabric_of(from);
    struct link_tx *tx = &fabric->tx[link];
    link_tx_credit(tx, time_ps);
    if (tx->full) { /* otherwise no packet waits for it */
        fabric->links_ps = earlier_of(fabric->links_ps, link_tx_next_ps(tx));
        wake(from, fabric->links_ps);
    }
}

static void hand_over_packet(struct chip *chip, unsigned link)
{
    const struct link_place *begun = &chip->outbox.link[link].begun;
    fabric_packet_comes(neighbour(chip, link), begun->packet.arrival, begun);
}

static void hand_over_credits(struct chip *chip, unsigned link)
{
    struct fabric_outbox *outbox = &chip->outbox;
    struct chip *from = neighbour(chip, link);
    for (unsigned i = 0; i < outbox->link[link].credits; i++) {
        fabric_credit_comes(from, topology_opposite(link), outbox->link[link].credit_ps[i]);
    }
    outbox->link[link].credits = 0;
}

void fabric_hand_over(struct chip *chip)
{
    struct fabric_outbox *outbox = &chip->outbox;
    for (; outbox->begun != 0; outbox->begun &= outbox->begun - 1) {
        hand_over_packet(chip, bits_lowest(outbox->begun));
    }
    for (; outbox->credited != 0; outbox->credited &= outbox->credited - 1) {
        hand_over_credits(chip, bits_lowest(outbox->credited));
    }
}

/* ---- between router and cores ---- */

static struct packet packet_from_core(const struct comms_packet *sent)
{
    const bool links =
        sent->route < PACKET_LINKS; /* the packet is to appear as if it had arrived by a link */
    return (struct packet){.key = sent->key,
                           .payload = sent->payload,
                           .p2p_source = sent->source,
                           .control = sent->control,
                           .arrival = links ? sent->route : PACKET_LOCAL};
}

static struct comms_packet packet_to_core(const struct packet *packet)
{
    return (struct comms_packet){.key = packet->key,
                                 .payload = packet->payload,
                                 .source = packet->p2p_source,
                                 .control = packet->control,
                                 .route = packet->arrival};
}

void fabric_core_sent(struct chip *chip, unsigned core, uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    expect_input(fabric, TOPOLOGY_LINKS + core, now_ps);
    fabric->next_ps = earlier_of(fabric->next_ps, later_of(feed_ps(fabric), now_ps));
}

/* Gives a core the first packet on its way to it, if the packet has arrived and the core has
 * room. */
static bool deliver(struct chip *chip, unsigned core, uint64_t now_ps)
{
    struct core_way *to = &fabric_of(chip)->core[core];
    struct comms_ctrl *comms = &chip->core[core].d.comms;
    if (to->count == 0 || to->ready_ps[0] > now_ps || !comms_ctrl_can_receive(comms)) {
        return false;
    }
    if (event_log_wants(&chip->log, MACHINE_EVENT_RECEIVED)) {
        event_log_received(chip, core, now_ps);
    }
    const struct comms_packet packet = packet_to_core(&to->packet[0]);
    (void)comms_ctrl_receive(comms, &packet, COMMS_NO_ERROR);
    to->received_ps = now_ps;
    if (--to->count > 0) {
        memmove(&to->packet[0], &to->packet[1], to->count * sizeof to->packet[0]);
        memmove(&to->ready_ps[0], &to->ready_ps[1], to->count * sizeof to->ready_ps[0]);
    }
    note_core(chip, core);
    return true;
}

void fabric_core_read(struct chip *chip, unsigned core, uint64_t now_ps)
{
    if (fabric_of(chip)->core[core].count == 0) {
        return; /* no packet has waited for that */
    }
    if (!deliver(chip, core, now_ps)) { /* a core that was rolled back may read again; do not plan
                                           for its time, which may have passed */
        plan_cores(chip);
        fabric_of(chip)->next_ps = earlier_of(fabric_of(chip)->next_ps, fabric_of(chip)->cores_ps);
        return;
    }
    (void)step_router(chip, now_ps);
    blocks_update_lines(chip, now_ps);
    plan_cores(chip);
    plan(chip, now_ps);
}

/* ---- the router's outputs ---- */

/* An event will reach a core at event_ps. */
static void expect(struct fabric *fabric, uint64_t event_ps)
{
    fabric->cores_ps = earlier_of(event_ps, fabric->cores_ps);
}

/* Announces one more packet on its way to a core, if it is the next to enter; while another waits
 * for room, it is not. */
static void foresee_packet(struct chip *chip, unsigned core)
{
    const struct core_way *to = &fabric_of(chip)->core[core];
    if (to->count == 1 && comms_ctrl_can_receive(&chip->core[core].d.comms)) {
        expect(fabric_of(chip), to->ready_ps[0]);
        core_foresee(&chip->core[core], VIC_RECEIVE_SOURCES, to->ready_ps[0]);
    }
}

/* A packet enters a transmitter at at_ps, and starts if that is now. */
static void put_on_link(struct chip *chip, unsigned link, const struct packet *packet,
                        uint64_t at_ps, uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    link_tx_put(&fabric->tx[link], packet, at_ps);
    const uint64_t next_ps = link_tx_next_ps(&fabric->tx[link]);
    if (next_ps <= now_ps) {
        begin_on_link(chip, link, now_ps);
    } else {
        note_output(fabric, link, true);
        fabric->links_ps = earlier_of(fabric->links_ps, next_ps);
    }
}

static void send_copies(struct chip *chip, const struct router_event *event, uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    for (uint32_t left = event->outputs & ~event->dumped; left != 0; left &= left - 1) {
        const unsigned output = bits_lowest(left);
        const struct packet copy = router_copy(event, output);
        if (output < ROUTER_FIRST_CORE) {
            put_on_link(chip, output, &copy, event->at_ps, now_ps);
        } else if (output < ROUTER_FIRST_CORE + chip->core_count) {
            struct core_way *to = &fabric->core[output - ROUTER_FIRST_CORE];
            to->packet[to->count] = copy;
            to->ready_ps[to->count++] = event->at_ps + chip->parameters.router_core_transit_ps;
            note_core(chip, output - ROUTER_FIRST_CORE);
            foresee_packet(chip, output - ROUTER_FIRST_CORE);
        }
    }
}

/* Performs a neighbour's peek or poke, as an access of the router to the system NoC. */
static void answer(struct chip *chip, const struct router_event *event, uint64_t now_ps)
{
    uint32_t data = event->packet.payload;
    const bool poke = event->kind == ROUTER_EVENT_POKE;
    const bool good = chip_neighbour_access(chip, event->packet.key, poke, &data, now_ps);
    struct fabric *fabric = fabric_of(chip);
    fabric->reply[fabric->replies++] = router_reply(&event->packet, good, data);
}

/* Lets the packet in the output stage leave; false: it stays. *dropped is set to true if it was not
 * sent to all its outputs. */
static bool issue(struct chip *chip, uint64_t now_ps, bool *dropped)
{
    struct fabric *fabric = fabric_of(chip);
    struct router_event event;
    if (!router_step(&fabric->router, ~fabric->full & chip->outputs, now_ps, &event)) {
        return false;
    }
    if (event.kind == ROUTER_EVENT_ISSUED) {
        send_copies(chip, &event, now_ps);
        traffic_issued(&fabric->traffic, &event);
    } else {
        answer(chip, &event, now_ps);
    }
    if (event.dropped) {
        drops_note(chip, &event);
        *dropped = true;
    }
    return true;
}

/* Returns true if a packet was dropped. */
static bool step_router(struct chip *chip, uint64_t now_ps)
{
    bool dropped = false;
    while (router_can_step(&fabric_of(chip)->router, now_ps) && issue(chip, now_ps, &dropped)) {
    }
    return dropped;
}

/* ---- the router's inputs ---- */

/* The next input to serve: of those with a packet, the one served longest ago.  Sets inputs_ps to
 * the earliest packet of the others. */
static unsigned choose_input(struct fabric *fabric, uint64_t now_ps)
{
    unsigned chosen = FABRIC_INPUTS;
    uint64_t others_ps = TIME_NEVER;
    for (uint32_t left = fabric->waiting; left != 0; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        unsigned other = i;
        if (fabric->input_ps[i] <= now_ps &&
            (chosen == FABRIC_INPUTS || fabric->served[i] < fabric->served[chosen])) {
            other = chosen;
            chosen = i;
        }
        if (other != FABRIC_INPUTS) {
            others_ps = earlier_of(others_ps, fabric->input_ps[other]);
        }
    }
    fabric->inputs_ps = others_ps;
    return chosen;
}

/* Returns true if the packet was in error. */
static bool offer(struct chip *chip, const struct packet *packet, uint64_t now_ps)
{
    struct router *router = &fabric_of(chip)->router;
    const uint64_t errors = router->counters.errors;
    (void)router_offer(router, packet, ROUTER_DAMAGE_NONE, now_ps);
    const bool bad = router->counters.errors != errors;
    if (bad) {
        drops_note_error(chip, packet, now_ps);
    }
    return bad;
}

static bool serve_input(struct chip *chip, unsigned input, uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    fabric->served[input] = ++fabric->serial;
    if (input < TOPOLOGY_LINKS) {
        const struct packet packet = link_rx_take(&fabric->rx[input]);
        traffic_received(&fabric->traffic, input, &packet);
        expect_input(fabric, input, link_rx_next_ps(&fabric->rx[input]));
        return_credit(chip, input, now_ps);
        return offer(chip, &packet, now_ps);
    }
    const unsigned p = input - TOPOLOGY_LINKS;
    struct packet packet = packet_from_core(comms_ctrl_outgoing(&chip->core[p].d.comms));
    packet.purpose = (uint8_t)purposes_find(chip->purposes, packet.key, &chip->purpose_hint[p]);
    traffic_received(&fabric->traffic, TRAFFIC_CORES, &packet);
    if (event_log_wants(&chip->log, MACHINE_EVENT_SENT)) {
        event_log_sent(chip, p, &packet, now_ps);
    }
    fabric->core[p].taken_ps = now_ps + chip->parameters.router_core_injection_ps;
    fabric->core[p].taken++;
    note_input(fabric, input, TIME_NEVER);
    core_taken(&chip->core[p]);
    return offer(chip, &packet, now_ps);
}

/* Returns true if a packet was in error. */
static bool feed_router(struct chip *chip, uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    bool bad = false;
    while (feed_ps(fabric) <= now_ps) {
        if (fabric->replies > 0) {
            bad |= offer(chip, &fabric->reply[0], now_ps);
            fabric->replies--;
            memmove(&fabric->reply[0], &fabric->reply[1],
                    fabric->replies * sizeof fabric->reply[0]);
        } else {
            bad |= serve_input(chip, choose_input(fabric, now_ps), now_ps);
        }
    }
    return bad;
}

/* ---- time ---- */

/* Gives a core the packet that has arrived. */
static void give_packet(struct chip *chip, unsigned core, uint64_t now_ps)
{
    core_ahead_settle(&chip->core[core], now_ps);
    (void)deliver(chip, core, now_ps);
    core_comms_changed(&chip->core[core], now_ps);
}

/* Gives cores the packets that have arrived by now_ps, and determines when the next one arrives.  A
 * core that gets one has no room for another. */
static void give_packets(struct chip *chip, uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    fabric->cores_ps = TIME_NEVER;
    for (uint32_t left = fabric->due_cores; left != 0; left &= left - 1) {
        const unsigned core = bits_lowest(left);
        const uint64_t first_ps = fabric->core[core].ready_ps[0];
        if (first_ps >= fabric->cores_ps || !comms_ctrl_can_receive(&chip->core[core].d.comms)) {
            continue;
        }
        if (first_ps <= now_ps) {
            give_packet(chip, core, now_ps);
        } else {
            fabric->cores_ps = first_ps;
        }
    }
}

static void plan_cores(struct chip *chip)
{
    struct fabric *fabric = fabric_of(chip);
    fabric->cores_ps = TIME_NEVER;
    for (uint32_t left = fabric->due_cores; left != 0; left &= left - 1) {
        expect(fabric, core_packet_ps(&chip->core[bits_lowest(left)]));
    }
}

static uint64_t find_next_ps(const struct chip *chip)
{
    const struct fabric *fabric = fabric_of(chip);
    const uint64_t outputs_ps = earlier_of(fabric->links_ps, fabric->cores_ps);
    const uint64_t router_ps = earlier_of(router_next_ps(&fabric->router), feed_ps(fabric));
    return earlier_of(outputs_ps, router_ps);
}

uint64_t fabric_way_ps(const struct chip *chip)
{
    const struct fabric *fabric = fabric_of(chip);
    return fabric->router.held == 0 ? router_way_ps(&fabric->router) : 0;
}

static void plan(struct chip *chip, uint64_t now_ps)
{
    /* not earlier than now: a packet may have waited for room */
    fabric_of(chip)->next_ps = later_of(find_next_ps(chip), now_ps);
}

void fabric_core_expects(struct chip *chip, unsigned core)
{
    struct fabric *fabric = fabric_of(chip);
    expect(fabric, core_first_packet_ps(&chip->core[core]));
    fabric->next_ps = earlier_of(fabric->next_ps, fabric->cores_ps);
}

void fabric_core_rolled_back(struct chip *chip)
{
    struct fabric *fabric = fabric_of(chip);
    plan_cores(chip);
    fabric->next_ps = later_of(find_next_ps(chip), fabric->next_ps);
}

static void event_at(struct chip *chip, uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    if (fabric->links_ps <= now_ps) {
        begin_on_links(chip, now_ps);
    }
    if (fabric->cores_ps <= now_ps) {
        give_packets(chip, now_ps);
    }
    const bool dropped = step_router(chip, now_ps);
    const bool bad = feed_router(chip, now_ps);
    if (dropped || bad || fabric->router.armed != 0) { /* otherwise no interrupt line can change */
        blocks_update_lines(chip, now_ps);
    }
    plan(chip, now_ps);
}

/* The next event of another part of the chip, or the end of the window. */
static uint64_t others_ps(const struct chip *chip)
{
    const uint64_t blocks_ps = blocks_others_ps(&chip->blocks, &chip->d.fabric.next_ps);
    return earlier_of(earlier_of(chip->window_ps, blocks_ps), turns_first_ps(&chip->turns));
}

void fabric_event(struct chip *chip)
{
    const struct fabric *fabric = fabric_of(chip);
    uint64_t now_ps;
    do {
        now_ps = fabric->next_ps;
        event_at(chip, now_ps);
    } while (fabric->next_ps == now_ps || fabric->next_ps < others_ps(chip));
    chip->d.last_event_ps = later_of(now_ps, chip->d.last_event_ps);
}

/* ---- effects of the system controller ---- */

void fabric_core_reset(struct chip *chip, unsigned core, uint64_t now_ps)
{
    fabric_of(chip)->core[core].taken = chip->core[core].d.sends;
    note_input(fabric_of(chip), TOPOLOGY_LINKS + core, TIME_NEVER);
    note_all(chip);
    plan(chip, now_ps);
}

static void set_link(struct chip *chip, unsigned link, uint32_t reset, uint32_t off,
                     uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    if (bits_test(reset, SYSCTL_PART_TX + link)) {
        link_tx_reset(&fabric->tx[link]);
    }
    if (bits_test(reset, SYSCTL_PART_RX + link)) {
        for (unsigned lost = link_rx_reset(&fabric->rx[link], now_ps); lost > 0; lost--) {
            return_credit(chip, link, now_ps);
        }
    }
    link_tx_switch(&fabric->tx[link], bits_test(off, SYSCTL_PART_TX + link), now_ps);
    link_rx_switch(&fabric->rx[link], bits_test(off, SYSCTL_PART_RX + link), now_ps);
}

void fabric_set_parts(struct chip *chip, uint32_t reset, uint32_t held, uint32_t links_off,
                      uint64_t now_ps)
{
    struct fabric *fabric = fabric_of(chip);
    const uint32_t receivers = bits_get(links_off, LINKS_OFF_RX + TOPOLOGY_LINKS - 1, LINKS_OFF_RX);
    const uint32_t senders = bits_get(links_off, LINKS_OFF_TX + TOPOLOGY_LINKS - 1, LINKS_OFF_TX);
    const uint32_t off = held | receivers << SYSCTL_PART_RX | senders << SYSCTL_PART_TX;
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        set_link(chip, link, reset, off, now_ps);
    }
    for (unsigned p = 0; p < chip->core_count && bits_test(reset, SYSCTL_PART_COMMS_NOC); p++) {
        fabric->core[p].count = 0;
    }
    const bool router_held = bits_test(held, SYSCTL_PART_ROUTER);
    if (bits_test(reset, SYSCTL_PART_ROUTER) ||
        router_held != (fabric->router.held_in_reset != 0)) {
        router_reset(&fabric->router, router_held, now_ps);
        fabric->replies = 0;
    }
    note_all(chip);
    (void)step_router(chip, now_ps); /* its outputs may be free now */
    blocks_update_lines(chip, now_ps);
    plan(chip, now_ps);
}

void fabric_set_clock(struct chip *chip, struct clock clock, uint64_t now_ps)
{
    router_set_clock(&fabric_of(chip)->router, clock, now_ps);
    plan(chip, now_ps);
}

/* ---- registers ---- */

enum register_reply fabric_read32(struct chip *chip, uint32_t offset, uint64_t now_ps,
                                  uint32_t *value)
{
    const enum register_reply reply =
        router_read32(&fabric_of(chip)->router, offset, now_ps, value);
    blocks_update_lines(chip, now_ps);
    return reply;
}

enum register_reply fabric_write32(struct chip *chip, uint32_t offset, uint32_t value,
                                   uint64_t now_ps)
{
    const enum register_reply reply =
        router_write32(&fabric_of(chip)->router, offset, value, now_ps);
    blocks_update_lines(chip, now_ps);
    plan(chip, now_ps); /* waits, or the router itself, may have changed */
    return reply;
}
