/* golden_rows.h - the rows of a golden by their names (golden.h lists them), and how they are
 * added.  For golden.c, golden_run.c and golden_answers.c. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/golden.h"
C_LINKAGE_BEGIN

/* Adds a row without checking it; texts that are too long are cut off. */
void golden_add_text(struct golden *golden, const char *name, const char *value);

/* Names of rows: the compiler; the digest of a program, whose name stands behind. */
extern const char GOLDEN_COMPILER[], GOLDEN_PROGRAM[];

/* Whether a row is one of those that say what is asked for. */
bool golden_is_asked(const struct golden_row *row);

/* Whether the golden that `asked` asks for has a count or an answer of that name. */
bool golden_holds(const struct golden *asked, const char *name);

/* What the run has answered, and where its functions have spent their time. */
void golden_add_answers(struct golden *golden, const struct golden *asked,
                        const struct record *record);
void golden_add_functions(struct golden *golden, const struct record *record);

C_LINKAGE_END
