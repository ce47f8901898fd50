/* results.c - see results.h. */
#include "sim/results/results.h"

#include "sim/config/config.h"
#include "sim/config/config_load.h"
#include "sim/config/units_text.h"
#include "sim/file.h"
#include "sim/results/manifest.h"
#include "sim/results/result_files.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char CONFIG_FILE[] = "config.yaml";

/* JSON is YAML: one reader for both. */
static enum status read_document(struct results *results, const char *name,
                                 const struct config_node **root, struct diagnostic *diagnostic)
{
    FREED char *path = file_join(results->folder, name);
    FREED uint8_t *bytes = NULL;
    size_t size;
    if (path == NULL) {
        return no_memory(diagnostic);
    }
    const enum status status = file_read(path, FILE_TABLE_BYTES, &bytes, &size, diagnostic);
    if (status != STATUS_OK) {
        diagnostic_hint(diagnostic, "name a result folder of `spinnsim run`");
        return status;
    }
    const char *kept = config_arena_text(results->arena, path, strlen(path));
    return config_load_document(results->arena, kept, (const char *)bytes, size, root, diagnostic);
}

bool results_exist(const char *folder)
{
    return file_is_in(folder, RESULT_LAST_FILE);
}

enum status results_open(struct results *results, const char *folder, struct diagnostic *diagnostic)
{
    *results = (struct results){0};
    TRY(manifest_check(folder, diagnostic));
    return results_open_unchecked(results, folder, diagnostic);
}

enum status results_open_unchecked(struct results *results, const char *folder,
                                   struct diagnostic *diagnostic)
{
    *results = (struct results){.folder = folder, .arena = config_arena_create()};
    if (results->arena == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = read_document(results, RESULT_LAST_FILE, &results->summary, diagnostic);
    if (status == STATUS_OK) {
        status = read_document(results, CONFIG_FILE, &results->config, diagnostic);
    }
    if (status != STATUS_OK) {
        results_close(results);
    }
    return status;
}

void results_close(struct results *results)
{
    config_arena_destroy(results->arena);
    *results = (struct results){0};
}

enum status results_open_all(struct results_list *results, const char *const *folder, size_t count,
                             struct diagnostic *diagnostic)
{
    *results = (struct results_list){.of = calloc(count + 1, sizeof *results->of)};
    if (results->of == NULL) {
        return no_memory(diagnostic);
    }
    for (; results->count < count; results->count++) {
        TRY(results_open(&results->of[results->count], folder[results->count], diagnostic));
    }
    return STATUS_OK;
}

void results_close_all(struct results_list *results)
{
    for (size_t i = 0; i < results->count; i++) {
        results_close(&results->of[i]);
    }
    free(results->of);
}

/* Converts "200 MHz" to its base unit, so that runs written with different units can be plotted
 * together. */
static bool quantity_of(const char *text, double *value, char unit[RESULT_UNIT_CHARS])
{
    static const enum units_kind KIND[] = {UNITS_CYCLES, UNITS_FREQUENCY, UNITS_TIME,
                                           UNITS_RATE,   UNITS_SIZE,      UNITS_SHARE};
    for (unsigned i = 0; i < sizeof KIND / sizeof *KIND; i++) {
        uint64_t whole;
        if (units_read_whole(KIND[i], text, &whole) == UNITS_OK) {
            *value = (double)whole;
            (void)snprintf(unit, RESULT_UNIT_CHARS, "%s", units_base(KIND[i]));
            return true;
        }
    }
    return false;
}

/* A number, and what stands behind it as its unit. */
static bool number_of(const char *text, double *value, char unit[RESULT_UNIT_CHARS])
{
    char *end;
    if (quantity_of(text, value, unit)) {
        return true;
    }
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value)) {
        return false;
    }
    end += strspn(end, " ");
    (void)snprintf(unit, RESULT_UNIT_CHARS, "%s", end);
    return strlen(end) < RESULT_UNIT_CHARS && strpbrk(end, "0123456789,") == NULL;
}

static void take_scalar(const struct config_node *node, struct result_value *value)
{
    value->text = node->text;
    value->is_number = !node->quoted && number_of(node->text, &value->value, value->unit);
    value->low = value->high = value->value;
}

/* {low, default, high} */
static bool take_range(const struct config_node *node, struct result_value *value)
{
    static const char *const PART[] = {"low", "default", "high"};
    double number[3];
    for (unsigned i = 0; i < 3; i++) {
        const struct config_node *part = config_node_given(node, PART[i]);
        if (part == NULL || part->shape != CONFIG_SCALAR ||
            !number_of(part->text, &number[i], value->unit)) {
            return false;
        }
        value->text = i == 1 ? part->text : value->text;
    }
    value->is_number = true;
    value->low = number[0];
    value->value = number[1];
    value->high = number[2];
    return true;
}

bool results_find(const struct results *results, const char *key, struct result_value *value)
{
    const struct config_node *node = config_node_find(results->summary, key);
    if (node == NULL) {
        node = config_node_find(results->config, key);
    }
    *value = (struct result_value){0};
    if (node == NULL) {
        return false;
    }
    if (node->shape == CONFIG_MAP) {
        return take_range(node, value);
    }
    if (node->shape != CONFIG_SCALAR) {
        return false;
    }
    take_scalar(node, value);
    return true;
}

const char *results_text(const struct results *results, const char *key)
{
    struct result_value value;
    return results_find(results, key, &value) ? value.text : "";
}

double results_number(const struct results *results, const char *key)
{
    struct result_value value;
    return results_find(results, key, &value) && value.is_number ? value.value : 0;
}

enum status results_require(const struct results *results, const char *key,
                            struct result_value *value, struct diagnostic *diagnostic)
{
    if (results_find(results, key, value)) {
        return STATUS_OK;
    }
    (void)file_refuse(results->folder,
                      "a key of its summary.json or config.yaml, such as energy.joules_per_image "
                      "or clock.cpu",
                      diagnostic, "these results have no such value");
    diagnostic_key(diagnostic, key);
    return STATUS_CONFIGURATION;
}

enum status results_load_config(const char *folder, struct sim_config *config,
                                struct diagnostic *diagnostic)
{
    FREED char *path = file_join(folder, CONFIG_FILE);
    const struct config_request request = {.path = path};
    return path == NULL ? no_memory(diagnostic) : config_load(&request, config, diagnostic);
}

bool results_key_is_of(const char *key, const char *const *groups, size_t count)
{
    bool is = false;
    for (size_t i = 0; i < count && !is; i++) {
        const size_t length = strlen(groups[i]);
        is = strncmp(key, groups[i], length) == 0 && strchr(".", key[length]) != NULL;
    }
    return is;
}

bool results_key_is_aside(const char *key)
{
    static const char *const ASIDE[] = {"name", "question", "accept", "record", "plot"};
    return results_key_is_of(key, ASIDE, sizeof ASIDE / sizeof *ASIDE);
}
