/* tables.h - a folded graph as the cores' tables (workloads/dataflow/dataflow_table.h), and the
 * keys and targets of the packets between them.
 *
 * Words that go from a core to the same cores stand side by side in a group, whose keys are a
 * block: a route each.  Groups of control words are apart.  Words for the own core need no packet.
 */
#pragma once
#include "sim/dataflow/graph.h"
#include "workloads/dataflow/dataflow_table.h"
C_LINKAGE_BEGIN

#define DATAFLOW_FIRST_KEY 0x10000000u

/* One core's table. */
struct dataflow_table {
    uint32_t *word; /* a struct dataflow_head first; owned; NULL: the core has no node */
    size_t bytes;
};

/* Packets with the keys key, key + 1, ... from a core. */
struct dataflow_group {
    uint32_t source;
    size_t first_target, targets; /* in dataflow_tables.target: cores, in order */
    uint32_t key, keys;           /* aligned to the next power of two */
    bool control;                 /* without payload */
};

struct dataflow_tables {
    const struct dataflow_graph *graph; /* the caller's, as core_of */
    const uint32_t *core_of;
    uint32_t cores;
    struct dataflow_table *table; /* [cores] */
    struct dataflow_group *group;
    size_t groups;
    uint32_t *target;
    /* of a step; deliveries: one for each target core.  Before the first step each core sends one
     * packet more, and behind the last the sink none. */
    uint64_t packets, deliveries;
};

/* core_of[node] is below `cores` (fold.h).  seed: 0, or each core fires what is ready in an order
 * that is drawn.  STATUS_INTERNAL when out of memory. */
enum status dataflow_tables_make(const struct dataflow_graph *graph, const uint32_t *core_of,
                                 uint32_t cores, uint32_t seed, struct dataflow_tables *tables,
                                 struct diagnostic *diagnostic);
void dataflow_tables_deinit(struct dataflow_tables *tables);

/* Where words lie: in a core's table, at an offset in bytes. */
struct dataflow_at {
    uint32_t core, offset;
};
struct dataflow_at dataflow_tables_state(const struct dataflow_tables *tables, uint32_t variable);
struct dataflow_at dataflow_tables_machine(const struct dataflow_tables *tables, size_t machine);
struct dataflow_at dataflow_tables_answer(const struct dataflow_tables *tables);

C_LINKAGE_END
