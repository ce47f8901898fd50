/* counters.h - the counters of a block, declared once.
 * A block's NAME_counters.def has one row per counter: COUNTER(identifier, unit, help).  The rows
 * define the struct fields (plain uint64_t, incremented inline) and the table of names below.  A
 * counters struct has no other members, so it may be read as an array in the table's order. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct counter_info {
    const char *name; /* as in counters.csv */
    const char *unit; /* "instruction", "cycle", "byte", "ps", ... */
    const char *help;
};

#define COUNTER_FIELD(identifier, unit, help) uint64_t identifier;
#define COUNTER_INFO(identifier, unit, help)  {#identifier, unit, help},

/* Counter number `index` of a counters struct. */
static inline uint64_t counter_value(const void *counters, size_t index)
{
    uint64_t value;
    memcpy(&value, (const char *)counters + index * sizeof value, sizeof value);
    return value;
}
