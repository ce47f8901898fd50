/* emitter.h - what emit.c, emit_block.c and emit_edge.c share: the text of a region as far as it
 * has been written.  Functions are made of blocks (emit_block.c), which end with edges
 * (emit_edge.c). Private to emit*.c. */
#pragma once
#include "models/arm968/native.h"
#include "models/arm968/translate/emit.h"
#include "models/arm968/translate/emit_op.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* ---- what is owed (emit_counts.c) ----
 *
 * What generated code takes off its budget and adds to its counts.
 *
 * A block that is reached by one edge only takes over what the blocks before it owe, as constants,
 * and a loop of one block is counted by what it has taken off the budget: both settle up where
 * control leaves. */

/* More is not owed: counts have 16 bits. */
enum { EMIT_MOST_OWED_CYCLES = 500 };

struct emit_counts {
    int64_t cycles;
    struct block_counts counts; /* also of what is taken back: negative ones */
};

/* owed + an edge's. */
struct emit_counts emit_counts_with(const struct emit_counts *owed, const struct edge *edge);

/* What a conditional instruction takes back when its condition fails. */
struct emit_counts emit_counts_credit(const struct block_credit *credit);

/* The statements that settle them in the cases in which the local h<number> is 1, not 0. */
void emit_counts_add_if(struct text *text, const struct emit_counts *counts, unsigned number);

/* The statements that settle them. */
void emit_counts_add(struct text *text, const struct emit_counts *counts);

/* Those of the rounds of a loop, of which each took its cycles off the budget: the difference to
 * the local b<loop>. */
void emit_counts_add_rounds(struct text *text, const struct emit_counts *round, int loop);

/* ---- a region under way ---- */

/* A block whose place in the text has been decided, and what is known of the flags there. */
struct emit_block {
    struct emit_flags flags;
    struct emit_counts owed; /* by those before it */
    bool ready;              /* an edge to it has been emitted */
    bool emitted;
};

/* Flags of two outcomes: emit_flags_select(). */
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
    struct emit_block *blocks; /* by number in the region */
    int function;
    unsigned temporaries;
    int *stack; /* blocks to be emitted */
    int depth;
    struct emit_leave leave; /* of the function under way */
    /* the block under way */
    uint16_t dirty; /* registers that have changed since the function was entered */
    struct emit_accesses accesses;
    uint32_t asks; /* as in struct block; other cores may add to that meanwhile */
    struct emit_counts owed;
    int loop; /* its number when it is emitted as the body of a loop, else REGION_NONE */
    enum emit_flags_kind loop_kind;   /* of the flags where the body begins; EACH: there is none */
    struct text catch_up;             /* statements that settle what is owed */
    const struct emit_outcomes *late; /* flags that only ways out want; NULL: none */
};

static inline uint64_t emit_where(enum native_why why, uint32_t high, uint32_t low)
{
    return (uint64_t)why << NATIVE_WHY_SHIFT | (uint64_t)high << NATIVE_HIGH_SHIFT | low;
}

/* emit_prelude.c: adds the layout of a core as numbers, then prelude.h with the headers that it
 * includes. */
void emit_prelude(struct text *text);

/* emit_block.c */
void emit_block(struct emitter *emitter, int index);

/* emit_edge.c */

/* Makes the statements that settle what the block under way owes before its own way out. */
void emit_note_owed(struct emitter *emitter);

/* Puts registers, flags and counts into the core. */
void emit_store_state(const struct emitter *emitter, uint16_t registers,
                      const struct emit_flags *flags);

/* Whether a block is only begun with or returned to: its flags are in the core. */
bool emit_is_entered(const struct emitter *emitter, int block);

/* Leaves from the block under way. */
void emit_leave_here(struct emitter *emitter, const struct emit_flags *flags, uint64_t where);

/* By an edge of a block, or by a jump to a register's value. */
void emit_edge(struct emitter *emitter, int index, unsigned which, const struct emit_flags *flags);
void emit_jump(struct emitter *emitter, int index, const struct op *op, enum op_code code,
               const struct emit_flags *flags);

/* The flags at the beginning of a loop's body. */
struct emit_flags emit_loop_flags(enum emit_flags_kind kind, int index);

C_LINKAGE_END
