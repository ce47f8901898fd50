/* router_decide.c - where a packet goes (SpiNNaker datasheet v2.02, 10.4 to 10.6).  See router.h.
 */
#include "models/network/router_internal.h"

enum {
    DEFAULT_STEP = 3, /* from the link of arrival to the one opposite */
    MISS_REVERTING_STEP = 2,
    REVERT_STEP = 5, /* one back, modulo 6 */
    FIXED_OUTPUTS = 0xffffff,
    NN_LINKS = 26,
    DIVERT_MONITOR = 1,
    DIVERT_DESTROY = 2
};

static uint32_t link_after(const struct packet *packet, unsigned step)
{
    return 1u << (packet->arrival + step) % PACKET_LINKS;
}

static struct router_decision to_outputs(uint32_t outputs)
{
    return (struct router_decision){.outputs = outputs, .action = ROUTER_FORWARD};
}

static struct router_decision drop(void)
{
    return (struct router_decision){.action = ROUTER_DROP};
}

/* To the monitor, if the register names an existing core. */
static struct router_decision to_monitor(const struct router *router)
{
    const uint32_t monitor = router_monitor(router);
    return monitor != 0 ? to_outputs(monitor) : drop();
}

/* A multicast packet without an entry. */
static struct router_decision by_default(const struct router *router, const struct packet *packet)
{
    if (packet_is_local(packet)) {
        return drop();
    }
    const unsigned diversion = router->diversion >> 2 * packet->arrival & 3;
    struct router_decision decision;
    if ((diversion & DIVERT_MONITOR) != 0) {
        decision = to_monitor(router);
    } else if (diversion == DIVERT_DESTROY) {
        decision = (struct router_decision){.action = ROUTER_DESTROY};
    } else {
        const bool reverting = packet_emergency(packet) == PACKET_REVERTING;
        decision = to_outputs(link_after(packet, reverting ? MISS_REVERTING_STEP : DEFAULT_STEP));
    }
    decision.default_routed = 1;
    return decision;
}

static struct router_decision normally(const struct router *router, const struct packet *packet)
{
    if (packet_type(packet) == PACKET_FR) {
        return to_outputs(router->fixed_route & FIXED_OUTPUTS);
    }
    const int entry = mc_table_lookup(&router->mc, packet->key);
    return entry == MC_TABLE_MISS ? by_default(router, packet)
                                  : to_outputs(router->mc.route[entry]);
}

/* Multicast and fixed route: a packet diverted round a blocked link turns back to its original
 * destination; one that represents two copies is routed here as well. */
static struct router_decision decide_emergency(const struct router *router,
                                               const struct packet *packet)
{
    const enum packet_emergency emergency = packet_emergency(packet);
    if (packet_is_local(packet) || emergency == PACKET_NORMAL || emergency == PACKET_REVERTING) {
        return normally(router, packet);
    }
    const uint32_t revert = link_after(packet, REVERT_STEP);
    struct router_decision decision = to_outputs(0);
    if (emergency == PACKET_DIVERTED_SHARED) {
        decision = normally(router, packet);
        decision.action = ROUTER_FORWARD; /* the diverted copy is forwarded in any case */
    }
    decision.outputs |= revert;
    decision.reverting = (uint8_t)revert;
    return decision;
}

static struct router_decision decide_p2p(const struct router *router, const struct packet *packet)
{
    const unsigned route = p2p_table_lookup(&router->p2p, (uint16_t)packet->key);
    if (route == P2P_ROUTE_MONITOR) {
        return to_monitor(router);
    }
    return route == P2P_ROUTE_DROP ? drop() : to_outputs(1u << route);
}

static struct router_decision decide_nn(const struct router *router, const struct packet *packet)
{
    if (packet_is_local(packet)) {
        const unsigned route = packet_nn_route(packet);
        switch (route) {
        case PACKET_NN_ALL_LINKS:
            return to_outputs(router->fixed_route >> NN_LINKS);
        case PACKET_NN_MONITOR:
            return to_monitor(router);
        default:
            return to_outputs(1u << route);
        }
    }
    if ((packet->control & PACKET_CONTROL_PEEK_POKE) == 0) {
        return to_monitor(router);
    }
    return (struct router_decision){.action =
                                        packet_has_payload(packet) ? ROUTER_POKE : ROUTER_PEEK};
}

struct router_decision router_decide(const struct router *router, const struct packet *packet)
{
    switch (packet_type(packet)) {
    case PACKET_P2P:
        return decide_p2p(router, packet);
    case PACKET_NN:
        return decide_nn(router, packet);
    case PACKET_MC:
    case PACKET_FR:
    default:
        return decide_emergency(router, packet);
    }
}
