/* routing_addresses.c - keys that name their receiver, whoever sends: on each chip an entry for
 * every other chip with receivers, which leads one link nearer, and one for each of its own.
 *
 * Where several links lead nearer, chips take different ones, so that packets from many chips to
 * one spread.  All packets from one core to another take the same way, and stay in order. */
#include "sim/routing/routing_parts.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

struct finder {
    const struct topology *topology;
    uint32_t *distance; /* [chip]: links to the receiver's chip */
    uint32_t *queue;
};

static void measure(struct finder *finder, uint32_t to)
{
    const struct topology *topology = finder->topology;
    size_t first = 0;
    size_t end = 0;
    for (size_t i = 0; i < topology->count; i++) {
        finder->distance[i] = UINT32_MAX;
    }
    finder->distance[to] = 0;
    finder->queue[end++] = to;
    while (first < end) {
        const uint32_t at = finder->queue[first++];
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            const int32_t next = topology->chip[at].neighbour[link];
            if (next != TOPOLOGY_NO_CHIP && finder->distance[next] == UINT32_MAX) {
                finder->distance[next] = finder->distance[at] + 1;
                finder->queue[end++] = (uint32_t)next;
            }
        }
    }
}

/* The link by which packets leave a chip; `turn` chooses among those that lead nearer. */
static unsigned way_of(const struct finder *finder, uint32_t chip, size_t turn)
{
    unsigned link[TOPOLOGY_LINKS];
    size_t count = 0;
    for (unsigned i = 0; i < TOPOLOGY_LINKS; i++) {
        const int32_t next = finder->topology->chip[chip].neighbour[i];
        if (next != TOPOLOGY_NO_CHIP && finder->distance[next] + 1 == finder->distance[chip]) {
            link[count++] = i;
        }
    }
    return link[turn % count];
}

/* The table of a chip with room for `more` entries; NULL: out of memory. */
static struct routing_table *grow_table(struct routing_table *table, size_t more)
{
    struct routing_entry *entry =
        realloc(table->entry, (table->count + more) * sizeof *table->entry);
    if (entry == NULL) {
        return NULL;
    }
    table->entry = entry;
    return table;
}

/* One table for each chip, in the topology's order: the existing ones, empty ones for others. */
static struct routing_table *all_tables(const struct routing *routing,
                                        const struct topology *topology)
{
    struct routing_table *all = calloc(topology->count, sizeof *all);
    size_t next = 0;
    for (size_t i = 0; i < topology->count && all != NULL; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        if (next < routing->table_count && routing->table[next].x == chip->x &&
            routing->table[next].y == chip->y) {
            all[i] = routing->table[next++];
        } else {
            all[i] = (struct routing_table){.x = chip->x, .y = chip->y};
        }
    }
    return all;
}

static void add_entry(struct routing_table *table, uint32_t key, uint32_t mask, uint32_t route)
{
    table->entry[table->count++] = (struct routing_entry){key, mask, route};
    table->uncompressed++;
}

/* Adds the entries for the addresses first to first + count - 1, which are on one chip. */
static bool add_chip(struct routing *routing, struct finder *finder,
                     const struct routing_addresses *addresses, size_t first, size_t count)
{
    const struct routing_address *address = &addresses->address[first];
    const int32_t to = topology_find(finder->topology, address->core.x, address->core.y);
    measure(finder, (uint32_t)to);
    for (uint32_t i = 0; i < finder->topology->count; i++) {
        const bool here = i == (uint32_t)to;
        struct routing_table *table = grow_table(&routing->table[i], here ? count : 1);
        if (table == NULL) {
            return false;
        }
        if (!here) {
            add_entry(table, address->key & addresses->chip_mask, addresses->chip_mask,
                      1u << way_of(finder, i, first + i));
        }
        for (size_t n = 0; n < count && here; n++) {
            add_entry(table, address[n].key, addresses->core_mask,
                      1u << (ROUTER_FIRST_CORE + address[n].core.p));
        }
    }
    return true;
}

static bool same_chip(const struct routing_address *a, const struct routing_address *b)
{
    return a->core.x == b->core.x && a->core.y == b->core.y;
}

/* Keys of edges come first in the tables: none may be an address. */
static enum status check_keys(const struct routing *routing,
                              const struct routing_addresses *addresses,
                              struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < routing->edge_count; i++) {
        const struct routing_edge *edge = &routing->edge[i];
        for (size_t n = 0; n < addresses->count; n++) {
            if (routing_overlap(edge->key, edge->mask, addresses->address[n].key,
                                addresses->core_mask)) {
                return diagnose(diagnostic, STATUS_CONFIGURATION,
                                "keys of the edge %s are addresses of a core", edge->name);
            }
        }
    }
    return STATUS_OK;
}

static enum status check_room(const struct routing *routing, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < routing->table_count; i++) {
        const struct routing_table *table = &routing->table[i];
        if (table->count > MC_TABLE_ENTRIES) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "the multicast table of chip %u,%u does not fit: %zu entries, and a "
                            "router has %d",
                            table->x, table->y, table->count, MC_TABLE_ENTRIES);
        }
    }
    return STATUS_OK;
}

enum status routing_add_addresses(struct routing *routing, const struct topology *topology,
                                  const struct routing_addresses *addresses,
                                  struct diagnostic *diagnostic)
{
    struct finder finder = {.topology = topology,
                            .distance = calloc(topology->count, sizeof(uint32_t)),
                            .queue = calloc(topology->count, sizeof(uint32_t))};
    struct routing_table *tables = all_tables(routing, topology);
    enum status status = check_keys(routing, addresses, diagnostic);
    bool room = finder.distance != NULL && finder.queue != NULL && tables != NULL;
    if (tables != NULL) {
        free(routing->table);
        routing->table = tables;
        routing->table_count = topology->count;
    }
    for (size_t first = 0; first < addresses->count && room && status == STATUS_OK;) {
        const struct routing_address *address = &addresses->address[first];
        size_t count = 1;
        while (first + count < addresses->count && same_chip(address, address + count)) {
            count++;
        }
        room = add_chip(routing, &finder, addresses, first, count);
        first += count;
    }
    memcpy(routing->addressed, addresses->space, sizeof routing->addressed);
    free(finder.distance);
    free(finder.queue);
    return status != STATUS_OK ? status
           : !room             ? no_memory(diagnostic)
                               : check_room(routing, diagnostic);
}
