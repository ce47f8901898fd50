/* points_script.c - see points.h: the table of the points, and the script that draws them. */
#include "sim/config/config_value.h"
#include "sim/reports/front.h"
#include "sim/reports/gnuplot.h"
#include "sim/reports/label_places.h"
#include "sim/reports/points.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/results/quantity.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static enum status write_table(FILE *stream, void *context, struct diagnostic *diagnostic)
{
    const struct points *points = context;
    (void)diagnostic;
    (void)fprintf(stream, "folder,by,x,y_low,y,y_high,place%s%s\n",
                  points->request->label != NULL ? ",label" : "",
                  points->request->pareto != PLOT_PARETO_NONE ? ",front" : "");
    for (size_t i = 0; i < points->count; i++) {
        const struct point *point = &points->point[i];
        char text[3][REAL_TEXT_CHARS];
        csv_line_text(stream, point->results->folder);
        (void)fputc(',', stream);
        csv_line_text(stream, point->by.text);
        (void)fputc(',', stream);
        csv_line_text(stream,
                      point->x.is_number ? real_text(point->x.value, text[0]) : point->x.text);
        (void)fprintf(stream, ",%s,%s,%s", real_text(point->y.low, text[0]),
                      real_text(point->y.value, text[1]), real_text(point->y.high, text[2]));
        (void)fprintf(stream, ",%s",
                      real_text(points->numbers ? (double)point->place : point->bar, text[0]));
        if (points->request->label != NULL) {
            (void)fputc(',', stream);
            csv_line_text(stream, point->label.text);
        }
        (void)fprintf(stream, "%s\n",
                      points->request->pareto == PLOT_PARETO_NONE ? ""
                      : point->is_front                           ? ",1"
                                                                  : ",0");
    }
    return STATUS_OK;
}

/* ---- the script ---- */

#define WITHIN_AXES 0.7 /* of the figure's width */

static double width_of(const struct points *points)
{
    return points->request->width_mm == 0 ? PLOT_WIDTH_MM : points->request->width_mm;
}

/* Rows first to last of the table, which has a head. */
static void put_rows(FILE *stream, const struct points *points, size_t first, size_t last,
                     const char *columns)
{
    (void)fprintf(stream, "table every ::%zu::%zu using %s:%s", first + 1, last + 1,
                  points->numbers ? "($3*sx)" : "7", columns);
}

/* Networks have colours of their own, which all figures share; other groups have one by number. */
static void put_colour(FILE *stream, const struct points *points, size_t first, size_t group)
{
    const char *by = points->request->by;
    const bool network =
        by != NULL && (strcmp(by, "network") == 0 || strcmp(by, "network.name") == 0);
    if (network) {
        figure_put_network(stream, points->point[first].by.text, group);
    } else {
        (void)fprintf(stream, "lt %zu", group);
    }
}

static void put_bars(FILE *stream, const struct points *points, size_t first, size_t last,
                     size_t group, const char *title)
{
    /* Patterns that differ without colour. */
    static const unsigned PATTERN[] = {3, 1, 5, 2, 4, 6, 7, 0};
    char text[REAL_TEXT_CHARS];
    put_rows(stream, points, first, last, "($5*sy):(");
    (void)fprintf(stream, "%s) with boxes ", real_text(points->bar_width, text));
    put_colour(stream, points, first, group);
    (void)fprintf(stream, " dt 1 lw 0.7 fs pattern %u title ",
                  PATTERN[(group - 1) % (sizeof PATTERN / sizeof *PATTERN)]);
    gnuplot_put_text(stream, "%s", title);
    if (points->ranges) {
        (void)fputs(", \\\n     ", stream);
        put_rows(stream, points, first, last, "($5*sy):($4*sy):($6*sy)");
        (void)fputs(" with yerrorbars lc rgb '#000000' dt 1 lw 1 pt 7 ps 0.1 notitle", stream);
    }
}

/* One line of the figure, or points that no line joins, or bars: those first to last. */
static void put_line(FILE *stream, const struct points *points, size_t first, size_t last,
                     size_t group, const char *title)
{
    const bool line = points->lines && first < last;
    (void)fputs(first == 0 ? "plot " : ", \\\n     ", stream);
    if (!points->numbers) {
        put_bars(stream, points, first, last, group, title);
        return;
    }
    if (line && points->ranges) {
        put_rows(stream, points, first, last, "($4*sy):($6*sy)");
        (void)fputs(" with filledcurves ", stream);
        put_colour(stream, points, first, group);
        (void)fputs(" fs transparent solid 0.2 noborder notitle, \\\n     ", stream);
    }
    put_rows(stream, points, first, last,
             !line && points->ranges ? "($5*sy):($4*sy):($6*sy)" : "($5*sy)");
    (void)fprintf(stream, " with %s ",
                  line             ? "linespoints"
                  : points->ranges ? "yerrorbars dt 1"
                                   : "points");
    put_colour(stream, points, first, group);
    (void)fputs(" title ", stream);
    gnuplot_put_text(stream, "%s", title);
}

/* If x is not a number, points are placed side by side, labelled with their x: aslant if the texts
 * do not fit beside each other, upright if the last would reach far beyond the axes. */
struct places {
    size_t last; /* place */
    unsigned angle;
    double below_mm; /* how much lower than a line of text they reach */
};

static struct places places_of(const struct points *points)
{
    static const double ASLANT_MOST = 0.2; /* of the width */
    static const double SLOPE = 0.43;      /* sine of 25 degrees */
    struct places places = {.last = 0};
    size_t longest = 0;
    for (size_t i = 0; i < points->count && !points->numbers; i++) {
        const size_t bytes = strlen(points->point[i].x.text);
        places.last = points->point[i].place > places.last ? points->point[i].place : places.last;
        longest = bytes > longest ? bytes : longest;
    }
    const double text_mm = AXIS_CHARACTER_MM * (double)(longest + 1);
    if (text_mm * (double)(places.last + 1) > WITHIN_AXES * width_of(points)) {
        const bool upright = text_mm > ASLANT_MOST * width_of(points);
        places.angle = upright ? 90 : 25;
        places.below_mm = upright ? text_mm : SLOPE * text_mm;
    }
    return places;
}

enum { TIC_BYTES = 128 };

/* Names of runs are words with underscores. */
static const char *tic_of(const struct points *points, size_t i, char text[TIC_BYTES])
{
    const char *x = points->point[i].x.text;
    if (strcmp(points->request->x, "name") != 0 || !config_is_name(x)) {
        return x;
    }
    (void)snprintf(text, TIC_BYTES, "%s", x);
    for (char *at = strchr(text, '_'); at != NULL; at = strchr(at, '_')) {
        *at = ' ';
    }
    return text;
}

static void put_places(FILE *stream, const struct points *points)
{
    char text[TIC_BYTES];
    const struct places places = places_of(points);
    (void)fprintf(stream, "set xrange [-0.5:%zu+0.5]\n", places.last);
    if (places.angle > 0) {
        (void)fprintf(stream, "set xtics rotate by -%u\n", places.angle);
    }
    for (size_t i = 0; i < points->count; i++) {
        (void)fprintf(stream, "set xtics %s(", i == 0 ? "" : "add ");
        gnuplot_put_tic(stream, "%s", tic_of(points, i, text));
        (void)fprintf(stream, " %zu)\n", points->point[i].place);
    }
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_front(const void *a, const void *b)
{
    const struct front_point *first = a;
    const struct front_point *second = b;
    const int order = compare_numbers(first->x, second->x);
    return order != 0 ? order : compare_numbers(first->y, second->y);
}

static void put_front(FILE *stream, const struct points *points)
{
    FREED struct front_point *front = calloc(points->count + 1, sizeof *front);
    char text[2][REAL_TEXT_CHARS];
    size_t count = 0;
    for (size_t i = 0; front != NULL && i < points->count; i++) {
        if (points->point[i].is_front) {
            front[count].x = points->point[i].x.value;
            front[count++].y = points->point[i].y.value;
        }
    }
    if (count > 0) {
        qsort(front, count, sizeof *front, compare_front);
    }
    (void)fputs("$front << end\n", stream);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(stream, "%s,%s\n", real_text(front[i].x, text[0]),
                      real_text(front[i].y, text[1]));
    }
    (void)fputs("end\n", stream);
}

static bool same_group(const struct point *a, const struct point *b)
{
    return strcmp(a->by.text, b->by.text) == 0;
}

static void put_lines(FILE *stream, const struct points *points)
{
    const struct point *point = points->point;
    size_t group = 1;
    bool any_line = false;
    for (size_t first = 0; first < points->count;) {
        size_t last = first;
        while (last + 1 < points->count && same_group(&point[first], &point[last + 1]) &&
               strcmp(point[first].rest, point[last + 1].rest) == 0) {
            last++;
        }
        const bool begins = first == 0 || !same_group(&point[first - 1], &point[first]);
        group += begins && first > 0;
        any_line |= points->lines && first < last;
        put_line(stream, points, first, last, group, begins ? point[first].by.text : "");
        first = last + 1;
    }
    if (points->request->pareto != PLOT_PARETO_NONE) {
        (void)fputs(", \\\n     $front using ($1*sx):($2*sy) with linespoints lc rgb '#000000' dt "
                    "3 lw 1.2 pt 6 ps 1.7 title 'Pareto front'",
                    stream);
    }
    if (points->ranges) {
        (void)fprintf(stream, ", \\\n     keyentry with %s title 'low to high'",
                      any_line ? "filledcurves lt 8 fs transparent solid 0.3 noborder"
                               : "yerrorbars lt 8 dt 1 pt 0");
    }
    (void)fputc('\n', stream);
}

static size_t groups_of(const struct points *points)
{
    size_t groups = 0;
    for (size_t i = 0; i < points->count; i++) {
        groups += i == 0 || !same_group(&points->point[i - 1], &points->point[i]);
    }
    return groups;
}

/* Of a legend, its title and a free line above it included. */
static size_t legend_lines(const struct points *points)
{
    return (points->request->by == NULL ? 0 : groups_of(points) + 2) + points->ranges +
           (points->request->pareto != PLOT_PARETO_NONE);
}

/* Whether the legend lies below the figure: there is no room beside it. */
static bool is_legend_below(const struct points *points)
{
    enum { SHORT = 24, NARROW_MM = 120 };
    bool below = points->request->by == NULL || width_of(points) < NARROW_MM;
    for (size_t i = 0; i < points->count; i++) {
        below = below || strlen(points->point[i].by.text) > SHORT;
    }
    return below && legend_lines(points) > 0;
}

static void put_legend(FILE *stream, const struct points *points)
{
    const char *by = points->request->by;
    const struct quantity_label title = quantity_label(by == NULL ? "" : by, "");
    if (is_legend_below(points)) {
        figure_legend_below(stream, "vertical maxcols 1", by == NULL ? NULL : title.text);
        return;
    }
    (void)fputs("set key outside right Left reverse samplen 3\n", stream);
    if (by != NULL) {
        figure_set(stream, "key title", title.text);
    }
}

#define ROOM           0.05 /* beyond the values, of their span */
#define ROOM_OF_LABELS 0.15

/* Bars begin at 0. */
static struct points_bounds bounds_shown(const struct points *points)
{
    struct points_bounds bounds = points_bounds(points);
    if (!points->numbers && !points->request->log_y) {
        bounds.least[1] = fmin(bounds.least[1], 0);
    }
    return bounds;
}

static void put_axes(FILE *stream, const struct points *points)
{
    const struct plot_request *request = points->request;
    const struct points_bounds bounds = bounds_shown(points);
    figure_set(stream, "xlabel", points->x.label);
    figure_set(stream, "ylabel", points->y.label);
    if (!points->numbers) {
        put_places(stream, points);
    } else if (request->log_x) {
        axis_put_log(stream, "x", bounds.least[0], bounds.greatest[0]);
    } else {
        axis_put_range(stream, "x", bounds.least[0], bounds.greatest[0],
                       request->label == NULL ? ROOM : ROOM_OF_LABELS,
                       WITHIN_AXES * width_of(points));
    }
    if (request->log_y) {
        axis_put_log(stream, "y", bounds.least[1], bounds.greatest[1]);
    } else {
        axis_put_range(stream, "y", bounds.least[1], bounds.greatest[1], ROOM, 0);
    }
}

/* ---- texts beside points ---- */

/* Where a value lies along an axis, 0 to 1, as put_axes() sets its range. */
static double along(double value, double least, double greatest, double room, bool log)
{
    static const double LOG_ROOM = 1.25;
    if (log) {
        return log2(value * LOG_ROOM / least) / log2(greatest / least * LOG_ROOM * LOG_ROOM);
    }
    const struct axis_range range = axis_range(least, greatest, room);
    return (value - range.low) / (range.high - range.low);
}

static double up(const struct points *points, const struct points_bounds *bounds, double y)
{
    return along(y * points->y.scale, bounds->least[1], bounds->greatest[1], ROOM,
                 points->request->log_y);
}

static struct label_place *place_labels(const struct points *points, double width_mm,
                                        double height_mm)
{
    const struct points_bounds bounds = bounds_shown(points);
    struct label_place *place = calloc(points->count + 1, sizeof *place);
    for (size_t i = 0; place != NULL && i < points->count; i++) {
        const struct point *point = &points->point[i];
        const double places = (double)places_of(points).last + 1;
        const double x =
            points->numbers
                ? along(point->x.value * points->x.scale, bounds.least[0], bounds.greatest[0],
                        ROOM_OF_LABELS, points->request->log_x)
                : (point->bar + 0.5) / places; /* NOLINT(readability-magic-numbers): half a place */
        place[i].x_mm = width_mm * x;
        place[i].y_mm = height_mm * up(points, &bounds, point->y.value);
        place[i].low_mm = height_mm * up(points, &bounds, point->y.low);
        place[i].high_mm = height_mm * up(points, &bounds, point->y.high);
        place[i].characters = strlen(point->label.text);
    }
    if (place != NULL) {
        label_places(place, points->count, width_mm, height_mm);
    }
    return place;
}

static void put_labels(FILE *stream, const struct points *points)
{
    static const double HEIGHT = 0.45; /* of the width: the height within the axes, about */
    const double width_mm = WITHIN_AXES * width_of(points);
    const double height_mm = HEIGHT * width_of(points);
    FREED struct label_place *place = place_labels(points, width_mm, height_mm);
    for (size_t i = 0; place != NULL && i < points->count; i++) {
        const struct point *point = &points->point[i];
        const struct label_place *at = &place[i];
        char text[2][REAL_TEXT_CHARS];
        (void)real_text(points->numbers ? point->x.value * points->x.scale : point->bar, text[0]);
        (void)real_text(point->y.value * points->y.scale, text[1]);
        const double dx = at->dx_mm / width_mm;
        const double dy = at->dy_mm / height_mm;
        (void)fputs("set label ", stream);
        gnuplot_put_text(stream, "%s", point->label.text);
        (void)fprintf(stream, " at %s, %s %s offset graph %.4f, graph %.4f font ',7' front\n",
                      text[0], text[1], at->from_right ? "right" : "left", dx, dy);
        if (at->is_far) {
            (void)fprintf(stream,
                          "set arrow from %s, %s rto graph %.4f, graph %.4f nohead lw 0.5 lc rgb "
                          "'#808080'\n",
                          text[0], text[1], dx, dy);
        }
    }
}

static void write_script(FILE *stream, void *context)
{
    const struct points *points = context;
    char text[REAL_TEXT_CHARS];
    (void)fprintf(stream, "sx = %s\n", real_text(points->x.scale, text));
    (void)fprintf(stream, "sy = %s\n", real_text(points->y.scale, text));
    put_axes(stream, points);
    put_legend(stream, points);
    if (points->request->pareto != PLOT_PARETO_NONE) {
        put_front(stream, points);
    }
    if (points->request->label != NULL) {
        put_labels(stream, points);
    }
    put_lines(stream, points);
}

struct figure points_figure(struct points *points)
{
    const size_t lines = is_legend_below(points) ? legend_lines(points) : 0;
    return (struct figure){.write_table = write_table,
                           .write_script = write_script,
                           .context = points,
                           .below_mm = FIGURE_LINE_MM * (double)lines + places_of(points).below_mm};
}

struct points_bounds points_bounds(const struct points *points)
{
    struct points_bounds bounds = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (size_t i = 0; i < points->count; i++) {
        const struct point *point = &points->point[i];
        const double x = point->x.value * points->x.scale;
        bounds.least[0] = fmin(bounds.least[0], x);
        bounds.greatest[0] = fmax(bounds.greatest[0], x);
        bounds.least[1] = fmin(bounds.least[1], point->y.low * points->y.scale);
        bounds.greatest[1] =
            fmax(bounds.greatest[1], fmax(point->y.high, point->y.value) * points->y.scale);
    }
    return bounds;
}
