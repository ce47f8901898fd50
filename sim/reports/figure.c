/* figure.c - see figure.h: the files that a figure consists of, their names, and what scripts of
 * several kinds say. */
#include "sim/reports/figure.h"

#include "sim/file.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/printable.h"
#include "sim/steps.h"

#include <string.h>

/* ---- names of files ---- */

static void put_file_name(const char *text, size_t length, const char *parting, char *name,
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

void figure_name_of_folder(const char *folder, char name[FIGURE_NAME_CHARS])
{
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/') {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && folder[begin - 1] != '/') {
        begin--;
    }
    put_file_name(folder + begin, end - begin, "/", name, FIGURE_NAME_CHARS);
}

void figure_name_of_key(const char *key, char name[FIGURE_KEY_CHARS])
{
    put_file_name(key, strlen(key), "./", name, FIGURE_KEY_CHARS);
}

/* ---- scripts ---- */

void figure_put_colour(FILE *stream, const char *name, size_t other)
{
    (void)fputs("lt (lt_of(", stream);
    gnuplot_put_text(stream, "%s", name);
    (void)fprintf(stream, ", %zu))", other);
}

void figure_put_network(FILE *stream, const char *network, size_t group)
{
    enum { OTHERS = 6, LINETYPES = 8 }; /* of style.gp: those that no network has */
    figure_put_colour(stream, network, OTHERS + (group - 1) % (LINETYPES + 1 - OTHERS));
}

void figure_set(FILE *stream, const char *what, const char *text)
{
    (void)fprintf(stream, "set %s ", what);
    gnuplot_put_text(stream, "%s", text);
    (void)fputc('\n', stream);
}

void figure_legend_below(FILE *stream, const char *layout, const char *title)
{
    (void)fprintf(stream, "set key outside below %s height 1 Left reverse samplen 3\n", layout);
    if (title != NULL) {
        (void)fputs("set key title \"\\n\".", stream); /* clear of the axis' label */
        gnuplot_put_text(stream, "%s", title);
        (void)fputc('\n', stream);
    }
}

static void write_script(FILE *stream, const struct plotter *plotter, const char *name,
                         const struct figure *figure)
{
    static const double FLAT = 0.6; /* height of a figure without a size of its own */
    const unsigned asked_mm = plotter->request->width_mm;
    const double width_mm = asked_mm == 0 ? PLOT_WIDTH_MM : asked_mm;
    struct gnuplot_head head = {.name = name,
                                .style = plotter->style,
                                .width_mm = width_mm,
                                .height_mm = FLAT * width_mm + figure->below_mm,
                                .text_size = figure->text_size};
    if (figure->height_mm > 0) {
        head.height_mm = figure->height_mm;
    }
    if (figure->width_mm > 0) {
        head.width_mm = figure->width_mm;
    }
    gnuplot_put_head(stream, &head);
    figure->write_script(stream, figure->context);
}

/* ---- files ---- */

static enum status write_file(const struct plotter *plotter, const char *path, const char *name,
                              const struct figure *figure, bool script)
{
    struct file_writer writer;
    enum status status = STATUS_OK;
    TRY(file_create(&writer, path, plotter->diagnostic));
    if (script) {
        write_script(writer.stream, plotter, name, figure);
    } else {
        status = figure->write_table(writer.stream, figure->context, plotter->diagnostic);
    }
    return file_finish(&writer, status, plotter->diagnostic);
}

/* The table, the script, the figure in each format. */
static enum status make_file(const struct plotter *plotter, const char *name,
                             const struct figure *figure, unsigned which)
{
    enum { TABLE, SCRIPT, PICTURE };
    const char *suffix = which == TABLE    ? "csv"
                         : which == SCRIPT ? "gp"
                                           : GNUPLOT_FORMAT_TEXT[which - PICTURE];
    const char *out = plotter->request->out;
    FREED char *path = file_print("%s/%s.%s", out, name, suffix);
    FREED char *script = file_print("%s.gp", name);
    if (path == NULL || script == NULL) {
        return no_memory(plotter->diagnostic);
    }
    if (which < PICTURE) {
        TRY(write_file(plotter, path, name, figure, which == SCRIPT));
    } else {
        const struct gnuplot_request drawing = {out, script,
                                                (enum gnuplot_format)(which - PICTURE)};
        TRY(gnuplot_make(path, drawing, plotter->diagnostic));
    }
    if (plotter->made != NULL) {
        plotter->made(plotter->context, path);
    }
    return STATUS_OK;
}

enum status figure_make(const struct plotter *plotter, const char *name,
                        const struct figure *figure)
{
    const struct plot_request *request = plotter->request;
    const unsigned formats = request->formats == 0 ? 1U << GNUPLOT_SVG : request->formats;
    const unsigned files = 1U | 1U << 1 | formats << 2; /* as make_file() counts */
    const char *called = request->name == NULL ? name : request->name;
    TRY(file_make_folder(request->out, plotter->diagnostic));
    for (unsigned i = 0; i < 2 + GNUPLOT_FORMATS; i++) {
        if ((files >> i & 1) != 0) {
            TRY(make_file(plotter, called, figure, i));
        }
    }
    return STATUS_OK;
}
