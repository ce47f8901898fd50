/* layer_conv2d.c - cross-correlation of square windows with weights of each link from an input map
 * to an output map.  {maps, kernel, stride: 1, padding: 0, activation, links: all}
 *
 *     - {name: conv2, type: conv2d, maps: 3, kernel: 5, links: [[0], [0, 1], [1, 3]]}
 *
 * links: one list for each output map, of input maps in any order.  There are weights for these
 * links only, by output map, then by rising input map. */
#include "sim/config/config_value.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"
#include "workloads/nn/layer_table.h"

static const struct config_key KEYS[] = {LAYER_KEYS,
                                         LAYER_ACTIVATION,
                                         LAYER_COUNT("maps", layer.outputs, 1, LAYER_MOST_MAPS),
                                         LAYER_WINDOW("kernel"),
                                         LAYER_STRIDE(1),
                                         LAYER_NODE("padding", padding),
                                         LAYER_NODE("links", links),
                                         LAYER_KEYS_END};

/* ---- keys ---- */

/* A number, or `same`: as many outputs as inputs. */
static enum status read_padding(const struct config_node *node, struct network_layer *layer,
                                struct diagnostic *diagnostic)
{
    if (node == NULL) {
        return STATUS_OK;
    }
    if (node->shape != CONFIG_SCALAR || strcmp(node->text, "same") != 0) {
        uint64_t zeros = 0;
        const enum status status =
            config_whole_read(node, UNITS_COUNT, 0, layer->kernel - 1, &zeros, diagnostic);
        layer->padding = (uint32_t)zeros;
        return status;
    }
    if (layer->kernel % 2 == 0 || layer->stride != 1) {
        return config_refuse_value(diagnostic, node,
                                   "same does not go with a window of %u and a stride of %u\v"
                                   "an odd kernel and stride 1, or a number of zeros",
                                   layer->kernel, layer->stride);
    }
    layer->padding = layer->kernel / 2;
    return STATUS_OK;
}

/* Converts one output map's list to bits. */
static enum status read_row(const struct config_node *row, uint32_t *bits,
                            struct diagnostic *diagnostic)
{
    TRY(config_expect(row, CONFIG_LIST, diagnostic));
    if (row->count == 0) {
        return config_refuse_value(
            diagnostic, row, "an output map that no input map feeds\vname one input map at least");
    }
    for (const struct config_node *node = row->first; node != NULL; node = node->next) {
        uint64_t map;
        TRY(config_whole_read(node, UNITS_COUNT, 0, NN_MAX_LINKED - 1, &map, diagnostic));
        if ((*bits >> map & 1) != 0) {
            return config_refuse_value(diagnostic, node,
                                       "input map %llu stands here twice\vremove one",
                                       (unsigned long long)map);
        }
        *bits |= UINT32_C(1) << map;
    }
    return STATUS_OK;
}

static enum status read_links(const struct config_node *list, struct network_layer *layer,
                              struct config_arena *arena, struct diagnostic *diagnostic)
{
    TRY(config_expect(list, CONFIG_LIST, diagnostic));
    if (list->count != layer->outputs) {
        return config_refuse_value(diagnostic, list,
                                   "%zu lists of links for %u maps\v"
                                   "give a list of input maps for each output map",
                                   list->count, layer->outputs);
    }
    uint32_t *links = config_arena_take(arena, layer->outputs * sizeof *links);
    layer->links = links;
    for (const struct config_node *row = list->first; row != NULL; row = row->next) {
        TRY(read_row(row, links++, diagnostic));
    }
    return STATUS_OK;
}

static enum status finish(struct layer_entry *entry, struct config_arena *arena,
                          struct diagnostic *diagnostic)
{
    TRY(read_padding(entry->padding, &entry->layer, diagnostic));
    return entry->links == NULL ? STATUS_OK
                                : read_links(entry->links, &entry->layer, arena, diagnostic);
}

/* ---- shape ---- */

/* Checks that the input has the maps that the table of links names. */
static enum status check_links(const struct network *network, const struct network_layer *layer,
                               struct diagnostic *diagnostic)
{
    const uint32_t inputs = layer->input.channels;
    uint32_t named = 0;
    for (uint32_t m = 0; m < layer->outputs; m++) {
        named |= layer->links[m];
    }
    if (inputs >= NN_MAX_LINKED ? inputs == NN_MAX_LINKED : named >> inputs == 0) {
        return STATUS_OK;
    }
    const enum status status =
        inputs > NN_MAX_LINKED
            ? layer_refuse(network, layer, NULL, diagnostic,
                           "a table of links has no room for %u input maps", inputs)
            : layer_refuse(network, layer, NULL, diagnostic,
                           "a link comes from a map that its input does not have");
    diagnostic_hint(diagnostic, "its input has %u maps, numbered from 0; at most %d can be linked",
                    inputs, NN_MAX_LINKED);
    return status;
}

static enum status shape(struct network *network, struct network_layer *layer,
                         struct diagnostic *diagnostic)
{
    TRY(layer_shape_window(network, layer, layer->outputs, diagnostic));
    layer->link_weights = layer->link_products = layer->kernel * layer->kernel;
    return layer->links == NULL ? STATUS_OK : check_links(network, layer, diagnostic);
}

/* ---- doubles ---- */

/* Of an output. */
struct place {
    size_t y, x;
};

/* Outputs first .. end of a row for which a given column of the window lies within the input. */
struct reach {
    size_t first, end;
};

static struct reach reach_of(const struct network_layer *layer, size_t window, size_t inputs,
                             size_t outputs)
{
    const size_t stride = layer->stride;
    const size_t before = window < layer->padding ? layer->padding - window : 0;
    const size_t past = inputs + layer->padding - window; /* the first input beyond the row */
    const size_t end = (past + stride - 1) / stride;
    return (struct reach){(before + stride - 1) / stride, end < outputs ? end : outputs};
}

/* Adds the products of one input map and its weights to a row of outputs. */
static void add_map(const struct network_layer *layer, const double *weights, const double *map,
                    size_t y, double *output)
{
    const size_t kernel = layer->kernel;
    const size_t width = layer->input.width;
    for (size_t row = 0; row < kernel; row++) {
        const size_t line =
            y * layer->stride + row - layer->padding; /* before the input: wraps to a huge number */
        for (size_t column = 0; column < kernel && line < layer->input.height; column++) {
            const struct reach x = reach_of(layer, column, width, layer->output.width);
            if (x.first < x.end) {
                const double *from =
                    map + line * width + x.first * layer->stride + column - layer->padding;
                layer_add_row(output + x.first, from, weights[row * kernel + column],
                              x.end - x.first, layer->stride);
            }
        }
    }
}

static void forward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    double *output = pass->output;
    const size_t window = (size_t)layer->kernel * layer->kernel;
    const size_t area = (size_t)layer->input.height * layer->input.width;
    const size_t columns = layer->output.width;
    const double *weights = pass->weights;
    for (size_t m = 0; m < layer->outputs; m++) {
        const double *w = weights;
        for (size_t y = 0; y < layer->output.height; y++, output += columns) {
            for (size_t x = 0; x < columns; x++) {
                output[x] = pass->biases[m];
            }
            w = weights;
            for (size_t i = 0; i < layer->input.channels; i++) {
                if (network_is_linked(layer, m, i)) {
                    add_map(layer, w, pass->input + i * area, y, output);
                    w += window;
                }
            }
        }
        weights = w;
    }
}

/* Propagates one output's gradient g through the weights of one input map: adds to the weights'
 * gradients, and to the map's gradient (NULL: not needed). */
static void spread_map(const struct network_layer *layer, double g, struct place place,
                       const double *map, double *weight_gradient, const double *weights,
                       double *map_gradient)
{
    const size_t kernel = layer->kernel;
    const size_t width = layer->input.width;
    const size_t left = place.x * layer->stride;
    const size_t first = left < layer->padding ? layer->padding - left : 0; /* of a window's row */
    const size_t past = width + layer->padding - left;
    const size_t end = past < kernel ? past : kernel;
    for (size_t row = 0; row < kernel; row++) {
        const size_t line = place.y * layer->stride + row - layer->padding;
        if (line >= layer->input.height) {
            continue;
        }
        const size_t at = line * width + left + first - layer->padding;
        const size_t w = row * kernel + first;
        layer_add_row(weight_gradient + w, map + at, g, end - first, 1);
        if (map_gradient != NULL) {
            layer_add_row(map_gradient + at, weights + w, g, end - first, 1);
        }
    }
}

static void backward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    const double *output_gradient = pass->output_gradient;
    const size_t window = (size_t)layer->kernel * layer->kernel;
    const size_t area = (size_t)layer->input.height * layer->input.width;
    const size_t places = (size_t)layer->output.height * layer->output.width;
    size_t first = 0; /* weight of the map */
    for (size_t m = 0; m < layer->outputs; m++) {
        for (size_t o = 0; o < places; o++) {
            const struct place place = {o / layer->output.width, o % layer->output.width};
            const double g = *output_gradient++;
            if (g == 0) { /* true of most, after ReLU and pooling */
                continue;
            }
            pass->bias_gradients[m] += g;
            size_t w = first;
            for (size_t i = 0; i < layer->input.channels; i++) {
                if (network_is_linked(layer, m, i)) {
                    spread_map(layer, g, place, pass->input + i * area, pass->weight_gradients + w,
                               pass->weights + w,
                               pass->input_gradient == NULL ? NULL
                                                            : pass->input_gradient + i * area);
                    w += window;
                }
            }
        }
        for (size_t i = 0; i < layer->input.channels; i++) {
            first += network_is_linked(layer, m, i) ? window : 0;
        }
    }
}

const struct layer_kind LAYER_CONV2D = {.name = "conv2d",
                                        .keys = KEYS,
                                        .finish = finish,
                                        .shape = shape,
                                        .row = NN_CONV2D,
                                        .forward = forward,
                                        .backward = backward};
