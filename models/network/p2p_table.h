/* p2p_table.h - the point-to-point table of a router: three bits for each of 65,536 destinations,
 * eight in a word (SpiNNaker datasheet v2.02, 10.5).  Plain state: copying the struct saves it.
 * Zeros are a table that drops everything (the hardware's is undefined). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum {
    P2P_TABLE_WORDS = 8192,
    P2P_TABLE_WORD_BITS = 0xffffff,
    P2P_TABLE_EMPTY = 0xdb6db6, /* a word of eight drops */

    /* Routes of a destination, in addition to links 0 to 5. */
    P2P_ROUTE_DROP = 6,
    P2P_ROUTE_MONITOR = 7
};

struct p2p_table {
    uint32_t difference[P2P_TABLE_WORDS]; /* of each word from P2P_TABLE_EMPTY */
};

static inline uint32_t p2p_table_read(const struct p2p_table *table, unsigned word)
{
    return table->difference[word] ^ P2P_TABLE_EMPTY;
}

static inline void p2p_table_write(struct p2p_table *table, unsigned word, uint32_t value)
{
    table->difference[word] = (value & P2P_TABLE_WORD_BITS) ^ P2P_TABLE_EMPTY;
}

static inline void p2p_table_set(struct p2p_table *table, uint16_t destination, unsigned route)
{
    const unsigned at = 3 * (destination & 7u);
    const unsigned word = destination >> 3;
    p2p_table_write(table, word, (p2p_table_read(table, word) & ~(7u << at)) | (route & 7u) << at);
}

/* Hint that a destination will soon be looked up. */
static inline void p2p_table_prefetch(const struct p2p_table *table, uint16_t destination)
{
    PREFETCH(&table->difference[destination >> 3]);
}

static inline unsigned p2p_table_lookup(const struct p2p_table *table, uint16_t destination)
{
    return p2p_table_read(table, destination >> 3) >> 3 * (destination & 7) & 7;
}

C_LINKAGE_END
