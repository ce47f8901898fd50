/* lower_windows.c - operators whose windows move over images: convolutions and pools
 * (lower_flow.h). */
#include "sim/import/lower_flow.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

static const char ONE_SIDE[] = "spinnsim has square windows that move by one stride";

/* Window, stride and frame of a node, the same along both axes. */
struct window {
    uint32_t kernel, stride, padding;
};

/* A number that an attribute gives for both axes; without it, `standard`. */
static enum status read_side(const struct flow *flow, const char *attribute, double standard,
                             uint32_t *side)
{
    const struct model_attribute *found = model_find_attribute(flow->node, attribute);
    const double first = found == NULL || found->count == 0 ? standard : found->number[0];
    for (size_t i = 1; found != NULL && i < found->count; i++) {
        if (found->number[i] != first) {
            return flow_refuse(flow, ONE_SIDE, "operator %s: %s of %g and %g", flow->node->op,
                               attribute, first, found->number[i]);
        }
    }
    if (!(first >= 1 && first <= LAYER_LARGEST_WINDOW) || first != floor(first) ||
        (found != NULL && found->count != 2 && found->count != 0)) {
        return flow_refuse(flow, ONE_SIDE, "operator %s: %s of %g; from 1 to %d, along two axes",
                           flow->node->op, attribute, first, LAYER_LARGEST_WINDOW);
    }
    *side = (uint32_t)first;
    return STATUS_OK;
}

static enum status refuse_uneven(const struct flow *flow)
{
    return flow_refuse(flow,
                       "spinnsim has the same number of zeros on all sides: pad images before, or "
                       "train the model with an odd window and even padding",
                       "operator %s: its padding differs between sides", flow->node->op);
}

/* Zeros along an axis that auto_pad SAME adds: as many outputs as inputs, divided by the stride. */
static uint32_t zeros_of(const struct window *window, uint32_t inputs)
{
    const uint32_t outputs = (inputs + window->stride - 1) / window->stride;
    const uint32_t reach = (outputs - 1) * window->stride + window->kernel;
    return reach > inputs ? reach - inputs : 0;
}

static enum status read_padding(const struct flow *flow, struct window *window)
{
    const struct model_attribute *mode = model_find_attribute(flow->node, "auto_pad");
    const struct model_attribute *pads = model_find_attribute(flow->node, "pads");
    const char *text = mode == NULL || mode->text == NULL ? "NOTSET" : mode->text;
    window->padding = 0;
    if (strcmp(text, "SAME_UPPER") == 0 || strcmp(text, "SAME_LOWER") == 0) {
        const uint32_t zeros = zeros_of(window, flow->at.height + 2 * flow->frame);
        window->padding = zeros / 2;
        return zeros % 2 == 0 && zeros_of(window, flow->at.width + 2 * flow->frame) == zeros
                   ? STATUS_OK
                   : refuse_uneven(flow);
    }
    if (strcmp(text, "NOTSET") != 0 || pads == NULL || pads->count == 0) {
        return STATUS_OK; /* VALID */
    }
    for (size_t i = 1; i < pads->count; i++) {
        if (pads->number[i] != pads->number[0]) {
            return refuse_uneven(flow);
        }
    }
    if (!(pads->number[0] >= 0 && pads->number[0] < window->kernel)) {
        return flow_refuse(flow, "less zeros than the window has rows",
                           "operator %s: padding of %g for windows of %u", flow->node->op,
                           pads->number[0], window->kernel);
    }
    window->padding = (uint32_t)pads->number[0];
    return STATUS_OK;
}

/* The output's rows or columns; 0: the window does not fit. */
static uint32_t outputs_of(const struct window *window, uint32_t inputs)
{
    const uint32_t framed = inputs + 2 * window->padding;
    return window->kernel > framed ? 0 : (framed - window->kernel) / window->stride + 1;
}

static enum status set_output(struct flow *flow, const struct window *window, uint32_t maps,
                              struct lower_layer *layer)
{
    layer->kernel = window->kernel;
    layer->stride = window->stride;
    layer->padding = window->padding;
    layer->output = (struct network_shape){maps, outputs_of(window, layer->input.height),
                                           outputs_of(window, layer->input.width)};
    if (layer->output.height == 0 || layer->output.width == 0) {
        return flow_refuse(flow, NULL, "operator %s: windows of %u do not fit maps of %u x %u",
                           flow->node->op, window->kernel, layer->input.height, layer->input.width);
    }
    return STATUS_OK;
}

/* ---- convolutions ---- */

static enum status read_weights(const struct flow *flow, const struct model_tensor **weights,
                                const struct model_tensor **biases)
{
    TRY(flow_input(flow, 1, weights));
    TRY(flow_input(flow, 2, biases));
    if (*weights == NULL || (*weights)->rank != 4) {
        return flow_refuse(flow, "spinnsim has convolutions over rows and columns",
                           "operator Conv: weights of %u axes; there are only 4",
                           *weights == NULL ? 0 : (*weights)->rank);
    }
    const int64_t *shape = (*weights)->shape;
    if (shape[1] != flow->at.channels || shape[0] < 1 || shape[0] > LAYER_MOST_MAPS ||
        shape[2] != shape[3] || shape[2] < 1 || shape[2] > LAYER_LARGEST_WINDOW ||
        (*biases != NULL && (*biases)->count != (size_t)shape[0])) {
        return flow_refuse(flow, ONE_SIDE,
                           "operator Conv: weights of %lld x %lld x %lld x %lld for %u maps",
                           (long long)shape[0], (long long)shape[1], (long long)shape[2],
                           (long long)shape[3], flow->at.channels);
    }
    return STATUS_OK;
}

/* What waits for a layer goes into its weights and biases, input map by input map. */
static enum status absorb(struct flow *flow, struct lower_layer *layer)
{
    const size_t maps = layer->output.channels;
    const size_t inputs = layer->input.channels;
    const size_t area = (size_t)layer->input.height * layer->input.width;
    const size_t window = (size_t)layer->kernel * layer->kernel;
    if (flow->scale == NULL) {
        return STATUS_OK;
    }
    if (!flow_by_channel(flow, flow->scale) || !flow_by_channel(flow, flow->shift)) {
        return flow_refuse(flow, "scale whole maps alike",
                           "operator Conv: a scale or a mean for each pixel cannot become weights");
    }
    for (size_t i = 0; i < inputs; i++) {
        if (flow->shift[i * area] != 0 && layer->padding > 0) {
            return flow_refuse(flow,
                               "train the model without a mean (--input-mean 0), or with padding 0",
                               "operator Conv: a mean of %g cannot pass through padding: the frame "
                               "is zeros after the mean is taken off, and zeros before it here",
                               -flow->shift[i * area]);
        }
    }
    for (size_t m = 0; m < maps; m++) {
        for (size_t i = 0; i < inputs; i++) {
            double *weight = layer->weight + (m * inputs + i) * window;
            for (size_t w = 0; w < window; w++) {
                layer->bias[m] += weight[w] * flow->shift[i * area];
                weight[w] *= flow->scale[i * area];
            }
        }
    }
    flow->scale = flow->shift = NULL;
    return STATUS_OK;
}

/* The zeros of a Pad in front become the convolution's own. */
static enum status take_frame(struct flow *flow, struct window *window)
{
    window->padding += flow->frame;
    if (flow->frame > 0 && window->padding >= window->kernel) {
        return flow_refuse(flow, "less zeros than the window has rows",
                           "operator Conv: %u zeros on each side, with those of Pad, for windows "
                           "of %u",
                           window->padding, window->kernel);
    }
    flow->frame = 0;
    return STATUS_OK;
}

enum status lower_conv(struct flow *flow)
{
    static const char DENSE_ONLY[] = "train the model with plain convolutions";
    const struct model_tensor *weights;
    const struct model_tensor *biases;
    struct lower_layer *layer;
    struct window window;
    const struct model_attribute *dilations = model_find_attribute(flow->node, "dilations");
    TRY(flow_need_image(flow));
    TRY(read_weights(flow, &weights, &biases));
    TRY(flow_expect(flow, "group", 1, DENSE_ONLY));
    for (size_t i = 0; dilations != NULL && i < dilations->count; i++) {
        if (dilations->number[i] != 1) {
            return flow_refuse(flow, DENSE_ONLY, "operator Conv with dilations");
        }
    }
    TRY(read_side(flow, "kernel_shape", (double)weights->shape[2], &window.kernel));
    TRY(read_side(flow, "strides", 1, &window.stride));
    TRY(read_padding(flow, &window));
    if (window.kernel != weights->shape[2]) {
        return flow_refuse(flow, NULL, "operator Conv: kernel_shape differs from the weights");
    }
    TRY(take_frame(flow, &window));
    TRY(flow_add_layer(flow, NETWORK_CONV2D, &layer));
    TRY(set_output(flow, &window, (uint32_t)weights->shape[0], layer));
    layer->weights = weights->count;
    TRY(flow_take(flow, weights->count, &layer->weight));
    TRY(flow_take(flow, layer->output.channels, &layer->bias));
    memcpy(layer->weight, weights->value, weights->count * sizeof *layer->weight);
    for (size_t i = 0; biases != NULL && i < biases->count; i++) {
        layer->bias[i] = biases->value[i];
    }
    TRY(absorb(flow, layer));
    return flow_follow(flow, layer, 4);
}

/* ---- pools ---- */

static bool is_global(const struct flow *flow)
{
    return strncmp(flow->node->op, "Global", strlen("Global")) == 0;
}

static enum status read_pool(const struct flow *flow, struct window *window)
{
    const struct model_node *node = flow->node;
    if (is_global(flow)) {
        *window = (struct window){.kernel = flow->at.height, .stride = 1};
        return flow->at.height == flow->at.width && flow->at.height <= LAYER_LARGEST_WINDOW
                   ? STATUS_OK
                   : flow_refuse(flow, ONE_SIDE, "operator %s of maps of %u x %u", node->op,
                                 flow->at.height, flow->at.width);
    }
    if (model_find_attribute(node, "kernel_shape") == NULL ||
        (node->output_count > 1 && node->output[1][0] != '\0')) {
        return flow_refuse(flow, NULL, "operator %s without kernel_shape, or with two outputs",
                           node->op);
    }
    TRY(read_side(flow, "kernel_shape", 0, &window->kernel));
    TRY(read_side(flow, "strides", 1, &window->stride));
    TRY(read_padding(flow, window));
    if (window->padding > 0) {
        return flow_refuse(flow, "pools have no padding: use a stride that fits, or padding 0",
                           "operator %s with padding", node->op);
    }
    return STATUS_OK;
}

/* Whether a last window would reach beyond a row, which ceil_mode keeps. */
static bool is_cut(const struct window *window, uint32_t inputs)
{
    return inputs < window->kernel || (inputs - window->kernel) % window->stride != 0;
}

/* What waits passes through a pool: a mean keeps it, and a largest value if no scale is negative.
 */
static enum status pass_pool(struct flow *flow, const struct lower_layer *layer, bool is_max)
{
    const size_t from = (size_t)layer->input.height * layer->input.width;
    const size_t to = (size_t)layer->output.height * layer->output.width;
    double *scale;
    double *shift;
    if (flow->scale == NULL) {
        return STATUS_OK;
    }
    bool passes = flow_by_channel(flow, flow->scale) && flow_by_channel(flow, flow->shift);
    for (size_t m = 0; m < layer->input.channels && is_max; m++) {
        passes = passes && flow->scale[m * from] >= 0;
    }
    if (!passes) {
        return flow_refuse(flow, "put it behind a layer with weights",
                           "operator %s behind a scale or sum that no layer can take",
                           flow->node->op);
    }
    TRY(flow_take(flow, network_values(layer->output), &scale));
    TRY(flow_take(flow, network_values(layer->output), &shift));
    for (size_t i = 0; i < network_values(layer->output); i++) {
        scale[i] = flow->scale[i / to * from];
        shift[i] = flow->shift[i / to * from];
    }
    flow->scale = scale;
    flow->shift = shift;
    return STATUS_OK;
}

enum status lower_pool(struct flow *flow)
{
    struct lower_layer *layer;
    struct window window = {0};
    const bool is_max = strstr(flow->node->op, "Max") != NULL;
    TRY(flow_need_image(flow));
    TRY(read_pool(flow, &window));
    if (flow_number(flow, "ceil_mode", 0) != 0 &&
        (is_cut(&window, flow->at.height) || is_cut(&window, flow->at.width))) {
        return flow_refuse(flow, "train the model without ceil_mode, or with images that fit",
                           "operator %s with ceil_mode: windows reach beyond the maps",
                           flow->node->op);
    }
    const struct model_attribute *dilations = model_find_attribute(flow->node, "dilations");
    for (size_t i = 0; dilations != NULL && i < dilations->count; i++) {
        if (dilations->number[i] != 1) {
            return flow_refuse(flow, NULL, "operator %s with dilations", flow->node->op);
        }
    }
    TRY(flow_add_layer(flow, is_max ? NETWORK_MAX_POOL2D : NETWORK_AVERAGE_POOL2D, &layer));
    TRY(set_output(flow, &window, layer->input.channels, layer));
    TRY(pass_pool(flow, layer, is_max));
    return flow_follow(flow, layer, 4);
}
