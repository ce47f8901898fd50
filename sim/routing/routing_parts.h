/* routing_parts.h - the steps of routing_make(), one file each.  Private to sim/routing. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/network/mc_table.h"
#include "models/network/packet.h"
#include "models/network/router.h"
#include "sim/routing/routing.h"
C_LINKAGE_BEGIN

/* Whether a key belongs to both blocks. */
static inline bool routing_overlap(uint32_t key_a, uint32_t mask_a, uint32_t key_b, uint32_t mask_b)
{
    return ((key_a ^ key_b) & mask_a & mask_b) == 0;
}

/* Whether block a contains every key of block b. */
static inline bool routing_contains(uint32_t key_a, uint32_t mask_a, uint32_t key_b,
                                    uint32_t mask_b)
{
    return (mask_a & ~mask_b) == 0 && ((key_a ^ key_b) & mask_a) == 0;
}

/* Assigns key and mask to the edges that are not `fixed`. */
enum status routing_assign_keys(struct routing *routing, struct diagnostic *diagnostic);

/* STATUS_CONFIGURATION where edges with given keys that overlap come to the same chip.  Needs the
 * trees. */
enum status routing_check_given(const struct routing *routing, const struct topology *topology,
                                struct diagnostic *diagnostic);

/* Finds the edges' trees. */
enum status routing_grow_trees(struct routing *routing, const struct topology *topology,
                               struct diagnostic *diagnostic);

/* Makes the chips' tables from the trees. */
enum status routing_fill_tables(struct routing *routing, const struct topology *topology,
                                struct diagnostic *diagnostic);

/* One edge's keys on one chip. */
struct routing_demand {
    struct routing_entry entry;
    bool straight; /* arrives by a link and leaves by the opposite one: default routing, needs no
                      entry */
};

/* Counting stops at this number of entries: such a table is far too large, and counting on costs
 * time. */
enum { ROUTING_COUNTED = 2 * MC_TABLE_ENTRIES };

/* Makes a shorter table that routes the keys of all demands in the same way; unused keys may be
 * routed anywhere.  `entry` has room for one entry for each demand.  Returns the number of entries;
 * ROUTING_COUNTED means that many or more, SIZE_MAX out of memory. */
size_t routing_compress(const struct routing_demand *demand, size_t count,
                        struct routing_entry *entry);

C_LINKAGE_END
