/* functions.h - where guest functions seem to begin, and where jumps inside them seem to lead to.
 * Guesses: they decide speed only.  Private to models/arm968. */
#pragma once
#include "models/arm968/code.h"
#include "models/arm968/translate/leaving.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

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
