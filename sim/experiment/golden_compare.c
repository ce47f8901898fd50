/* golden_compare.c - see golden_compare.h. */
#include "sim/experiment/golden_compare.h"

#include "sim/grow.h"
#include "sim/steps.h"

#include <assert.h>
#include <math.h>

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

static unsigned long long number(const char *text)
{
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

/* A count of a phase is compared with the counter's sum over the run. */
static double share(const struct golden *golden, const struct golden *now, const char *name,
                    double difference)
{
    const char *colon = strrchr(name, ':');
    const char *counter = colon == NULL ? name : colon + 1;
    const double then = (double)number(golden_value(golden, counter));
    const double today = (double)number(golden_value(now, counter));
    const double sum = fmax(then, today);
    return sum > 0 ? difference / sum : 1; /* the golden may hold the phase's alone */
}

/* Two goldens, and what becomes of the comparison. */
struct comparing {
    struct golden_comparison *comparison;
    const struct golden *golden, *now;
    size_t room;
    bool tolerant;
};

static enum status compare_count(struct comparing *all, const char *name,
                                 struct diagnostic *diagnostic)
{
    static const double PERCENT = 100;
    struct golden_comparison *comparison = all->comparison;
    const unsigned long long then = number(golden_value(all->golden, name));
    const unsigned long long today = number(golden_value(all->now, name));
    const double difference = (double)(then > today ? then - today : today - then);
    const double percent = all->tolerant ? golden_tolerance(all->golden, name) : 0;
    comparison->counts++;
    if (difference * PERCENT <= percent * (double)then) {
        return STATUS_OK;
    }
    struct golden_change *change =
        grow(comparison->change, &all->room, comparison->changes, sizeof *change);
    if (change == NULL) {
        return no_memory(diagnostic);
    }
    comparison->change = change;
    change += comparison->changes++;
    (void)snprintf(change->name, sizeof change->name, "%s", name);
    change->golden = then;
    change->now = today;
    change->share = share(all->golden, all->now, name, difference);
    return STATUS_OK;
}

static int by_share(const void *a, const void *b)
{
    const struct golden_change *first = a;
    const struct golden_change *second = b;
    const int order = (first->share < second->share) - (first->share > second->share);
    return order != 0 ? order : strcmp(first->name, second->name);
}

static enum status compare_counts(struct comparing *all, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < all->now->count; i++) {
        const struct golden_row *row = &all->now->row[i];
        if (golden_is_count(row)) {
            TRY(compare_count(all, row->name, diagnostic));
        }
    }
    for (size_t i = 0; i < all->golden->count; i++) {
        const struct golden_row *row = &all->golden->row[i];
        if (golden_is_count(row) && golden_value(all->now, row->name) == NULL) {
            TRY(compare_count(all, row->name, diagnostic));
        }
    }
    return STATUS_OK;
}

enum status golden_compare(struct golden_comparison *comparison, const struct golden *golden,
                           const struct golden *now, bool tolerant, struct diagnostic *diagnostic)
{
    struct comparing all = {
        .comparison = comparison, .golden = golden, .now = now, .tolerant = tolerant};
    *comparison = (struct golden_comparison){0};
    compare_programs(comparison, golden, now);
    TRY(compare_counts(&all, diagnostic));
    if (comparison->changes > 0) {
        qsort(comparison->change, comparison->changes, sizeof *comparison->change, by_share);
    }
    return STATUS_OK;
}

void golden_comparison_deinit(struct golden_comparison *comparison)
{
    free(comparison->change);
    *comparison = (struct golden_comparison){0};
}
