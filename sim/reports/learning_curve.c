/* learning_curve.c - see figure.h: how runs have learnt, from their learning.csv; a curve for each.
 * Rows that lack one of the two numbers have no point: accuracy is known after tests, joules when
 * the machine stands.  The loss of tests is a curve of its own. */
#include "sim/file.h"
#include "sim/reports/figure.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *unit;
} AXIS[] = {{"images", ""}, {"seconds", "s"}, {"joules", "J"}};

static const char *unit_of(const char *x)
{
    for (size_t i = 0; i < sizeof AXIS / sizeof *AXIS; i++) {
        if (strcmp(x, AXIS[i].name) == 0) {
            return AXIS[i].unit;
        }
    }
    return NULL;
}

static bool is_wanted(const struct plotter *plotter)
{
    const struct plot_request *request = plotter->request;
    bool is = request->x != NULL && unit_of(request->x) != NULL &&
              (strcmp(request->y, "accuracy") == 0 || strcmp(request->y, "loss") == 0);
    for (size_t i = 0; i < request->folder_count && is; i++) {
        struct result_value mode;
        is = results_find(&plotter->results[i], "mode", &mode) && strcmp(mode.text, "train") == 0;
    }
    return is;
}

/* ---- the figure's table ---- */

/* One run: the loss of tests, or of training; accuracies are of tests. */
struct curve {
    const struct results *results;
    bool tests;
    size_t rows;
};

/* The rows of a curve, counted, and written when there is a stream. */
static enum status put_curve(const struct plot_request *request, struct curve *curve, FILE *stream,
                             struct diagnostic *diagnostic)
{
    struct result_table table;
    const enum status status =
        result_table_open(&table, curve->results->folder, "learning.csv", diagnostic);
    curve->rows = 0;
    while (status == STATUS_OK && result_table_next(&table)) {
        const double x = result_table_number(&table, request->x);
        const double y = result_table_number(&table, request->y);
        if (isfinite(x) && isfinite(y) &&
            isfinite(result_table_number(&table, "accuracy")) == curve->tests) {
            char text[2][REAL_TEXT_CHARS];
            curve->rows++;
            if (stream != NULL) {
                csv_line_text(stream, curve->results->folder);
                (void)fprintf(stream, ",%s,%s,%s\n", curve->tests ? "test" : "training",
                              real_text(x, text[0]), real_text(y, text[1]));
            }
        }
    }
    result_table_close(&table);
    return status;
}

struct curves {
    const struct plot_request *request;
    struct curve *curve;
    size_t count;
};

static enum status write_table(FILE *stream, void *context, struct diagnostic *diagnostic)
{
    const struct curves *curves = context;
    (void)fprintf(stream, "folder,of,%s,%s\n", curves->request->x, curves->request->y);
    for (size_t i = 0; i < curves->count; i++) {
        TRY(put_curve(curves->request, &curves->curve[i], stream, diagnostic));
    }
    return STATUS_OK;
}

/* ---- the script ---- */

static void put_title(FILE *stream, const struct plot_request *request, const struct curve *curve)
{
    struct result_value title;
    const bool named = request->by != NULL && results_find(curve->results, request->by, &title);
    (void)fputs(" title ", stream);
    gnuplot_put_text(stream, "%s%s", named ? title.text : curve->results->folder,
                     curve->tests ? "" : " (training)");
}

static void write_script(FILE *stream, void *context, const char *name)
{
    const struct curves *curves = context;
    const struct plot_request *request = curves->request;
    const struct curve *curve = curves->curve;
    const char *unit = unit_of(request->x);
    gnuplot_put_head(stream, name, "size 800,500 background rgb 'white'");
    (void)fprintf(stream, "set grid\nset key %s\nset title ",
                  strcmp(request->y, "loss") == 0 ? "top right" : "bottom right");
    gnuplot_put_text(stream, "%s over %s", request->y, request->x);
    (void)fputs("\nset xlabel ", stream);
    gnuplot_put_text(stream, "%s%s%s%s", request->x, unit[0] == '\0' ? "" : " [", unit,
                     unit[0] == '\0' ? "" : "]");
    (void)fputs("\nset ylabel ", stream);
    gnuplot_put_text(stream, "%s", request->y);
    (void)fputc('\n', stream);
    size_t first = 1; /* the head is row 0 */
    for (size_t i = 0; i < curves->count; i++) {
        if (curve[i].rows > 0) {
            (void)fprintf(stream, "%stable every ::%zu::%zu using 3:4 with linespoints pt %d",
                          first == 1 ? "plot " : ", \\\n     ", first, first + curve[i].rows - 1,
                          curve[i].tests ? 7 : 1);
            put_title(stream, request, &curve[i]);
            first += curve[i].rows;
        }
    }
    (void)fputc('\n', stream);
}

/* ---- the whole ---- */

static enum status count_rows(const struct curves *curves, struct diagnostic *diagnostic)
{
    size_t rows = 0;
    for (size_t i = 0; i < curves->count; i++) {
        TRY(put_curve(curves->request, &curves->curve[i], NULL, diagnostic));
        rows += curves->curve[i].rows;
    }
    if (rows > 0) {
        return STATUS_OK;
    }
    return file_refuse(curves->request->folder[0],
                       "seconds and joules are of backend: spinnaker; accuracy needs tests",
                       diagnostic, "no row of learning.csv has both %s and %s", curves->request->x,
                       curves->request->y);
}

static enum status draw(const struct plotter *plotter)
{
    const struct plot_request *request = plotter->request;
    char name[2 * FIGURE_NAME_CHARS];
    const size_t kinds = strcmp(request->y, "loss") == 0 ? 2 : 1;
    struct curves curves = {.request = request, .count = kinds * request->folder_count};
    curves.curve = calloc(curves.count + 1, sizeof *curves.curve);
    if (curves.curve == NULL) {
        return no_memory(plotter->diagnostic);
    }
    for (size_t i = 0; i < curves.count; i++) {
        curves.curve[i] =
            (struct curve){.results = &plotter->results[i / kinds], .tests = i % kinds == 0};
    }
    enum status status = count_rows(&curves, plotter->diagnostic);
    if (status == STATUS_OK) {
        const struct figure figure = {write_table, write_script, &curves};
        (void)snprintf(name, sizeof name, "%s_over_%s", request->y, request->x);
        status = figure_make(plotter, name, &figure);
    }
    free(curves.curve);
    return status;
}

const struct figure_kind FIGURE_LEARNING = {is_wanted, draw};
