/* config_accept.c - the group `accept`: metric -> {min: x, max: y}. */
#include "sim/config/config_read.h"
#include "sim/config/config_table.h"
#include "sim/steps.h"

static enum status read_bounds(const struct config_reader *reader, const struct config_node *node,
                               struct config_accept *accept)
{
    const struct config_metric_row *row = config_metric_row(accept->metric);
    const struct config_key keys[] = {{.name = "min",
                                       .kind = KIND_FRACTION,
                                       .real = {0, row->minimum, row->maximum},
                                       CONFIG_FIELD(struct config_accept, min)},
                                      {.name = "max",
                                       .kind = KIND_FRACTION,
                                       .real = {0, row->minimum, row->maximum},
                                       CONFIG_FIELD(struct config_accept, max)},
                                      {.name = NULL}};
    const struct config_node *min = config_node_given(node, "min");
    const struct config_node *max = config_node_given(node, "max");
    accept->has_min = min != NULL;
    accept->has_max = max != NULL;
    TRY(config_table_read(node, keys, accept, reader->arena, reader->diagnostic));
    if (reader->partial) {
        return STATUS_OK;
    }
    if (min == NULL && max == NULL && node->count == 0) {
        return config_refuse_value(reader->diagnostic, node,
                                   "no bound\v%s: {min: ..., max: ...}: one or both", node->name);
    }
    if (min != NULL && max != NULL && accept->min > accept->max) {
        return config_refuse_value(reader->diagnostic, min, "min is greater than max\vmax is %s",
                                   max->text);
    }
    return STATUS_OK;
}

enum status config_read_accept(const struct config_reader *reader, const struct config_node *node)
{
    static const struct config_key METRICS[] = {
#define METRIC(name_, NAME, minimum, maximum, use, help)                                           \
    {.name = #name_, .raw = true, .offset = CONFIG_METRIC_##NAME * sizeof(struct config_node *)},
#include "sim/config/config_schema.def"
        {.name = NULL}};
    const struct config_node *given[CONFIG_METRICS];
    struct config_accept *accept =
        config_arena_take(reader->arena, sizeof *accept * CONFIG_METRICS);
    size_t count = 0;
    TRY(config_table_read(node, METRICS, given, reader->arena, reader->diagnostic));
    for (int i = 0; i < CONFIG_METRICS; i++) {
        if (given[i] != NULL) {
            accept[count].metric = (enum config_metric)i;
            TRY(read_bounds(reader, given[i], &accept[count]));
            count += accept[count].has_min || accept[count].has_max; /* neither: both cleared */
        }
    }
    reader->config->accept = accept;
    reader->config->accept_count = count;
    return STATUS_OK;
}
