/* report.c - see report.h. */
#include "sim/reports/report.h"

#include "sim/config/config_tree.h"
#include "sim/file.h"
#include "sim/reports/report_parts.h"
#include "sim/results/printable.h"
#include "sim/results/quantity.h"
#include "sim/results/result_table.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts of the HTML document ---- */

/* Whether a run before has the same text. */
static bool is_repeated(const struct report_runs *runs, size_t run, const char *key)
{
    for (size_t i = 0; i < run; i++) {
        if (strcmp(results_text(&runs->results[i], key), results_text(&runs->results[run], key)) ==
            0) {
            return true;
        }
    }
    return false;
}

/* The names of the experiments; of many, how many. */
static void put_title(char *title, size_t size, const struct report_runs *runs)
{
    enum { NAMES_MOST = 4 };
    size_t names = 0;
    title[0] = '\0';
    for (size_t i = 0; i < runs->count; i++) {
        const size_t used = strlen(title);
        if (!is_repeated(runs, i, "name") && names++ < NAMES_MOST) {
            (void)snprintf(title + used, size - used, "%s%s", used == 0 ? "" : ", ",
                           results_text(&runs->results[i], "name"));
        }
    }
    const size_t used = strlen(title);
    (void)snprintf(title + used, size - used, "%s%s%zu run%s",
                   names > NAMES_MOST ? " and others" : "", used == 0 ? "" : ": ", runs->count,
                   runs->count == 1 ? "" : "s");
}

static void put_questions(const struct page *page, const struct report_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        const char *question = results_text(&runs->results[i], "question");
        if (question[0] != '\0' && !is_repeated(runs, i, "question")) {
            page_paragraph(page, "question", question);
        }
    }
}

static void put_differing(const struct page *page, const struct report_runs *runs)
{
    enum { MOST = 16 };
    char text[QUANTITY_LABEL_CHARS];
    struct page_column column[1 + MOST] = {{"run", false}};
    const size_t keys = runs->differing_count < MOST ? runs->differing_count : MOST;
    if (keys == 0) {
        return;
    }
    for (size_t k = 0; k < keys; k++) {
        column[1 + k].head = runs->differing[k];
    }
    page_title(page, "What differs between the runs");
    page_table_begin(page, column, 1 + keys);
    for (size_t i = 0; i < runs->count; i++) {
        page_row_begin(page);
        report_name_cell(page, runs, i);
        for (size_t k = 0; k < keys; k++) {
            const char *value = report_configured(&runs->results[i], runs->differing[k]);
            page_cell(page, value == NULL ? "-" : value);
        }
        page_row_end(page);
    }
    page_table_end(page);
    if (keys < runs->differing_count) {
        (void)snprintf(text, sizeof text, "and %zu more keys; `spinnsim diff` has all",
                       runs->differing_count - keys);
        page_paragraph(page, "note", text);
    }
}

/* ---- identity, and how to repeat a run ---- */

static void put_scalars(const struct page *page, const struct config_node *node, size_t skip)
{
    for (const struct config_node *child = node->first; child != NULL; child = child->next) {
        if (child->shape == CONFIG_SCALAR) {
            page_row_begin(page);
            page_cell(page, child->path + skip);
            page_cell(page, child->text);
            page_row_end(page);
        }
        put_scalars(page, child, skip);
    }
}

static char *command_of(const char *folder)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    (void)fputs("spinnsim run ", stream);
    printable_put_word(stream, folder, "/config.yaml");
    (void)fputs(" --out again\n", stream);
    return fclose(stream) == 0 ? text : NULL;
}

static enum status put_run(const struct page *page, const struct report_runs *runs, size_t run,
                           struct diagnostic *diagnostic)
{
    static const char IDENTITY[] = "identity";
    const struct results *results = &runs->results[run];
    const struct config_node *identity = config_node_child(results->summary, IDENTITY);
    const struct page_column columns[] = {{"identity", false}, {"", false}};
    char title[128];
    FREED uint8_t *config = NULL;
    size_t size;
    FREED char *path = file_join(results->folder, "config.yaml");
    FREED char *command = command_of(results->folder);
    if (path == NULL || command == NULL) {
        return no_memory(diagnostic);
    }
    TRY(file_read(path, FILE_TABLE_BYTES, &config, &size, diagnostic));
    (void)snprintf(title, sizeof title, "%zu. %s", run + 1, results_text(results, "name"));
    page_details_begin(page, title);
    page_lines(page, command);
    if (identity != NULL) {
        page_table_begin(page, columns, 2);
        put_scalars(page, identity, sizeof IDENTITY);
        page_table_end(page);
    }
    page_details_begin(page, "config.yaml");
    page_lines(page, (const char *)config);
    page_details_end(page);
    page_details_end(page);
    return STATUS_OK;
}

static enum status put_runs(const struct page *page, const struct report_runs *runs,
                            struct diagnostic *diagnostic)
{
    page_title(page, "Identity, and how to repeat");
    page_paragraph(page, "note",
                   "Each run can be repeated from its config.yaml, which has every key: with the "
                   "same version, guest compiler and "
                   "data, all counts, and so stats_hash, are the same.");
    for (size_t i = 0; i < runs->count; i++) {
        TRY(put_run(page, runs, i, diagnostic));
    }
    return STATUS_OK;
}

/* What a run said of itself: joules that are extrapolated, keys without effect. */
static void put_remarks(const struct page *page, const struct report_runs *runs)
{
    bool any = false;
    for (size_t i = 0; i < runs->count; i++) {
        const struct config_node *remarks = config_node_child(runs->results[i].summary, "remarks");
        for (const struct config_node *remark = remarks == NULL ? NULL : remarks->first;
             remark != NULL; remark = remark->next) {
            char text[DIAGNOSTIC_KEY_CHARS + 2 * DIAGNOSTIC_TEXT_CHARS];
            const struct config_node *key = config_node_given(remark, "key");
            const struct config_node *what = config_node_given(remark, "text");
            if (what == NULL || what->shape != CONFIG_SCALAR) {
                continue;
            }
            const bool of_key = key != NULL && key->shape == CONFIG_SCALAR;
            if (!any) {
                page_title(page, "Remarks");
            }
            any = true;
            (void)snprintf(text, sizeof text, "%zu. %s: %s%s%s", i + 1,
                           results_text(&runs->results[i], "name"), of_key ? key->text : "",
                           of_key ? ": " : "", what->text);
            page_paragraph(page, "", text);
        }
    }
}

/* ---- the whole ---- */

static enum status put_html(const struct page *page, const struct report_runs *runs,
                            const char *scripts_folder, struct diagnostic *diagnostic)
{
    char title[512];
    put_title(title, sizeof title, runs);
    page_open(page, title);
    put_questions(page, runs);
    report_summary(page, runs);
    put_remarks(page, runs);
    report_figures(page, runs, scripts_folder);
    page_title(page, "Tables");
    page_details_begin(page, "All results of each run");
    put_differing(page, runs);
    report_tables(page, runs);
    page_details_end(page);
    TRY(put_runs(page, runs, diagnostic));
    page_close(page);
    return STATUS_OK;
}

enum status report_write(FILE *stream, const struct report_request *request,
                         struct diagnostic *diagnostic)
{
    const struct page page = {stream, request->format};
    RELEASED(report_runs_close) struct report_runs runs;
    TRY(report_runs_open(&runs, request, diagnostic));
    if (request->format == PAGE_HTML) {
        return put_html(&page, &runs, request->scripts_folder, diagnostic);
    }
    report_tables(&page, &runs);
    return STATUS_OK;
}

/* ---- phases ---- */

enum { GROUPS_MAX = 64 };

struct group {
    char name[64];
    double cycles, joules;
};

/* Rows of the stage `test`, in the order in which they first occur. */
static size_t read_groups(struct result_table *table, struct group *group)
{
    size_t count = 0;
    while (result_table_next(table)) {
        const char *layer = result_table_text(table, "layer");
        const char *name = layer[0] == '\0' ? result_table_text(table, "phase") : layer;
        size_t i = 0;
        if (strcmp(result_table_text(table, "stage"), "test") != 0) {
            continue;
        }
        while (i < count && strcmp(group[i].name, name) != 0) {
            i++;
        }
        if (i == GROUPS_MAX) {
            break;
        }
        if (i == count) {
            (void)snprintf(group[count].name, sizeof group[count].name, "%s", name);
            count++;
        }
        group[i].cycles += result_table_number(table, "core_cycles");
        group[i].joules += result_table_number(table, "joules_default");
    }
    return count;
}

enum status report_phases(FILE *stream, const char *folder, struct diagnostic *diagnostic)
{
    RELEASED(results_close) struct results results;
    struct result_value images;
    struct result_table table;
    struct group group[GROUPS_MAX] = {{.cycles = 0}};
    double cycles = 0;
    double joules = 0;
    TRY(results_open(&results, folder, diagnostic));
    TRY(results_require(&results, "images_tested", &images, diagnostic));
    TRY(result_table_open(&table, folder, "phases.csv", diagnostic));
    const size_t count = read_groups(&table, group);
    TRY(result_table_end(&table, STATUS_OK, diagnostic));
    for (size_t i = 0; i < count; i++) {
        cycles += group[i].cycles;
        joules += group[i].joules;
    }
    (void)fputs("| phase | core cycles an image | share of core time | energy an image [uJ] | "
                "share of energy |\n| --- | ---: | ---: | ---: | ---: |",
                stream);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(stream, "\n| %s | %.0f | %.1f %% | %.2f | %.1f %% |", group[i].name,
                      group[i].cycles / images.value, 100 * group[i].cycles / cycles,
                      1e6 * group[i].joules / images.value, 100 * group[i].joules / joules);
    }
    return STATUS_OK;
}
