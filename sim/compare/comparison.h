/* comparison.h - two result folders side by side: what differs in their configurations, simulators,
 * programs and results, and where time, joules and counts have moved. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/compare/difference.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* The tables, in the order in which they are told: comparison_tables.def. */
enum comparison_table {
#define TABLE(id, name, title, label, totals, total) COMPARISON_##id,
#include "sim/compare/comparison_tables.def"
#undef TABLE
    COMPARISON_TABLES,
    COMPARISON_NONE = COMPARISON_TABLES
};

struct comparison {
    const char *folder[DIFFERENCE_RUNS]; /* the caller's */
    struct config_arena *arena;
    struct difference_table table[COMPARISON_TABLES];
};

/* STATUS_CONFIGURATION with the file when a folder holds no results, or files of it are missing,
 * cut off, or contradict each other. */
enum status comparison_make(struct comparison *comparison, const char *base, const char *other,
                            struct diagnostic *diagnostic);
void comparison_deinit(struct comparison *comparison);

/* Whether anything differs but the simulator's version. */
bool comparison_differs(const struct comparison *comparison);

/* As text: of each table at most `most` rows.  Readable on 100 columns. */
void comparison_print_text(FILE *stream, const struct comparison *comparison, size_t most);

/* Everything, for programs: rows of CSV below one head, JSON. */
void comparison_print_csv(FILE *stream, const struct comparison *of, size_t count);
void comparison_print_json(FILE *stream, const struct comparison *of, size_t count);

/* ---- one table alone, for those who have counts of their own ---- */

/* Adds a count by its name, "component.counter", alone or behind a place and a colon
 * ("test/conv1/forward:core.instructions"), with its unit. */
void comparison_add_count(struct difference_table *table, enum difference_run run, const char *name,
                          uint64_t value);

/* The same text for such a table, once it is ranked.  Prints nothing when nothing differs. */
void comparison_print_counts(FILE *stream, const char *title, const struct difference_table *table,
                             size_t most);

C_LINKAGE_END
