/* learning_curve.c - see learning_curve.h. */
#include "sim/reports/learning_curve.h"

#include "sim/file.h"
#include "sim/reports/gnuplot_text.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/results/result_table.h"

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

bool learning_curve_is_wanted(const struct learning_curve_request *request)
{
    bool is = request->x != NULL && unit_of(request->x) != NULL &&
              (strcmp(request->y, "accuracy") == 0 || strcmp(request->y, "loss") == 0);
    for (size_t i = 0; i < request->count && is; i++) {
        struct result_value mode;
        is = results_find(&request->results[i], "mode", &mode) && strcmp(mode.text, "train") == 0;
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
static enum status put_curve(const struct learning_curve_request *request, struct curve *curve,
                             FILE *stream, struct diagnostic *diagnostic)
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

static enum status write_table(const struct learning_curve_request *request, FILE *stream,
                               struct curve *curve, size_t count, struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    (void)fprintf(stream, "folder,of,%s,%s\n", request->x, request->y);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = put_curve(request, &curve[i], stream, diagnostic);
    }
    return status;
}

/* ---- the script ---- */

static void put_title(FILE *stream, const struct learning_curve_request *request,
                      const struct curve *curve)
{
    struct result_value title;
    const bool named = request->by != NULL && results_find(curve->results, request->by, &title);
    (void)fputs(" title ", stream);
    gnuplot_put_text(stream, "%s%s", named ? title.text : curve->results->folder,
                     curve->tests ? "" : " (training)");
}

static enum status write_script(const struct learning_curve_request *request, FILE *stream,
                                const struct curve *curve, size_t count)
{
    const char *unit = unit_of(request->x);
    gnuplot_put_head(stream, request->name, "size 800,500 background rgb 'white'");
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
    for (size_t i = 0; i < count; i++) {
        if (curve[i].rows > 0) {
            (void)fprintf(stream, "%stable every ::%zu::%zu using 3:4 with linespoints pt %d",
                          first == 1 ? "plot " : ", \\\n     ", first, first + curve[i].rows - 1,
                          curve[i].tests ? 7 : 1);
            put_title(stream, request, &curve[i]);
            first += curve[i].rows;
        }
    }
    (void)fputc('\n', stream);
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status write_file(const struct learning_curve_request *request, struct curve *curve,
                              size_t count, bool script, const struct figure_listener *listener,
                              struct diagnostic *diagnostic)
{
    char *path;
    struct file_writer writer;
    if (asprintf(&path, "%s/%s.%s", request->out, request->name, script ? "gp" : "csv") < 0) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    enum status status = file_create(&writer, path, diagnostic);
    if (status == STATUS_OK) {
        status = script ? write_script(request, writer.stream, curve, count)
                        : write_table(request, writer.stream, curve, count, diagnostic);
        if (status == STATUS_OK) {
            status = file_commit(&writer, diagnostic);
        } else {
            file_discard(&writer);
        }
    }
    if (status == STATUS_OK) {
        listener->made(listener->context, path);
    }
    free(path);
    return status;
}

static enum status count_rows(const struct learning_curve_request *request, struct curve *curve,
                              size_t count, struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    size_t rows = 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = put_curve(request, &curve[i], NULL, diagnostic);
        rows += curve[i].rows;
    }
    if (status == STATUS_OK && rows == 0) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "no row of learning.csv has both %s and %s", request->x, request->y);
        diagnostic_at(diagnostic, request->results[0].folder, 0, 0);
        diagnostic_hint(diagnostic, "seconds and joules are of backend: spinnaker; accuracy needs "
                                    "tests");
    }
    return status;
}

enum status learning_curve_draw(const struct learning_curve_request *request,
                                const struct figure_listener *listener,
                                struct diagnostic *diagnostic)
{
    const size_t kinds = strcmp(request->y, "loss") == 0 ? 2 : 1;
    const size_t count = kinds * request->count;
    struct curve *curve = calloc(count + 1, sizeof *curve);
    if (curve == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        curve[i] = (struct curve){.results = &request->results[i / kinds], .tests = i % kinds == 0};
    }
    enum status status = count_rows(request, curve, count, diagnostic);
    for (int script = 0; script < 2 && status == STATUS_OK; script++) {
        status = write_file(request, curve, count, script == 1, listener, diagnostic);
    }
    if (status == STATUS_OK) {
        status = gnuplot_draw(request->out, request->name, listener, diagnostic);
    }
    free(curve);
    return status;
}
