/* mc_table.h - the multicast table of a router: 1,024 ternary entries, of which the lowest match
 * wins (SpiNNaker datasheet v2.02, 10.4).
 *
 * For each nibble of the key, and each of its values, the table also keeps the set of entries that
 * accept it; the intersection of eight such sets gives the entries that match a key.  A write
 * updates the sets of its entry at once, so lookups are always exact, including overlapping
 * entries.  Plain state: copying the struct saves it.  Zeros are a table of empty entries (the
 * hardware's are undefined): key all ones, mask 0. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum {
    MC_TABLE_ENTRIES = 1024,
    MC_TABLE_GROUPS = 16, /* of 64 entries: one word of a set */
    MC_TABLE_NIBBLES = 8,
    MC_TABLE_MISS = -1
};

struct mc_table {
    uint32_t route[MC_TABLE_ENTRIES]; /* 24 bits: links 5:0, cores 23:6 */
    uint32_t inverted_key[MC_TABLE_ENTRIES];
    uint32_t mask[MC_TABLE_ENTRIES];
    uint64_t can_match[MC_TABLE_GROUPS]; /* no key bit is set under a mask bit of 0 */
    /* Word `group` of the set of each nibble and value.  What lookups in the first group read, and
     * few tables have more, is 1 KiB. */
    uint64_t accept[MC_TABLE_GROUPS][MC_TABLE_NIBBLES][16];
};

/* entry < MC_TABLE_ENTRIES. */
void mc_table_write_route(struct mc_table *table, unsigned entry, uint32_t route);
void mc_table_write_key(struct mc_table *table, unsigned entry, uint32_t key);
void mc_table_write_mask(struct mc_table *table, unsigned entry, uint32_t mask);

/* The lowest matching entry, or MC_TABLE_MISS. */
int mc_table_lookup(const struct mc_table *table, uint32_t key);

C_LINKAGE_END
