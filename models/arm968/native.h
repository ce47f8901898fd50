/* native.h - translated code as the interpreter runs it.  Private to models/arm968. */
#pragma once
#include "models/arm968/block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* How a run of native code ended: what is left of its budget, and in `where` from bit 40 on why.
 * Addresses are as instructions have jumped to them, with all their bits; blocks have numbers of
 * the translation that the core names, as calls lead from one to another (`native_left`).
 * Generated code says the same, see prelude.h. */
struct native_result {
    int64_t budget;
    uint64_t where;
};

enum native_why {
    NATIVE_JUMP, /* to an address, bit 0 the state */
    NATIVE_EDGE, /* by an edge: block number in bits 0 to 31, edge in bit 32 */
    NATIVE_AT    /* before an instruction: block number, instruction in bits 32 to 39 */
};
enum { NATIVE_WHY_SHIFT = 40, NATIVE_HIGH_SHIFT = 32, NATIVE_HIGH_BITS = 8 };

/* Native code hands flags on as what they are made of: those of a - b or a + b, but for the ones
 * that have been set since and stand apart, in the core; the values are those of emit_flags.h. */
enum {
    NATIVE_FLAGS_EACH, /* all stand apart */
    NATIVE_FLAGS_SUBTRACTED,
    NATIVE_FLAGS_ADDED,
    NATIVE_FLAGS_MADE_OF = 3, /* bits that tell one of these */
    NATIVE_FLAGS_NZ_APART = 4,
    NATIVE_FLAGS_C_APART = 8
};
struct native_flags {
    uint32_t kind, a, b;
};

/* A word of the ports from native code, by an instruction that begins with this much of the budget
 * left: what the access takes off the budget beyond the instruction's own cycles, the budget having
 * become smaller included; NATIVE_REFUSED when it has not been made, and is the interpreter's. */
enum { NATIVE_REFUSED = -1 };
typedef int64_t native_access(struct arm968 *cpu, uint32_t address, uint32_t *datum, int64_t left,
                              uint32_t store);

/* What calls in one run of native code that is not optimised may take of the host's stack, but for
 * the last frame.  A guest function may call itself 9,000 times in a run (BLOCK_COUNTED_CYCLES),
 * and a frame of such code has some 12 bytes for each of its guest instructions; others have about
 * a hundred altogether, and are not limited. */
enum { NATIVE_STACK_BYTES = 1 << 20 };

typedef struct native_result native_function(struct arm968 *cpu, int32_t budget, uint32_t entry);

/* One loaded translation. */
struct native {
    struct native *next; /* of the same code */
    void *handle;        /* of the shared object */
    uint32_t load_base, load_size;
    struct block **blocks; /* by number; NULL for those that it only leads to */
    int block_count;
    struct native_entry *entries;
};

/* Stands in place of a block's operations: struct block, `entry`. */
struct native_entry {
    struct op op; /* OP_NATIVE */
    native_function *run;
    uint32_t number;
    _Atomic(uint32_t) short_runs; /* since the last long one */
    const struct native *native;
    uint32_t pc;   /* where it begins, bit 0 the state */
    int32_t needs; /* it can be run with a budget above this */
};

/* To go into native code and out again costs the host what this many guest cycles cost in the
 * interpreter; an entry that is left sooner this many times in a row is given up. */
enum { NATIVE_SHORT_CYCLES = 24, NATIVE_SHORT_RUNS = 256 };

/* Where the translated functions of a code begin, whichever translation they are in: native code
 * calls them by their addresses.  An address hashes to a slot, and is there or in the next. */
enum { NATIVE_ROOT_BITS = 12, NATIVE_ROOTS = 1 << NATIVE_ROOT_BITS };
enum { NATIVE_ROOT_SHIFT = 32 - NATIVE_ROOT_BITS };
static const uint32_t NATIVE_ROOT_MULTIPLIER = 0x9e3779b1u; /* 2^32 by the golden ratio */

struct native_roots {
    struct native_roots *next; /* of the same code */
    _Atomic(const struct native_entry *) slot[NATIVE_ROOTS + 1];
    uint32_t load_base, load_size; /* of all of them */
};

/* To be freed with free(); NULL: out of memory. */
struct native_roots *native_roots_create(uint32_t load_base, uint32_t load_size);

/* Adds one, which stays valid as long as the table is used; it may push another one out. */
void native_roots_add(struct native_roots *roots, const struct native_entry *entry);

/* Takes out the functions of a translation from a list of tables. */
void native_roots_remove(struct native_roots *list, const struct native *native);

void native_destroy(struct native *native);

C_LINKAGE_END
