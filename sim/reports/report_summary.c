/* report_summary.c - see report_parts.h: a few lines on all runs, however many there are. */
#include "sim/reports/axis.h"
#include "sim/reports/report_parts.h"

#include <math.h>
#include <string.h>

static const char *status_of(const struct results *results)
{
    const char *status = results_text(results, "status");
    return status[0] == '\0' ? "unknown" : status;
}

static size_t with_status(const struct report_runs *runs, size_t until, const char *status)
{
    size_t count = 0;
    for (size_t i = 0; i < until; i++) {
        count += strcmp(status_of(&runs->results[i]), status) == 0;
    }
    return count;
}

/* "8 runs: 7 done, 1 rejected" */
static void put_states(const struct page *page, const struct report_runs *runs)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%zu run%s", runs->count, runs->count == 1 ? "" : "s");
    for (size_t i = 0; i < runs->count; i++) {
        const char *status = status_of(&runs->results[i]);
        const size_t used = strlen(text);
        if (with_status(runs, i, status) == 0) {
            (void)snprintf(text + used, sizeof text - used, "%s %zu %s", i == 0 ? ":" : ",",
                           with_status(runs, runs->count, status), status);
        }
    }
    page_paragraph(page, "", text);
}

/* "3. clock.cpu 200 MHz" */
static void put_run(const struct page *page, const struct report_runs *runs, size_t run)
{
    char text[512];
    const size_t axes = runs->differing_count <= REPORT_AXES_MOST ? runs->differing_count : 0;
    (void)snprintf(text, sizeof text, "%zu.", run + 1);
    for (size_t k = 0; k < axes; k++) {
        const char *value = report_configured(&runs->results[run], runs->differing[k]);
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s %s %s", k == 0 ? "" : ",",
                       runs->differing[k], value == NULL ? "-" : value);
    }
    page_cell(page, text);
}

static void put_number(const struct page *page, double value, const struct axis *axis)
{
    static const double DIGITS = 1e4; /* from here on no digits behind the point */
    char text[32];
    const double shown = value * axis->scale;
    (void)snprintf(text, sizeof text, fabs(shown) >= DIGITS ? "%.0f" : "%.4g", shown);
    page_cell_begin(page, true);
    page_text(page, text);
    page_cell_end(page);
}

/* A row: the least and the greatest of a result, and whose they are; none if no run has it. */
static void put_result(const struct page *page, const struct report_runs *runs, const char *key)
{
    size_t least = runs->count;
    size_t most = runs->count;
    double low = INFINITY;
    double high = -INFINITY;
    char unit[RESULT_UNIT_CHARS] = "";
    for (size_t i = 0; i < runs->count; i++) {
        struct result_value value;
        if (!results_find(&runs->results[i], key, &value) || !value.is_number) {
            continue;
        }
        if (value.value < low) {
            low = value.value;
            least = i;
        }
        if (value.value > high) {
            high = value.value;
            most = i;
        }
        memcpy(unit, value.unit, sizeof unit);
    }
    if (least == runs->count) {
        return;
    }
    const struct axis axis = axis_of(key, unit, fmax(fabs(low), fabs(high)));
    page_row_begin(page);
    page_cell(page, axis.label);
    put_number(page, low, &axis);
    if (runs->count > 1 && !(low < high)) {
        page_cell(page, "all that have it");
        put_number(page, high, &axis);
        page_cell(page, "");
    } else if (runs->count > 1) {
        put_run(page, runs, least);
        put_number(page, high, &axis);
        put_run(page, runs, most);
    }
    page_row_end(page);
}

void report_summary(const struct page *page, const struct report_runs *runs)
{
    static const char *const RESULT[] = {"accuracy",
                                         "seconds",
                                         "seconds_per_epoch",
                                         "images_per_second",
                                         "train_images_per_second",
                                         "energy.joules",
                                         "joules_per_epoch",
                                         "energy.joules_per_image",
                                         "dropped_packets"};
    const struct page_column several[] = {
        {"result", false}, {"least", true}, {"of run", false}, {"most", true}, {"of run", false}};
    const struct page_column one[] = {{"result", false}, {"", true}};
    page_title(page, "Summary");
    put_states(page, runs);
    page_table_begin(page, runs->count > 1 ? several : one, runs->count > 1 ? 5 : 2);
    for (size_t i = 0; i < sizeof RESULT / sizeof *RESULT; i++) {
        put_result(page, runs, RESULT[i]);
    }
    page_table_end(page);
}
