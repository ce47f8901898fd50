/* report_figures.c - see report_parts.h: figures of a report, drawn as `spinnsim plot` does, in a
 * temporary folder. */
#include "sim/reports/plot.h"
#include "sim/reports/report_parts.h"

#include "sim/file.h"
#include "sim/results/quantity.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many runs have figures of their own, or a curve each. */
enum { EACH_MOST = 4, CURVES_MOST = 8 };

struct figures {
    const struct page *page;
    const struct report_runs *runs;
    const char **folder; /* of the runs, in their order here */
    struct plot_request request;
    bool ended; /* no more can be drawn */
};

/* The picture, which is removed. */
static void take_picture(const struct figures *figures, const char *folder, const char *caption)
{
    static const char *const SUFFIX[] = {"csv", "gp", "svg"};
    struct diagnostic diagnostic = {0};
    for (size_t i = 0; i < sizeof SUFFIX / sizeof *SUFFIX; i++) {
        char path[128];
        uint8_t *bytes = NULL;
        size_t size;
        (void)snprintf(path, sizeof path, "%s/figure.%s", folder, SUFFIX[i]);
        if (caption != NULL && strcmp(SUFFIX[i], "svg") == 0 &&
            file_read(path, FILE_TABLE_BYTES, &bytes, &size, &diagnostic) == STATUS_OK) {
            page_svg(figures->page, bytes, size, caption);
        }
        free(bytes);
        (void)unlink(path);
    }
}

/* Makes a folder for temporary files, in malloc'ed memory; NULL: there is none. */
static char *make_folder(void)
{
    const char *base = getenv("TMPDIR");
    char *folder = file_join(base != NULL && base[0] == '/' ? base : P_tmpdir, "spinnsim_XXXXXX");
    if (folder != NULL && mkdtemp(folder) == NULL) {
        free(folder);
        return NULL;
    }
    return folder;
}

static void put_figure(struct figures *figures, struct plot_request request, const char *caption)
{
    struct diagnostic diagnostic = {0};
    if (figures->ended) {
        return;
    }
    char *folder = make_folder();
    if (folder == NULL) {
        page_paragraph(figures->page, "note", "No figures: no temporary folder.");
        figures->ended = true;
        return;
    }
    struct plot_left_out left_out = {0};
    char more[4 * QUANTITY_LABEL_CHARS];
    request.out = folder;
    request.name = "figure";
    request.left_out = &left_out;
    const bool good = plot_make(&request, NULL, NULL, &diagnostic) == STATUS_OK;
    (void)snprintf(more, sizeof more, "%s", caption);
    if (left_out.runs > 0) {
        (void)snprintf(more, sizeof more, "%s; %zu of %zu runs left out: they have no %s", caption,
                       left_out.runs, request.folder_count, left_out.key);
    }
    take_picture(figures, folder, good ? more : NULL);
    (void)rmdir(folder);
    free(folder);
    if (!good) {
        char text[DIAGNOSTIC_TEXT_CHARS + 32];
        (void)snprintf(text, sizeof text, "No figure: %s.", diagnostic.text);
        page_paragraph(figures->page, "note", text);
        figures->ended = strstr(diagnostic.text, "gnuplot") != NULL; /* the others lack it, too */
    }
}

static void put_points(struct figures *figures, const char *x, const char *y, const char *by)
{
    struct plot_request request = figures->request;
    char caption[3 * QUANTITY_LABEL_CHARS];
    request.x = x;
    request.y = y;
    request.by = by;
    (void)snprintf(caption, sizeof caption, "%s over %s", quantity_label(y, "").text,
                   quantity_label(x, "").text);
    put_figure(figures, request, caption);
}

static bool all_have(const struct report_runs *runs, const char *key, const char *text)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct result_value value;
        if (!results_find(&runs->results[i], key, &value) ||
            (text != NULL && strcmp(value.text, text) != 0)) {
            return false;
        }
    }
    return true;
}

/* The results over what differs, if that is little enough to be a sweep. */
static void put_over_differing(struct figures *figures)
{
    static const char *const RESULT[] = {"seconds", "images_per_second", "energy.joules",
                                         "energy.joules_per_image", "accuracy"};
    const struct report_runs *runs = figures->runs;
    size_t x = 0;
    while (x < runs->differing_count &&
           !(report_varies(runs, runs->differing[x]) && all_have(runs, runs->differing[x], NULL))) {
        x++;
    }
    if (x == runs->differing_count || runs->differing_count > REPORT_AXES_MOST) {
        return;
    }
    const size_t other = x == 0 ? 1 : 0;
    const char *by = other < runs->differing_count ? runs->differing[other] : NULL;
    for (size_t i = 0; i < sizeof RESULT / sizeof *RESULT; i++) {
        if (report_varies(runs, RESULT[i])) {
            put_points(figures, runs->differing[x], RESULT[i], by);
        }
    }
}

static void put_front(struct figures *figures)
{
    struct plot_request request = figures->request;
    if (figures->runs->count < 3 || !report_varies(figures->runs, "seconds") ||
        !report_varies(figures->runs, "energy.joules")) {
        return;
    }
    request.x = "seconds";
    request.y = "energy.joules";
    request.label = figures->runs->differing_count > 0 ? figures->runs->differing[0] : "name";
    request.pareto = PLOT_PARETO_LOW_LOW;
    put_figure(figures, request, "Energy over machine time; marked: none is better in both");
}

static void put_curves(struct figures *figures)
{
    if (!all_have(figures->runs, "mode", "train") || figures->runs->count > CURVES_MOST) {
        return;
    }
    put_points(figures, "images", "loss", NULL);
    if (all_have(figures->runs, "energy.joules", NULL)) {
        put_points(figures, "joules", "accuracy", NULL);
    }
}

static void put_each(struct figures *figures)
{
    static const struct {
        const char *kind, *caption;
    } KIND[] = {{"energy", "Energy by component"},
                {"time", "Time by phase"},
                {"phases", "Energy by phase and component"}};
    for (size_t i = 0; i < figures->runs->count && figures->runs->count <= EACH_MOST; i++) {
        struct result_value value;
        if (!results_find(&figures->runs->results[i], "energy.joules", &value)) {
            continue;
        }
        for (size_t k = 0; k < sizeof KIND / sizeof *KIND; k++) {
            struct plot_request request = figures->request;
            char caption[128];
            request.folder = &figures->folder[i];
            request.folder_count = 1;
            request.kind = KIND[k].kind;
            (void)snprintf(caption, sizeof caption, "%s, run %zu", KIND[k].caption, i + 1);
            put_figure(figures, request, caption);
        }
    }
}

void report_figures(const struct page *page, const struct report_runs *runs,
                    const char *scripts_folder)
{
    struct figures figures = {
        .page = page, .runs = runs, .folder = calloc(runs->count + 1, sizeof *figures.folder)};
    if (figures.folder == NULL) {
        return;
    }
    for (size_t i = 0; i < runs->count; i++) {
        figures.folder[i] = runs->results[i].folder;
    }
    figures.request = (struct plot_request){.folder = figures.folder,
                                            .folder_count = runs->count,
                                            .formats = 0,
                                            .scripts_folder = scripts_folder};
    page_title(page, "Figures");
    page_figures_begin(page);
    put_over_differing(&figures);
    put_front(&figures);
    put_curves(&figures);
    put_each(&figures);
    page_figures_end(page);
    free((void *)figures.folder);
}
