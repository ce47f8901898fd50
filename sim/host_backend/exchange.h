/* exchange.h - sums of vectors over several processes of this computer (an all-reduce), in memory
 * that they share: each process adds up its segment of all vectors, in the order of the processes,
 * and then takes the others' segments (reduce-scatter, all-gather).  All get the same bits. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { EXCHANGE_MOST = 64 };

enum exchange_type { EXCHANGE_WORDS, EXCHANGE_FLOATS, EXCHANGE_DOUBLES };

struct exchange_memory;

/* What one process knows of it. */
struct exchange {
    unsigned rank, members;
    struct exchange_memory *memory; /* NULL: one member */
    size_t bytes;
    bool (*alone)(void *context); /* whether another process has gone */
    void *context;
};

/* Makes the memory, for vectors of at most `bytes` bytes, before the processes part.  Each then
 * sets rank, alone and context in its own copy. */
enum status exchange_init(struct exchange *exchange, unsigned members, size_t bytes,
                          struct diagnostic *diagnostic);
void exchange_deinit(struct exchange *exchange);

/* Replaces `values` by their sum over all members, who all call it with as many.  Words wrap.
 * STATUS_INTERNAL when a member has gone. */
enum status exchange_sum(const struct exchange *exchange, enum exchange_type type, void *values,
                         size_t count, struct diagnostic *diagnostic);

/* Adds a vector to another.  Words wrap. */
void exchange_add(enum exchange_type type, void *to, const void *more, size_t count);

/* For a member that cannot go on: the others' sums fail. */
void exchange_leave(const struct exchange *exchange);

/* The share of `count` things that a member has: from share_first(.., rank) to before
 * share_first(.., rank + 1). */
static inline uint32_t share_first(uint32_t count, unsigned members, unsigned rank)
{
    return (uint32_t)((uint64_t)count * rank / members);
}

C_LINKAGE_END
