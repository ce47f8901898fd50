/* comparison.c - see comparison.h. */
#include "sim/compare/comparison.h"

#include "sim/compare/reading.h"
#include "sim/config/config_arena.h"
#include "sim/steps.h"

/* ---- tables ---- */

static const enum comparison_table TOTALS[] = {
#define TABLE(id, name, title, label, totals, total) [COMPARISON_##id] = COMPARISON_##totals,
#include "sim/compare/comparison_tables.def"
#undef TABLE
};

static void begin(struct comparison *comparison)
{
    for (unsigned i = 0; i < COMPARISON_TABLES; i++) {
        struct difference_table *table = &comparison->table[i];
        table->arena = comparison->arena;
        table->of_results = i == COMPARISON_RESULTS;
        table->totals = TOTALS[i] == COMPARISON_TABLES ? NULL : &comparison->table[TOTALS[i]];
    }
}

/* Totals before what is part of them. */
static void rank(struct comparison *comparison)
{
    for (int parts = 0; parts < 2; parts++) {
        for (unsigned i = 0; i < COMPARISON_TABLES; i++) {
            if ((comparison->table[i].totals != NULL) == (parts == 1)) {
                difference_rank(&comparison->table[i]);
            }
        }
    }
}

/* ---- folders ---- */

static enum status take(struct comparison *comparison, enum difference_run run,
                        struct diagnostic *diagnostic)
{
    struct reading reading = {.comparison = comparison,
                              .run = run,
                              .folder = comparison->folder[run],
                              .diagnostic = diagnostic};
    RELEASED(results_close) struct results results;
    TRY(results_open(&results, reading.folder, diagnostic));
    reading.results = &results;
    TRY(reading_take_summary(&reading));
    return reading_take_tables(&reading);
}

enum status comparison_make(struct comparison *comparison, const char *base, const char *other,
                            struct diagnostic *diagnostic)
{
    *comparison = (struct comparison){.folder = {base, other}, .arena = config_arena_create()};
    if (comparison->arena == NULL) {
        return no_memory(diagnostic);
    }
    begin(comparison);
    enum status status = take(comparison, DIFFERENCE_BASE, diagnostic);
    if (status == STATUS_OK) {
        status = take(comparison, DIFFERENCE_OTHER, diagnostic);
    }
    if (status != STATUS_OK) {
        comparison_deinit(comparison);
        return status;
    }
    rank(comparison);
    return STATUS_OK;
}

void comparison_deinit(struct comparison *comparison)
{
    for (unsigned i = 0; i < COMPARISON_TABLES; i++) {
        difference_table_deinit(&comparison->table[i]);
    }
    config_arena_destroy(comparison->arena);
    *comparison = (struct comparison){.arena = NULL};
}

bool comparison_differs(const struct comparison *comparison)
{
    size_t rows = 0;
    for (unsigned i = 0; i < COMPARISON_TABLES; i++) {
        rows += i == COMPARISON_SIMULATOR ? 0 : comparison->table[i].ranked_count;
    }
    return rows > 0;
}
