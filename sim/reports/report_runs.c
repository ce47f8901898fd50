/* report_runs.c - see report_parts.h: which runs a report is of, and in what they differ. */
#include "sim/reports/report_parts.h"

#include "sim/config/config_tree.h"
#include "sim/grow.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- what differs ---- */

static const struct config_node *scalar_at(const struct config_node *node, const char *path)
{
    for (const struct config_node *child = node->first; child != NULL; child = child->next) {
        const size_t length = strlen(child->path);
        if (strcmp(child->path, path) == 0) {
            return child->shape == CONFIG_SCALAR ? child : NULL;
        }
        if (strncmp(child->path, path, length) == 0 && strchr(".[", path[length]) != NULL) {
            return scalar_at(child, path);
        }
    }
    return NULL;
}

const char *report_configured(const struct results *results, const char *key)
{
    const struct config_node *node = scalar_at(results->config, key);
    return node == NULL ? NULL : node->text;
}

static bool differs(const struct report_runs *runs, const char *key)
{
    const char *first = report_configured(&runs->results[0], key);
    for (size_t i = 1; i < runs->count; i++) {
        const char *other = report_configured(&runs->results[i], key);
        if ((first == NULL) != (other == NULL) || (first != NULL && strcmp(first, other) != 0)) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const struct report_runs *runs, const char *key)
{
    for (size_t i = 0; i < runs->differing_count; i++) {
        if (strcmp(runs->differing[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static enum status add_differing(struct report_runs *runs, const struct config_node *node,
                                 struct diagnostic *diagnostic)
{
    for (const struct config_node *child = node->first; child != NULL; child = child->next) {
        TRY(add_differing(runs, child, diagnostic));
        if (child->shape != CONFIG_SCALAR || results_key_is_aside(child->path) ||
            is_listed(runs, child->path) || !differs(runs, child->path)) {
            continue;
        }
        void *larger = grow(runs->differing, &runs->differing_room, runs->differing_count,
                            sizeof *runs->differing);
        if (larger == NULL) {
            return no_memory(diagnostic);
        }
        runs->differing = larger;
        runs->differing[runs->differing_count++] = child->path;
    }
    return STATUS_OK;
}

bool report_varies(const struct report_runs *runs, const char *key)
{
    struct result_value first = {.value = 0};
    size_t have = 0;
    bool same = true;
    for (size_t i = 0; i < runs->count; i++) {
        struct result_value value;
        if (!results_find(&runs->results[i], key, &value)) {
            continue;
        }
        if (!value.is_number) {
            return false;
        }
        first = have++ == 0 ? value : first;
        same = same && value.value == first.value;
    }
    return !same;
}

/* By the differing keys, the first of them first. */
static int compare_runs(const void *a, const void *b, void *context)
{
    const struct report_runs *runs = context;
    int order = 0;
    for (size_t i = 0; i < runs->differing_count && order == 0; i++) {
        struct result_value value[2] = {{.text = ""}, {.text = ""}};
        const bool both = results_find(a, runs->differing[i], &value[0]) &&
                          results_find(b, runs->differing[i], &value[1]);
        if (both && value[0].is_number && value[1].is_number) {
            order = (value[0].value > value[1].value) - (value[0].value < value[1].value);
        } else {
            order = strcmp(value[0].text, value[1].text);
        }
    }
    return order;
}

/* ---- the whole ---- */

enum status report_runs_open(struct report_runs *runs, const struct report_request *request,
                             struct diagnostic *diagnostic)
{
    *runs = (struct report_runs){.count = 0};
    TRY(run_folders_find(&runs->folders, request->folder, request->folder_count, diagnostic));
    TRY(results_open_all(&runs->list, runs->folders.folder, runs->folders.count, diagnostic));
    runs->results = runs->list.of;
    runs->count = runs->list.count;
    for (size_t i = 0; i < runs->count; i++) {
        TRY(add_differing(runs, runs->results[i].config, diagnostic));
    }
    if (runs->folders.any_found) {
        qsort_r(runs->results, runs->count, sizeof *runs->results, compare_runs, runs);
    }
    return STATUS_OK;
}

void report_runs_close(struct report_runs *runs)
{
    results_close_all(&runs->list);
    run_folders_deinit(&runs->folders);
    free((void *)runs->differing);
}
