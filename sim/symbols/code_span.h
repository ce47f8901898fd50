/* code_span.h - which of several entries of debug information describes an address.
 *
 * Linkers that discard a function leave its lines and frames in place, as if its code lay at
 * address 0.  So entries may have an address in common, and few of them are true. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Code from `first` to before `end`.  Of a function: by the symbol table, which gives its size;
 * both 0: there is none. */
struct code_span {
    uint32_t first, end;
};

static inline bool code_span_has(struct code_span span, uint32_t address)
{
    return address >= span.first && address < span.end;
}

/* How well an entry that begins at 0 or elsewhere describes an address that it has; at 0, `alone`
 * says that no other entry begins there. */
enum code_fit { CODE_FIT_NONE, CODE_FIT_GOOD, CODE_FIT_BEST };

static inline enum code_fit code_span_fit(struct code_span entry, struct code_span function,
                                          uint32_t address, bool alone)
{
    const bool known = function.end > function.first;
    const bool begins = known && entry.first == function.first;
    if (!code_span_has(entry, address)) {
        return CODE_FIT_NONE;
    }
    if (entry.first == 0 && !alone && !(begins && entry.end == function.end)) {
        return CODE_FIT_NONE;
    }
    return begins ? CODE_FIT_BEST : CODE_FIT_GOOD;
}
