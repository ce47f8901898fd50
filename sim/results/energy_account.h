/* energy_account.h - a run's joules, by coefficient and by phase.
 *
 * What counters cost belongs to the phase in which a core caused it; what time costs belongs to the
 * stage.  What nobody caused in a phase (counters that no core has a share in) is a row of its own,
 * so that the rows add up to the total. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/tally.h"
C_LINKAGE_BEGIN

struct energy_row {
    const char *stage, *phase, *layer;
    uint64_t core_cycles, packets, sdram_bytes;
    uint64_t least_cycles, most_cycles; /* of one core */
    struct energy_joules joules;
};

/* A coefficient that applies. */
struct energy_term_row {
    char component[TALLY_NAME_CHARS]; /* the part of the machine: the first word of the term */
    const char *term, *kind, *source; /* the table's */
    struct energy_joules joules;
};

struct energy_account {
    struct energy_joules total, dynamic;
    struct energy_joules stage[STAGES]; /* static, and dynamic of its phases */
    struct energy_row *row;             /* texts are the tally's or constant; owned */
    size_t row_count;
    struct energy_term_row *term; /* owned */
    size_t term_count;
};

/* STATUS_INTERNAL when out of memory. */
enum status energy_account_of(struct energy_account *account, const struct energy_table *table,
                              const struct tally *tally, struct diagnostic *diagnostic);
void energy_account_deinit(struct energy_account *account);

/* For people: terms, share of the total, range. */
void energy_print(FILE *stream, const struct energy_account *account);

C_LINKAGE_END
