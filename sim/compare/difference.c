/* difference.c - see difference.h. */
#include "sim/compare/difference.h"

#include "models/common/memory.h"
#include "sim/config/config_arena.h"
#include "sim/grow.h"

#include <math.h>

/* ---- adding ---- */

static const char *kept(const struct difference_table *table, const char *text)
{
    return config_arena_text(table->arena, text, strlen(text));
}

static void add(struct difference_table *table, enum difference_run run, const char *item,
                const char *unit, const char *of, struct difference_value value)
{
    struct difference *grown = grow(table->row, &table->room, table->count, sizeof *table->row);
    memory_need(grown);
    table->row = grown;
    struct difference *row = &grown[table->count++];
    *row = (struct difference){.item = kept(table, item),
                               .unit = kept(table, unit),
                               .of = of == NULL ? NULL : kept(table, of)};
    row->in[run] = value;
}

void difference_add_text(struct difference_table *table, enum difference_run run, const char *item,
                         const char *text)
{
    add(table, run, item, "", NULL,
        (struct difference_value){.kind = DIFFERENCE_TEXT, .text = kept(table, text)});
}

void difference_add_count(struct difference_table *table, enum difference_run run, const char *item,
                          const char *unit, const char *of, uint64_t count)
{
    add(table, run, item, unit, of,
        (struct difference_value){
            .kind = DIFFERENCE_COUNT, .text = "", .count = count, .real = (double)count});
}

void difference_add_real(struct difference_table *table, enum difference_run run, const char *item,
                         const char *unit, const char *of, double real)
{
    add(table, run, item, unit, of,
        (struct difference_value){.kind = DIFFERENCE_REAL, .text = "", .real = real});
}

/* ---- merging ---- */

static int compare_reals(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_values(const struct difference_value *a, const struct difference_value *b)
{
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return a->kind == DIFFERENCE_TEXT ? strcmp(a->text, b->text) : compare_reals(a->real, b->real);
}

static enum difference_run run_of(const struct difference *row)
{
    return row->in[DIFFERENCE_BASE].kind != DIFFERENCE_NONE ? DIFFERENCE_BASE : DIFFERENCE_OTHER;
}

/* By name; then by run and value, so that sums do not depend on the order in which they came. */
static int by_item(const void *a, const void *b)
{
    const struct difference *first = a;
    const struct difference *second = b;
    const enum difference_run run = run_of(first);
    int order = strcmp(first->item, second->item);
    if (order == 0) {
        order = (int)run - (int)run_of(second);
    }
    return order != 0 ? order : compare_values(&first->in[run], &second->in[run]);
}

static void sum(struct difference_value *to, const struct difference_value *from)
{
    if (to->kind == DIFFERENCE_NONE) {
        *to = *from;
    } else if (from->kind != DIFFERENCE_NONE) {
        to->count += from->count;
        to->real = to->kind == DIFFERENCE_COUNT ? (double)to->count : to->real + from->real;
    }
}

static void merge(struct difference_table *table)
{
    size_t merged = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct difference *row = &table->row[i];
        if (merged > 0 && strcmp(table->row[merged - 1].item, row->item) == 0) {
            for (unsigned run = 0; run < DIFFERENCE_RUNS; run++) {
                sum(&table->row[merged - 1].in[run], &row->in[run]);
            }
        } else {
            table->row[merged++] = *row;
        }
    }
    table->count = merged;
}

/* ---- ranking ---- */

static bool has_numbers(const struct difference_table *table, const struct difference *row)
{
    bool number = true;
    for (unsigned run = 0; run < DIFFERENCE_RUNS; run++) {
        number = number && row->in[run].kind != DIFFERENCE_TEXT &&
                 !(table->of_results && row->in[run].kind == DIFFERENCE_NONE);
    }
    return number;
}

static bool differs(const struct difference *row)
{
    const struct difference_value *base = &row->in[DIFFERENCE_BASE];
    const struct difference_value *other = &row->in[DIFFERENCE_OTHER];
    if (!row->is_number) {
        return compare_values(base, other) != 0;
    }
    return base->count != other->count || base->real < other->real || base->real > other->real;
}

static double larger_of(const struct difference *row)
{
    return fmax(fabs(row->in[DIFFERENCE_BASE].real), fabs(row->in[DIFFERENCE_OTHER].real));
}

/* The largest number of a unit in a table. */
struct scale {
    const char *unit;
    double most;
};

enum { SCALES_MAX = 64 }; /* units: there are about twenty */

struct scales {
    struct scale of[SCALES_MAX];
    size_t count;
};

static struct scale *scale_of(struct scales *scales, const char *unit)
{
    size_t i = 0;
    while (i < scales->count && strcmp(scales->of[i].unit, unit) != 0) {
        i++;
    }
    if (i == scales->count && i + 1 < SCALES_MAX) {
        scales->of[scales->count++] = (struct scale){.unit = unit};
    }
    return &scales->of[i < scales->count ? i : scales->count - 1];
}

static double importance(const struct difference_table *table, struct scales *scales,
                         const struct difference *row)
{
    if (!differs(row)) {
        return -1;
    }
    if (!row->is_number) {
        const bool both = row->in[DIFFERENCE_BASE].kind != DIFFERENCE_NONE &&
                          row->in[DIFFERENCE_OTHER].kind != DIFFERENCE_NONE;
        return both ? INFINITY : 0;
    }
    const double most = table->of_results ? larger_of(row) : scale_of(scales, row->unit)->most;
    return most > 0 ? fabs(row->change) / most : 1; /* more than 2^53 apart by less */
}

/* Of counts exactly, as far as a double can hold it. */
static double change_of(const struct difference *row)
{
    const struct difference_value *base = &row->in[DIFFERENCE_BASE];
    const struct difference_value *other = &row->in[DIFFERENCE_OTHER];
    if (base->kind == DIFFERENCE_REAL || other->kind == DIFFERENCE_REAL) {
        return other->real - base->real;
    }
    return other->count < base->count ? -(double)(base->count - other->count)
                                      : (double)(other->count - base->count);
}

static double part_of(const struct difference_table *table, const struct difference *row)
{
    const struct difference *of =
        table->totals == NULL || row->of == NULL ? NULL : difference_find(table->totals, row->of);
    return of == NULL || fabs(of->change) <= 0 ? NAN : row->change / of->change;
}

static int by_importance(const void *a, const void *b)
{
    const struct difference *first = *(const struct difference *const *)a;
    const struct difference *second = *(const struct difference *const *)b;
    const int order = compare_reals(second->importance, first->importance);
    return order != 0 ? order : strcmp(first->item, second->item);
}

void difference_rank(struct difference_table *table)
{
    struct scales scales = {.count = 0};
    if (table->count > 0) {
        qsort(table->row, table->count, sizeof *table->row, by_item);
    }
    merge(table);
    table->ranked = calloc(table->count + 1, sizeof *table->ranked);
    memory_need(table->ranked);
    for (size_t i = 0; i < table->count; i++) {
        struct difference *row = &table->row[i];
        struct scale *scale = scale_of(&scales, row->unit);
        row->is_number = has_numbers(table, row);
        row->change = change_of(row);
        row->part = part_of(table, row);
        scale->most = fmax(scale->most, larger_of(row));
    }
    for (size_t i = 0; i < table->count; i++) {
        struct difference *row = &table->row[i];
        row->importance = importance(table, &scales, row);
        if (row->importance >= 0) {
            table->ranked[table->ranked_count++] = row;
        }
    }
    qsort(table->ranked, table->ranked_count, sizeof *table->ranked, by_importance);
}

static int is_item(const void *item, const void *row)
{
    return strcmp(item, ((const struct difference *)row)->item);
}

const struct difference *difference_find(const struct difference_table *table, const char *item)
{
    return table->count == 0 ? NULL
                             : bsearch(item, table->row, table->count, sizeof *table->row, is_item);
}

void difference_table_deinit(struct difference_table *table)
{
    free(table->row);
    free(table->ranked);
    table->row = NULL;
    table->ranked = NULL;
    table->count = table->ranked_count = table->room = 0;
}
