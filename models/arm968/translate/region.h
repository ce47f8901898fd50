/* region.h - what is translated together: guest functions, each the blocks that it reaches without
 * calls.  Private to models/arm968.
 *
 * A block belongs to one function.  Control enters a function at its entries only; everything else
 * inside it is reached from there. */
#pragma once
#include "models/arm968/code.h"
#include "models/arm968/translate/leaving.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { REGION_NONE = -1, REGION_ROOT = 0 /* the number of a function's first entry */ };

struct region_block {
    struct block *block;
    int function;  /* REGION_NONE: left to the interpreter */
    int to[2];     /* blocks behind the edges; REGION_NONE: unknown */
    int return_to; /* of a call, also to a register's value: where it returns to */
    int first_case,
        cases;      /* of a jump by a table: where it may lead, region->cases[first_case ..] */
    uint32_t lr;    /* of a call: the return address, bit 0 the state */
    unsigned preds; /* edges from blocks of the same function */
    int entry;      /* number of the entry in its function, REGION_NONE: none */
    uint16_t dirty; /* registers that may have changed since the function was entered */
    int64_t needs;  /* cycles: it can be begun with a budget above this ... */
    bool covers[2]; /* ... which is enough for the block behind this edge, too */
    enum leaving_how how;
    bool copied;     /* into a function that calls it: inline.c */
    bool comes_back; /* a copy whose last instruction is the return, by edge 1 */

    /* Its branch leads over the first instructions of another block, which are computed whether it
     * is taken or not; both edges lead to where it leads to then, as edge 1 (selection.c).  NULL:
     * nothing. */
    const struct block *selected;
    unsigned selected_insns;
};

struct region_function {
    int root;
    int first, count; /* its blocks in order of discovery: members[first ..] */
    int entries;
    unsigned insns;
    uint16_t used;    /* registers r0..r14 */
    uint16_t changed; /* by it and all that it calls, until it comes back */
    bool saturates;   /* sets Q */
    bool reads_code;  /* literals of the code memory are counted */
};

struct region {
    struct code *code;
    const uint8_t *memory;
    struct region_block *blocks;
    int block_count, block_capacity;
    struct region_function *functions;
    int function_count, function_capacity;
    int *members;
    int member_count, member_capacity;
    int *cases; /* blocks; REGION_NONE never */
    int case_count, case_capacity;
    int insns; /* of all functions */
};

/* Adds the function that begins with a block, and marks where it can be entered.  The caller holds
 * the code's lock. */
void region_add_function(struct region *region, struct block *root);

/* When all functions are there: entries for edges between functions, registers. */
void region_finish(struct region *region);
void region_free(struct region *region);

/* Gives the blocks' numbers back (struct block, `region_index`); the caller holds the lock. */
void region_forget(struct region *region);

/* Whether a block, which may be REGION_NONE, is in one of its functions. */
bool region_knows(const struct region *region, int index);

/* What a block calls, by a BL or, as far as that is known, by a jump to a register's value; NULL:
 * nothing, or something unknown. */
struct block *region_called(const struct region *region, int index);

/* Adds a copy of a block to the function that is being discovered. */
void region_add_copy(struct region *region, const struct region_block *copy);

/* Whether translated code can run a block at all: no stop stands there, and it is no delay loop,
 * which is advanced arithmetically, and its counts are no more than native code can keep. */
bool region_can_hold(const struct block *block);

/* Whether an instruction of a block can be translated: all its operations are known, and none that
 * may have to be done by the interpreter follows one that has changed a register. */
bool region_can_translate(const struct block *block, unsigned insn);
bool region_can_translate_all(const struct block *block);

/* ---- inline.c ----
 *
 * Short functions that call nothing, as part of those that call them. */

/* Copies the function that begins with `root` into a function, for a call with the return address
 * lr that comes back to the block return_to.  The copies have no entries.  Returns the copy of the
 * root; REGION_NONE: it is too long, or does something else than to run to its end. */
int inline_function(struct region *region, int function, const struct block *root, uint32_t lr,
                    int return_to);

/* ---- selection.c ----
 *
 * Branches over a few instructions that only compute: Thumb code has them where ARM
 * code has conditional instructions.
 *
 * Both outcomes are computed, and selected from, so that the host has no branch to guess. */

/* Makes a selection of what a block's branch leads over, if it can be one: `selected` and the edges
 * of struct region_block. */
void selection_find(struct region *region, int index);

/* What the selected instructions take, and registers r0..r14 that they write; of a block without
 * any: 0. */
int64_t selection_cycles(const struct region_block *block);
uint16_t selection_written(const struct region_block *block);

/* Whether a block may ask for the flags that it begins with, or leave them to others. */
bool selection_wants_flags(const struct block *block);

C_LINKAGE_END
