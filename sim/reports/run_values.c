/* run_values.c - see run_values.h. */
#include "sim/reports/run_values.h"

#include "sim/config/config.h"
#include "sim/file.h"
#include "sim/results/manifest.h"
#include "sim/results/results.h"
#include "sim/results/tally.h"
#include "sim/steps.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Splits RUN:KEY: returns the malloc'ed folder of RUN and sets KEY; NULL if it is not such a
 * name. */
static char *folder_of(const char *folder, const char *name, const char **key)
{
    const char *colon = strchr(name, ':');
    char *path = NULL;
    if (colon == NULL || asprintf(&path, "%s/%.*s", folder, (int)(colon - name), name) < 0) {
        return NULL;
    }
    *key = colon + 1;
    return path;
}

/* Whether a key without a row is a counter that is 0: of the machine's, on a chip of this run. */
static bool is_zero_counter(const char *folder, const char *key)
{
    RELEASED(config_deinit) struct sim_config config = {0};
    RELEASED(topology_deinit) struct topology machine = {0};
    struct diagnostic diagnostic = {0};
    char name[EXPRESSION_NAME_CHARS];
    const char *place = strchr(key, '[');
    char *comma;
    char *end = NULL;
    if (place == NULL) {
        return false;
    }
    const unsigned long x = strtoul(place + 1, &comma, 10);
    const unsigned long y = *comma == ',' ? strtoul(comma + 1, &end, 10) : ULONG_MAX;
    if (x > UINT8_MAX || y > UINT8_MAX || *end != ',') {
        return false;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)(place - key), key);
    return tally_counter(name) != NULL &&
           results_load_config(folder, &config, &diagnostic) == STATUS_OK &&
           config_topology(&config, &machine, &diagnostic) == STATUS_OK &&
           topology_find(&machine, (unsigned)x, (unsigned)y) != TOPOLOGY_NO_CHIP;
}

/* COMPONENT.COUNTER[X,Y,PART] */
static bool named_counter(const char *folder, const char *key, double *value)
{
    char name[EXPRESSION_NAME_CHARS];
    RELEASED(result_table_close) struct result_table table = {.path = NULL};
    struct tally_row row;
    struct diagnostic diagnostic = {0};
    bool found = false;
    const bool good = manifest_check(folder, &diagnostic) == STATUS_OK &&
                      tally_open(&table, folder, &diagnostic) == STATUS_OK;
    while (good && !found && result_table_next(&table)) {
        if (result_table_take(&table, TALLY_COLUMNS, TALLY_COLUMN_COUNT, &row) &&
            strcmp(row.phase, "run") == 0) {
            (void)snprintf(name, sizeof name, "%s.%s[%d,%d,%d]", row.component, row.counter, row.x,
                           row.y, row.instance);
            found = strcmp(name, key) == 0;
            *value = (double)row.value;
        }
    }
    if (good && !found && is_zero_counter(folder, key)) {
        *value = 0;
        found = true;
    }
    return found;
}

static bool key_value(const char *folder, const char *key, double *value, char *text, size_t size)
{
    RELEASED(results_close) struct results results;
    struct result_value found;
    struct diagnostic diagnostic = {0};
    if (results_open(&results, folder, &diagnostic) != STATUS_OK) {
        return false;
    }
    const bool is = results_find(&results, key, &found);
    if (is && text != NULL) {
        (void)snprintf(text, size, "%s", found.text);
    }
    *value = found.value;
    return is && (text != NULL || found.is_number);
}

/* NAME[ROW]:COLUMN, of the table NAME.csv. */
static bool cell_text(const char *folder, const char *name, char *text, size_t size)
{
    const char *bracket = strchr(name, '[');
    const char *colon = strchr(name, ':');
    char *end = NULL;
    const unsigned long row = bracket == NULL || colon == NULL ? 0 : strtoul(bracket + 1, &end, 10);
    char file[EXPRESSION_NAME_CHARS];
    RELEASED(result_table_close) struct result_table table = {.path = NULL};
    struct diagnostic diagnostic = {0};
    if (row == 0 || strncmp(end, "]:", 2) != 0 || end + 1 != colon) {
        return false;
    }
    (void)snprintf(file, sizeof file, "%.*s.csv", (int)(bracket - name), name);
    bool found = result_table_open(&table, folder, file, &diagnostic) == STATUS_OK;
    for (unsigned long i = 0; i < row && found; i++) {
        found = result_table_next(&table);
    }
    if (found) {
        (void)snprintf(text, size, "%s", result_table_text(&table, colon + 1));
    }
    return found && text[0] != '\0';
}

static bool cell_value(const char *folder, const char *name, double *value)
{
    char text[EXPRESSION_NAME_CHARS];
    char *end = text;
    if (cell_text(folder, name, text, sizeof text)) {
        *value = strtod(text, &end);
    }
    return end != text && *end == '\0';
}

static bool value_of(void *context, const char *name, double *value)
{
    if (cell_value(context, name, value)) {
        return true;
    }
    const char *key;
    FREED char *folder = folder_of(context, name, &key);
    return folder != NULL && (strchr(key, '[') != NULL ? named_counter(folder, key, value)
                                                       : key_value(folder, key, value, NULL, 0));
}

/* c1, c2, ...: words of a line. */
static bool word_value(void *context, const char *name, double *value)
{
    const char *at = context;
    char *end;
    unsigned long word = strtoul(name + 1, &end, 10);
    for (; name[0] == 'c' && word > 1; word--) {
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    *value = strtod(at, NULL);
    return name[0] == 'c' && *end == '\0' && word == 1 && at[strspn(at, " ")] != '\0';
}

static bool sum_of(void *context, const char *name, const char *expression, double *value)
{
    const char *key;
    FREED char *folder = folder_of(context, name, &key);
    FREED char *path = folder == NULL ? NULL : file_join(folder, "console.txt");
    FREED uint8_t *bytes = NULL;
    size_t size;
    struct diagnostic diagnostic = {0};
    bool good = path != NULL && strcmp(key, "console") == 0 &&
                manifest_check(folder, &diagnostic) == STATUS_OK &&
                file_read(path, FILE_TABLE_BYTES, &bytes, &size, &diagnostic) == STATUS_OK;
    char *rest = (char *)bytes;
    *value = 0;
    for (char *line = strsep(&rest, "\n"); good && line != NULL; line = strsep(&rest, "\n")) {
        const struct expression_scope scope = {.value = word_value, .context = line};
        double one = 0;
        good =
            *line == '\0' || expression_value(expression, &scope, &one, &diagnostic) == STATUS_OK;
        *value += one;
    }
    return good;
}

struct expression_scope run_values(const char *folder)
{
    union {
        const char *text;
        void *context;
    } of = {.text = folder}; /* the callbacks do not modify it */
    return (struct expression_scope){.value = value_of, .sum = sum_of, .context = of.context};
}

bool run_values_text(const char *folder, const char *name, char *text, size_t size)
{
    if (cell_text(folder, name, text, size)) {
        return true;
    }
    const char *key;
    double value;
    FREED char *of = folder_of(folder, name, &key);
    return of != NULL && key_value(of, key, &value, text, size);
}
