/* routing.h - from edges (a core that sends to a set of cores) to keys, trees and router tables.
 *
 * Each edge gets its own block of keys: a packet with one of these keys reaches every target of the
 * edge once, and no other core.  Trees consist of shortest paths over the working chips and links;
 * an edge may name a chip that they lead over.
 * Tables have no entry where a packet uses default routing (straight on), and are compressed if
 * they do not fit otherwise.  The result is deterministic, and checked by walking every edge
 * through the finished tables. */
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

/* Number of a purpose in machine_set_purposes(), where 0 means packets that belong to no edge. */
static inline unsigned routing_purpose_number(enum routing_purpose purpose)
{
    return (unsigned)purpose + 1;
}

struct routing_edge {
    const char *name; /* for messages: "conv1 map 2 of chip 0,0" */
    enum routing_purpose purpose;
    struct machine_core source;
    const struct machine_core *target; /* at least one; duplicates are ignored */
    size_t target_count;
    uint32_t keys; /* number of keys that the source uses, at least 1; ignored if `fixed` */
    bool turns;    /* paths lead over chip turn_x, turn_y; else any shortest paths will do */
    uint8_t turn_x, turn_y;
    bool fixed;         /* key and mask are given */
    uint32_t key, mask; /* of the block: the source uses key, key + 1, ... */
};

/* A growing list of edges, which owns their names and targets.  All zero: empty. */
struct routing_edges {
    struct routing_edge *edge;
    size_t count, room;
    bool lost; /* an edge was lost for lack of memory; routing_of() then fails */
};

/* Adds a copy of an edge, named by a printf format. */
void routing_edges_add(struct routing_edges *edges, struct routing_edge edge, const char *format,
                       ...) PRINTF_LIKE(3, 4);
void routing_edges_deinit(struct routing_edges *edges);

/* How one chip routes an edge's packets. */
struct routing_hop {
    uint32_t chip;   /* index in the topology */
    uint32_t route;  /* links in bits 0 to 5, cores in 6 to 23 */
    uint8_t arrival; /* link by which they arrive, or PACKET_LOCAL on the source's chip */
    uint8_t gap[3];
};

struct routing_tree {
    struct routing_hop *hop; /* the source's chip first, every chip after its parent */
    size_t count;
};

struct routing_entry {
    uint32_t key, mask, route;
};

/* A chip's multicast table, in the router's order: the first matching entry applies. */
struct routing_table {
    uint8_t x, y;
    struct routing_entry *entry;
    size_t count;
    size_t uncompressed; /* number of entries before compression */
};

/* Keys that are addresses (routing_add_addresses), by purpose. */
enum { ROUTING_SPACES = 2 };
struct routing_space {
    uint32_t key, mask; /* mask 0: there are none */
    enum routing_purpose purpose;
};

struct routing {
    struct routing_edge *edge; /* the given edges in their order, with key and mask; names and
                                  targets are copies, targets sorted by x, y, p */
    struct routing_tree *tree; /* [edge] */
    size_t edge_count;
    struct routing_table *table; /* one for each chip that has entries, in the topology's order */
    size_t table_count;
    struct routing_space addressed[ROUTING_SPACES];
};

/* Makes keys, trees and tables.  The edges are copied.  STATUS_CONFIGURATION when a core does not
 * exist, given keys overlap on a chip (the message names both edges), keys run out, or a table does
 * not fit even when compressed (the message names chip and entries).  A routing that is all zero is
 * empty.
 */
enum status routing_make(struct routing *routing, const struct topology *topology,
                         const struct routing_edge *edge, size_t edge_count,
                         struct diagnostic *diagnostic);
enum status routing_of(struct routing *routing, const struct topology *topology,
                       const struct routing_edges *edges, struct diagnostic *diagnostic);
void routing_deinit(struct routing *routing);

/* A core that any other may send to, by a key that names it. */
struct routing_address {
    struct machine_core core;
    uint32_t key; /* within core_mask */
};
struct routing_addresses {
    const struct routing_address *address; /* those of a chip one behind the other */
    size_t count;
    uint32_t core_mask; /* bits of a key that name the core; others are free */
    uint32_t chip_mask; /* those of them that its chip's cores have in common */
    struct routing_space space[ROUTING_SPACES];
};

/* Adds entries for these addresses to a routing, which may be empty: a packet takes a shortest path
 * to its receiver from any chip.  The routing is to be released even after a failure.
 * STATUS_CONFIGURATION when keys of an edge are addresses, or a table does not fit. */
enum status routing_add_addresses(struct routing *routing, const struct topology *topology,
                                  const struct routing_addresses *addresses,
                                  struct diagnostic *diagnostic);

/* Walks every edge's keys through the tables.  STATUS_INTERNAL, naming the edge and the chip,
 * unless they reach exactly the targets, each once. routing_make() calls this itself. */
enum status routing_check(const struct routing *routing, const struct topology *topology,
                          struct diagnostic *diagnostic);

/* Writes the tables into the machine's routers, from entry 0 on (later entries stay as they are),
 * and makes the machine count packets by purpose. */
enum status routing_write(const struct routing *routing, struct machine *machine,
                          struct diagnostic *diagnostic);

C_LINKAGE_END
