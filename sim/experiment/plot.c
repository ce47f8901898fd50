/* plot.c - see plot.h. */
#include "sim/experiment/plot.h"

#include "sim/experiment/gnuplot.h"
#include "sim/experiment/learning_curve.h"
#include "sim/experiment/load_map.h"
#include "sim/experiment/results.h"
#include "sim/file.h"
#include "sim/recorder/csv.h"
#include "sim/recorder/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct plotter {
    const struct plot_request *request;
    struct figure_listener listener;
    struct diagnostic *diagnostic;
};

static enum status no_memory(const struct plotter *plotter)
{
    return diagnose(plotter->diagnostic, STATUS_INTERNAL, "out of memory");
}

/* ---- standard figures ---- */

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
    (void)snprintf(base, size, "%.*s", (int)(end - begin), folder + begin);
}

/* gnuplot -e "..." text in single quotes, its own quotes doubled. */
static void put_quoted(FILE *stream, const char *text)
{
    (void)fputc('\'', stream);
    for (const char *c = text; *c != '\0'; c++) {
        (void)fputs(*c == '\'' ? "''" : (const char[]){*c, '\0'}, stream);
    }
    (void)fputc('\'', stream);
}

/* What a script is told: where the results are, what to call them, where the figure goes. */
static char *settings_of(const struct results *results, const char *figure)
{
    static const struct {
        const char *variable, *key;
    } NUMBER[] = {{"cores", "cores_used"}, {"core_hz", "clock.cpu"}};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    struct result_value value;
    (void)fputs("folder=", stream);
    put_quoted(stream, results->folder);
    (void)fputs("; figure=", stream);
    put_quoted(stream, figure);
    (void)fputs("; name=", stream);
    put_quoted(stream, results_find(results, "name", &value) ? value.text : "");
    (void)fputs("; scope=", stream);
    put_quoted(stream, results_find(results, "energy.scope", &value) ? value.text : "");
    for (unsigned i = 0; i < sizeof NUMBER / sizeof *NUMBER; i++) {
        const bool has = results_find(results, NUMBER[i].key, &value) && value.is_number;
        char number[REAL_TEXT_CHARS];
        (void)fprintf(stream, "; %s=%s", NUMBER[i].variable,
                      real_text(has ? value.value : 0, number));
    }
    return fclose(stream) == 0 ? text : NULL;
}

static enum status draw_standard(const struct plotter *plotter, const struct results *results,
                                 const char *script_name)
{
    enum { BASE_CHARS = 256, NAME_CHARS = 512 };
    char base[BASE_CHARS];
    char name[NAME_CHARS];
    base_of(results->folder, base, sizeof base);
    (void)snprintf(name, sizeof name, "%s_%s", base, script_name);
    char *figure = file_join(plotter->request->out, name);
    (void)snprintf(name, sizeof name, "%s.gp", script_name);
    char *script = file_join(plotter->request->scripts_folder, name);
    char *settings = figure == NULL ? NULL : settings_of(results, figure);
    enum status status = STATUS_OK;
    if (figure == NULL || script == NULL || settings == NULL) {
        status = no_memory(plotter);
    } else {
        char program[] = "gnuplot";
        char option[] = "-e";
        char *const argv[] = {program, option, settings, script, NULL};
        status = gnuplot_run(argv, plotter->diagnostic);
    }
    static const char *const SUFFIX[] = {"svg", "png"};
    for (unsigned i = 0; status == STATUS_OK && i < sizeof SUFFIX / sizeof *SUFFIX; i++) {
        char *path;
        if (asprintf(&path, "%s.%s", figure, SUFFIX[i]) >= 0) {
            plotter->listener.made(plotter->listener.context, path);
            free(path);
        }
    }
    free(figure);
    free(script);
    free(settings);
    return status;
}

static enum status draw_all_standard(const struct plotter *plotter, const struct results *results)
{
    static const char *const SCRIPT[] = {"energy_by_component", "time_by_phase"};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < plotter->request->folder_count && status == STATUS_OK; i++) {
        struct result_value value;
        status = results_require(&results[i], "seconds", &value, plotter->diagnostic);
        for (unsigned s = 0; s < sizeof SCRIPT / sizeof *SCRIPT && status == STATUS_OK; s++) {
            status = draw_standard(plotter, &results[i], SCRIPT[s]);
        }
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

/* a.b -> a_b */
static void file_name_of(const char *key, char *name, size_t size)
{
    (void)snprintf(name, size, "%s", key);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '.' || *c == '/' ? '_' : *c;
    }
}

static void write_points(FILE *stream, const struct point *point, size_t count)
{
    (void)fputs("folder,by,x,y_low,y,y_high\n", stream);
    for (size_t i = 0; i < count; i++) {
        char text[3][REAL_TEXT_CHARS];
        csv_text(stream, point[i].folder);
        (void)fputc(',', stream);
        csv_text(stream, point[i].by.text);
        (void)fputc(',', stream);
        csv_text(stream,
                 point[i].x.is_number ? real_text(point[i].x.value, text[0]) : point[i].x.text);
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
    (void)fprintf(stream, "set %slabel \"%s", axis, key);
    if (unit[0] != '\0') {
        (void)fprintf(stream, " [%s]", unit);
    }
    (void)fputs("\" noenhanced\n", stream);
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
static void put_line(FILE *stream, const struct axes *axes, const char *name, const char *title,
                     size_t first, size_t last)
{
    static const char *const STYLE[2][2] = {{"points", "yerrorbars"},
                                            {"linespoints", "yerrorlines"}};
    (void)fprintf(stream, "%s'%s.csv' every ::%zu::%zu using %s:%s with %s pt 7 title \"%s\"",
                  first == 0 ? "plot " : ", \\\n     ", name, first + 1, last + 1,
                  axes->numbers ? "3" : "0", axes->ranges ? "5:4:6" : "5",
                  STYLE[axes->numbers][axes->ranges], title);
    if (!axes->numbers) {
        (void)fprintf(stream, ", '' every ::%zu::%zu using 0:5:xtic(3) with points pt -1 notitle",
                      first + 1, last + 1);
    }
}

/* A script that draws the table beside it. */
static void write_script(FILE *stream, const struct plot_request *request, const char *name,
                         const struct point *point, size_t count)
{
    const struct axes axes = axes_of(point, count);
    (void)fprintf(stream,
                  "# gnuplot %s.gp\nset terminal svg size 800,500 background rgb 'white'\n"
                  "set output '%s.svg'\nset datafile separator ','\nset grid\nset key noenhanced\n"
                  "set title \"%s over %s\" noenhanced\n",
                  name, name, request->y, request->x);
    put_axis(stream, "x", request->x, point[0].x.unit);
    put_axis(stream, "y", request->y, point[0].y.unit);
    (void)fputs("set offsets graph 0.05, graph 0.05\n", stream);
    if (!axes.numbers) {
        (void)fputs("set xtics noenhanced\nset xrange [-0.5:*]\n", stream);
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
        put_line(stream, &axes, name, request->by == NULL ? "" : point[first].by.text, first, last);
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
    file_name_of(request->x, x, sizeof x);
    file_name_of(request->y, y, sizeof y);
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
    enum { NAME_CHARS = 400, BASE_CHARS = 256, KEY_CHARS = 128 };
    const struct plot_request *request = plotter->request;
    char base[BASE_CHARS];
    char key[KEY_CHARS];
    char name[NAME_CHARS];
    enum status status = STATUS_OK;
    file_name_of(request->map, key, sizeof key);
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
