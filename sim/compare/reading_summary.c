/* reading_summary.c - see reading.h: what config.yaml and summary.json say. */
#include "sim/compare/reading.h"

#include "sim/config/config_tree.h"
#include "sim/file.h"
#include "sim/results/quantity.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

static const char CONFIG_FILE[] = "config.yaml";
static const char SUMMARY_FILE[] = "summary.json";

static struct difference_table *to(const struct reading *reading, enum comparison_table table)
{
    return &reading->comparison->table[table];
}

/* ---- config.yaml ---- */

static void take_key(const struct reading *reading, const struct config_node *node)
{
    for (const struct config_node *at = node->first; at != NULL; at = at->next) {
        take_key(reading, at);
    }
    if (node->shape == CONFIG_SCALAR) {
        difference_add_text(to(reading, COMPARISON_CONFIGURATION), reading->run, node->path,
                            node->text);
    }
}

/* ---- summary.json ---- */

static void take_result(const struct reading *reading, const struct config_node *node)
{
    struct difference_table *results = to(reading, COMPARISON_RESULTS);
    struct result_value value;
    struct quantity quantity;
    if (!results_find(reading->results, node->path, &value)) { /* an entry of a list */
        difference_add_text(results, reading->run, node->path, node->text);
        return;
    }
    const char *unit = quantity_find(node->path, &quantity) ? quantity.unit : "";
    if (!value.is_number || value.unit[0] != '\0') {
        difference_add_text(results, reading->run, node->path, value.text);
    } else if (reading_is_count(value.text)) {
        difference_add_count(results, reading->run, node->path, unit, NULL,
                             strtoull(value.text, NULL, 10));
    } else {
        difference_add_real(results, reading->run, node->path, unit, NULL, value.value);
    }
}

static bool is_range(const struct config_node *node)
{
    return config_node_given(node, "low") != NULL && config_node_given(node, "default") != NULL;
}

static void take_results(const struct reading *reading, const struct config_node *node)
{
    for (const struct config_node *at = node->first; at != NULL && !is_range(node); at = at->next) {
        take_results(reading, at);
    }
    if (node->shape == CONFIG_SCALAR || is_range(node)) {
        take_result(reading, node);
    }
}

/* Each to the table of texts to which it belongs. */
static void take_texts(const struct reading *reading, const struct config_node *node,
                       enum comparison_table table)
{
    for (const struct config_node *at = node->first; at != NULL; at = at->next) {
        take_texts(reading, at, table);
    }
    if (node->shape == CONFIG_SCALAR) {
        static const char GROUP[] = "identity.";
        const bool of_group = strncmp(node->path, GROUP, strlen(GROUP)) == 0;
        difference_add_text(to(reading, table), reading->run,
                            node->path + (of_group ? strlen(GROUP) : 0), node->text);
    }
}

static void take_programs(const struct reading *reading, const struct config_node *list)
{
    for (const struct config_node *at = list->first; at != NULL; at = at->next) {
        const struct config_node *name = config_node_given(at, "program");
        const struct config_node *digest = config_node_given(at, "sha256");
        if (name != NULL && digest != NULL && name->shape == CONFIG_SCALAR &&
            digest->shape == CONFIG_SCALAR) {
            difference_add_text(to(reading, COMPARISON_INPUTS), reading->run,
                                reading_join(reading, "program ", "", name->text), digest->text);
        }
    }
}

static void take_identity(const struct reading *reading, const struct config_node *identity)
{
    /* What is not named follows from the configuration and these, or is all results in one. */
    static const struct {
        const char *name;
        enum comparison_table table;
    } KEYS[] = {{"version", COMPARISON_SIMULATOR},
                {"commit", COMPARISON_SIMULATOR},
                {"guest_compiler", COMPARISON_INPUTS},
                {"data_digest", COMPARISON_INPUTS}};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        const struct config_node *node = config_node_given(identity, KEYS[i].name);
        if (node != NULL) {
            take_texts(reading, node, KEYS[i].table);
        }
    }
    const struct config_node *programs = config_node_given(identity, "elf_digests");
    if (programs != NULL) {
        take_programs(reading, programs);
    }
}

static void take_activities(const struct reading *reading, const struct config_node *activities)
{
    for (const struct config_node *at = activities->first; at != NULL; at = at->next) {
        if (at->shape == CONFIG_SCALAR && reading_is_count(at->text)) {
            difference_add_count(to(reading, COMPARISON_ACTIVITY_CYCLES), reading->run, at->name,
                                 "cycle", "core_cycles", strtoull(at->text, NULL, 10));
        }
    }
}

/* What is cut off may be a document, too. */
static enum status check_complete(const struct reading *reading)
{
    FREED uint8_t *bytes = NULL;
    size_t size;
    TRY(file_read(reading_join(reading, reading->folder, "/", CONFIG_FILE), FILE_TABLE_BYTES,
                  &bytes, &size, reading->diagnostic));
    if (size == 0 || bytes[size - 1] != '\n') {
        return reading_refuse(reading, CONFIG_FILE, READING_CUT_OFF);
    }
    return config_node_given(reading->results->summary, "status") != NULL
               ? STATUS_OK
               : reading_refuse(reading, SUMMARY_FILE, "it does not say how the run ended");
}

enum status reading_take_summary(const struct reading *reading)
{
    /* In other tables, in config.yaml (with `accept`, status says the rest), or of the host. */
    static const char *const LEFT_OUT[] = {"schema",   "remarks",   "accept",       "name",
                                           "identity", "backend",   "network",      "variant",
                                           "mode",     "mapping",   "dataset",      "phases",
                                           "host",     "core_time", "number_format"};
    const struct config_node *summary = reading->results->summary;
    const struct config_node *identity = config_node_given(summary, "identity");
    const struct config_node *activities = config_node_given(summary, "core_time");
    for (const struct config_node *at = summary->first; at != NULL; at = at->next) {
        bool left_out = false;
        for (size_t i = 0; i < sizeof LEFT_OUT / sizeof *LEFT_OUT; i++) {
            left_out = left_out || strcmp(at->name, LEFT_OUT[i]) == 0;
        }
        if (!left_out) {
            take_results(reading, at);
        }
    }
    take_key(reading, reading->results->config);
    if (identity != NULL) {
        take_identity(reading, identity);
    }
    if (activities != NULL) {
        take_activities(reading, activities);
    }
    return check_complete(reading);
}
