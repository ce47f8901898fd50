/* standard_figure.c - see figure.h: the figures that every run has, energy by component and time by
 * phase, as .svg and .png. */
#include "sim/reports/figure.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/json.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is drawn: rows of a table of the results, three numbers each. */
struct drawing {
    const char *script, *table;
    const char *number[3];
    void (*put_label)(FILE *stream, const struct result_table *row);
    bool without_zero; /* rows whose first number is 0 are left out */
};

static void put_term(FILE *stream, const struct result_table *row)
{
    gnuplot_put_tic(stream, "%s", result_table_text(row, "term"));
}

static void put_phase(FILE *stream, const struct result_table *row)
{
    const char *layer = result_table_text(row, "layer");
    gnuplot_put_tic(stream, "%s: %s%s%s", result_table_text(row, "stage"), layer,
                    layer[0] == '\0' ? "" : " ", result_table_text(row, "phase"));
}

static const struct drawing DRAWINGS[] = {
    {"energy_by_component",
     "energy.csv",
     {"joules_default", "joules_low", "joules_high"},
     put_term,
     false},
    {"time_by_phase",
     "phases.csv",
     {"core_cycles", "core_cycles_least", "core_cycles_most"},
     put_phase,
     true},
};

/* ---- what gnuplot is told ---- */

/* Rows of $table: place,first,second,third; their labels stand along the axis. */
static size_t put_rows(FILE *stream, const struct drawing *drawing, struct result_table *row,
                       FILE *labels)
{
    size_t rows = 0;
    (void)fputs("$table << end\n", stream);
    while (result_table_next(row)) {
        double number[3];
        bool good = true;
        for (unsigned i = 0; i < 3; i++) {
            number[i] = result_table_number(row, drawing->number[i]);
            good = good && isfinite(number[i]);
        }
        if (!good || (drawing->without_zero && !(number[0] > 0))) {
            continue;
        }
        char text[3][REAL_TEXT_CHARS];
        (void)fprintf(stream, "%zu,%s,%s,%s\n", rows, real_text(number[0], text[0]),
                      real_text(number[1], text[1]), real_text(number[2], text[2]));
        (void)fprintf(labels, "set xtics %s(", rows == 0 ? "" : "add ");
        drawing->put_label(labels, row);
        (void)fprintf(labels, " %zu)\n", rows++);
    }
    (void)fputs("end\n", stream);
    return rows;
}

static enum status put_table(FILE *stream, const struct results *results,
                             const struct drawing *drawing, struct diagnostic *diagnostic)
{
    struct result_table table;
    char *text = NULL;
    size_t size;
    enum status status = result_table_open(&table, results->folder, drawing->table, diagnostic);
    for (unsigned i = 0; status == STATUS_OK && i < 3; i++) {
        status = result_table_require(&table, drawing->number[i], diagnostic);
    }
    FILE *labels = status == STATUS_OK ? open_memstream(&text, &size) : NULL;
    if (labels != NULL) {
        const size_t rows = put_rows(stream, drawing, &table, labels);
        (void)fprintf(stream, "rows = %zu\n", rows);
    }
    if (status == STATUS_OK && (labels == NULL || fclose(labels) != 0 || text == NULL)) {
        status = no_memory(diagnostic);
    } else if (status == STATUS_OK) {
        (void)fputs(text, stream);
    }
    free(text);
    result_table_close(&table);
    return status;
}

static void put_text(FILE *stream, const struct results *results, const char *variable,
                     const char *key)
{
    struct result_value value;
    const bool has = results_find(results, key, &value) && value.text != NULL;
    (void)fprintf(stream, "%s = ", variable);
    gnuplot_put_text(stream, "%s", has ? value.text : "");
    (void)fputc('\n', stream);
}

static void put_number(FILE *stream, const struct results *results, const char *variable,
                       const char *key)
{
    struct result_value value;
    char text[REAL_TEXT_CHARS];
    const bool has = results_find(results, key, &value) && value.is_number;
    (void)fprintf(stream, "%s = %s\n", variable, real_text(has ? value.value : 0, text));
}

/* Writes into an unnamed temporary file, *stream; NULL if it could not be created. */
static enum status write_commands(const struct results *results, const struct drawing *drawing,
                                  const char *suffix, FILE **stream, struct diagnostic *diagnostic)
{
    *stream = tmpfile();
    if (*stream == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "cannot make a temporary file: %s",
                        strerror(errno));
    }
    const enum status status = put_table(*stream, results, drawing, diagnostic);
    put_text(*stream, results, "name", "name");
    put_text(*stream, results, "scope", "energy.scope");
    put_number(*stream, results, "cores", "cores_used");
    put_number(*stream, results, "core_hz", "clock.cpu");
    (void)fprintf(*stream, "suffix = '%s'\nload './%s.gp'\n", suffix, drawing->script);
    if (status == STATUS_OK && (fflush(*stream) != 0 || ferror(*stream) != 0)) {
        return diagnose(diagnostic, STATUS_INTERNAL, "cannot write a temporary file: %s",
                        strerror(errno));
    }
    return status;
}

/* ---- the pictures ---- */

static enum status draw_one(const struct plotter *plotter, const struct results *results,
                            const struct drawing *drawing, const char *suffix)
{
    FILE *commands = NULL;
    char *path = NULL;
    char name[FIGURE_NAME_CHARS];
    figure_name_of_folder(results->folder, name);
    enum status status = write_commands(results, drawing, suffix, &commands, plotter->diagnostic);
    if (status == STATUS_OK &&
        asprintf(&path, "%s/%s_%s.%s", plotter->request->out, name, drawing->script, suffix) < 0) {
        path = NULL;
        status = no_memory(plotter->diagnostic);
    }
    if (status == STATUS_OK) {
        const struct gnuplot_request request = {.folder = plotter->request->scripts_folder,
                                                .commands = commands};
        status = gnuplot_make(path, request, plotter->diagnostic);
    }
    if (status == STATUS_OK) {
        plotter->made(plotter->context, path);
    }
    if (commands != NULL) {
        (void)fclose(commands);
    }
    free(path);
    return status;
}

static enum status draw(const struct plotter *plotter)
{
    for (size_t i = 0; i < plotter->request->folder_count; i++) {
        const struct results *results = &plotter->results[i];
        struct result_value value;
        TRY(results_require(results, "seconds", &value, plotter->diagnostic));
        for (size_t d = 0; d < sizeof DRAWINGS / sizeof *DRAWINGS; d++) {
            TRY(draw_one(plotter, results, &DRAWINGS[d], "svg"));
            TRY(draw_one(plotter, results, &DRAWINGS[d], "png"));
        }
    }
    return STATUS_OK;
}

/* Drawn if no other kind is requested. */
static bool is_wanted(const struct plotter *plotter)
{
    (void)plotter;
    return true;
}

const struct figure_kind FIGURE_STANDARD = {is_wanted, draw};
