/* golden_compare.c - see golden_compare.h. */
#include "sim/experiment/golden_compare.h"

#include "models/common/memory.h"
#include "sim/compare/comparison.h"
#include "sim/config/config_arena.h"
#include "sim/experiment/compare_answers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs ---- */

/* How many programs `one` has that are not in `other`; writes the name of the first. */
static size_t find_others(const struct golden *one, const struct golden *other, const char **first)
{
    size_t found = 0;
    for (size_t i = 0; i < one->count; i++) {
        const struct golden_row *row = &one->row[i];
        assert(row != NULL);
        const char *digest = golden_is_program(row) ? golden_value(other, row->name) : row->value;
        if (digest == NULL || strcmp(digest, row->value) != 0) {
            *first = found++ == 0 ? row->name : *first;
        }
    }
    return found;
}

static void compare_programs(struct golden_comparison *comparison, const struct golden *golden,
                             const struct golden *now)
{
    const char *name = "";
    size_t others = find_others(now, golden, &name);
    if (others == 0) {
        others = find_others(golden, now, &name); /* one is gone */
    }
    if (others == 0) {
        return;
    }
    const char *then = golden_value(golden, "compiler");
    const char *today = golden_value(now, "compiler");
    comparison->other_programs = true;
    comparison->other_compiler = then != NULL && today != NULL && strcmp(then, today) != 0;
    char more[64] = "";
    if (others > 1) {
        (void)snprintf(more, sizeof more, " (and %zu more)", others - 1);
    }
    if (comparison->other_compiler) {
        (void)snprintf(comparison->programs, sizeof comparison->programs,
                       "%s is another one%s: recorded with \"%s\", built with \"%s\"", name, more,
                       then, today);
    } else {
        (void)snprintf(comparison->programs, sizeof comparison->programs,
                       "%s has changed%s, the compiler has not", name, more);
    }
}

/* ---- counts ---- */

static void add_counts(struct difference_table *counts, enum difference_run run,
                       const struct golden *golden)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_row *row = &golden->row[i];
        if (golden_is_count(row)) {
            comparison_add_count(counts, run, row->name, strtoull(row->value, NULL, 10));
        }
    }
}

/* Each function's instructions and active cycles. */
static void add_functions(struct difference_table *functions, enum difference_run run,
                          const struct golden *golden)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_row *row = &golden->row[i];
        if (golden_is_function(row)) {
            char *end;
            const char *name = strchr(row->name, ' ') + 1;
            char item[GOLDEN_NAME_CHARS + 16];
            (void)snprintf(item, sizeof item, "%s, instructions", name);
            difference_add_count(functions, run, item, "instruction", NULL,
                                 strtoull(row->value, &end, 10));
            (void)snprintf(item, sizeof item, "%s, cycles", name);
            difference_add_count(functions, run, item, "cycle", NULL, strtoull(end, NULL, 10));
        }
    }
}

/* Puts the time before the others, whatever its rank: it is what most of them explain. */
static void put_time_first(struct difference_table *counts)
{
    for (size_t i = 1; i < counts->ranked_count; i++) {
        if (strcmp(counts->ranked[i]->item, "time_ps") == 0) {
            const struct difference *time = counts->ranked[i];
            memmove(&counts->ranked[1], &counts->ranked[0], i * sizeof *counts->ranked);
            counts->ranked[0] = time;
        }
    }
}

static bool is_tolerated(const struct difference *row, const struct golden *golden)
{
    static const double PERCENT = 100;
    return fabs(row->change) * PERCENT <=
           golden_tolerance(golden, row->item) * row->in[DIFFERENCE_BASE].real;
}

static void tolerate(struct difference_table *counts, const struct golden *golden)
{
    size_t left = 0;
    for (size_t i = 0; i < counts->ranked_count; i++) {
        if (!is_tolerated(counts->ranked[i], golden)) {
            counts->ranked[left++] = counts->ranked[i];
        }
    }
    counts->ranked_count = left;
}

void golden_compare(struct golden_comparison *comparison, const struct golden *golden,
                    const struct golden *now, bool tolerant)
{
    struct config_arena *arena = config_arena_create();
    memory_need(arena);
    *comparison =
        (struct golden_comparison){.counts = {.arena = arena}, .functions = {.arena = arena}};
    compare_programs(comparison, golden, now);
    add_counts(&comparison->counts, DIFFERENCE_BASE, golden);
    add_counts(&comparison->counts, DIFFERENCE_OTHER, now);
    difference_rank(&comparison->counts);
    if (tolerant) {
        tolerate(&comparison->counts, golden);
    }
    put_time_first(&comparison->counts);
    add_functions(&comparison->functions, DIFFERENCE_BASE, golden);
    add_functions(&comparison->functions, DIFFERENCE_OTHER, now);
    difference_rank(&comparison->functions);
    golden_compare_answers(comparison, golden, now);
}

void golden_comparison_deinit(struct golden_comparison *comparison)
{
    struct config_arena *arena = comparison->counts.arena;
    difference_table_deinit(&comparison->counts);
    difference_table_deinit(&comparison->functions);
    free(comparison->answer);
    if (arena != NULL) {
        config_arena_destroy(arena);
    }
    *comparison = (struct golden_comparison){0};
}
