/* leaving.h - how control leaves a block at its last instruction, judged by the block alone.  The
 * results only affect speed: generated code compares every address to which it has jumped.  Private
 * to models/arm968. */
#pragma once
#include "models/arm968/code.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum leaving_how {
    LEAVES_BY_EDGES,         /* to the targets of its edges */
    LEAVES_CALLING,          /* likewise, and edge 1 is a call */
    LEAVES_CALLING_REGISTER, /* a call of a register's value, or of a loaded word */
    LEAVES_RETURNING,        /* to the link register's value at its entry, or to a popped one */
    LEAVES_JUMPING,          /* to another register's value: by a table, or to a function */
    LEAVES_OTHERWISE         /* by an exception or with another mode */
};

/* Where a jump by a table finds its target. */
enum leaving_table {
    TABLE_NONE,
    TABLE_OF_WORDS,   /* the words from `table` on are addresses, bit 0 the state */
    TABLE_OF_BRANCHES /* the instructions from `table` on are branches */
};

struct leaving {
    enum leaving_how how;
    bool by_link;     /* a return to the link register's value */
    bool keeps_state; /* a jump whose target's bit 0 does not select the state */
    uint32_t lr;      /* of a call: return address, bit 0 the state */
    enum leaving_table kind;
    uint32_t table;
    uint32_t last; /* index of the table's last entry; UINT32_MAX: not known */
};

/* `memory`: the bytes of the code memory at `base`, which may hold literals. */
struct leaving leaving_of(const struct block *block, const uint8_t *memory, uint32_t base);

/* Whether the last instruction jumps to an address that no edge gives, or leaves by an
 * exception. */
bool leaving_goes_indirectly(const struct block *block);

/* ---- starts of functions (leaving.c) ----
 *
 * Guesses where guest functions begin, and where jumps inside them lead.  They only affect
 * speed. */

/* Marks the blocks of a code that seem to begin a function (struct block, `begins_function`):
 * targets of calls, and blocks reached only by jumps to a register's value.  `memory`: the code
 * memory's bytes; the caller holds the code's lock. */
void functions_find(struct code *code, const uint8_t *memory);

/* The target of entry i of a block's table (`leaving`); NULL: it has not been run.  False: there is
 * no such entry. */
bool functions_case(struct code *code, const uint8_t *memory, const struct block *block,
                    const struct leaving *leaving, uint32_t i, struct block **to);

/* The last target of an indirect jump or call; NULL: not known. */
struct block *functions_last_target(const struct block *block);

C_LINKAGE_END
