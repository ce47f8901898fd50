/* router_output.c - pipeline, output stage, waits and dumps (SpiNNaker datasheet
 * v2.02, 10.4, 10.9). See router.h. */
#include "models/network/router_internal.h"

#include "models/common/check.h"

enum { NN_ROUTE = 2, REPLY_OK = 1, REPLY_ERROR = 3, PHASE_OLD = 3, CONTROL_STAMP = 2 };

/* The copies of the packet in the output stage that could leave now. */
struct copies {
    uint32_t outputs, blocked;
    uint8_t emergency, shared, reverting;
};

bool router_catch_packet(struct router_catch *registers, const struct router *router,
                         const struct packet *packet, uint32_t kinds, uint32_t outputs)
{
    registers->status |= kinds | outputs;
    if (bits_test(registers->status, CATCH_SEEN)) {
        registers->status |= 1u << CATCH_MORE;
        return false;
    }
    registers->status |= 1u << CATCH_SEEN;
    registers->header = kinds | (uint32_t)packet->arrival << CATCH_ARRIVAL |
                        (uint32_t)packet->control << CATCH_CONTROL |
                        router_phase(router) << CATCH_PHASE;
    registers->key = packet_word(packet);
    registers->payload = packet->payload;
    registers->outputs = outputs;
    return true;
}

static void catch_error(struct router *router, const struct packet *packet, uint32_t kinds)
{
    struct router_catch *error = &router->error;
    const uint32_t count = error->status & 0xffff;
    const uint32_t counted = router->control >> CONTROL_COUNT_ERRORS & kinds >> CATCH_KINDS;
    if (counted != 0 && count != 0xffff) {
        error->status++;
    }
    router->counters.errors++;
    router->counters.errors_lost += !router_catch_packet(error, router, packet, kinds, 0);
}

/* Whether a packet was stamped two phases ago: neither in this phase nor in an adjacent one. */
static bool too_old(const struct router *router, const struct packet *packet)
{
    return !packet_is_local(packet) && packet_has_time_phase(packet) &&
           (packet_time_phase(packet) ^ router_phase(router)) == PHASE_OLD;
}

/* The output stage is empty: the first packet of the pipeline will enter it. */
static void expect_first(struct router *router)
{
    const uint64_t ready = router->ready_cycle[router->first];
    router_set_due(router, ready > router->next_issue_cycle ? ready : router->next_issue_cycle);
}

/* The packet's entry will be needed when the packet reaches the output stage. */
static void prefetch_entry(const struct router *router, const struct packet *packet)
{
    if (packet_type(packet) == PACKET_P2P) {
        p2p_table_prefetch(&router->p2p, (uint16_t)packet->key);
    }
}

bool router_offer(struct router *router, const struct packet *packet, uint32_t damage,
                  uint64_t now_ps)
{
    if (router_accept_ps(router) > now_ps) {
        return false;
    }
    const uint64_t cycle = router_edge(router, now_ps);
    router->next_accept_cycle = cycle + 1;
    if (too_old(router, packet)) {
        damage |= ROUTER_DAMAGE_TIME;
    }
    if (damage != 0) {
        catch_error(router, packet, damage);
        router_plan_accept(router);
        return true;
    }
    const uint32_t slot = (router->first + router->held) % ROUTER_STAGES_MAX;
    struct packet *taken = &router->pipeline[slot];
    *taken = *packet;
    if (packet_is_local(packet) && packet_has_time_phase(packet)) {
        const unsigned others = packet->control & ~(3u << CONTROL_STAMP);
        taken->control = (uint8_t)(others | router_phase(router) << CONTROL_STAMP);
        packet_seal(taken);
    }
    prefetch_entry(router, taken);
    router->ready_cycle[slot] = cycle + router->config.pipeline_stages;
    if (router->held++ == 0) {
        expect_first(router);
    }
    router_plan_accept(router);
    return true;
}

static uint64_t deadline(uint64_t cycle, uint64_t wait)
{
    return wait == TIME_NEVER ? TIME_NEVER : cycle + wait;
}

static unsigned wait2(const struct router *router)
{
    return bits_get(router->control, CONTROL_WAIT2 + 7, CONTROL_WAIT2);
}

/* Starts or continues the waits of a blocked packet; true when all waits are over. */
static bool waits_are_over(struct router *router, uint32_t free_outputs, uint64_t now_ps)
{
    if (router->stage == ROUTER_STAGE_FULL) {
        const unsigned wait1 = bits_get(router->control, CONTROL_WAIT1 + 7, CONTROL_WAIT1);
        router->counters.waited++;
        router->refused = router->decision.outputs & ~free_outputs;
        router->stage = ROUTER_STAGE_WAIT1;
        router_set_due(router, deadline(router->tried_cycle, router_wait_cycles(wait1)));
    }
    if (router->stage == ROUTER_STAGE_WAIT1 && now_ps >= router_next_ps(router)) {
        router->stage = ROUTER_STAGE_WAIT2;
        router_set_due(router, deadline(router->due_cycle, router_wait_cycles(wait2(router))));
    }
    return router->stage == ROUTER_STAGE_WAIT2 && now_ps >= router_next_ps(router);
}

/* Emergency routing: sends the copies of blocked links by the preceding link, if it is free and not
 * used by a reverting packet. */
static void go_round(const struct packet *packet, uint32_t free_outputs, struct copies *copies)
{
    const uint32_t normal = copies->outputs;
    const uint32_t blocked = copies->blocked;
    for (unsigned link = 0; link < PACKET_LINKS; link++) {
        const unsigned round = (link + PACKET_LINKS - 1) % PACKET_LINKS;
        if (!bits_test(blocked, link) || !bits_test(free_outputs, round) ||
            bits_test(copies->reverting, round)) {
            continue;
        }
        copies->blocked &= ~(1u << link);
        copies->outputs |= 1u << round;
        if (packet_type(packet) == PACKET_P2P) {
            continue; /* unmarked */
        }
        *(bits_test(normal, round) ? &copies->shared : &copies->emergency) |=
            (uint8_t)(1u << round);
    }
}

/* The copies that could leave now. */
static struct copies free_copies(const struct router *router, const struct packet *packet,
                                 uint32_t free_outputs)
{
    const struct router_decision *decision = &router->decision;
    struct copies copies = {.outputs = decision->outputs & free_outputs,
                            .blocked = decision->outputs & ~free_outputs,
                            .reverting = decision->reverting};
    if (router->stage == ROUTER_STAGE_WAIT2 && wait2(router) != 0 &&
        packet_type(packet) != PACKET_NN) {
        go_round(packet, free_outputs, &copies);
    }
    return copies;
}

static void count_packet(struct router_counters *counters, const struct packet *packet)
{
    switch (packet_type(packet)) {
    case PACKET_MC:
        counters->packets_mc++;
        break;
    case PACKET_P2P:
        counters->packets_p2p++;
        break;
    case PACKET_NN:
        counters->packets_nn++;
        break;
    case PACKET_FR:
        counters->packets_fr++;
        break;
    }
    counters->packets_local += packet_is_local(packet);
    counters->bits += packet_bits(packet);
}

static void count_copies(struct router_counters *counters, const struct router_event *event,
                         uint32_t diverted)
{
    counters->link_copies += bits_count_few(event->outputs & ROUTER_LINK_OUTPUTS);
    counters->core_copies += bits_count_few(event->outputs & ROUTER_CORE_OUTPUTS);
    if ((diverted | event->reverting) != 0) {
        counters->emergency += bits_count(diverted);
        counters->reverting += bits_count(event->reverting);
    }
}

static void dump(struct router *router, const struct router_event *event)
{
    struct router_counters *counters = &router->counters;
    uint64_t *const by_type[PACKET_TYPES] = {&counters->dumped_mc, &counters->dumped_p2p,
                                             &counters->dumped_nn, &counters->dumped_fr};
    (*by_type[packet_type(&event->packet)])++;
    counters->dumped_copies += bits_count(event->dumped);
    counters->dumps_lost +=
        !router_catch_packet(&router->dump, router, &event->packet, 0, event->dumped);
}

/* The packet leaves the output stage; fills in the remaining members of *event. */
static void leave(struct router *router, uint64_t now_ps, struct router_event *event)
{
    const struct router_decision *decision = &router->decision;
    struct router_counters *counters = &router->counters;
    uint64_t cycle = router->tried_cycle;
    event->tried_ps = router_cycle_ps(router, cycle);
    event->at_ps = event->tried_ps;
    if (now_ps > event->tried_ps) {
        cycle = router_edge(router, now_ps);
        event->at_ps = router_cycle_ps(router, cycle);
    }
    const uint64_t waited = cycle - router->tried_cycle;
    event->refused = router->refused;
    count_packet(counters, &event->packet);
    if (decision->default_routed != 0) {
        counters->default_routed++;
    }
    if (waited != 0) {
        counters->wait_cycles += waited;
    }
    if (event->dropped) {
        dump(router, event);
    }
    router_diagnose(router, event, waited);
    router->next_issue_cycle = cycle + 1;
    router->stage = ROUTER_STAGE_EMPTY;
    router->first = (router->first + 1) % ROUTER_STAGES_MAX;
    if (--router->held > 0) {
        expect_first(router);
    } else {
        router_set_due(router, TIME_NEVER);
    }
    if (router->accept_ps == TIME_NEVER) { /* there is room again */
        router_plan_accept(router);
    }
}

/* Forwards the packet in the output stage; false: it stays. */
static bool forward(struct router *router, uint32_t free_outputs, uint64_t now_ps,
                    struct router_event *event)
{
    const uint32_t wanted = router->decision.outputs;
    const uint32_t blocked = wanted & ~free_outputs;
    struct copies copies = {.outputs = wanted, .reverting = router->decision.reverting};
    if (blocked != 0) {
        const bool over = waits_are_over(router, free_outputs, now_ps);
        copies = free_copies(router, &event->packet, free_outputs);
        if (copies.blocked != 0 && !over) {
            return false;
        }
    }
    event->outputs = copies.outputs;
    event->dumped = copies.blocked;
    event->dropped = copies.blocked != 0;
    event->emergency = copies.emergency;
    event->shared = copies.shared;
    event->reverting = (uint8_t)(copies.reverting & copies.outputs);
    if (wanted == 0) {
        router->counters.no_output++;
    }
    count_copies(&router->counters, event, blocked & ~copies.blocked);
    return true;
}

/* Whether the packet in the output stage stays in its first wait. */
static bool goes_on_waiting(const struct router *router, uint32_t free_outputs, uint64_t now_ps)
{
    return router->stage == ROUTER_STAGE_WAIT1 && (router->decision.outputs & ~free_outputs) != 0 &&
           now_ps < router_next_ps(router);
}

bool router_step(struct router *router, uint32_t free_outputs, uint64_t now_ps,
                 struct router_event *event)
{
    event->kind = ROUTER_EVENT_NONE;
    if (!router_can_step(router, now_ps) || goes_on_waiting(router, free_outputs, now_ps)) {
        return false;
    }
    *event =
        (struct router_event){.kind = ROUTER_EVENT_NONE, .packet = router->pipeline[router->first]};
    if (router->stage == ROUTER_STAGE_EMPTY) {
        router->tried_cycle = router->due_cycle;
        router->refused = 0;
        router->decision = router_decide(router, &event->packet);
        router->stage = ROUTER_STAGE_FULL;
    }
    event->kind = ROUTER_EVENT_ISSUED;
    switch ((enum router_action)router->decision.action) {
    case ROUTER_FORWARD:
        if (!forward(router, free_outputs, now_ps, event)) {
            event->kind = ROUTER_EVENT_NONE;
            return false;
        }
        break;
    case ROUTER_DROP:
        event->dropped = true;
        break;
    case ROUTER_DESTROY:
        router->counters.destroyed++;
        break;
    case ROUTER_PEEK:
        event->kind = ROUTER_EVENT_PEEK;
        router->counters.peeks++;
        break;
    case ROUTER_POKE:
        event->kind = ROUTER_EVENT_POKE;
        router->counters.pokes++;
        break;
    }
    leave(router, now_ps, event);
    return true;
}

uint64_t router_last_ps(const struct router *router)
{
    return router->next_issue_cycle == 0 ? 0
                                         : router_cycle_ps(router, router->next_issue_cycle - 1);
}

struct packet router_copy(const struct router_event *event, unsigned output)
{
    struct packet copy = event->packet;
    if (packet_has_emergency(&copy)) {
        enum packet_emergency emergency = PACKET_NORMAL;
        if (bits_test(event->emergency, output)) {
            emergency = PACKET_DIVERTED;
        } else if (bits_test(event->shared, output)) {
            emergency = PACKET_DIVERTED_SHARED;
        } else if (bits_test(event->reverting, output)) {
            emergency = PACKET_REVERTING;
        }
        copy.control = (uint8_t)((copy.control & ~0x30u) | (unsigned)emergency << 4);
        packet_seal(&copy);
    }
    return copy;
}

struct packet router_reply(const struct packet *request, bool ok, uint32_t data)
{
    CHECK(!packet_is_local(request), "peeks and pokes come by links");
    const bool peek = !packet_has_payload(request);
    struct packet reply = {
        .key = request->key | (ok ? REPLY_OK : REPLY_ERROR),
        .payload = peek ? data : 0,
        .control = (uint8_t)(PACKET_CONTROL_NN | (unsigned)request->arrival << NN_ROUTE |
                             (peek ? PACKET_CONTROL_PAYLOAD : 0)),
        .arrival = PACKET_LOCAL,
        .purpose = request->purpose,
    };
    packet_seal(&reply);
    return reply;
}
