/* leaving.h - how a block is left by its last instruction, as far as the block itself tells.  What
 * is said here decides speed only: generated code compares every address that it has jumped to.
 * Private to models/arm968. */
#pragma once
#include "models/arm968/code.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum leaving_how {
    LEAVES_BY_EDGES,         /* to where its edges say */
    LEAVES_CALLING,          /* the same, edge 1 being a call */
    LEAVES_CALLING_REGISTER, /* a call of a register's value, or of a word that has been loaded */
    LEAVES_RETURNING,        /* to the link register's value at its entry, or to a popped one */
    LEAVES_JUMPING,          /* to another register's value: on, by a table or to a function */
    LEAVES_OTHERWISE         /* by an exception or with another mode */
};

/* Where a jump finds its target. */
enum leaving_table {
    TABLE_NONE,
    TABLE_OF_WORDS,   /* the words from `table` on are addresses, bit 0 the state */
    TABLE_OF_BRANCHES /* the instructions from `table` on are branches */
};

struct leaving {
    enum leaving_how how;
    bool by_link;     /* of a return: it is to the link register's value */
    bool keeps_state; /* of a jump: bit 0 of its target does not choose the state */
    uint32_t lr;      /* of a call: the return address, bit 0 the state */
    enum leaving_table kind;
    uint32_t table;
    uint32_t last; /* the number of the table's last entry; UINT32_MAX: not known */
};

/* `memory` are the bytes of the code memory at `base`: literals may lie there. */
struct leaving leaving_of(const struct block *block, const uint8_t *memory, uint32_t base);

/* Whether its last instruction goes to where no edge says, or leaves by an exception. */
bool leaving_goes_indirectly(const struct block *block);

/* ---- where functions seem to begin (leaving.c) ----
 *
 * Where guest functions seem to begin, and where jumps inside them seem to lead to.
 * Guesses: they decide speed only. */

/* Notes which blocks of a code seem to begin a function (struct block, `begins_function`): targets
 * of calls, and blocks that nothing leads to but a jump to a register's value.  `memory` are the
 * code memory's bytes; the caller holds the code's lock. */
void functions_find(struct code *code, const uint8_t *memory);

/* Where entry number i of a block's table (`leaving`) leads to; NULL: that has not been run.
 * False: there is no such entry. */
bool functions_case(struct code *code, const uint8_t *memory, const struct block *block,
                    const struct leaving *leaving, uint32_t i, struct block **to);

/* The block that an indirect jump or call has led to the last time; NULL: not known. */
struct block *functions_last_target(const struct block *block);

C_LINKAGE_END
