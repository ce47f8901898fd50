/* bars.c - see bars.h. */
#include "sim/reports/bars.h"

#include "sim/grow.h"
#include "sim/reports/axis.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/steps.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- the bars ---- */

struct bar *bars_add(struct bars *bars, const char *format, ...)
{
    enum { CHARACTERS = 44 };
    char text[CSV_LINE_TEXT_BYTES];
    struct bar *larger = grow(bars->bar, &bars->room, bars->count, sizeof *bars->bar);
    if (larger == NULL) {
        return NULL;
    }
    bars->bar = larger;
    struct bar *bar = &bars->bar[bars->count++];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *bar = (struct bar){.value = 0};
    size_t used = 0;
    const char *at = text;
    for (size_t i = 0; *at != '\0' && i < CHARACTERS; i++) {
        char character[PRINTABLE_BYTES];
        at = printable_next(at, character);
        const size_t bytes = strlen(character);
        if (used + bytes + PRINTABLE_BYTES > sizeof bar->label) {
            break;
        }
        memcpy(bar->label + used, character, bytes + 1);
        used += bytes;
    }
    if (*at != '\0') {
        (void)snprintf(bar->label + used, sizeof bar->label - used, "…");
    }
    return bar;
}

void bars_deinit(struct bars *bars)
{
    free(bars->bar);
    *bars = (struct bars){.bar = NULL};
}

static void add(struct bar *sum, const struct bar *bar, bool whiskers)
{
    sum->value += bar->value;
    sum->low += whiskers ? bar->low : bar->value;
    sum->high += whiskers ? bar->high : bar->value;
    for (unsigned i = 0; i < BAR_PARTS_MAX; i++) {
        sum->part[i] += bar->part[i];
    }
}

void bars_merge(struct bars *bars)
{
    enum { DOZEN = 12 };
    static const double LITTLE = 0.01;
    struct bar others = {.value = 0};
    double sum = 0;
    size_t small = 0;
    for (size_t i = 0; i < bars->count; i++) {
        sum += bars->bar[i].value;
    }
    for (size_t i = 0; i < bars->count; i++) {
        small += bars->bar[i].value < LITTLE * sum;
    }
    if (bars->count <= DOZEN || small < 2) {
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < bars->count; i++) {
        if (bars->bar[i].value < LITTLE * sum) {
            add(&others, &bars->bar[i], bars->parts > 0);
        } else {
            bars->bar[kept++] = bars->bar[i];
        }
    }
    (void)snprintf(others.label, sizeof others.label, "%zu others, each below 1 %%", small);
    bars->bar[kept++] = others;
    bars->count = kept;
}

/* ---- the table: place, label, value or its parts, low, high ---- */

static enum status write_table(FILE *stream, void *context, struct diagnostic *diagnostic)
{
    const struct bars *bars = context;
    char text[REAL_TEXT_CHARS];
    (void)diagnostic;
    (void)fprintf(stream, "place,%s", bars->of);
    for (size_t p = 0; p < bars->parts; p++) {
        (void)fputc(',', stream);
        csv_line_text(stream, bars->part_name[p]);
    }
    (void)fprintf(stream, "%s,low,high\n", bars->parts == 0 ? ",value" : "");
    for (size_t i = 0; i < bars->count; i++) {
        const struct bar *bar = &bars->bar[i];
        (void)fprintf(stream, "%zu,", i);
        csv_line_text(stream, bar->label);
        for (size_t p = 0; p < bars->parts; p++) {
            (void)fprintf(stream, ",%s", real_text(bar->part[p], text));
        }
        if (bars->parts == 0) {
            (void)fprintf(stream, ",%s", real_text(bar->value, text));
        }
        (void)fprintf(stream, ",%s", real_text(bar->low, text));
        (void)fprintf(stream, ",%s\n", real_text(bar->high, text));
    }
    return STATUS_OK;
}

/* ---- the script ---- */

/* The first `parts` parts of a bar, scaled, as gnuplot's expression. */
static void put_sum(FILE *stream, size_t parts)
{
    (void)fputs("(s*(0", stream);
    for (size_t p = 0; p < parts; p++) {
        (void)fprintf(stream, "+$%zu", 3 + p);
    }
    (void)fputs("))", stream);
}

static void put_part(FILE *stream, const struct bars *bars, size_t part, size_t parts)
{
    /* Patterns that differ without colour. */
    static const unsigned PATTERN[] = {3, 1, 5, 2, 4, 6, 7, 0};
    (void)fputs(part == 0 ? "plot table every ::1 using " : ", \\\n     table every ::1 using ",
                stream);
    put_sum(stream, part);
    (void)fputs(":1:", stream);
    put_sum(stream, part);
    (void)fputc(':', stream);
    put_sum(stream, part + 1);
    (void)fprintf(stream, ":($1-0.36):($1+0.36) with boxxyerror ");
    if (bars->parts > 0) {
        figure_put_colour(stream, bars->part_name[part], part + 1);
    } else {
        (void)fputs("lt 1", stream);
    }
    (void)fprintf(stream, " dt 1 lw 0.7 fs pattern %u title ",
                  parts == 1 ? 3 : PATTERN[part % (sizeof PATTERN / sizeof *PATTERN)]);
    gnuplot_put_text(stream, "%s", parts == 1 ? "" : bars->part_name[part]);
}

static void put_bars(FILE *stream, const struct bars *bars)
{
    const size_t parts = bars->parts == 0 ? 1 : bars->parts;
    bool whiskers = false;
    for (size_t p = 0; p < parts; p++) {
        put_part(stream, bars, p, parts);
    }
    for (size_t i = 0; i < bars->count; i++) {
        whiskers |= bars->bar[i].low < bars->bar[i].high;
    }
    if (whiskers) {
        (void)fputs(", \\\n     table every ::1 using ", stream);
        put_sum(stream, parts);
        (void)fprintf(
            stream,
            ":1:($%zu*s):($%zu*s) with xerrorbars lc rgb '#000000' dt 1 lw 1 pt 7 ps 0.1 notitle",
            3 + parts, 4 + parts);
    }
    (void)fputc('\n', stream);
}

static size_t characters_of(const char *text)
{
    char character[PRINTABLE_BYTES];
    size_t count = 0;
    for (; *text != '\0'; count++) {
        text = printable_next(text, character);
    }
    return count;
}

/* Title and note are centred on the figure, which is wider than what lies within its axes; they are
 * smaller where they would not fit. */
static void put_line(FILE *stream, const char *text, double at_mm, const struct bars_layout *of)
{
    static const double POINTS = 9;
    static const double POINTS_LEAST = 5;
    const double wide_mm = AXIS_CHARACTER_MM * (double)characters_of(text);
    const double size = fmin(POINTS, floor(POINTS * of->width_mm / fmax(1, wide_mm)));
    (void)fputs("set label ", stream);
    gnuplot_put_text(stream, "%s", text);
    (void)fprintf(stream, " at screen 0.5, screen %.4f center font ',%g'\n", at_mm / of->height_mm,
                  fmax(POINTS_LEAST, size));
}

/* A bar's label, cut where it would leave no room for the bars. */
static void put_label(FILE *stream, const struct bar *bar, size_t characters)
{
    char cut[BAR_LABEL_BYTES];
    char character[PRINTABLE_BYTES];
    const char *at = bar->label;
    for (size_t i = 0; *at != '\0' && i < characters; i++) {
        at = printable_next(at, character);
    }
    (void)snprintf(cut, sizeof cut, "%.*s", (int)(at - bar->label), bar->label);
    gnuplot_put_tic(stream, "%s%s", cut, *at == '\0' ? "" : "…");
}

static const double TITLE_MM = 8;

/* From below: legend, note, the axis and its label; bars; title. */
static struct bars_layout layout_of(const struct plot_request *request, const struct bars *bars)
{
    static const double ENTRY_MM = 26;
    static const double AXIS_MM = 11;
    static const double BAR_MM = 5.6;
    const unsigned width = request->width_mm == 0 ? PLOT_WIDTH_MM : request->width_mm;
    const unsigned columns = (unsigned)fmax(1, width / ENTRY_MM);
    const size_t entries = bars->parts > 1 ? bars->parts : 0;
    const size_t rows = (entries + columns - 1) / columns;
    struct bars_layout of = {.legend_rows = rows == 0 ? 1 : rows,
                             .note_mm = 3 + FIGURE_LINE_MM * (double)rows};
    static const double LABELS = 0.62; /* of the width, at most */
    const size_t most = (size_t)(LABELS * width / AXIS_CHARACTER_MM);
    for (size_t i = 0; i < bars->count; i++) {
        const size_t characters = characters_of(bars->bar[i].label);
        of.label_characters = characters > of.label_characters ? characters : of.label_characters;
    }
    of.label_characters = of.label_characters > most ? most : of.label_characters;
    of.width_mm = width;
    of.left_mm = AXIS_CHARACTER_MM * (double)of.label_characters + 5;
    of.right_mm = 5;
    of.bottom_mm = of.note_mm + (bars->note[0] == '\0' ? 0 : FIGURE_LINE_MM) + AXIS_MM;
    of.height_mm = of.bottom_mm + BAR_MM * fmax(2, (double)bars->count) + TITLE_MM;
    return of;
}

static void write_script(FILE *stream, void *context)
{
    const struct bars *bars = context;
    double greatest = 0;
    for (size_t i = 0; i < bars->count; i++) {
        greatest = fmax(greatest, fmax(bars->bar[i].value, bars->bar[i].high));
    }
    const struct axis axis = axis_named(bars->quantity, bars->unit, greatest);
    const struct bars_layout *of = &bars->layout;
    char text[REAL_TEXT_CHARS];
    put_line(stream, bars->title, of->height_mm - 3, of);
    put_line(stream, bars->note, of->note_mm, of);
    figure_set(stream, "xlabel", axis.label);
    (void)fprintf(stream, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
                  of->left_mm / of->width_mm, 1 - of->right_mm / of->width_mm);
    (void)fprintf(stream,
                  "set tmargin at screen %.4f\nset bmargin at screen %.4f\n"
                  "set key at screen 0.5, screen %.4f center bottom vertical maxrows %zu Left "
                  "reverse samplen 2\nset grid xtics noytics\n",
                  1 - TITLE_MM / of->height_mm, of->bottom_mm / of->height_mm, 1 / of->height_mm,
                  of->legend_rows);
    if (bars->count == 0) {
        (void)fputs("set label ", stream);
        gnuplot_put_text(stream, "%s", bars->nothing);
        (void)fputs(" at graph 0.5, 0.5 center\nset xrange [0:1]\nset yrange [0:1]\nunset "
                    "ytics\nplot NaN notitle\n",
                    stream);
        return;
    }
    const struct axis_range range = axis_range(0, greatest * axis.scale, 0.02);
    const double step = axis_step(range.low, range.high, of->width_mm - of->left_mm - of->right_mm);
    (void)fprintf(stream, "set xrange [0:%s]\n", real_text(range.high, text));
    (void)fprintf(stream, "set xtics %s\n", real_text(step, text));
    (void)fprintf(stream, "s = %s\nset yrange [%zu-0.5:-0.5]\nset ytics scale 0\n",
                  real_text(axis.scale, text), bars->count);
    for (size_t i = 0; i < bars->count; i++) {
        (void)fprintf(stream, "set ytics %s(", i == 0 ? "" : "add ");
        put_label(stream, &bars->bar[i], of->label_characters);
        (void)fprintf(stream, " %zu)\n", i);
    }
    put_bars(stream, bars);
}

enum status bars_draw(const struct plotter *plotter, const struct results *results,
                      const char *kind, struct bars *bars)
{
    char folder[FIGURE_NAME_CHARS];
    char name[2 * FIGURE_NAME_CHARS];
    figure_name_of_folder(results->folder, folder);
    (void)snprintf(name, sizeof name, "%s_%s", folder, kind);
    bars->layout = layout_of(plotter->request, bars);
    const struct figure figure = {.write_table = write_table,
                                  .write_script = write_script,
                                  .context = bars,
                                  .height_mm = bars->layout.height_mm};
    return figure_make(plotter, name, &figure);
}
