/* config_accept.c - the group `accept`: metric -> {min: x, max: y}. */
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/steps.h"

static enum status read_bounds(const struct config_reader *reader, const struct config_node *node,
                               struct config_accept *accept)
{
    static const char *const NAMES[] = {"min", "max", NULL};
    double *const to[] = {&accept->min, &accept->max};
    bool *const has[] = {&accept->has_min, &accept->has_max};
    const struct config_metric_row *row = config_metric_row(accept->metric);
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    for (const struct config_node *bound = node->first; bound != NULL; bound = bound->next) {
        const int i = config_name_index(bound, NAMES, reader->diagnostic);
        if (i < 0) {
            return STATUS_CONFIGURATION;
        }
        if (bound->shape != CONFIG_NULL) {
            TRY(config_real_read(bound, UNITS_FRACTION, row->minimum, row->maximum, to[i],
                                 reader->diagnostic));
            *has[i] = true;
        }
    }
    if (reader->partial) {
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    if (!accept->has_min && !accept->has_max) {
        status = config_refuse_value(reader->diagnostic, node, NULL, "no bound");
        diagnostic_hint(reader->diagnostic, "%s: {min: ..., max: ...}: one or both", node->name);
    } else if (accept->has_min && accept->has_max && accept->min > accept->max) {
        status = config_refuse_value(reader->diagnostic, config_node_child(node, "min"), NULL,
                                     "min is greater than max");
        diagnostic_hint(reader->diagnostic, "max is %s", config_node_child(node, "max")->text);
    }
    return status;
}

enum status config_read_accept(const struct config_reader *reader, const struct config_node *node)
{
    const char *names[CONFIG_METRICS + 1] = {NULL};
    struct config_accept all[CONFIG_METRICS] = {{0}};
    bool given[CONFIG_METRICS] = {false};
    for (int i = 0; i < CONFIG_METRICS; i++) {
        names[i] = config_metric_text((enum config_metric)i);
        all[i].metric = (enum config_metric)i;
    }
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    for (const struct config_node *entry = node->first; entry != NULL; entry = entry->next) {
        const int metric = config_name_index(entry, names, reader->diagnostic);
        if (metric < 0) {
            return STATUS_CONFIGURATION;
        }
        if (entry->shape != CONFIG_NULL) {
            TRY(read_bounds(reader, entry, &all[metric]));
            given[metric] = true;
        }
    }
    struct config_accept *accept = config_arena_take(reader->arena, sizeof all);
    size_t count = 0;
    for (int i = 0; i < CONFIG_METRICS; i++) {
        if (given[i]) {
            accept[count++] = all[i];
        }
    }
    if (count > 0) {
        reader->config->accept = accept;
        reader->config->accept_count = count;
    }
    return STATUS_OK;
}
