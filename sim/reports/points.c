/* points.c - see points.h, figure.h: any number of results over any other. */
#include "sim/reports/points.h"

#include "sim/config/config_tree.h"
#include "sim/reports/front.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- configurations that differ in x alone ---- */

/* What does not change what a run does, or is the x axis itself. */
static bool is_aside(const struct plot_request *request, const char *path)
{
    bool is = results_key_is_aside(path) || strcmp(path, request->x) == 0;
    for (size_t i = 0; i < request->along_count; i++) {
        is = is || strcmp(path, request->along[i]) == 0;
    }
    return is;
}

static void put_rest(FILE *stream, const struct plot_request *request,
                     const struct config_node *node)
{
    for (const struct config_node *child = node->first; child != NULL; child = child->next) {
        if (child->shape == CONFIG_SCALAR && !is_aside(request, child->path)) {
            (void)fprintf(stream, "%s=%s\n", child->path, child->text);
        }
        put_rest(stream, request, child);
    }
}

static enum status take_rest(const struct points *points, struct point *point)
{
    size_t size;
    FILE *stream = open_memstream(&point->rest, &size);
    if (stream == NULL) {
        return no_memory(points->plotter->diagnostic);
    }
    put_rest(stream, points->request, point->results->config);
    return fclose(stream) == 0 ? STATUS_OK : no_memory(points->plotter->diagnostic);
}

static bool is_key_of_configuration(const struct results *results, const char *key)
{
    return config_node_find(results->summary, key) == NULL &&
           config_node_find(results->config, key) != NULL;
}

/* ---- the points ---- */

/* The first key of the figure that the results lack; NULL: they have all. */
static const char *lacking(const struct plot_request *request, const struct results *results)
{
    const char *const key[] = {request->x, request->y, request->by, request->label};
    struct result_value value;
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        if (key[i] != NULL && !results_find(results, key[i], &value)) {
            return key[i];
        }
    }
    return NULL;
}

static enum status take_point(const struct points *points, const struct results *results,
                              struct point *point)
{
    const struct plot_request *request = points->request;
    struct diagnostic *diagnostic = points->plotter->diagnostic;
    *point = (struct point){.results = results, .by = {.text = ""}, .label = {.text = ""}};
    TRY(results_require(results, request->x, &point->x, diagnostic));
    TRY(results_require(results, request->y, &point->y, diagnostic));
    if (request->by != NULL) {
        TRY(results_require(results, request->by, &point->by, diagnostic));
    }
    if (request->label != NULL) {
        TRY(results_require(results, request->label, &point->label, diagnostic));
    }
    TRY(take_rest(points, point));
    if (point->y.is_number) {
        return STATUS_OK;
    }
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION, "%s is no number", point->y.text);
    diagnostic_at(diagnostic, results->folder, 0, 0);
    diagnostic_key(diagnostic, request->y);
    return status;
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_groups(const struct point *a, const struct point *b)
{
    const bool numbers = a->by.is_number && b->by.is_number;
    const int order = numbers ? compare_numbers(a->by.value, b->by.value) : 0;
    return order != 0 ? order : strcmp(a->by.text, b->by.text);
}

/* By group, then by what their configurations have in common, then by x. */
static int compare_points(const void *a, const void *b)
{
    const struct point *first = a;
    const struct point *second = b;
    int order = compare_groups(first, second);
    order = order != 0 ? order : strcmp(first->rest, second->rest);
    order = order != 0 ? order : compare_numbers(first->x.value, second->x.value);
    order = order != 0 ? order : strcmp(first->x.text, second->x.text);
    return order != 0 ? order : strcmp(first->results->folder, second->results->folder);
}

/* The point of a run; NULL: the run is left out. */
static struct point *point_of(const struct points *points, const struct results *results)
{
    size_t i = 0;
    while (i < points->count && points->point[i].results != results) {
        i++;
    }
    return i < points->count ? &points->point[i] : NULL;
}

/* The place of a text along the axis among the runs before; SIZE_MAX: none has it. */
static size_t place_before(const struct points *points, const char *text, size_t runs)
{
    for (size_t i = 0; i < runs; i++) {
        const struct point *before = point_of(points, &points->plotter->results[i]);
        if (before != NULL && strcmp(before->x.text, text) == 0) {
            return before->place;
        }
    }
    return SIZE_MAX;
}

/* Texts along the axis have the order of the folders. */
static void take_places(struct points *points)
{
    size_t places = 0;
    for (size_t i = 0; i < points->request->folder_count; i++) {
        struct point *point = point_of(points, &points->plotter->results[i]);
        if (point != NULL) {
            const size_t place = place_before(points, point->x.text, i);
            point->place = place == SIZE_MAX ? places++ : place;
        }
    }
}

static size_t bars_at(const struct points *points, size_t place, size_t before)
{
    size_t bars = 0;
    for (size_t i = 0; i < before; i++) {
        bars += points->point[i].place == place;
    }
    return bars;
}

/* Points of one text are bars side by side, in the order of the points. */
static void take_bars(struct points *points)
{
    static const double SHARE = 0.8; /* of the axis, that bars have where they are most */
    size_t most = 1;
    for (size_t i = 0; i < points->count; i++) {
        const size_t bars = bars_at(points, points->point[i].place, points->count);
        most = bars > most ? bars : most;
    }
    points->bar_width = SHARE / (double)most;
    for (size_t i = 0; i < points->count; i++) {
        struct point *point = &points->point[i];
        const double middle = ((double)bars_at(points, point->place, points->count) - 1) / 2;
        point->bar = (double)point->place +
                     points->bar_width * ((double)bars_at(points, point->place, i) - middle);
    }
}

static void take_axes(struct points *points)
{
    const struct point *point = points->point;
    double x = 0;
    double y = 0;
    points->numbers = points->lines = true;
    for (size_t i = 0; i < points->count; i++) {
        points->numbers &= point[i].x.is_number;
        points->ranges |= point[i].y.low < point[i].y.high;
        points->lines &= is_key_of_configuration(point[i].results, points->request->x);
        x = fmax(x, fabs(point[i].x.value));
        y = fmax(y, fmax(fabs(point[i].y.value), fabs(point[i].y.high)));
    }
    points->lines &= points->numbers;
    points->x = axis_of(points->request->x, points->numbers ? point[0].x.unit : "", x);
    points->y = axis_of(points->request->y, point[0].y.unit, y);
}

static enum status check_logs(const struct points *points)
{
    const bool log[] = {points->request->log_x, points->request->log_y};
    const struct points_bounds bounds = points_bounds(points);
    for (unsigned i = 0; i < 2; i++) {
        if (log[i] && (!(bounds.least[i] > 0) || (i == 0 && !points->numbers))) {
            return axis_refuse_log(i == 0 ? points->request->x : points->request->y,
                                   points->plotter->diagnostic);
        }
    }
    return STATUS_OK;
}

static enum status take_front(struct points *points)
{
    const struct plot_request *request = points->request;
    struct diagnostic *diagnostic = points->plotter->diagnostic;
    bool low[2];
    if (!points->numbers) {
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION, "of texts none is better than another");
        diagnostic_key(diagnostic, request->x);
        diagnostic_hint(diagnostic, "--pareto needs numbers along both axes");
        return status;
    }
    TRY(front_is_low(request->x, request->pareto, true, &low[0], diagnostic));
    TRY(front_is_low(request->y, request->pareto, false, &low[1], diagnostic));
    FREED struct front_point *front = calloc(points->count + 1, sizeof *front);
    if (front == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < points->count; i++) {
        front[i].x = points->point[i].x.value;
        front[i].y = points->point[i].y.value;
    }
    front_mark(front, points->count, low[0], low[1]);
    for (size_t i = 0; i < points->count; i++) {
        points->point[i].is_front = front[i].is_front;
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

static bool is_wanted(const struct plotter *plotter)
{
    return plotter->request->x != NULL && !FIGURE_LEARNING.is_wanted(plotter);
}

/* Runs that lack a value are left out, unless all do. */
static enum status take_points(struct points *points)
{
    const struct plotter *plotter = points->plotter;
    const struct plot_request *request = points->request;
    struct plot_left_out left_out = {0};
    for (size_t i = 0; i < request->folder_count; i++) {
        const char *key = lacking(request, &plotter->results[i]);
        if (key != NULL) {
            left_out.key = left_out.runs++ == 0 ? key : left_out.key;
            continue;
        }
        TRY(take_point(points, &plotter->results[i], &points->point[points->count++]));
    }
    if (request->left_out != NULL) {
        *request->left_out = left_out;
    }
    if (points->count == 0 && left_out.runs > 0) {
        struct result_value value;
        return results_require(&plotter->results[0], left_out.key, &value, plotter->diagnostic);
    }
    qsort(points->point, points->count, sizeof *points->point, compare_points);
    take_places(points);
    take_bars(points);
    take_axes(points);
    TRY(check_logs(points));
    return points->request->pareto != PLOT_PARETO_NONE ? take_front(points) : STATUS_OK;
}

static void points_deinit(struct points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        free(points->point[i].rest);
    }
    free(points->point);
}

static enum status draw(const struct plotter *plotter)
{
    const struct plot_request *request = plotter->request;
    char name[2 * FIGURE_NAME_CHARS + 8];
    char x[FIGURE_KEY_CHARS];
    char y[FIGURE_KEY_CHARS];
    if (request->x == NULL) {
        return diagnose(plotter->diagnostic, STATUS_CONFIGURATION,
                        "points need keys\v--x KEY --y KEY");
    }
    figure_name_of_key(request->x, x);
    figure_name_of_key(request->y, y);
    (void)snprintf(name, sizeof name, "%s_over_%s", y, x);
    RELEASED(points_deinit)
    struct points points = {.plotter = plotter,
                            .request = request,
                            .point = calloc(request->folder_count + 1, sizeof *points.point)};
    TRY(points.point == NULL ? no_memory(plotter->diagnostic) : take_points(&points));
    const struct figure figure = points_figure(&points);
    return figure_make(plotter, name, &figure);
}

const struct figure_kind FIGURE_POINTS = {
    .about = {"points",
              "Any number of the results over any other, as lines of runs that differ in x alone: "
              "--x KEY --y KEY, --by KEY, --label KEY, --pareto."},
    .is_wanted = is_wanted,
    .draw = draw};
