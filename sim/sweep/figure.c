/* figure.c - see sweep.h: the figure that a sweep's file names under `plot`. */
#include "sim/config/config_schema.h"
#include "sim/config/suggestion.h"
#include "sim/reports/plot.h"
#include "sim/results/summary.h"
#include "sim/steps.h"
#include "sim/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

enum { X, Y, KEYS = 4 };
static const char *const NAME[KEYS] = {"plot.x", "plot.y", "plot.by", "plot.label"};

struct figure_keys {
    const char *key[KEYS]; /* "": none */
};

static struct figure_keys keys_of(const struct sim_config *config)
{
    return (struct figure_keys){
        {config->plot_x, config->plot_y, config->plot_by, config->plot_label}};
}

struct key_search {
    const char *key;
    struct suggestion nearest;
    char best[DIAGNOSTIC_KEY_CHARS]; /* the nearest so far; "": none is near */
    bool found;
};

static void look_at(void *context, const char *name)
{
    struct key_search *search = context;
    search->found = search->found || strcmp(search->key, name) == 0;
    const size_t before = search->nearest.distance;
    suggestion_offer(&search->nearest, name);
    if (search->nearest.distance < before) {
        (void)snprintf(search->best, sizeof search->best, "%s", name);
    }
}

/* Looks for a key among those of summary.json, of configurations, and of this one and its axes. */
static struct key_search search_key(const struct sweep *sweep, const char *key)
{
    static const char ACCEPT[] = "accept."; /* its keys in summary.json are named after metrics */
    const char *unused;
    size_t count;
    const struct config_key *keys = config_keys(&count);
    struct key_search search = {.key = key, .nearest = suggestion_begin(key)};
    summary_each(look_at, &search);
    for (size_t i = 0; i < count; i++) {
        look_at(&search, keys[i].name);
    }
    for (size_t k = 0; k < sweep->axes.keys; k++) {
        look_at(&search, axes_key(&sweep->axes, k));
    }
    search.found = search.found || summary_find(key, &unused, &unused) ||
                   config_gives(&sweep->config, key) ||
                   strncmp(key, ACCEPT, sizeof ACCEPT - 1) == 0;
    return search;
}

static enum status check_key(const struct sweep *sweep, size_t i, const char *key,
                             struct diagnostic *diagnostic)
{
    const struct key_search search = search_key(sweep, key);
    if (search.found) {
        return STATUS_OK;
    }
    (void)config_refuse(&sweep->config, NAME[i],
                        "a key of summary.json (`spinnsim columns summary.json`) or of the "
                        "configuration",
                        diagnostic, "neither results nor configurations have a key %s", key);
    if (search.best[0] != '\0') {
        diagnostic_hint(diagnostic, "did you mean \"%s\"?", search.best);
    }
    return STATUS_CONFIGURATION;
}

enum status sweep_check_figure(const struct sweep *sweep, struct diagnostic *diagnostic)
{
    const struct figure_keys keys = keys_of(&sweep->config);
    const bool has_x = keys.key[X][0] != '\0';
    const bool has_y = keys.key[Y][0] != '\0';
    for (size_t i = 0; i < KEYS; i++) {
        if (keys.key[i][0] == '\0') {
            continue;
        }
        if (!has_x || !has_y) {
            return config_refuse(&sweep->config, NAME[i], "plot: {x: KEY, y: KEY}", diagnostic,
                                 "no figure without %s", has_x ? "plot.y" : "plot.x");
        }
        if (i != X || sweep->config.mode != CONFIG_MODE_TRAIN ||
            !plot_is_learning(keys.key[X], keys.key[Y])) {
            TRY(check_key(sweep, i, keys.key[i], diagnostic));
        }
    }
    return STATUS_OK;
}

/* ---- drawing ---- */

/* The axis that has this key; NULL: none. */
static const struct config_axis *axis_along(const struct sweep *sweep, const char *key)
{
    for (size_t i = 0; i < sweep->axes.count; i++) {
        const struct config_axis *axis = &sweep->axes.axis[i];
        for (size_t k = 0; k < axis->keys; k++) {
            if (strcmp(axis->key[k], key) == 0) {
                return axis;
            }
        }
    }
    return NULL;
}

static enum status draw(struct sweep *sweep, const char **folder, struct diagnostic *diagnostic)
{
    struct sweep_figure *figure = &sweep->figure;
    const struct sim_config *config = &sweep->config;
    const struct config_axis *along = axis_along(sweep, config->plot_x);
    struct plot_request request = {
        .folder = folder,
        .x = config->plot_x,
        .y = config->plot_y,
        .by = config->plot_by[0] == '\0' ? NULL : config->plot_by,
        .label = config->plot_label[0] == '\0' ? NULL : config->plot_label,
        .pareto = (enum plot_pareto)config->plot_pareto,
        .log_x = ((unsigned)config->plot_log & 1U) != 0, /* none, x, y, xy */
        .log_y = ((unsigned)config->plot_log & 2U) != 0,
        .along = along == NULL ? NULL : along->key,
        .along_count = along == NULL ? 0 : along->keys,
        .out = sweep->out,
        .scripts_folder = sweep->request->scripts_folder,
        .left_out = &figure->left_out};
    (void)plot_add_format(&request, config_plot_format_text(config->plot_format));
    for (size_t i = 0; i < sweep->axes.points; i++) {
        if (sweep->point[i].runs_for == i && point_has_results(&sweep->point[i])) {
            folder[request.folder_count++] = sweep->point[i].folder;
        }
    }
    *figure = (struct sweep_figure){.runs = request.folder_count};
    const enum status status =
        request.folder_count == 0 ? STATUS_OK : plot_make(&request, NULL, NULL, diagnostic);
    /* no run has the values: there is no figure, and that is no error */
    return figure->left_out.runs > 0 && figure->left_out.runs == figure->runs ? STATUS_OK : status;
}

enum status sweep_draw(struct sweep *sweep, struct diagnostic *diagnostic)
{
    FREED const char **folder = calloc(sweep->axes.points + 1, sizeof *folder);
    return folder == NULL ? no_memory(diagnostic) : draw(sweep, folder, diagnostic);
}
