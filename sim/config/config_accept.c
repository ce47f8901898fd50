/* config_accept.c - the group `accept`: bounds of results. */
#include "sim/config/config_read.h"

#include <math.h>

bool config_accepts(const struct config_accept *bound)
{
    return !isinf(bound->min) || !isinf(bound->max);
}

enum status config_finish_bounds(const struct config_reader *reader, const struct config_node *node,
                                 void *item)
{
    const struct config_accept *bound = item;
    if (!reader->partial && node->count == 0) {
        return config_refuse_value(reader->diagnostic, node,
                                   "no bound\v%s: {min: ..., max: ...}: one or both", node->name);
    }
    return reader->partial || bound->min <= bound->max
               ? STATUS_OK
               : config_refuse_value(reader->diagnostic, config_node_given(node, "min"),
                                     "min is greater than max\vmax is %s",
                                     config_node_given(node, "max")->text);
}
