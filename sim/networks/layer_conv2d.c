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

/* Eight neighbouring sums, which stay in registers. */
enum { BLOCK = 8, PAIRS = BLOCK / 2 };
typedef double double2 __attribute__((vector_size(16)));
struct block {
    double2 sum[PAIRS];
};

/* The input framed by its zeros: from line to line, and all of a map. */
static size_t framed_width(const struct network_layer *layer)
{
    return layer->input.width + 2 * (size_t)layer->padding;
}

static size_t framed_area(const struct network_layer *layer)
{
    return framed_width(layer) * (layer->input.height + 2 * (size_t)layer->padding);
}

/* What the last block of a line reads beyond the frame is 0, too. */
static size_t room(const struct network_layer *layer)
{
    return layer->input.channels * framed_area(layer) + (size_t)BLOCK * layer->stride;
}

static void frame(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    const size_t edge = layer->padding;
    const size_t width = layer->input.width;
    const double *line = pass->input;
    double *map = pass->room;
    memset(map, 0, room(layer) * sizeof *map);
    for (size_t i = 0; i < layer->input.channels; i++, map += framed_area(layer)) {
        for (size_t y = 0; y < layer->input.height; y++, line += width) {
            memcpy(map + (y + edge) * framed_width(layer) + edge, line, width * sizeof *line);
        }
    }
}

static inline __attribute__((always_inline)) double2 two_of(const double *at, size_t stride)
{
    double2 two;
    if (stride == 1) {
        memcpy(&two, at, sizeof two);
    } else {
        two = (double2){at[0], at[stride]};
    }
    return two;
}

/* The sums of a block: bias, then input map after input map, row after row, column after column. */
static inline __attribute__((always_inline)) struct block sum_block(const struct layer_pass *pass,
                                                                    const double *weight, size_t m,
                                                                    const double *at, size_t stride)
{
    const struct network_layer *layer = pass->layer;
    const size_t kernel = layer->kernel;
    const size_t width = framed_width(layer);
    const double bias = pass->biases[m];
    double2 s0 = {bias, bias};
    double2 s1 = s0;
    double2 s2 = s0;
    double2 s3 = s0;
    for (size_t i = 0; i < layer->input.channels; i++, at += framed_area(layer)) {
        if (!network_is_linked(layer, m, i)) {
            continue;
        }
        const double *line = at;
        for (size_t row = 0; row < kernel; row++, line += width) {
            for (size_t column = 0; column < kernel; column++) {
                const double *from = line + column;
                const double2 w = {*weight, *weight};
                s0 += w * two_of(from, stride);
                s1 += w * two_of(from + 2 * stride, stride);
                s2 += w * two_of(from + 4 * stride, stride);
                s3 += w * two_of(from + 6 * stride, stride);
                weight++;
            }
        }
    }
    return (struct block){{s0, s1, s2, s3}};
}

static size_t weights_of_map(const struct network_layer *layer, size_t m)
{
    size_t links = 0;
    for (size_t i = 0; i < layer->input.channels; i++) {
        links += network_is_linked(layer, m, i) ? 1 : 0;
    }
    return links * layer->kernel * layer->kernel;
}

static void forward(const struct layer_pass *pass)
{
    const struct network_layer *layer = pass->layer;
    const size_t columns = layer->output.width;
    const size_t stride = layer->stride;
    const double *weights = pass->weights;
    double *output = pass->output;
    frame(pass);
    for (size_t m = 0; m < layer->outputs; m++) {
        const double *line = pass->room;
        for (size_t y = 0; y < layer->output.height; y++, output += columns) {
            for (size_t x = 0; x < columns; x += BLOCK) {
                const double *at = line + x * stride;
                const struct block block = stride == 1 ? sum_block(pass, weights, m, at, 1)
                                                       : sum_block(pass, weights, m, at, stride);
                for (size_t i = 0; i < BLOCK && x + i < columns; i++) {
                    output[x + i] = block.sum[i / 2][i % 2];
                }
            }
            line += stride * framed_width(layer);
        }
        weights += weights_of_map(layer, m);
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
                                        .room = room,
                                        .forward = forward,
                                        .backward = backward};
