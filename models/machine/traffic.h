/* traffic.h - what passes a chip's links and cores, by type of packet and by purpose.  Private to
 * models/machine.
 *
 * A multicast packet's purpose is found once, when its core has sent it, and travels with it. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "models/network/link.h"
#include "models/network/router.h"
C_LINKAGE_BEGIN

enum {
    TRAFFIC_CORES = MACHINE_TRAFFIC_CORES, /* the side of the cores, beside the links */
    TRAFFIC_SIDES,
    TRAFFIC_KINDS = MACHINE_PURPOSES + PACKET_TYPES - 1 /* multicast ones by purpose; others */
};

struct traffic_count {
    uint64_t sent, received, dropped, refused, busy_ps;
};

/* Plain state. */
struct traffic {
    struct traffic_count count[TRAFFIC_SIDES][TRAFFIC_KINDS];
};

static inline struct traffic_count *traffic_at(struct traffic *traffic, unsigned side,
                                               const struct packet *packet)
{
    const enum packet_type type = packet_type(packet);
    const unsigned kind =
        type == PACKET_MC ? packet->purpose : MACHINE_PURPOSES - 1 + (unsigned)type;
    return &traffic->count[side][kind];
}

/* A link has begun a packet. */
static inline void traffic_sent(struct traffic *traffic, unsigned link, const struct packet *packet,
                                const struct link_rate *rate)
{
    struct traffic_count *count = traffic_at(traffic, link, packet);
    count->sent++;
    count->busy_ps += packet_has_payload(packet) ? rate->long_ps : rate->short_ps;
}

/* The router has taken a packet from a side. */
static inline void traffic_received(struct traffic *traffic, unsigned side,
                                    const struct packet *packet)
{
    traffic_at(traffic, side, packet)->received++;
}

/* A packet has left the router: copies for cores, copies that were given up, and outputs that it
 * found blocked. */
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
    local->dropped += event->dropped && event->dumped == 0; /* it had nowhere to go */
    local->refused += bits_count(event->refused & ROUTER_CORE_OUTPUTS);
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        struct traffic_count *count = traffic_at(traffic, link, &event->packet);
        count->dropped += event->dumped >> link & 1;
        count->refused += event->refused >> link & 1;
    }
}

/* ---- purposes ---- */

/* Keys of known purpose: blocks that are ranges in the order of their keys, then the others. */
struct purposes {
    struct machine_purpose *list;
    size_t count, ranges;
};

/* Takes a list as machine_set_purposes() does, in place of the one before. */
enum status purposes_set(struct purposes *purposes, const struct machine_purpose *list,
                         size_t count);
void purposes_deinit(struct purposes *purposes);

/* What a multicast packet with a key is for; 0: nobody knows.  *hint, which may be any number, is
 * where the search begins; it becomes the place that was found: a core's next key is mostly there.
 */
unsigned purposes_find(const struct purposes *purposes, uint32_t key, uint32_t *hint);

C_LINKAGE_END
