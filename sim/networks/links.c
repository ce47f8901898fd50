/* links.c - see links.h. */
#include "sim/networks/links.h"

#include "sim/config/config_arena.h"
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"

/* ---- reading ---- */

/* One output map's list to bits. */
static enum status read_row(const struct config_node *row, uint32_t *bits,
                            struct diagnostic *diagnostic)
{
    uint64_t least = 0;
    enum status status = config_expect(row, CONFIG_LIST, diagnostic);
    if (status == STATUS_OK && row->count == 0) {
        status = config_refuse_value(diagnostic, row, "an output map that no input map feeds");
        diagnostic_hint(diagnostic, "name one input map at least");
    }
    for (const struct config_node *node = row->first; node != NULL && status == STATUS_OK;
         node = node->next) {
        uint64_t map;
        status = config_whole_read(node, UNITS_COUNT, 0, NN_MAX_LINKED - 1, &map, diagnostic);
        if (status == STATUS_OK && map < least) {
            status = config_refuse_value(diagnostic, node, "input maps stand in rising order");
            diagnostic_hint(diagnostic, "each of them once: %llu or more here",
                            (unsigned long long)least);
        } else if (status == STATUS_OK) {
            *bits |= UINT32_C(1) << map;
            least = map + 1;
        }
    }
    return status;
}

enum status links_read(const struct config_node *layer_node, struct config_arena *arena,
                       struct network_layer *layer, struct diagnostic *diagnostic)
{
    const struct config_node *list = config_node_given(layer_node, "links");
    if (list == NULL) {
        return STATUS_OK;
    }
    enum status status = config_expect(list, CONFIG_LIST, diagnostic);
    if (status == STATUS_OK && list->count != layer->outputs) {
        status = config_refuse_value(diagnostic, list, "%zu lists of links for %u maps",
                                     list->count, layer->outputs);
        diagnostic_hint(diagnostic, "give a list of input maps for each output map");
    }
    if (status != STATUS_OK) {
        return status;
    }
    uint32_t *links = config_arena_take(arena, layer->outputs * sizeof *links);
    if (links == NULL) {
        return config_no_memory(diagnostic);
    }
    uint32_t at = 0;
    for (const struct config_node *row = list->first; row != NULL && status == STATUS_OK;
         row = row->next) {
        links[at] = 0;
        status = read_row(row, &links[at++], diagnostic);
    }
    layer->links = links;
    return status;
}

enum status links_check(const struct network *network, const struct network_layer *layer,
                        struct diagnostic *diagnostic)
{
    const uint32_t inputs = layer->input.channels;
    if (layer->links == NULL) {
        return STATUS_OK;
    }
    uint32_t named = 0;
    for (uint32_t m = 0; m < layer->outputs; m++) {
        named |= layer->links[m];
    }
    if (inputs >= NN_MAX_LINKED ? inputs == NN_MAX_LINKED : named >> inputs == 0) {
        return STATUS_OK;
    }
    const enum status status =
        inputs > NN_MAX_LINKED
            ? diagnose(diagnostic, STATUS_CONFIGURATION,
                       "layer %s: a table of links has no room for %u input maps", layer->name,
                       inputs)
            : diagnose(diagnostic, STATUS_CONFIGURATION,
                       "layer %s: a link comes from a map that its input does not have",
                       layer->name);
    diagnostic_at(diagnostic, network->path, layer->line, layer->column);
    diagnostic_key(diagnostic, layer->name);
    diagnostic_hint(diagnostic, "its input has %u maps, numbered from 0; at most %d can be linked",
                    inputs, NN_MAX_LINKED);
    return status;
}

enum status links_one_to_one(const struct network *network, struct network_layer *layer,
                             struct diagnostic *diagnostic)
{
    const uint32_t maps = layer->input.channels;
    if (maps > NN_MAX_LINKED) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "layer %s: its input has %u maps, too many for subsampling", layer->name,
                       maps);
        diagnostic_at(diagnostic, network->path, layer->line, layer->column);
        diagnostic_key(diagnostic, layer->name);
        diagnostic_hint(diagnostic, "%d maps at most", NN_MAX_LINKED);
        return STATUS_CONFIGURATION;
    }
    uint32_t *links = config_arena_take(network->arena, maps * sizeof *links);
    if (links == NULL) {
        return config_no_memory(diagnostic);
    }
    for (uint32_t m = 0; m < maps; m++) {
        links[m] = UINT32_C(1) << m;
    }
    layer->links = links;
    return STATUS_OK;
}

/* ---- counting ---- */

uint32_t links_weights_before(const struct nn_layer *layer, uint32_t output)
{
    const uint32_t *links = nn_links(layer);
    if (layer->kind == NN_DENSE) {
        return output * layer->input.channels * layer->input.height * layer->input.width;
    }
    if (layer->kind != NN_CONV2D) {
        return 0;
    }
    uint32_t count = 0;
    for (uint32_t m = 0; m < output; m++) {
        count += links == NULL ? layer->input.channels : (uint32_t)__builtin_popcount(links[m]);
    }
    return count * nn_link_weights(layer);
}

uint32_t links_weights(const struct nn_layer *layer)
{
    return links_weights_before(layer, layer->output.channels);
}

uint64_t links_macs(const struct nn_layer *layer)
{
    const uint32_t uses = layer->one_weight ? (uint32_t)layer->kernel * layer->kernel : 1;
    return (uint64_t)links_weights(layer) * uses * layer->output.height * layer->output.width;
}

uint32_t links_tensor_shape(const struct nn_layer *layer, uint32_t shape[4])
{
    const uint32_t side = layer->kernel;
    if (layer->kind == NN_DENSE) {
        shape[0] = layer->output.channels;
        shape[1] = links_weights_before(layer, 1);
        return 2;
    }
    if (layer->one_weight) {
        shape[0] = layer->output.channels;
        return 1;
    }
    if (nn_links(layer) != NULL) {
        shape[0] = links_weights(layer) / (side * side);
        shape[1] = shape[2] = side;
        return 3;
    }
    shape[0] = layer->output.channels;
    shape[1] = layer->input.channels;
    shape[2] = shape[3] = side;
    return 4;
}
