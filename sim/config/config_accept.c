/* config_accept.c - the group `accept`: metric -> {min: x, max: y}. */
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/steps.h"

static int find_metric(const char *name)
{
    for (int i = 0; i < CONFIG_METRICS; i++) {
        if (strcmp(config_metric_text((enum config_metric)i), name) == 0) {
            return i;
        }
    }
    return -1;
}

static enum status read_bounds(const struct config_reader *reader, const struct config_node *node,
                               struct config_accept *accept)
{
    static const char *const NAMES[] = {"min", "max", NULL};
    const struct config_metric_row *row = config_metric_row(accept->metric);
    enum status status = config_expect(node, CONFIG_MAP, reader->diagnostic);
    for (const struct config_node *bound = node->first; status == STATUS_OK && bound != NULL;
         bound = bound->next) {
        const bool is_min = strcmp(bound->name, "min") == 0;
        if (!is_min && strcmp(bound->name, "max") != 0) {
            return config_refuse_unknown(bound, NAMES, reader->diagnostic);
        }
        if (bound->shape == CONFIG_NULL) {
            continue;
        }
        status = config_real_read(bound, UNITS_FRACTION, row->minimum, row->maximum,
                                  is_min ? &accept->min : &accept->max, reader->diagnostic);
        accept->has_min = accept->has_min || is_min;
        accept->has_max = accept->has_max || !is_min;
    }
    if (status != STATUS_OK || reader->partial) {
        return status;
    }
    if (!accept->has_min && !accept->has_max) {
        status = config_refuse_value(reader->diagnostic, node, "no bound");
        diagnostic_hint(reader->diagnostic, "%s: {min: ..., max: ...}: one or both", node->name);
    } else if (accept->has_min && accept->has_max && accept->min > accept->max) {
        status = config_refuse_value(reader->diagnostic, config_node_child(node, "min"),
                                     "min is greater than max");
        diagnostic_hint(reader->diagnostic, "max is %s", config_node_child(node, "max")->text);
    }
    return status;
}

enum status config_read_accept(const struct config_reader *reader, const struct config_node *node)
{
    struct config_accept all[CONFIG_METRICS] = {{0}};
    bool given[CONFIG_METRICS] = {false};
    size_t count = 0;
    enum status status = config_expect(node, CONFIG_MAP, reader->diagnostic);
    for (const struct config_node *entry = node->first; status == STATUS_OK && entry != NULL;
         entry = entry->next) {
        const int metric = find_metric(entry->name);
        if (metric < 0) {
            const char *names[CONFIG_METRICS + 1] = {NULL};
            for (int i = 0; i < CONFIG_METRICS; i++) {
                names[i] = config_metric_text((enum config_metric)i);
            }
            return config_refuse_unknown(entry, names, reader->diagnostic);
        }
        if (entry->shape != CONFIG_NULL) {
            all[metric].metric = (enum config_metric)metric;
            status = read_bounds(reader, entry, &all[metric]);
            given[metric] = true;
            count++;
        }
    }
    if (status != STATUS_OK || count == 0) {
        return status;
    }
    struct config_accept *accept = config_arena_take(reader->arena, count * sizeof *accept);
    if (accept == NULL) {
        return no_memory(reader->diagnostic);
    }
    reader->config->accept = accept;
    reader->config->accept_count = count;
    for (int i = 0; i < CONFIG_METRICS; i++) {
        if (given[i]) {
            *accept++ = all[i];
        }
    }
    return STATUS_OK;
}
