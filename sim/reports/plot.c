/* plot.c - see plot.h, figure.h: kinds of figures, and the files that they consist of. */
#include "sim/reports/plot.h"

#include "sim/file.h"
#include "sim/reports/figure.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/printable.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

static const struct figure_kind *const KINDS[] = {&FIGURE_MAP, &FIGURE_LEARNING, &FIGURE_POINTS,
                                                  &FIGURE_STANDARD};

/* ---- names of files ---- */

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
    file_name_of(folder + begin, end - begin, "/", name, FIGURE_NAME_CHARS);
}

void figure_name_of_key(const char *key, char name[FIGURE_KEY_CHARS])
{
    file_name_of(key, strlen(key), "./", name, FIGURE_KEY_CHARS);
}

/* ---- files ---- */

static enum status write_file(const struct plotter *plotter, const char *path, const char *name,
                              const struct figure *figure, bool script)
{
    struct file_writer writer;
    enum status status = STATUS_OK;
    TRY(file_create(&writer, path, plotter->diagnostic));
    if (script) {
        figure->write_script(writer.stream, figure->context, name);
    } else {
        status = figure->write_table(writer.stream, figure->context, plotter->diagnostic);
    }
    if (status != STATUS_OK) {
        file_discard(&writer);
        return status;
    }
    return file_commit(&writer, plotter->diagnostic);
}

enum status figure_make(const struct plotter *plotter, const char *name,
                        const struct figure *figure)
{
    static const char *const SUFFIX[] = {"csv", "gp", "svg"};
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < sizeof SUFFIX / sizeof *SUFFIX; i++) {
        char *path = NULL;
        char *script = NULL;
        if (asprintf(&path, "%s/%s.%s", plotter->request->out, name, SUFFIX[i]) < 0 ||
            asprintf(&script, "%s.gp", name) < 0) {
            status = no_memory(plotter->diagnostic);
        } else if (i < 2) {
            status = write_file(plotter, path, name, figure, i == 1);
        } else {
            const struct gnuplot_request drawing = {.folder = plotter->request->out,
                                                    .script = script};
            status = gnuplot_make(path, drawing, plotter->diagnostic);
        }
        if (status == STATUS_OK) {
            plotter->made(plotter->context, path);
        }
        free(script);
        free(path);
    }
    return status;
}

/* ---- the whole ---- */

static enum status draw(const struct plotter *plotter)
{
    TRY(file_make_folder(plotter->request->out, plotter->diagnostic));
    size_t kind = 0;
    while (!KINDS[kind]->is_wanted(plotter)) {
        kind++;
    }
    return KINDS[kind]->draw(plotter);
}

enum status plot_make(const struct plot_request *request,
                      void (*made)(void *context, const char *path), void *context,
                      struct diagnostic *diagnostic)
{
    struct results *results;
    TRY(results_open_all(&results, request->folder, request->folder_count, diagnostic));
    const struct plotter plotter = {request, results, made, context, diagnostic};
    const enum status status = draw(&plotter);
    results_close_all(results, request->folder_count);
    return status;
}
