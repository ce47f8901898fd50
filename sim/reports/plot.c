/* plot.c - see plot.h, figure.h: kinds of figures, and where they go. */
#include "sim/reports/plot.h"

#include "sim/file.h"
#include "sim/reports/figure.h"
#include "sim/reports/gnuplot.h"
#include "sim/reports/run_folders.h"
#include "sim/steps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct figure_kind *const KINDS[] = {&FIGURE_ENERGY, &FIGURE_TIME,   &FIGURE_PHASES,
                                                  &FIGURE_POWER,  &FIGURE_POINTS, &FIGURE_LEARNING,
                                                  &FIGURE_MAP};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

size_t plot_kind_count(void)
{
    return KIND_COUNT;
}

const struct plot_kind *plot_kind(size_t i)
{
    return &KINDS[i]->about;
}

/* ---- where they go ---- */

bool plot_add_format(struct plot_request *request, const char *format)
{
    for (unsigned i = 0; i < GNUPLOT_FORMATS; i++) {
        if (strcmp(format, GNUPLOT_FORMAT_TEXT[i]) == 0) {
            request->formats |= 1U << i;
            return true;
        }
    }
    return false;
}

/* One to four letters, and digits behind them: jpg, jpeg, mp4.  A folder "run.2" has none. */
static bool looks_like_ending(const char *text)
{
    enum { MOST = 4 };
    const size_t length = strlen(text);
    return length > 0 && length <= MOST && isalpha((unsigned char)text[0]) != 0;
}

static enum status refuse_ending(const char *path, const char *ending,
                                 struct diagnostic *diagnostic)
{
    const enum status status =
        file_refuse(path, NULL, diagnostic, "no figures are drawn as \"%s\"", ending);
    diagnostic_hint(diagnostic, ".svg, .png or .pdf for one figure, else a folder: %s/", path);
    return status;
}

enum status plot_take_out(struct plot_request *request, const char *path, char **owned,
                          struct diagnostic *diagnostic)
{
    const char *name = file_name_of(path);
    const char *dot = strrchr(name, '.');
    *owned = NULL;
    request->out = path;
    if (dot == NULL || dot == name || file_is_folder(path)) {
        return STATUS_OK;
    }
    if (!plot_add_format(request, dot + 1)) {
        return looks_like_ending(dot + 1) ? refuse_ending(path, dot, diagnostic) : STATUS_OK;
    }
    /* folder, zero, name, zero */
    if (asprintf(owned, "%.*s%c%.*s", name == path ? 1 : (int)(name - path),
                 name == path ? "." : path, '\0', (int)(dot - name), name) < 0) {
        *owned = NULL;
        return no_memory(diagnostic);
    }
    request->out = *owned;
    request->name = *owned + strlen(*owned) + 1;
    return STATUS_OK;
}

/* ---- the whole ---- */

/* Which kinds the request asks for. */
static enum status choose_kind(const struct plotter *plotter, bool wanted[KIND_COUNT])
{
    const struct plot_request *request = plotter->request;
    char names[DIAGNOSTIC_TEXT_CHARS] = "";
    size_t figures = 0;
    bool any = false;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const char *name = KINDS[i]->about.name;
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", name);
        wanted[i] =
            request->kind == NULL ? KINDS[i]->is_wanted(plotter) : strcmp(request->kind, name) == 0;
        figures += !wanted[i] ? 0 : KINDS[i]->draw == NULL ? request->folder_count : 1;
        any = any || wanted[i];
    }
    if (!any) {
        (void)diagnose(plotter->diagnostic, STATUS_CONFIGURATION,
                       "there is no kind of figure \"%s\"", request->kind);
        diagnostic_hint(plotter->diagnostic, "one of %s; `spinnsim plot --list` tells more", names);
        return STATUS_CONFIGURATION;
    }
    if (request->name != NULL && figures > 1) {
        return diagnose(plotter->diagnostic, STATUS_CONFIGURATION,
                        "%zu figures do not fit into one file\vname a folder, or one kind of "
                        "figure: %s",
                        figures, names);
    }
    return STATUS_OK;
}

static enum status draw_each(const struct plotter *plotter, const struct figure_kind *kind)
{
    struct result_value value;
    for (size_t i = 0; i < plotter->request->folder_count; i++) {
        const struct results *results = &plotter->results[i];
        if (kind->needs != NULL) {
            TRY(results_require(results, kind->needs, &value, plotter->diagnostic));
        }
        TRY(kind->draw_each(plotter, results));
    }
    return STATUS_OK;
}

static enum status draw(const struct plotter *plotter)
{
    bool wanted[KIND_COUNT];
    TRY(choose_kind(plotter, wanted));
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (wanted[i]) {
            TRY(KINDS[i]->draw == NULL ? draw_each(plotter, KINDS[i]) : KINDS[i]->draw(plotter));
        }
    }
    return STATUS_OK;
}

static enum status read_style(const struct plot_request *request, uint8_t **style,
                              struct diagnostic *diagnostic)
{
    FREED char *path = file_join(request->scripts_folder, "style.gp");
    size_t size;
    return path == NULL ? no_memory(diagnostic)
                        : file_read(path, FILE_TABLE_BYTES, style, &size, diagnostic);
}

enum status plot_make(const struct plot_request *request,
                      void (*made)(void *context, const char *path), void *context,
                      struct diagnostic *diagnostic)
{
    RELEASED(run_folders_deinit) struct run_folders runs;
    RELEASED(results_close_all) struct results_list results = {.of = NULL};
    FREED uint8_t *style = NULL;
    struct plot_request own = *request;
    TRY(run_folders_find(&runs, request->folder, request->folder_count, diagnostic));
    own.folder = runs.folder;
    own.folder_count = runs.count;
    TRY(results_open_all(&results, own.folder, own.folder_count, diagnostic));
    TRY(read_style(&own, &style, diagnostic));
    const struct plotter plotter = {&own,    results.of,          made,
                                    context, (const char *)style, diagnostic};
    return draw(&plotter);
}
