/* routing.c - see routing.h. */
#include "sim/routing/routing.h"

#include "sim/routing/routing_parts.h"

#include <stdlib.h>
#include <string.h>

const char *routing_purpose_text(enum routing_purpose purpose)
{
    static const char *const TEXT[ROUTING_PURPOSES] = {"forward", "error", "gradient", "label",
                                                       "control"};
    return TEXT[purpose];
}

/* ---- edges ---- */

static bool has_core(const struct topology *topology, struct machine_core core)
{
    const int32_t chip = topology_find(topology, core.x, core.y);
    return chip != TOPOLOGY_NO_CHIP && core.p < TOPOLOGY_CORES &&
           (topology->chip[chip].cores >> core.p & 1) != 0;
}

static enum status check_core(const struct topology *topology, const struct routing_edge *edge,
                              struct machine_core core, struct diagnostic *diagnostic)
{
    return has_core(topology, core)
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the edge %s names core %u,%u,%u, which the machine does not have",
                          edge->name, core.x, core.y, core.p);
}

static enum status check_edge(const struct topology *topology, const struct routing_edge *edge,
                              struct diagnostic *diagnostic)
{
    if (edge->target_count == 0) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "the edge %s has no targets", edge->name);
    }
    if (edge->fixed && (edge->key & ~edge->mask) != 0) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "the edge %s can have no packets: key 0x%08x has bits that its mask 0x%08x "
                        "leaves open",
                        edge->name, edge->key, edge->mask);
    }
    if (!edge->fixed && edge->keys == 0) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "the edge %s has no keys", edge->name);
    }
    enum status status = check_core(topology, edge, edge->source, diagnostic);
    for (size_t i = 0; i < edge->target_count && status == STATUS_OK; i++) {
        status = check_core(topology, edge, edge->target[i], diagnostic);
    }
    return status;
}

static int compare_cores(const void *a, const void *b)
{
    const struct machine_core *first = a;
    const struct machine_core *second = b;
    const int x = first->x - second->x;
    const int y = first->y - second->y;
    return x != 0 ? x : y != 0 ? y : first->p - second->p;
}

/* Copies an edge; its targets sorted, each once.  False: out of memory. */
static bool copy_edge(struct routing_edge *to, const struct routing_edge *from)
{
    struct machine_core *target = calloc(from->target_count, sizeof *target);
    *to = *from;
    to->name = strdup(from->name);
    to->target = target;
    if (to->name == NULL || target == NULL) {
        return false;
    }
    memcpy(target, from->target, from->target_count * sizeof *target);
    qsort(target, from->target_count, sizeof *target, compare_cores);
    size_t count = 1;
    for (size_t i = 1; i < from->target_count; i++) {
        if (compare_cores(&target[i], &target[count - 1]) != 0) {
            target[count++] = target[i];
        }
    }
    to->target_count = count;
    return true;
}

static enum status take_edges(struct routing *routing, const struct topology *topology,
                              const struct routing_edge *edge, size_t count,
                              struct diagnostic *diagnostic)
{
    routing->edge = calloc(count, sizeof *routing->edge);
    routing->tree = calloc(count, sizeof *routing->tree);
    bool room = routing->edge != NULL && routing->tree != NULL;
    for (size_t i = 0; i < count && room; i++) {
        const enum status status = check_edge(topology, &edge[i], diagnostic);
        if (status != STATUS_OK) {
            return status;
        }
        routing->edge_count++;
        room = copy_edge(&routing->edge[i], &edge[i]);
    }
    return room ? STATUS_OK : diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}

/* ---- the whole ---- */

enum status routing_make(struct routing *routing, const struct topology *topology,
                         const struct routing_edge *edge, size_t edge_count,
                         struct diagnostic *diagnostic)
{
    *routing = (struct routing){0};
    if (edge_count == 0) {
        return STATUS_OK;
    }
    enum status status = take_edges(routing, topology, edge, edge_count, diagnostic);
    if (status == STATUS_OK) {
        status = routing_assign_keys(routing, diagnostic);
    }
    if (status == STATUS_OK) {
        status = routing_grow_trees(routing, topology, diagnostic);
    }
    if (status == STATUS_OK) {
        status = routing_fill_tables(routing, topology, diagnostic);
    }
    if (status == STATUS_OK) {
        status = routing_check(routing, topology, diagnostic);
    }
    if (status != STATUS_OK) {
        routing_deinit(routing);
    }
    return status;
}

void routing_deinit(struct routing *routing)
{
    for (size_t i = 0; i < routing->edge_count; i++) {
        free((char *)routing->edge[i].name);
        free((struct machine_core *)routing->edge[i].target);
        free(routing->tree[i].hop);
    }
    for (size_t i = 0; i < routing->table_count; i++) {
        free(routing->table[i].entry);
    }
    free(routing->edge);
    free(routing->tree);
    free(routing->table);
    *routing = (struct routing){0};
}

/* Lets the machine count packets by the purposes of their keys. */
static enum status write_purposes(const struct routing *routing, struct machine *machine)
{
    struct machine_purpose *list = calloc(routing->edge_count + 1, sizeof *list);
    if (list == NULL) {
        return STATUS_INTERNAL;
    }
    for (size_t i = 0; i < routing->edge_count; i++) {
        const struct routing_edge *edge = &routing->edge[i];
        list[i] =
            (struct machine_purpose){edge->key, edge->mask, routing_purpose_number(edge->purpose)};
    }
    const enum status status = machine_set_purposes(machine, list, routing->edge_count);
    free(list);
    return status;
}

enum status routing_write(const struct routing *routing, struct machine *machine,
                          struct diagnostic *diagnostic)
{
    if (routing->edge_count > 0 && write_purposes(routing, machine) != STATUS_OK) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < routing->table_count; i++) {
        const struct routing_table *table = &routing->table[i];
        for (size_t n = 0; n < table->count; n++) {
            const struct routing_entry *entry = &table->entry[n];
            if (machine_set_route(machine, table->x, table->y, (unsigned)n, entry->key, entry->mask,
                                  entry->route) != STATUS_OK) {
                return diagnose(diagnostic, STATUS_INTERNAL,
                                "entry %zu of the table for chip %u,%u finds no place", n, table->x,
                                table->y);
            }
        }
    }
    return STATUS_OK;
}
