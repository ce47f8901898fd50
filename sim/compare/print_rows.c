/* print_rows.c - see print_rows.h. */
#include "sim/compare/print_rows.h"

#include "sim/results/printable.h"
#include "sim/results/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double PERCENT = 100;

enum cell { CELL_BASE, CELL_OTHER, CELL_CHANGE, CELL_PERCENT, CELL_PART, CELL_BETTER, CELLS };

static const char *const HEAD[CELLS] = {"A", "B", "change", "", "explains", ""};

enum {
    LINE_CHARS = 100,
    INDENT = 2, /* of rows, and between cells */
    LABEL_CHARS = 640,
    LABEL_LEAST = 20,
    LABEL_MOST = 60, /* longer ones get lines of their own, and do not widen the column */
    CELL_CHARS = 48,
    TEXT_CHARS = 26 /* longer texts get lines of their own */
};

/* A row as it is printed. */
struct line {
    char label[LABEL_CHARS];
    char cell[CELLS][CELL_CHARS];
    bool is_long; /* its texts get lines of their own */
};

struct widths {
    size_t label, cell[CELLS];
};

/* ---- cells ---- */

static void put_value(char *cell, const struct difference_value *value)
{
    switch (value->kind) {
    case DIFFERENCE_COUNT:
        (void)snprintf(cell, CELL_CHARS, "%" PRIu64, value->count);
        break;
    case DIFFERENCE_REAL:
        (void)snprintf(cell, CELL_CHARS, "%.6g", value->real);
        break;
    case DIFFERENCE_TEXT:
        (void)snprintf(cell, CELL_CHARS, "%s", value->text[0] == '\0' ? "\"\"" : value->text);
        break;
    case DIFFERENCE_NONE:
    default:
        (void)snprintf(cell, CELL_CHARS, "-");
        break;
    }
}

static void put_percent(char *cell, double share)
{
    const double percent = PERCENT * share;
    (void)snprintf(cell, CELL_CHARS, fabs(percent) < PERCENT ? "%+.3g %%" : "%+.0f %%", percent);
}

/* "0.0 %", never "-0.0 %". */
static void put_part(char *cell, double part)
{
    static const double LEAST_SHOWN = 0.05;
    const double percent = PERCENT * part;
    (void)snprintf(cell, CELL_CHARS, "%.1f %%", fabs(percent) < LEAST_SHOWN ? 0 : percent);
}

static void put_change(struct line *line, const struct difference *row)
{
    const struct difference_value *base = &row->in[DIFFERENCE_BASE];
    const struct difference_value *other = &row->in[DIFFERENCE_OTHER];
    if (base->kind == DIFFERENCE_REAL || other->kind == DIFFERENCE_REAL) {
        (void)snprintf(line->cell[CELL_CHANGE], CELL_CHARS, "%+.6g", row->change);
    } else {
        const bool less = other->count < base->count;
        (void)snprintf(line->cell[CELL_CHANGE], CELL_CHARS, "%s%" PRIu64, less ? "-" : "+",
                       less ? base->count - other->count : other->count - base->count);
    }
    if (fabs(base->real) > 0) {
        put_percent(line->cell[CELL_PERCENT], row->change / fabs(base->real));
    } else {
        (void)snprintf(line->cell[CELL_PERCENT], CELL_CHARS, "new");
    }
    if (!isnan(row->part)) {
        put_part(line->cell[CELL_PART], row->part);
    }
}

static void put_better(struct line *line, const struct difference *row)
{
    struct quantity quantity;
    if (quantity_find(row->item, &quantity) && quantity.better != QUANTITY_NEITHER) {
        const bool less = row->change < 0;
        (void)snprintf(line->cell[CELL_BETTER], CELL_CHARS, "%s",
                       less == (quantity.better == QUANTITY_LESS) ? "better" : "worse");
    }
}

static bool is_long(const struct difference_value *value)
{
    return value->kind == DIFFERENCE_TEXT && strlen(value->text) > TEXT_CHARS;
}

static void put_label(struct line *line, const struct difference *row, enum print_label label)
{
    switch (label) {
    case PRINT_LABEL_QUANTITY:
        (void)snprintf(line->label, LABEL_CHARS, "%s", quantity_label(row->item, NULL).text);
        break;
    case PRINT_LABEL_UNIT:
        (void)snprintf(line->label, LABEL_CHARS, row->unit[0] == '\0' ? "%s" : "%s (%s)", row->item,
                       row->unit);
        break;
    case PRINT_LABEL_ITEM:
    default:
        (void)snprintf(line->label, LABEL_CHARS, "%s", row->item);
        break;
    }
}

static struct line line_of(const struct difference *row, enum print_label label)
{
    struct line line = {.is_long = is_long(&row->in[DIFFERENCE_BASE]) ||
                                   is_long(&row->in[DIFFERENCE_OTHER])};
    put_label(&line, row, label);
    for (unsigned run = 0; run < DIFFERENCE_RUNS && !line.is_long; run++) {
        put_value(line.cell[CELL_BASE + run], &row->in[run]);
    }
    if (row->is_number) {
        put_change(&line, row);
    }
    if (label == PRINT_LABEL_QUANTITY && row->is_number) {
        put_better(&line, row);
    }
    return line;
}

/* ---- lines ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void widen(struct widths *widths, const struct line *line)
{
    const size_t label = strlen(line->label);
    widths->label = larger(widths->label, label <= LABEL_MOST ? label : 0);
    for (unsigned c = 0; c < CELLS; c++) {
        widths->cell[c] = larger(widths->cell[c], strlen(line->cell[c]));
    }
}

/* Cells that any row has are as wide as their heads; the label takes what is left of the line. */
static void fit(struct widths *widths)
{
    size_t used = INDENT;
    for (unsigned c = 0; c < CELLS; c++) {
        if (widths->cell[c] > 0) {
            widths->cell[c] = larger(widths->cell[c], strlen(HEAD[c]));
            used += INDENT + widths->cell[c];
        }
    }
    const size_t most = used + LABEL_LEAST < LINE_CHARS ? LINE_CHARS - used : LABEL_LEAST;
    widths->label = widths->label < most ? widths->label : most;
}

static void put_blanks(FILE *stream, size_t count)
{
    (void)fprintf(stream, "%*s", (int)count, "");
}

/* Blanks are written before the next cell only, so that no line ends with any. */
static void put_cells(FILE *stream, const struct widths *widths, const char *const cell[CELLS],
                      size_t blanks)
{
    for (unsigned c = 0; c < CELLS; c++) {
        const size_t length = strlen(cell[c]);
        if (widths->cell[c] == 0) {
            continue;
        }
        blanks += INDENT + widths->cell[c];
        if (length > 0) {
            put_blanks(stream, blanks - length);
            printable_put(stream, cell[c]);
            blanks = 0;
        }
    }
    (void)fputc('\n', stream);
}

static void put_long(FILE *stream, const struct difference *row)
{
    static const char *const NAME[DIFFERENCE_RUNS] = {"A", "B"};
    (void)fputc('\n', stream);
    for (unsigned run = 0; run < DIFFERENCE_RUNS; run++) {
        const struct difference_value *value = &row->in[run];
        char number[CELL_CHARS];
        put_value(number, value);
        put_blanks(stream, (size_t)2 * INDENT);
        (void)fprintf(stream, "%s  ", NAME[run]);
        printable_put(stream, is_long(value) ? value->text : number);
        (void)fputc('\n', stream);
    }
}

static void put_row(FILE *stream, const struct widths *widths, const struct difference *row,
                    const struct line *line)
{
    const char *cell[CELLS];
    size_t length = strlen(line->label);
    for (unsigned c = 0; c < CELLS; c++) {
        cell[c] = line->cell[c];
    }
    put_blanks(stream, INDENT);
    printable_put(stream, line->label);
    if (line->is_long) {
        put_long(stream, row);
        return;
    }
    if (length > widths->label) {
        (void)fputc('\n', stream);
        put_blanks(stream, INDENT);
        length = 0;
    }
    put_cells(stream, widths, cell, widths->label - length);
}

static struct line line_of_total(const struct difference *total)
{
    struct line line = line_of(total, PRINT_LABEL_ITEM);
    (void)snprintf(line.label, LABEL_CHARS, "total");
    return line;
}

void print_rows(FILE *stream, const char *title, enum print_label label,
                const struct difference_table *table, const struct difference *total, size_t most)
{
    struct widths widths = {0};
    const size_t shown = table->ranked_count < most ? table->ranked_count : most;
    for (size_t i = 0; i < shown; i++) {
        const struct line line = line_of(table->ranked[i], label);
        widen(&widths, &line);
    }
    if (total != NULL) {
        const struct line line = line_of_total(total);
        widen(&widths, &line);
    }
    fit(&widths);
    (void)fprintf(stream, "\n%s\n", title);
    if (widths.cell[CELL_BASE] > 0) {
        put_cells(stream, &widths, HEAD, INDENT + widths.label);
    }
    if (total != NULL) {
        const struct line line = line_of_total(total);
        put_row(stream, &widths, total, &line);
    }
    for (size_t i = 0; i < shown; i++) {
        const struct line line = line_of(table->ranked[i], label);
        put_row(stream, &widths, table->ranked[i], &line);
    }
    if (shown < table->ranked_count) {
        (void)fprintf(stream, "  and %zu more\n", table->ranked_count - shown);
    }
}
