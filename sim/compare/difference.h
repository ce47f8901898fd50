/* difference.h - a table of what differs between two runs: named values of both are added in any
 * order, then ranked by how much of the difference each explains.
 *
 * Values of one name and run are summed.  Of numbers the rank is the change over the largest number
 * of the same unit in the table (so that cycles, bytes and joules can stand in one), or, in a table
 * of results, over the number itself; texts come first, results
 * that only one run has last; what ranks the same stands by name. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct config_arena;

enum difference_run { DIFFERENCE_BASE, DIFFERENCE_OTHER, DIFFERENCE_RUNS };

enum difference_kind { DIFFERENCE_NONE, DIFFERENCE_TEXT, DIFFERENCE_COUNT, DIFFERENCE_REAL };

struct difference_value {
    enum difference_kind kind; /* DIFFERENCE_NONE: the run has no such item */
    const char *text;
    uint64_t count;
    double real; /* of a count, too */
};

struct difference {
    const char *item;
    const char *unit; /* "": none */
    const char *of;   /* the item of the table's `totals` that it is part of; NULL: none */
    struct difference_value in[DIFFERENCE_RUNS];
    bool is_number;
    double change;     /* of numbers; what is missing counts as 0 */
    double part;       /* its share of the change of `of`; NAN: unknown, or that has not changed */
    double importance; /* by which it is ranked; below 0: does not differ */
};

struct difference_table {
    bool of_results;                       /* absent is not zero; each number is ranked by itself */
    const struct difference_table *totals; /* merged before; NULL: no shares */
    struct config_arena *arena;            /* the caller's: names and texts live there */
    struct difference *row;                /* after difference_rank(): a row for each item */
    size_t count, room;
    const struct difference **ranked; /* those that differ, the most important first */
    size_t ranked_count;
};

/* Adds a value of one run; texts are copied. */
void difference_add_text(struct difference_table *table, enum difference_run run, const char *item,
                         const char *text);
void difference_add_count(struct difference_table *table, enum difference_run run, const char *item,
                          const char *unit, const char *of, uint64_t count);
void difference_add_real(struct difference_table *table, enum difference_run run, const char *item,
                         const char *unit, const char *of, double real);

/* Merges and ranks; nothing can be added any more. */
void difference_rank(struct difference_table *table);

/* An item after difference_rank(); NULL: there is none. */
const struct difference *difference_find(const struct difference_table *table, const char *item);

void difference_table_deinit(struct difference_table *table);

C_LINKAGE_END
