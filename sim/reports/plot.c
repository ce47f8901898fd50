/* plot.c - see plot.h. */
#include "sim/reports/plot.h"

#include "sim/file.h"
#include "sim/reports/gnuplot.h"
#include "sim/reports/gnuplot_text.h"
#include "sim/reports/learning_curve.h"
#include "sim/reports/load_map.h"
#include "sim/reports/standard_figure.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/results/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASE_CHARS = 256 };

struct plotter {
    const struct plot_request *request;
    struct figure_listener listener;
    struct diagnostic *diagnostic;
};

static enum status no_memory(const struct plotter *plotter)
{
    return diagnose(plotter->diagnostic, STATUS_INTERNAL, "out of memory");
}

/* ---- names of files ---- */

/* A part of a figure's file name; what would part paths or is not printable becomes '_'. */
static void file_name_of(const char *text, size_t length, const char *parting, char *name,
                         size_t size)
{
    size_t to = 0;
    for (const char *at = text; at < text + length && to + 1 < size;) {
        char character[PRINTABLE_BYTES];
        const char *next = printable_next(at, character);
        const bool same = strncmp(at, character, strlen(character)) == 0;
        const size_t bytes = same ? strlen(character) : 1;
        if (to + bytes >= size) {
            break;
        }
        memcpy(name + to, same && strchr(parting, *at) == NULL ? at : "_", bytes);
        to += bytes;
        at = next;
    }
    name[to] = '\0';
}

/* The last part of a folder's name. */
static void base_of(const char *folder, char *base, size_t size)
{
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/') {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && folder[begin - 1] != '/') {
        begin--;
    }
    file_name_of(folder + begin, end - begin, "/", base, size);
}

/* a.b -> a_b */
static void key_name_of(const char *key, char *name, size_t size)
{
    file_name_of(key, strlen(key), "./", name, size);
}

/* ---- standard figures ---- */

static enum status draw_all_standard(const struct plotter *plotter, const struct results *results)
{
    const struct plot_request *request = plotter->request;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < request->folder_count && status == STATUS_OK; i++) {
        char name[BASE_CHARS];
        base_of(results[i].folder, name, sizeof name);
        const struct standard_figure_request figures = {.results = &results[i],
                                                        .scripts_folder = request->scripts_folder,
                                                        .out = request->out,
                                                        .name = name};
        status = standard_figures_draw(&figures, &plotter->listener, plotter->diagnostic);
    }
    return status;
}

/* ---- any two numbers ---- */

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
    enum status status = results_require(results, request->x, &point->x, plotter->diagnostic);
    if (status == STATUS_OK) {
        status = results_require(results, request->y, &point->y, plotter->diagnostic);
    }
    if (status == STATUS_OK && request->by != NULL) {
        status = results_require(results, request->by, &point->by, plotter->diagnostic);
    }
    if (status == STATUS_OK && !point->y.is_number) {
        status =
            diagnose(plotter->diagnostic, STATUS_CONFIGURATION, "%s is no number", point->y.text);
        diagnostic_at(plotter->diagnostic, results->folder, 0, 0);
        diagnostic_key(plotter->diagnostic, request->y);
    }
    return status;
}

static void write_points(FILE *stream, const struct point *point, size_t count)
{
    (void)fputs("folder,by,x,y_low,y,y_high\n", stream);
    for (size_t i = 0; i < count; i++) {
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

/* What all points have in common. */
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

/* Where x is no number, points stand one beside the other and say what it is. */
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
static void write_script(FILE *stream, const struct plot_request *request, const char *name,
                         const struct point *point, size_t count)
{
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

static enum status write_file(const struct plotter *plotter, const char *name, const char *suffix,
                              const struct point *point, size_t count)
{
    char *path;
    struct file_writer writer;
    if (asprintf(&path, "%s/%s.%s", plotter->request->out, name, suffix) < 0) {
        return no_memory(plotter);
    }
    enum status status = file_create(&writer, path, plotter->diagnostic);
    if (status == STATUS_OK) {
        if (strcmp(suffix, "csv") == 0) {
            write_points(writer.stream, point, count);
        } else {
            write_script(writer.stream, plotter->request, name, point, count);
        }
        status = file_commit(&writer, plotter->diagnostic);
    }
    if (status == STATUS_OK) {
        plotter->listener.made(plotter->listener.context, path);
    }
    free(path);
    return status;
}

static enum status draw_points(const struct plotter *plotter, const struct results *results)
{
    enum { KEY_CHARS = 128, NAME_CHARS = 300 };
    const struct plot_request *request = plotter->request;
    char x[KEY_CHARS];
    char y[KEY_CHARS];
    char name[NAME_CHARS];
    key_name_of(request->x, x, sizeof x);
    key_name_of(request->y, y, sizeof y);
    (void)snprintf(name, sizeof name, "%s_over_%s", y, x);
    const struct learning_curve_request curve = {.results = results,
                                                 .count = request->folder_count,
                                                 .x = request->x,
                                                 .y = request->y,
                                                 .by = request->by,
                                                 .out = request->out,
                                                 .name = name};
    if (learning_curve_is_wanted(&curve)) {
        return learning_curve_draw(&curve, &plotter->listener, plotter->diagnostic);
    }
    struct point *point = calloc(request->folder_count + 1, sizeof *point);
    if (point == NULL) {
        return no_memory(plotter);
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; i < request->folder_count && status == STATUS_OK; i++) {
        status = take_point(plotter, &results[i], &point[i]);
    }
    if (status == STATUS_OK) {
        qsort(point, request->folder_count, sizeof *point, compare_points);
        status = write_file(plotter, name, "csv", point, request->folder_count);
    }
    if (status == STATUS_OK) {
        status = write_file(plotter, name, "gp", point, request->folder_count);
    }
    if (status == STATUS_OK) {
        status = gnuplot_draw(request->out, name, &plotter->listener, plotter->diagnostic);
    }
    free(point);
    return status;
}

/* ---- maps ---- */

static enum status draw_maps(const struct plotter *plotter, const struct results *results)
{
    enum { NAME_CHARS = 400, KEY_CHARS = 128 };
    const struct plot_request *request = plotter->request;
    char base[BASE_CHARS];
    char key[KEY_CHARS];
    char name[NAME_CHARS];
    enum status status = STATUS_OK;
    key_name_of(request->map, key, sizeof key);
    for (size_t i = 0; i < request->folder_count && status == STATUS_OK; i++) {
        struct result_value title;
        base_of(results[i].folder, base, sizeof base);
        (void)snprintf(name, sizeof name, "%s_map_%s", base, key);
        const struct load_map_request map = {
            .folder = results[i].folder,
            .counter = request->map,
            .out = request->out,
            .name = name,
            .title = results_find(&results[i], "name", &title) ? title.text : ""};
        status = load_map_draw(&map, &plotter->listener, plotter->diagnostic);
    }
    return status;
}

/* ---- the whole ---- */

enum status plot_make(const struct plot_request *request,
                      void (*made)(void *context, const char *path), void *context,
                      struct diagnostic *diagnostic)
{
    const struct plotter plotter = {request, {made, context}, diagnostic};
    struct results *results = calloc(request->folder_count + 1, sizeof *results);
    if (results == NULL) {
        return no_memory(&plotter);
    }
    enum status status = STATUS_OK;
    size_t opened = 0;
    for (; opened < request->folder_count && status == STATUS_OK; opened++) {
        status = results_open(&results[opened], request->folder[opened], diagnostic);
    }
    if (status == STATUS_OK) {
        status = file_make_folder(request->out, diagnostic);
    }
    if (status == STATUS_OK) {
        status = request->map != NULL ? draw_maps(&plotter, results)
                 : request->x != NULL ? draw_points(&plotter, results)
                                      : draw_all_standard(&plotter, results);
    }
    for (size_t i = 0; i < opened; i++) {
        results_close(&results[i]);
    }
    free(results);
    return status;
}
