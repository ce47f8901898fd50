/* traffic.h - packets through a chip's links and to its cores, by type of packet and by purpose.
 * Private to models/machine.  A multicast packet's purpose is looked up once, when its core has
 * sent it, and travels with the packet. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "models/network/link.h"
#include "models/network/router.h"
C_LINKAGE_BEGIN

enum {
    TRAFFIC_CORES = MACHINE_TRAFFIC_CORES, /* index of the cores, after the links */
    TRAFFIC_SIDES,
    TRAFFIC_KINDS =
        MACHINE_PURPOSES + PACKET_TYPES - 1 /* multicast by purpose, then the other types */
};

struct traffic_count {
    uint64_t sent, received, dropped, refused, busy_ps;
};

/* Plain state that may be copied. */
struct traffic {
    struct traffic_count count[TRAFFIC_KINDS][TRAFFIC_SIDES]; /* most packets are of one kind */
};

static inline struct traffic_count *traffic_at(struct traffic *traffic, unsigned side,
                                               const struct packet *packet)
{
    const enum packet_type type = packet_type(packet);
    const unsigned kind =
        type == PACKET_MC ? packet->purpose : MACHINE_PURPOSES - 1 + (unsigned)type;
    return &traffic->count[kind][side];
}

/* A link has begun a packet, which takes busy_ps. */
static inline void traffic_sent(struct traffic *traffic, unsigned link, const struct packet *packet,
                                uint64_t busy_ps)
{
    struct traffic_count *count = traffic_at(traffic, link, packet);
    count->sent++;
    count->busy_ps += busy_ps;
}

/* The router has taken a packet from a link or from a core. */
static inline void traffic_received(struct traffic *traffic, unsigned side,
                                    const struct packet *packet)
{
    traffic_at(traffic, side, packet)->received++;
}

/* A packet has left the router: counts copies to cores, dropped copies, and blocked outputs. */
static inline void traffic_issued(struct traffic *traffic, const struct router_event *event)
{
    const uint32_t cores = event->outputs & ~event->dumped & ROUTER_CORE_OUTPUTS;
    struct traffic_count *local = traffic_at(traffic, TRAFFIC_CORES, &event->packet);
    if (cores != 0) {
        local->sent += bits_count_few(cores);
    }
    if (!event->dropped && event->refused == 0) {
        return;
    }
    local->dropped += bits_count(event->dumped & ROUTER_CORE_OUTPUTS);
    local->dropped += event->dropped && event->dumped == 0; /* it had no output */
    local->refused += bits_count(event->refused & ROUTER_CORE_OUTPUTS);
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        struct traffic_count *count = traffic_at(traffic, link, &event->packet);
        count->dropped += event->dumped >> link & 1;
        count->refused += event->refused >> link & 1;
    }
}

/* ---- purposes ---- */

/* Keys with a purpose: first the blocks that are ranges, ordered by key, then the others. */
struct purposes {
    struct machine_purpose *list;
    size_t count, ranges;
};

/* Replaces the list; arguments as for machine_set_purposes(). */
enum status purposes_set(struct purposes *purposes, const struct machine_purpose *list,
                         size_t count);
void purposes_deinit(struct purposes *purposes);

/* The purpose of a multicast packet's key; 0: unknown.  The search begins at *hint, which may be
 * any number, and leaves the place found there: a core's next key is usually at the same place. */
unsigned purposes_find(const struct purposes *purposes, uint32_t key, uint32_t *hint);

C_LINKAGE_END
