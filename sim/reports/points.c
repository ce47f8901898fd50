/* points.c - see figure.h: any number of results over any other. */
#include "sim/reports/figure.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

struct point {
    struct result_value x, y, by;
    const char *folder;
};

static int compare_points(const void *a, const void *b)
{
    const struct point *first = a;
    const struct point *second = b;
    const int order = strcmp(first->by.text, second->by.text);
    if (order != 0) {
        return order;
    }
    if (first->x.value != second->x.value) {
        return first->x.value < second->x.value ? -1 : 1;
    }
    return strcmp(first->folder, second->folder);
}

static enum status take_point(const struct plotter *plotter, const struct results *results,
                              struct point *point)
{
    const struct plot_request *request = plotter->request;
    *point = (struct point){.folder = results->folder, .by = {.text = ""}};
    TRY(results_require(results, request->x, &point->x, plotter->diagnostic));
    TRY(results_require(results, request->y, &point->y, plotter->diagnostic));
    if (request->by != NULL) {
        TRY(results_require(results, request->by, &point->by, plotter->diagnostic));
    }
    if (point->y.is_number) {
        return STATUS_OK;
    }
    const enum status status =
        diagnose(plotter->diagnostic, STATUS_CONFIGURATION, "%s is no number", point->y.text);
    diagnostic_at(plotter->diagnostic, results->folder, 0, 0);
    diagnostic_key(plotter->diagnostic, request->y);
    return status;
}

struct points {
    const struct plot_request *request;
    struct point *point;
};

static enum status write_table(FILE *stream, void *context, struct diagnostic *diagnostic)
{
    const struct points *points = context;
    const struct point *point = points->point;
    (void)diagnostic;
    (void)fputs("folder,by,x,y_low,y,y_high\n", stream);
    for (size_t i = 0; i < points->request->folder_count; i++) {
        char text[3][REAL_TEXT_CHARS];
        csv_line_text(stream, point[i].folder);
        (void)fputc(',', stream);
        csv_line_text(stream, point[i].by.text);
        (void)fputc(',', stream);
        csv_line_text(stream, point[i].x.is_number ? real_text(point[i].x.value, text[0])
                                                   : point[i].x.text);
        (void)fprintf(stream, ",%s,%s,%s\n", real_text(point[i].y.low, text[0]),
                      real_text(point[i].y.value, text[1]), real_text(point[i].y.high, text[2]));
    }
    return STATUS_OK;
}

static bool same_group(const struct point *a, const struct point *b)
{
    return strcmp(a->by.text, b->by.text) == 0;
}

static void put_axis(FILE *stream, const char *axis, const char *key, const char *unit)
{
    const bool bare = unit[0] == '\0';
    (void)fprintf(stream, "set %slabel ", axis);
    gnuplot_put_text(stream, "%s%s%s%s", key, bare ? "" : " [", unit, bare ? "" : "]");
    (void)fputc('\n', stream);
}

/* Properties common to all points. */
struct axes {
    bool numbers, ranges, one_place;
};

static struct axes axes_of(const struct point *point, size_t count)
{
    struct axes axes = {.numbers = true, .ranges = false, .one_place = true};
    for (size_t i = 0; i < count; i++) {
        axes.numbers &= point[i].x.is_number;
        axes.ranges |= point[i].y.low < point[i].y.high;
        axes.one_place &= point[i].x.value == point[0].x.value;
    }
    return axes;
}

/* One line of the figure: points first to last, in the table's rows one further down. */
static void put_line(FILE *stream, const struct axes *axes, const char *title, size_t first,
                     size_t last)
{
    static const char *const STYLE[2][2] = {{"points", "yerrorbars"},
                                            {"linespoints", "yerrorlines"}};
    (void)fprintf(stream, "%stable every ::%zu::%zu using %s:%s with %s pt 7 title ",
                  first == 0 ? "plot " : ", \\\n     ", first + 1, last + 1,
                  axes->numbers ? "3" : "0", axes->ranges ? "5:4:6" : "5",
                  STYLE[axes->numbers][axes->ranges]);
    gnuplot_put_text(stream, "%s", title);
}

/* If x is not a number, points are placed side by side, labelled with their x. */
static void put_places(FILE *stream, const struct point *point, size_t count)
{
    size_t place = 0;
    (void)fputs("set xrange [-0.5:*]\n", stream);
    for (size_t i = 0; i < count; i++, place++) {
        if (i > 0 && !same_group(&point[i - 1], &point[i])) {
            place = 0;
        }
        (void)fprintf(stream, "set xtics %s(", i == 0 ? "" : "add ");
        gnuplot_put_tic(stream, "%s", point[i].x.text);
        (void)fprintf(stream, " %zu)\n", place);
    }
}

/* A script that draws the table beside it. */
static void write_script(FILE *stream, void *context, const char *name)
{
    const struct points *points = context;
    const struct plot_request *request = points->request;
    const struct point *point = points->point;
    const size_t count = request->folder_count;
    const struct axes axes = axes_of(point, count);
    gnuplot_put_head(stream, name, "size 800,500 background rgb 'white'");
    (void)fputs("set grid\nset title ", stream);
    gnuplot_put_text(stream, "%s over %s", request->y, request->x);
    (void)fputc('\n', stream);
    put_axis(stream, "x", request->x, point[0].x.unit);
    put_axis(stream, "y", request->y, point[0].y.unit);
    (void)fputs("set offsets graph 0.05, graph 0.05\n", stream);
    if (!axes.numbers) {
        put_places(stream, point, count);
    } else if (axes.one_place) { /* gnuplot wants an axis around it */
        char text[REAL_TEXT_CHARS];
        (void)fprintf(stream, "set xrange [%s - 1:*]\n", real_text(point[0].x.value, text));
    }
    if (axes.ranges) {
        (void)fputs("# error bars: the low and high ends of the coefficients\n", stream);
    }
    const char *drawn = "";
    for (size_t first = 0; first < count;) {
        size_t last = first;
        while (last + 1 < count && same_group(&point[first], &point[last + 1])) {
            last++;
        }
        put_line(stream, &axes, request->by == NULL ? "" : point[first].by.text, first, last);
        drawn = "\n";
        first = last + 1;
    }
    (void)fputs(drawn, stream);
}

static bool is_wanted(const struct plotter *plotter)
{
    return plotter->request->x != NULL;
}

static enum status draw(const struct plotter *plotter)
{
    const struct plot_request *request = plotter->request;
    char name[2 * FIGURE_NAME_CHARS + 8];
    char x[FIGURE_KEY_CHARS];
    char y[FIGURE_KEY_CHARS];
    figure_name_of_key(request->x, x);
    figure_name_of_key(request->y, y);
    (void)snprintf(name, sizeof name, "%s_over_%s", y, x);
    struct points points = {request, calloc(request->folder_count + 1, sizeof *points.point)};
    enum status status = points.point == NULL ? no_memory(plotter->diagnostic) : STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < request->folder_count; i++) {
        status = take_point(plotter, &plotter->results[i], &points.point[i]);
    }
    if (status == STATUS_OK) {
        const struct figure figure = {write_table, write_script, &points};
        qsort(points.point, request->folder_count, sizeof *points.point, compare_points);
        status = figure_make(plotter, name, &figure);
    }
    free(points.point);
    return status;
}

const struct figure_kind FIGURE_POINTS = {is_wanted, draw};
