/* emitter.h - state shared by emit.c, emit_block.c and emit_edge.c while they write the text of a
 * region.  Functions consist of blocks (emit_block.c), which end with edges (emit_edge.c).  Private
 * to emit*.c. */
#pragma once
#include "models/arm968/native.h"
#include "models/arm968/translate/emit.h"
#include "models/arm968/translate/emit_op.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* ---- owed cycles and counts (emit_counts.c) ----
 *
 * Generated code subtracts cycles from its budget and adds counts, but may owe them for a while.  A
 * block with only one edge to it takes over what the blocks before it owe, as constants; the counts
 * of a loop of one block are derived from the cycles it has subtracted.  Both are settled where
 * control leaves. */

/* Limit of owed cycles: counts have 16 bits. */
enum { EMIT_MOST_OWED_CYCLES = 500 };

struct emit_counts {
    int64_t cycles;
    struct block_counts counts; /* includes credits of failed conditions, which are negative */
};

/* The sum of `owed` and the counts of an edge. */
struct emit_counts emit_counts_with(const struct emit_counts *owed, const struct edge *edge);

/* Cycles and counts that a conditional instruction saves if its condition fails. */
struct emit_counts emit_counts_credit(const struct block_credit *credit);

/* Emits the statements that settle the counts if the local h<number> is 1, not 0. */
void emit_counts_add_if(struct text *text, const struct emit_counts *counts, unsigned number);

/* Emits the statements that settle the counts. */
void emit_counts_add(struct text *text, const struct emit_counts *counts);

/* Emits the statements that settle the counts of a loop whose rounds each subtracted their cycles
 * from the budget: the difference to the local b<loop>. */
void emit_counts_add_rounds(struct text *text, const struct emit_counts *round, int loop);

/* ---- a region under way ---- */

/* A block whose position in the text is decided, and what is known of its flags. */
struct emit_block {
    struct emit_flags flags;
    struct emit_counts owed; /* by the blocks before it */
    bool ready;              /* an edge to it has been emitted */
    bool emitted;
};

/* Flags of two outcomes: see emit_flags_select(). */
struct emit_outcomes {
    const struct emit_flags *flags, *then;
    const char *says;
    unsigned number;
};

struct emitter {
    struct text *text;
    const struct region *region;
    const struct emit_memory *memory;
    uint32_t code_base;
    struct emit_block *blocks; /* indexed by number in the region */
    int function;
    unsigned temporaries;
    int *stack; /* blocks to be emitted */
    int depth;
    struct emit_leave leave; /* exits of the current function */
    /* the current block */
    uint16_t dirty; /* registers that have changed since the function was entered */
    struct emit_accesses accesses;
    uint32_t asks; /* copy of the block's `asks`, to which other cores may add meanwhile */
    struct emit_counts owed;
    int loop; /* its number if it is emitted as the body of a loop, else REGION_NONE */
    enum emit_flags_kind loop_kind;   /* of the flags at the start of the body; EACH: not a loop */
    struct text catch_up;             /* statements that settle what is owed */
    const struct emit_outcomes *late; /* flags used only at exits; NULL: none */
};

static inline uint64_t emit_where(enum native_why why, uint32_t high, uint32_t low)
{
    return (uint64_t)why << NATIVE_WHY_SHIFT | (uint64_t)high << NATIVE_HIGH_SHIFT | low;
}

/* emit_prelude.c: adds the layout of a core as numbers, then prelude.h and the headers it
 * includes. */
void emit_prelude(struct text *text);

/* emit_block.c */
void emit_block(struct emitter *emitter, int index);

/* emit_edge.c */

/* Creates the statements that settle what the current block owes, before an exit of its own. */
void emit_note_owed(struct emitter *emitter);

/* Stores registers, flags and counts in the core. */
void emit_store_state(const struct emitter *emitter, uint16_t registers,
                      const struct emit_flags *flags);

/* Whether control reaches a block only by an entry or a return: its flags are in the core. */
bool emit_is_entered(const struct emitter *emitter, int block);

/* Leaves from the current block. */
void emit_leave_here(struct emitter *emitter, const struct emit_flags *flags, uint64_t where);

/* Emits an edge of a block, or a jump to a register's value. */
void emit_edge(struct emitter *emitter, int index, unsigned which, const struct emit_flags *flags);
void emit_jump(struct emitter *emitter, int index, const struct op *op, enum op_code code,
               const struct emit_flags *flags);

/* The flags at the beginning of a loop's body. */
struct emit_flags emit_loop_flags(enum emit_flags_kind kind, int index);

C_LINKAGE_END
