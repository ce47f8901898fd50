/* emit_counts.h - what generated code takes off its budget and adds to its counts.  Private to
 * models/arm968.
 *
 * A block that is reached by one edge only takes over what the blocks before it owe, as constants,
 * and a loop of one block is counted by what it has taken off the budget: both settle up where
 * control leaves. */
#pragma once
#include "models/arm968/block.h"
#include "models/arm968/translate/text.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

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

C_LINKAGE_END
