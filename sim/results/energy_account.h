/* energy_account.h - a run's joules, by stage and coefficient, and by phase.
 *
 * Dynamic energy (joules of counters) is charged to the phase of the core that caused the counts;
 * static energy (joules of time) to the stage.  Counts that no core caused in a phase have a row of
 * their own, so that the rows add up to the total. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/energy/energy_scopes.h"
#include "sim/results/tally.h"
C_LINKAGE_BEGIN

struct energy_row {
    const char *stage, *phase, *layer;
    uint64_t core_cycles, packets, sdram_bytes;
    uint64_t least_cycles, most_cycles; /* of one core */
    struct energy_joules joules;
};

/* The joules of one coefficient of the energy table that applies to this run. */
struct energy_term_row {
    const char *stage;                /* or ENERGY_EPOCH; "": of the whole run */
    double count;                     /* what the coefficient is charged for (energy_count_of()) */
    const char *unit;                 /* of the count */
    char component[TALLY_NAME_CHARS]; /* the part of the machine: the first word of the term */
    const char *term, *kind, *source; /* the table's */
    struct energy_joules joules;
};

/* Rows for an epoch of a training are no part of the sum over stages. */
extern const char ENERGY_EPOCH[];

struct energy_account {
    struct energy_joules total, dynamic;
    struct energy_scopes scopes, epoch_scopes;
    struct energy_joules epoch;         /* 0: none was trained */
    struct energy_joules stage[STAGES]; /* static, plus dynamic of its phases */
    struct energy_row *row;             /* owned; its texts belong to the tally or are constant */
    size_t row_count;
    struct energy_term_row *term; /* of the whole run; owned */
    size_t term_count;
    struct energy_term_row *stage_term; /* for each stage, then of an epoch; owned */
    size_t stage_term_count;
};

/* STATUS_INTERNAL when out of memory. */
enum status energy_account_of(struct energy_account *account, const struct energy_table *table,
                              const struct tally *tally, struct diagnostic *diagnostic);
void energy_account_deinit(struct energy_account *account);

/* Prints a readable table: terms, share of the total, range. */
void energy_print(FILE *stream, const struct energy_account *account);

/* Loads the coefficients of a file, for the board of `config`; includes are also looked for in
 * `configs_folder`.  STATUS_CONFIGURATION; deinit `other` in any case. */
enum status energy_load_other(const char *path, const char *configs_folder,
                              const struct sim_config *config, struct sim_config *other,
                              struct diagnostic *diagnostic);

/* Prints what the same counts cost by two tables of coefficients (`names`), term by term, in all
 * and in an epoch: the default joules of each, and the second less the first; `csv` as a table
 * without rounding. */
void energy_print_against(FILE *stream, const struct energy_account *first,
                          const struct energy_account *second, const char *const names[2],
                          bool csv);

C_LINKAGE_END
