/* table_keys.h - part of tables.c: groups of words with the same targets, and their keys. */
#pragma once
#include "sim/dataflow/table_words.h"
#include "sim/dataflow/tables.h"
C_LINKAGE_BEGIN

/* A word that goes to other cores. */
struct dataflow_sent {
    uint32_t node, word;
    size_t first_target, targets; /* in dataflow_tables.target */
    uint32_t key;
};

struct dataflow_keys {
    struct dataflow_sent *sent; /* sorted by node and word */
    size_t count;
};

/* Sets groups, targets and counts of packets of the tables.  STATUS_INTERNAL when out of memory. */
enum status dataflow_keys_make(struct dataflow_keys *keys, const struct dataflow_uses *uses,
                               struct dataflow_tables *tables, struct diagnostic *diagnostic);
void dataflow_keys_deinit(struct dataflow_keys *keys);

/* The place of a node's first word that is sent, and of the next node's. */
size_t dataflow_keys_of(const struct dataflow_keys *keys, uint32_t node);

C_LINKAGE_END
