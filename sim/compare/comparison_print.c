/* comparison_print.c - see comparison.h: text, CSV, JSON. */
#include "models/common/memory.h"
#include "sim/compare/comparison.h"
#include "sim/compare/print_rows.h"
#include "sim/config/config_arena.h"
#include "sim/csv.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/results/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double PERCENT = 100;

static const struct {
    const char *name, *title, *total;
    enum print_label label;
} TABLES[COMPARISON_TABLES] = {
#define TABLE(id, name, title, label, totals, total) {name, title, total, PRINT_LABEL_##label},
#include "sim/compare/comparison_tables.def"
#undef TABLE
};

/* ---- text ---- */

static void put_folder(FILE *stream, const char *letter, const char *folder)
{
    (void)fprintf(stream, "%s  ", letter);
    printable_put(stream, folder);
    (void)fputc('\n', stream);
}

/* Whether a table has more to say than the one before: a single role is the whole run. */
static bool tells(const struct comparison *comparison, enum comparison_table table)
{
    const bool of_roles = table == COMPARISON_ROLE_CYCLES || table == COMPARISON_ROLE_COUNTERS;
    return comparison->table[table].ranked_count > 0 &&
           !(of_roles && comparison->table[COMPARISON_ROLE_CYCLES].count < 2);
}

void comparison_print_text(FILE *stream, const struct comparison *comparison, size_t most)
{
    bool any = false;
    put_folder(stream, "A", comparison->folder[DIFFERENCE_BASE]);
    put_folder(stream, "B", comparison->folder[DIFFERENCE_OTHER]);
    for (unsigned i = 0; i < COMPARISON_TABLES; i++) {
        const struct difference_table *table = &comparison->table[i];
        const struct difference *total =
            TABLES[i].total == NULL ? NULL : difference_find(table->totals, TABLES[i].total);
        if (tells(comparison, (enum comparison_table)i)) {
            print_rows(stream, TABLES[i].title, TABLES[i].label, table, total, most);
            any = true;
        }
    }
    if (!any) {
        (void)fputs("\nnothing differs\n", stream);
    }
}

/* ---- a set of counts ---- */

/* The unit of the counter behind a place and a colon. */
static const char *unit_of(const char *name)
{
    struct quantity quantity;
    const char *colon = strrchr(name, ':');
    return quantity_find(colon == NULL ? name : colon + 1, &quantity) ? quantity.unit : "";
}

void comparison_add_count(struct difference_table *table, enum difference_run run, const char *name,
                          uint64_t value)
{
    difference_add_count(table, run, name, unit_of(name), NULL, value);
}

void comparison_print_counts(FILE *stream, const char *title, const struct difference_table *table,
                             size_t most)
{
    if (table->ranked_count > 0) {
        print_rows(stream, title, PRINT_LABEL_UNIT, table, NULL, most);
    }
}

/* ---- CSV ---- */

static void put_csv_value(FILE *stream, const struct difference_value *value)
{
    char text[REAL_TEXT_CHARS];
    (void)fputc(',', stream);
    if (value->kind == DIFFERENCE_TEXT) {
        csv_text(stream, value->text);
    } else if (value->kind == DIFFERENCE_COUNT) {
        (void)fprintf(stream, "%" PRIu64, value->count);
    } else if (value->kind == DIFFERENCE_REAL) {
        (void)fputs(real_text(value->real, text), stream);
    }
}

/* NAN where there is none. */
struct shares {
    double change, change_percent, explains_percent;
};

static struct shares shares_of(const struct difference *row)
{
    const double base = fabs(row->in[DIFFERENCE_BASE].real);
    return (struct shares){row->is_number ? row->change : NAN,
                           row->is_number && base > 0 ? PERCENT * row->change / base : NAN,
                           PERCENT * row->part};
}

static void put_csv_real(FILE *stream, double real)
{
    char text[REAL_TEXT_CHARS];
    (void)fprintf(stream, ",%s", isfinite(real) ? real_text(real, text) : "");
}

static void put_csv_row(FILE *stream, const struct comparison *comparison, const char *table,
                        const struct difference *row)
{
    const struct shares shares = shares_of(row);
    csv_text(stream, comparison->folder[DIFFERENCE_BASE]);
    (void)fputc(',', stream);
    csv_text(stream, comparison->folder[DIFFERENCE_OTHER]);
    (void)fprintf(stream, ",%s,", table);
    csv_text(stream, row->item);
    (void)fputc(',', stream);
    csv_text(stream, row->unit);
    put_csv_value(stream, &row->in[DIFFERENCE_BASE]);
    put_csv_value(stream, &row->in[DIFFERENCE_OTHER]);
    put_csv_real(stream, shares.change);
    put_csv_real(stream, shares.change_percent);
    put_csv_real(stream, shares.explains_percent);
    (void)fputc('\n', stream);
}

void comparison_print_csv(FILE *stream, const struct comparison *of, size_t count)
{
    (void)fputs("base,folder,table,item,unit,base_value,value,change,change_percent,"
                "explains_percent\n",
                stream);
    for (size_t i = 0; i < count; i++) {
        for (unsigned t = 0; t < COMPARISON_TABLES; t++) {
            const struct difference_table *table = &of[i].table[t];
            for (size_t r = 0; r < table->ranked_count; r++) {
                put_csv_row(stream, &of[i], TABLES[t].name, table->ranked[r]);
            }
        }
    }
}

/* ---- JSON ---- */

static void put_json_value(struct json *json, const char *name,
                           const struct difference_value *value)
{
    if (value->kind == DIFFERENCE_TEXT) {
        json_text(json, name, value->text);
    } else if (value->kind == DIFFERENCE_COUNT) {
        json_whole(json, name, value->count);
    } else if (value->kind == DIFFERENCE_REAL) {
        json_real(json, name, value->real);
    } else {
        json_null(json, name);
    }
}

static void put_json_table(struct json *json, const char *name,
                           const struct difference_table *table)
{
    json_array(json, name);
    for (size_t r = 0; r < table->ranked_count; r++) {
        const struct difference *row = table->ranked[r];
        const struct shares shares = shares_of(row);
        json_object(json, NULL);
        json_text(json, "item", row->item);
        json_text(json, "unit", row->unit);
        put_json_value(json, "base", &row->in[DIFFERENCE_BASE]);
        put_json_value(json, "value", &row->in[DIFFERENCE_OTHER]);
        json_real(json, "change", shares.change);
        json_real(json, "change_percent", shares.change_percent);
        json_real(json, "explains_percent", shares.explains_percent);
        json_end_object(json);
    }
    json_end_array(json);
}

void comparison_print_json(FILE *stream, const struct comparison *of, size_t count)
{
    struct json json;
    json_begin(&json, stream);
    json_whole(&json, "schema", 1);
    json_array(&json, "comparisons");
    for (size_t i = 0; i < count; i++) {
        json_object(&json, NULL);
        json_text(&json, "base", of[i].folder[DIFFERENCE_BASE]);
        json_text(&json, "folder", of[i].folder[DIFFERENCE_OTHER]);
        json_flag(&json, "differs", comparison_differs(&of[i]));
        for (unsigned t = 0; t < COMPARISON_TABLES; t++) {
            put_json_table(&json, TABLES[t].name, &of[i].table[t]);
        }
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end(&json);
}
