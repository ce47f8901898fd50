/* routing.c - see routing.h. */
#include "sim/routing/routing.h"

#include "sim/routing/routing_parts.h"
#include "sim/steps.h"

#include <stdarg.h>
#include <stdio.h>
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
    if (edge->turns && topology_find(topology, edge->turn_x, edge->turn_y) == TOPOLOGY_NO_CHIP) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "the edge %s turns at chip %u,%u, which the machine does not have",
                        edge->name, edge->turn_x, edge->turn_y);
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

/* Copies an edge; the copy takes ownership of `name`.  False: out of memory. */
static bool copy_edge(struct routing_edge *to, const struct routing_edge *from, char *name)
{
    struct machine_core *target = calloc(from->target_count + 1, sizeof *target);
    *to = *from;
    to->name = name;
    to->target = target;
    if (target != NULL && from->target_count > 0) {
        memcpy(target, from->target, from->target_count * sizeof *target);
    }
    return name != NULL && target != NULL;
}

static void free_edge(const struct routing_edge *edge)
{
    free((char *)edge->name);
    free((struct machine_core *)edge->target);
}

void routing_edges_add(struct routing_edges *edges, struct routing_edge edge, const char *format,
                       ...)
{
    char *name = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&name, format, arguments);
    va_end(arguments);
    if (edges->count == edges->room) {
        const size_t room = 2 * edges->room + 64;
        struct routing_edge *more = realloc(edges->edge, room * sizeof *more);
        edges->edge = more == NULL ? edges->edge : more;
        edges->room = more == NULL ? edges->room : room;
    }
    if (length < 0 || edges->count == edges->room) {
        free(length < 0 ? NULL : name);
        edges->lost = true;
        return;
    }
    edges->lost = !copy_edge(&edges->edge[edges->count++], &edge, name) || edges->lost;
}

void routing_edges_deinit(struct routing_edges *edges)
{
    for (size_t i = 0; i < edges->count; i++) {
        free_edge(&edges->edge[i]);
    }
    free(edges->edge);
    *edges = (struct routing_edges){0};
}

/* Copies an edge that has targets, sorted and without duplicates.  False: out of memory. */
static bool take_edge(struct routing_edge *to, const struct routing_edge *from)
{
    if (!copy_edge(to, from, strdup(from->name))) {
        return false;
    }
    struct machine_core *target = (struct machine_core *)to->target;
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
        room = take_edge(&routing->edge[i], &edge[i]);
    }
    return room ? STATUS_OK : no_memory(diagnostic);
}

/* ---- the whole ---- */

static enum status make(struct routing *routing, const struct topology *topology,
                        const struct routing_edge *edge, size_t edge_count,
                        struct diagnostic *diagnostic)
{
    TRY(take_edges(routing, topology, edge, edge_count, diagnostic));
    TRY(routing_assign_keys(routing, diagnostic));
    TRY(routing_grow_trees(routing, topology, diagnostic));
    TRY(routing_check_given(routing, topology, diagnostic));
    TRY(routing_fill_tables(routing, topology, diagnostic));
    return routing_check(routing, topology, diagnostic);
}

enum status routing_make(struct routing *routing, const struct topology *topology,
                         const struct routing_edge *edge, size_t edge_count,
                         struct diagnostic *diagnostic)
{
    *routing = (struct routing){0};
    const enum status status =
        edge_count == 0 ? STATUS_OK : make(routing, topology, edge, edge_count, diagnostic);
    if (status != STATUS_OK) {
        routing_deinit(routing);
    }
    return status;
}

enum status routing_of(struct routing *routing, const struct topology *topology,
                       const struct routing_edges *edges, struct diagnostic *diagnostic)
{
    return edges->lost ? no_memory(diagnostic)
                       : routing_make(routing, topology, edges->edge, edges->count, diagnostic);
}

void routing_deinit(struct routing *routing)
{
    for (size_t i = 0; i < routing->edge_count; i++) {
        free_edge(&routing->edge[i]);
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

/* Makes the machine count packets by the purposes of their keys. */
static enum status write_purposes(const struct routing *routing, struct machine *machine)
{
    struct machine_purpose *list = calloc(routing->edge_count + ROUTING_SPACES, sizeof *list);
    size_t count = 0;
    if (list == NULL) {
        return STATUS_INTERNAL;
    }
    for (size_t i = 0; i < routing->edge_count; i++) {
        const struct routing_edge *edge = &routing->edge[i];
        list[count++] =
            (struct machine_purpose){edge->key, edge->mask, routing_purpose_number(edge->purpose)};
    }
    for (size_t i = 0; i < ROUTING_SPACES && routing->addressed[i].mask != 0; i++) {
        const struct routing_space *space = &routing->addressed[i];
        list[count++] = (struct machine_purpose){space->key, space->mask,
                                                 routing_purpose_number(space->purpose)};
    }
    const enum status status = machine_set_purposes(machine, list, count);
    free(list);
    return status;
}

enum status routing_write(const struct routing *routing, struct machine *machine,
                          struct diagnostic *diagnostic)
{
    if ((routing->edge_count > 0 || routing->addressed[0].mask != 0) &&
        write_purposes(routing, machine) != STATUS_OK) {
        return no_memory(diagnostic);
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
