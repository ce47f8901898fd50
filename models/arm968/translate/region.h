/* region.h - what is translated together: guest functions, each with the blocks that it reaches
 * without calls.  Private to models/arm968.  A block belongs to one function.  Control enters a
 * function only at its entries; all other blocks are reached from inside the function. */
#pragma once
#include "models/arm968/code.h"
#include "models/arm968/translate/leaving.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { REGION_NONE = -1, REGION_ROOT = 0 /* the number of a function's first entry */ };

struct region_block {
    struct block *block;
    int function;  /* REGION_NONE: left to the interpreter */
    int to[2];     /* target blocks of the edges; REGION_NONE: unknown */
    int return_to; /* of a call, also of a register's value: the block to which it returns */
    int first_case,
        cases;      /* of a jump by a table: possible targets, region->cases[first_case ..] */
    uint32_t lr;    /* of a call: return address, bit 0 the state */
    unsigned preds; /* edges from blocks of the same function */
    int entry;      /* number of the entry in its function, REGION_NONE: none */
    uint16_t dirty; /* registers that may have changed since the function was entered */
    int64_t needs;  /* cycles: the block can be entered with a budget above this ... */
    bool covers[2]; /* ... which is also enough for the block after this edge */
    enum leaving_how how;
    bool copied;     /* copied into a function that calls it: inline.c */
    bool comes_back; /* a copy whose last instruction is the return, by edge 1 */

    /* The block of a selection: its branch skips the first instructions of this other block, which
     * are computed whether the branch is taken or not; both edges then lead to the branch's target,
     * as edge 1 (selection.c).  NULL: no selection. */
    const struct block *selected;
    unsigned selected_insns;
};

struct region_function {
    int root;
    int first, count; /* its blocks in order of discovery: members[first ..] */
    int entries;
    unsigned insns;
    uint16_t used;    /* registers r0..r14 */
    uint16_t changed; /* by the function and everything it calls, until it returns */
    bool saturates;   /* sets Q */
    bool reads_code;  /* reads literals of the code memory that are counted */
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
    int *cases; /* block numbers; REGION_NONE: never taken */
    int case_count, case_capacity;
    int insns; /* of all functions */
};

/* ---- region.c ---- */

/* The number of a block in the region, to which it is added if necessary. */
int region_add_block(struct region *region, struct block *block);

/* Begins a function, to which blocks are then added until the next begins; returns its number. */
int region_new_function(struct region *region);
void region_add_member(struct region *region, int function, int index);

/* Adds a possible target of a jump by a table. */
void region_add_case(struct region *region, int index);

void region_free(struct region *region);

/* Resets the blocks' numbers (struct block, `region_index`); the caller holds the lock. */
void region_forget(struct region *region);

/* Whether a block, which may be REGION_NONE, is in one of its functions. */
bool region_knows(const struct region *region, int index);

/* The target of a block's call: of BL or, if known, of a jump to a register's value; NULL: no call,
 * or unknown. */
struct block *region_called(const struct region *region, int index);

/* Adds a copy of a block to the function that is being discovered. */
void region_add_copy(struct region *region, const struct region_block *copy);

/* Whether translated code can run a block at all: it has no stop, is no delay loop (these are
 * advanced arithmetically), and its counts fit into those of native code. */
bool region_can_hold(const struct block *block);

/* Whether an instruction of a block can be translated: all its operations are known, and no
 * operation that the interpreter may have to perform follows one that has changed a register. */
bool region_can_translate(const struct block *block, unsigned insn);
bool region_can_translate_all(const struct block *block);

/* ---- discovery.c and flow.c ---- */

/* Adds the function that begins with a block, and marks its entries.  The caller holds the code's
 * lock. */
void region_add_function(struct region *region, struct block *root);

/* To be called when all functions have been added: determines entries for edges between functions,
 * and the registers of functions. */
void region_finish(struct region *region);

/* ---- inline.c ----
 *
 * Copies short functions that call nothing into their callers. */

/* Copies the function that begins with `root` into a function, for a call with the return address
 * lr that returns to the block return_to.  The copies have no entries.  Returns the copy of the
 * root; REGION_NONE: the function is too long, or is more than a straight run to its end. */
int inline_function(struct region *region, int function, const struct block *root, uint32_t lr,
                    int return_to);

/* ---- selection.c ----
 *
 * Branches over a few instructions that only compute: Thumb code has them where ARM code has
 * conditional instructions.  Both outcomes are computed and one is selected, so that the host has
 * no branch to predict. */

/* Makes a selection of the instructions that a block's branch skips, if possible: sets `selected`
 * and the edges of struct region_block. */
void selection_find(struct region *region, int index);

/* The cycles of the selected instructions, and the registers r0..r14 that they write; 0 for a block
 * without a selection. */
int64_t selection_cycles(const struct region_block *block);
uint16_t selection_written(const struct region_block *block);

/* Whether a block may use the flags that hold at its entry, or hand flags on. */
bool selection_wants_flags(const struct block *block);

C_LINKAGE_END
