/* mc_table.c - see mc_table.h. */
#include "models/network/mc_table.h"

#include "models/common/bits.h"

enum { GROUP_ENTRIES = 64, NIBBLE_BITS = 4, NIBBLE_VALUES = 16, ROUTE_BITS = 0xffffff };

/* Updates the sets of one entry.  The sets of an entry that cannot match are left as they are,
 * since lookups ignore them. */
static void update(struct mc_table *table, unsigned entry)
{
    const unsigned group = entry / GROUP_ENTRIES;
    const uint64_t bit = UINT64_C(1) << entry % GROUP_ENTRIES;
    const uint32_t key = ~table->inverted_key[entry];
    const uint32_t mask = table->mask[entry];
    if ((key & ~mask) != 0) {
        table->can_match[group] &= ~bit;
        return;
    }
    table->can_match[group] |= bit;
    for (unsigned nibble = 0; nibble < MC_TABLE_NIBBLES; nibble++) {
        const uint32_t wanted = key >> nibble * NIBBLE_BITS & (NIBBLE_VALUES - 1);
        const uint32_t care = mask >> nibble * NIBBLE_BITS & (NIBBLE_VALUES - 1);
        for (uint32_t value = 0; value < NIBBLE_VALUES; value++) {
            uint64_t *set = &table->accept[group][nibble][value];
            *set = (value & care) == wanted ? *set | bit : *set & ~bit;
        }
    }
}

void mc_table_write_route(struct mc_table *table, unsigned entry, uint32_t route)
{
    table->route[entry] = route & ROUTE_BITS;
}

void mc_table_write_key(struct mc_table *table, unsigned entry, uint32_t key)
{
    table->inverted_key[entry] = ~key;
    update(table, entry);
}

void mc_table_write_mask(struct mc_table *table, unsigned entry, uint32_t mask)
{
    table->mask[entry] = mask;
    update(table, entry);
}

int mc_table_lookup(const struct mc_table *table, uint32_t key)
{
    for (unsigned group = 0; group < MC_TABLE_GROUPS; group++) {
        uint64_t match = table->can_match[group];
        for (unsigned nibble = 0; nibble < MC_TABLE_NIBBLES && match != 0; nibble++) {
            match &=
                table->accept[group][nibble][key >> nibble * NIBBLE_BITS & (NIBBLE_VALUES - 1)];
        }
        if (match != 0) {
            return (int)(group * GROUP_ENTRIES + bits_lowest64(match));
        }
    }
    return MC_TABLE_MISS;
}
