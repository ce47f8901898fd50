/* learning_curve.c - see figure.h: how runs have learnt, from their learning.csv; a curve for each.
 * Rows that lack one of the two numbers have no point: accuracy is known after tests, joules when
 * the machine stands.  The loss of tests is a curve of its own. */
#include "sim/file.h"
#include "sim/reports/axis.h"
#include "sim/reports/figure.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/results/quantity.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *unit;
} AXIS[] = {{"images", "image"}, {"seconds", "s"}, {"joules", "J"}};

static const char WANTED[] =
    "--y accuracy or loss, --x images, seconds or joules, and folders of trainings";

static const char *unit_of(const char *x)
{
    for (size_t i = 0; i < sizeof AXIS / sizeof *AXIS; i++) {
        if (strcmp(x, AXIS[i].name) == 0) {
            return AXIS[i].unit;
        }
    }
    return NULL;
}

bool plot_is_learning(const char *x, const char *y)
{
    return unit_of(x) != NULL && (strcmp(y, "accuracy") == 0 || strcmp(y, "loss") == 0);
}

static bool is_wanted(const struct plotter *plotter)
{
    const struct plot_request *request = plotter->request;
    bool is = request->x != NULL && plot_is_learning(request->x, request->y);
    for (size_t i = 0; i < request->folder_count && is; i++) {
        is = strcmp(results_text(&plotter->results[i], "mode"), "train") == 0;
    }
    return is;
}

/* ---- the figure's table ---- */

/* One run: the loss of tests, or of training; accuracies are of tests. */
struct curve {
    const struct results *results;
    bool tests;
    size_t rows, run;
    double least[2], greatest[2]; /* of x and y */
};

static void take_bounds(struct curve *curve, double x, double y)
{
    const double value[] = {x, y};
    for (unsigned i = 0; i < 2; i++) {
        curve->least[i] = fmin(curve->least[i], value[i]);
        curve->greatest[i] = fmax(curve->greatest[i], value[i]);
    }
}

/* The rows of a curve, counted, and written when there is a stream. */
static enum status put_curve(const struct plot_request *request, struct curve *curve, FILE *stream,
                             struct diagnostic *diagnostic)
{
    struct result_table table;
    const enum status status =
        result_table_open(&table, curve->results->folder, "learning.csv", diagnostic);
    curve->rows = 0;
    curve->least[0] = curve->least[1] = INFINITY;
    curve->greatest[0] = curve->greatest[1] = -INFINITY;
    while (status == STATUS_OK && result_table_next(&table)) {
        const double x = result_table_number(&table, request->x);
        const double y = result_table_number(&table, request->y);
        if (isfinite(x) && isfinite(y) &&
            isfinite(result_table_number(&table, "accuracy")) == curve->tests) {
            char text[2][REAL_TEXT_CHARS];
            curve->rows++;
            take_bounds(curve, x, y);
            if (stream != NULL) {
                csv_line_text(stream, curve->results->folder);
                (void)fprintf(stream, ",%s,%s,%s\n", curve->tests ? "test" : "training",
                              real_text(x, text[0]), real_text(y, text[1]));
            }
        }
    }
    return result_table_end(&table, status, diagnostic);
}

struct curves {
    const struct plot_request *request;
    struct curve *curve;
    size_t count;
};

static enum status write_table(FILE *stream, void *context, struct diagnostic *diagnostic)
{
    const struct curves *curves = context;
    (void)fputs("folder,of,", stream);
    csv_line_text(stream, curves->request->x);
    (void)fputc(',', stream);
    csv_line_text(stream, curves->request->y);
    (void)fputc('\n', stream);
    for (size_t i = 0; i < curves->count; i++) {
        TRY(put_curve(curves->request, &curves->curve[i], stream, diagnostic));
    }
    return STATUS_OK;
}

/* ---- the script ---- */

static const char TRAINING[] = " (training)";

static const char *name_of(const struct plot_request *request, const struct curve *curve)
{
    struct result_value title;
    const bool named = request->by != NULL && results_find(curve->results, request->by, &title);
    return named ? title.text : curve->results->folder;
}

static void put_title(FILE *stream, const struct plot_request *request, const struct curve *curve)
{
    (void)fputs(" title ", stream);
    gnuplot_put_text(stream, "%s%s", name_of(request, curve), curve->tests ? "" : TRAINING);
}

static size_t drawn(const struct curves *curves)
{
    size_t count = 0;
    for (size_t i = 0; i < curves->count; i++) {
        count += curves->curve[i].rows > 0;
    }
    return count;
}

/* The legend has two columns if they fit. */
static size_t curve_rows(const struct curves *curves)
{
    static const double SAMPLE_MM = 12;
    const unsigned width = curves->request->width_mm;
    size_t longest = 0;
    for (size_t i = 0; i < curves->count; i++) {
        const size_t bytes = strlen(name_of(curves->request, &curves->curve[i]));
        longest = bytes > longest ? bytes : longest;
    }
    const double column_mm = SAMPLE_MM + AXIS_CHARACTER_MM * (double)(longest + sizeof TRAINING);
    return 2 * column_mm > (width == 0 ? PLOT_WIDTH_MM : width) ? drawn(curves)
                                                                : (drawn(curves) + 1) / 2;
}

static size_t legend_lines(const struct curves *curves)
{
    return curve_rows(curves) + (curves->request->by == NULL ? 0 : 2); /* title, free line */
}

static const char NETWORK[] = "network.name";

/* Whether each run trains another network. */
static bool are_networks(const struct curves *curves)
{
    bool are = true;
    for (size_t i = 0; i < curves->count * curves->count && are; i++) {
        const struct curve *a = &curves->curve[i / curves->count];
        const struct curve *b = &curves->curve[i % curves->count];
        are = a->run == b->run ||
              strcmp(results_text(a->results, NETWORK), results_text(b->results, NETWORK)) != 0;
    }
    return are;
}

/* A run has a colour and a point of its own, its network's if each run has another; its training is
 * dashed, without points. */
static void put_curve_line(FILE *stream, const struct curve *curve, size_t first, bool networks)
{
    enum { POINTS = 12 };
    (void)fprintf(stream, "%stable every ::%zu::%zu using ($3*sx):($4*sy) with %s ",
                  first == 1 ? "plot " : ", \\\n     ", first, first + curve->rows - 1,
                  curve->tests ? "linespoints" : "lines");
    if (networks) {
        figure_put_network(stream, results_text(curve->results, NETWORK), curve->run + 1);
    } else {
        (void)fprintf(stream, "lt %zu", curve->run + 1);
    }
    if (curve->tests) {
        (void)fprintf(stream, " pi %zu", 1 + curve->rows / POINTS);
    } else {
        (void)fputs(" dt 3 lw 1", stream);
    }
}

/* A column of learning.csv as an axis. */
static struct axis axis_of_column(const char *name, double greatest)
{
    char key[48];
    const char *unit = unit_of(name);
    (void)snprintf(key, sizeof key, "learning.%s", name);
    return axis_of(key, unit == NULL ? "" : unit, greatest);
}

static void put_axes(FILE *stream, const struct curves *curves)
{
    static const double ROOM = 0.04;
    static const double WITHIN_AXES = 0.8; /* of the figure's width */
    const struct plot_request *request = curves->request;
    const char *const name[] = {request->x, request->y};
    const bool log[] = {request->log_x, request->log_y};
    const double width_mm = request->width_mm == 0 ? PLOT_WIDTH_MM : request->width_mm;
    for (unsigned i = 0; i < 2; i++) {
        const char *letter = i == 0 ? "x" : "y";
        char label[] = "?label";
        char text[REAL_TEXT_CHARS];
        double least = INFINITY;
        double greatest = -INFINITY;
        for (size_t c = 0; c < curves->count; c++) {
            least = fmin(least, curves->curve[c].least[i]);
            greatest = fmax(greatest, curves->curve[c].greatest[i]);
        }
        const struct axis axis = axis_of_column(name[i], greatest);
        label[0] = letter[0];
        figure_set(stream, label, axis.label);
        (void)fprintf(stream, "s%s = %s\n", letter, real_text(axis.scale, text));
        if (log[i]) {
            axis_put_log(stream, letter, least * axis.scale, greatest * axis.scale);
        } else {
            axis_put_range(stream, letter, least * axis.scale, greatest * axis.scale, ROOM,
                           i == 0 ? WITHIN_AXES * width_mm : 0);
        }
    }
}

static void write_script(FILE *stream, void *context)
{
    const struct curves *curves = context;
    const struct plot_request *request = curves->request;
    const struct curve *curve = curves->curve;
    char layout[48];
    put_axes(stream, curves);
    (void)snprintf(layout, sizeof layout, "vertical maxrows %zu", curve_rows(curves));
    figure_legend_below(stream, layout,
                        request->by == NULL ? NULL : quantity_label(request->by, "").text);
    const bool networks = are_networks(curves);
    size_t first = 1; /* the head is row 0 */
    for (size_t i = 0; i < curves->count; i++) {
        if (curve[i].rows > 0) {
            put_curve_line(stream, &curve[i], first, networks);
            put_title(stream, request, &curve[i]);
            first += curve[i].rows;
        }
    }
    (void)fputc('\n', stream);
}

/* ---- the whole ---- */

static enum status check_logs(const struct curves *curves, struct diagnostic *diagnostic)
{
    const struct plot_request *request = curves->request;
    for (size_t i = 0; i < curves->count; i++) {
        const double *least = curves->curve[i].least;
        if ((request->log_x && !(least[0] > 0)) || (request->log_y && !(least[1] > 0))) {
            return axis_refuse_log(request->log_x && !(least[0] > 0) ? request->x : request->y,
                                   diagnostic);
        }
    }
    return STATUS_OK;
}

static enum status count_rows(const struct curves *curves, struct diagnostic *diagnostic)
{
    size_t rows = 0;
    for (size_t i = 0; i < curves->count; i++) {
        TRY(put_curve(curves->request, &curves->curve[i], NULL, diagnostic));
        rows += curves->curve[i].rows;
    }
    if (rows > 0) {
        return check_logs(curves, diagnostic);
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
    if (!is_wanted(plotter)) {
        return diagnose(plotter->diagnostic, STATUS_CONFIGURATION, "no curves of trainings\v%s",
                        WANTED);
    }
    const size_t kinds = strcmp(request->y, "loss") == 0 ? 2 : 1;
    struct curves curves = {.request = request, .count = kinds * request->folder_count};
    FREED struct curve *curve = calloc(curves.count + 1, sizeof *curve);
    if (curve == NULL) {
        return no_memory(plotter->diagnostic);
    }
    for (size_t i = 0; i < curves.count; i++) {
        curve[i] = (struct curve){
            .results = &plotter->results[i / kinds], .tests = i % kinds == 0, .run = i / kinds};
    }
    curves.curve = curve;
    TRY(count_rows(&curves, plotter->diagnostic));
    const struct figure figure = {.write_table = write_table,
                                  .write_script = write_script,
                                  .context = &curves,
                                  .below_mm = FIGURE_LINE_MM * (double)legend_lines(&curves)};
    (void)snprintf(name, sizeof name, "%s_over_%s", request->y, request->x);
    return figure_make(plotter, name, &figure);
}

const struct figure_kind FIGURE_LEARNING = {
    .about = {"learning",
              "Trainings as they learnt: --y accuracy or loss over --x images, seconds or joules."},
    .is_wanted = is_wanted,
    .draw = draw};
