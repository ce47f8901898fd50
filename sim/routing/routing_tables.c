/* routing_tables.c - the chips' tables of the edges' trees.  See routing_parts.h. */
#include "sim/routing/routing_parts.h"
#include "sim/steps.h"

#include <stdlib.h>

/* The demands on one chip's table. */
struct chip_demands {
    struct routing_demand *demand;
    size_t count, straight;
};

static bool goes_straight(const struct routing_hop *hop)
{
    return hop->arrival < TOPOLOGY_LINKS && hop->route == 1u << topology_opposite(hop->arrival);
}

static void count_demands(const struct routing *routing, struct chip_demands *chip)
{
    for (size_t e = 0; e < routing->edge_count; e++) {
        for (size_t h = 0; h < routing->tree[e].count; h++) {
            chip[routing->tree[e].hop[h].chip].count++;
        }
    }
}

/* Lists the demands of all chips in the edges' order. */
static void list_demands(const struct routing *routing, struct chip_demands *chip)
{
    for (size_t e = 0; e < routing->edge_count; e++) {
        const struct routing_edge *edge = &routing->edge[e];
        for (size_t h = 0; h < routing->tree[e].count; h++) {
            const struct routing_hop *hop = &routing->tree[e].hop[h];
            struct chip_demands *at = &chip[hop->chip];
            const bool straight = goes_straight(hop);
            at->demand[at->count++] = (struct routing_demand){
                .entry = {edge->key, edge->mask, hop->route}, .straight = straight};
            at->straight += straight;
        }
    }
}

static bool make_demands(const struct routing *routing, const struct topology *topology,
                         struct chip_demands *chip)
{
    count_demands(routing, chip);
    for (size_t i = 0; i < topology->count; i++) {
        if (chip[i].count > 0) {
            chip[i].demand = calloc(chip[i].count, sizeof *chip[i].demand);
            chip[i].count = chip[i].demand == NULL ? SIZE_MAX : 0;
        }
        if (chip[i].count != 0) {
            return false;
        }
    }
    list_demands(routing, chip);
    return true;
}

/* Makes one entry for each edge that does not go straight on. */
static void list_entries(const struct chip_demands *chip, struct routing_table *table)
{
    for (size_t i = 0; i < chip->count; i++) {
        if (!chip->demand[i].straight) {
            table->entry[table->count++] = chip->demand[i].entry;
        }
    }
}

static enum status make_table(const struct chip_demands *chip, struct routing_table *table,
                              struct diagnostic *diagnostic)
{
    table->uncompressed = chip->count - chip->straight;
    table->entry = calloc(chip->count, sizeof *table->entry);
    if (table->entry == NULL) {
        return no_memory(diagnostic);
    }
    if (table->uncompressed <= MC_TABLE_ENTRIES) {
        list_entries(chip, table);
        return STATUS_OK;
    }
    table->count = routing_compress(chip->demand, chip->count, table->entry);
    if (table->count == SIZE_MAX) {
        return no_memory(diagnostic);
    }
    if (table->count > MC_TABLE_ENTRIES) {
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION,
                     "the multicast table of chip %u,%u does not fit: %s%zu entries are needed, "
                     "%zu before compression, and a router has %d",
                     table->x, table->y, table->count == ROUTING_COUNTED ? "at least " : "",
                     table->count, table->uncompressed, MC_TABLE_ENTRIES);
        diagnostic_key(diagnostic, "mapping");
        diagnostic_hint(diagnostic, "fewer different sets of targets, or cores that send more to "
                                    "the same targets, need fewer entries");
        return status;
    }
    return STATUS_OK;
}

static enum status make_tables(struct routing *routing, const struct topology *topology,
                               const struct chip_demands *chip, struct diagnostic *diagnostic)
{
    routing->table = calloc(topology->count, sizeof *routing->table);
    if (routing->table == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; i < topology->count && status == STATUS_OK; i++) {
        if (chip[i].count > chip[i].straight) {
            struct routing_table *table = &routing->table[routing->table_count++];
            *table = (struct routing_table){.x = topology->chip[i].x, .y = topology->chip[i].y};
            status = make_table(&chip[i], table, diagnostic);
        }
    }
    return status;
}

enum status routing_fill_tables(struct routing *routing, const struct topology *topology,
                                struct diagnostic *diagnostic)
{
    struct chip_demands *chip = calloc(topology->count, sizeof *chip);
    const bool room = chip != NULL && make_demands(routing, topology, chip);
    const enum status status =
        room ? make_tables(routing, topology, chip, diagnostic) : no_memory(diagnostic);
    for (size_t i = 0; chip != NULL && i < topology->count; i++) {
        free(chip[i].demand);
    }
    free(chip);
    return status;
}
