/* native.h - the interface between translated code and the interpreter.  Private to
 * models/arm968. */
#pragma once
#include "models/arm968/block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* How a run of native code ended: the remaining budget, and `where`, with the reason from bit 40
 * on.  Jump addresses keep all their bits.  Block numbers are those of the translation that the
 * core names in `native_left`, since calls lead from one translation to another.  Generated code
 * has the same layout, see prelude.h. */
struct native_result {
    int64_t budget;
    uint64_t where;
};

enum native_why {
    NATIVE_JUMP, /* to an address, bit 0 the state */
    NATIVE_EDGE, /* along an edge: block number in bits 0 to 31, edge in bit 32 */
    NATIVE_AT    /* before an instruction: block number, instruction in bits 32 to 39 */
};
enum { NATIVE_WHY_SHIFT = 40, NATIVE_HIGH_SHIFT = 32, NATIVE_HIGH_BITS = 8 };

/* Native code hands flags on as operands: the flags of a - b or a + b, except those set since,
 * which are kept separately in the core; the values are those of emit_flags.h. */
enum {
    NATIVE_FLAGS_EACH, /* all flags are kept separately */
    NATIVE_FLAGS_SUBTRACTED,
    NATIVE_FLAGS_ADDED,
    NATIVE_FLAGS_MADE_OF = 3, /* mask for the kinds above */
    NATIVE_FLAGS_NZ_APART = 4,
    NATIVE_FLAGS_C_APART = 8
};
struct native_flags {
    uint32_t kind, a, b;
};

/* Accesses a word through the ports for native code, by an instruction that begins with this
 * remaining budget.  Returns the reduction of the budget beyond the instruction's own cycles,
 * including a reduction of the budget itself; NATIVE_REFUSED: not performed, the interpreter must
 * do it. */
enum { NATIVE_REFUSED = -1 };
typedef int64_t native_access(struct arm968 *cpu, uint32_t address, uint32_t *datum, int64_t left,
                              uint32_t store);

/* The host stack, except for the last frame, that calls in one run of unoptimised native code may
 * use.  A guest function may call itself 9,000 times in a run (BLOCK_COUNTED_CYCLES), and a frame
 * of such code has some 12 bytes for each of its guest instructions.  Optimised frames have about a
 * hundred bytes altogether and are not limited. */
enum { NATIVE_STACK_BYTES = 1 << 20 };

typedef struct native_result native_function(struct arm968 *cpu, int32_t budget, uint32_t entry);

/* One loaded translation. */
struct native {
    struct native *next; /* in the list of the same code */
    void *handle;        /* of the shared object */
    uint32_t load_base, load_size;
    struct block **blocks; /* by number; NULL for blocks that are only jumped to */
    int block_count;
    struct native_entry *entries;
};

/* Replaces a block's operations: struct block, `entry`. */
struct native_entry {
    struct op op; /* OP_NATIVE */
    native_function *run;
    uint32_t number;
    _Atomic(uint32_t) short_runs; /* since the last long one */
    const struct native *native;
    uint32_t pc;   /* start address, bit 0 the state */
    int32_t needs; /* may be entered with a budget above this */
};

/* Entering and leaving native code costs the host as much as interpreting NATIVE_SHORT_CYCLES guest
 * cycles; an entry that is left sooner NATIVE_SHORT_RUNS times in a row is given up. */
enum { NATIVE_SHORT_CYCLES = 8, NATIVE_SHORT_RUNS = 256 };

/* A hash table of the translated functions of a code, in any of its translations: native code calls
 * them by address.  An address is in its slot or in the next one. */
enum { NATIVE_ROOT_BITS = 12, NATIVE_ROOTS = 1 << NATIVE_ROOT_BITS };
enum { NATIVE_ROOT_SHIFT = 32 - NATIVE_ROOT_BITS };
static const uint32_t NATIVE_ROOT_MULTIPLIER = 0x9e3779b1u; /* 2^32 by the golden ratio */

struct native_roots {
    struct native_roots *next; /* of the same code */
    _Atomic(const struct native_entry *) slot[NATIVE_ROOTS + 1];
    uint32_t load_base, load_size; /* common to all of them */
};

/* To be freed with free(); NULL: out of memory. */
struct native_roots *native_roots_create(uint32_t load_base, uint32_t load_size);

/* Adds an entry, which must stay valid while the table is used; may replace another entry. */
void native_roots_add(struct native_roots *roots, const struct native_entry *entry);

/* Removes the functions of a translation from a list of tables. */
void native_roots_remove(struct native_roots *list, const struct native *native);

void native_destroy(struct native *native);

C_LINKAGE_END
