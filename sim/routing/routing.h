/* routing.h - from edges (a core that sends to a set of cores) to keys, trees and router tables.
 *
 * Each edge gets a block of keys that no other edge has: a packet with any of them reaches every
 * target once and nobody else.  The trees are shortest ways on the machine's true topology, so
 * broken chips and links are avoided.  Tables have no entry where a packet goes straight on, and
 * are compressed where they would not fit.  All of it is deterministic, and checked by walking the
 * finished tables. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/machine/machine.h"
C_LINKAGE_BEGIN

/* What packets are for: a column of traffic.csv and keys.csv. */
enum routing_purpose {
    ROUTING_FORWARD,
    ROUTING_ERROR,
    ROUTING_GRADIENT,
    ROUTING_LABEL,
    ROUTING_CONTROL,
    ROUTING_PURPOSES
};
const char *routing_purpose_text(enum routing_purpose purpose);

/* Its number in machine_set_purposes(), where 0 is the packets of no edge. */
static inline unsigned routing_purpose_number(enum routing_purpose purpose)
{
    return (unsigned)purpose + 1;
}

struct routing_edge {
    const char *name; /* for messages: "conv1 map 2 of chip 0,0" */
    enum routing_purpose purpose;
    struct machine_core source;
    const struct machine_core *target; /* at least one; naming one twice is naming it once */
    size_t target_count;
    uint32_t keys;      /* how many the source uses, at least 1; not looked at when `fixed` */
    bool fixed;         /* key and mask are given */
    uint32_t key, mask; /* of the block: source keys are key, key + 1, ... of those under mask */
};

/* Edges that are being collected: their names and targets are its own.  All zero: none. */
struct routing_edges {
    struct routing_edge *edge;
    size_t count, room;
    bool lost; /* one, for want of memory: they make no routing */
};

/* Adds a copy of an edge, with a name (printf format). */
void routing_edges_add(struct routing_edges *edges, struct routing_edge edge, const char *format,
                       ...) PRINTF_LIKE(3, 4);
void routing_edges_deinit(struct routing_edges *edges);

/* What one chip does with an edge's packets. */
struct routing_hop {
    uint32_t chip;   /* index in the topology */
    uint32_t route;  /* links in bits 0 to 5, cores in 6 to 23 */
    uint8_t arrival; /* link they come by, or PACKET_LOCAL on the source's chip */
    uint8_t gap[3];
};

struct routing_tree {
    struct routing_hop *hop; /* the source's chip first, each chip after the one before it */
    size_t count;
};

struct routing_entry {
    uint32_t key, mask, route;
};

/* A chip's multicast table, in the order of the router: the first entry that matches counts. */
struct routing_table {
    uint8_t x, y;
    struct routing_entry *entry;
    size_t count;
    size_t uncompressed; /* entries it would have had */
};

struct routing {
    struct routing_edge *edge; /* as given, in that order, with key and mask; texts and targets are
                                  copies, targets in the order of x, y, p */
    struct routing_tree *tree; /* beside the edges */
    size_t edge_count;
    struct routing_table *table; /* of the chips that have entries, in the topology's order */
    size_t table_count;
};

/* Makes all of it.  The edges may go away afterwards.  STATUS_CONFIGURATION when a core does not
 * exist, given keys overlap (the message names both edges), keys run out, or a table does not fit
 * even compressed (the message names chip and entries).  A routing that is all zero is an empty
 * one. */
enum status routing_make(struct routing *routing, const struct topology *topology,
                         const struct routing_edge *edge, size_t edge_count,
                         struct diagnostic *diagnostic);
enum status routing_of(struct routing *routing, const struct topology *topology,
                       const struct routing_edges *edges, struct diagnostic *diagnostic);
void routing_deinit(struct routing *routing);

/* Walks every edge's keys through the tables: STATUS_INTERNAL, with the edge and the chip, unless
 * they reach exactly the targets, each once.  routing_make() has done so. */
enum status routing_check(const struct routing *routing, const struct topology *topology,
                          struct diagnostic *diagnostic);

/* Puts the tables into the machine's routers, from entry 0 on (entries behind them stay), and lets
 * it count packets by purpose. */
enum status routing_write(const struct routing *routing, struct machine *machine,
                          struct diagnostic *diagnostic);

C_LINKAGE_END
