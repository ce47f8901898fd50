/* lower_affine.c - what becomes a part of layers: scales and shifts, activations, dropout
 * (lower_flow.h). */
#include "sim/import/lower_flow.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

/* ---- the layer with weights that makes the value ---- */

/* It, if only pools are behind it; `through`: all of them are of largest values. */
static struct lower_layer *weighted(const struct flow *flow, bool *through)
{
    *through = true;
    for (size_t i = flow->to->layer_count; i-- > 0;) {
        struct lower_layer *layer = &flow->to->layer[i];
        if (layer->weights > 0) {
            return layer;
        }
        *through = *through && layer->type == NETWORK_MAX_POOL2D;
    }
    return NULL;
}

/* ---- scale and shift ---- */

/* Whether a scale and a shift, by place, can go into the weights of a layer. */
static bool can_take(const struct flow *flow, const struct lower_layer *layer, bool is_last,
                     const double *scale, const double *shift)
{
    if (layer == NULL || layer->activation != NETWORK_IDENTITY || flow->scale != NULL ||
        !flow_by_channel(flow, scale) || !flow_by_channel(flow, shift)) {
        return false;
    }
    for (size_t i = 0; i < flow->count && !is_last; i++) {
        if (scale[i] < 0) { /* a pool of largest values would take the smallest */
            return false;
        }
    }
    return true;
}

static void take(const struct flow *flow, struct lower_layer *layer, const double *scale,
                 const double *shift)
{
    const size_t maps = layer->output.channels;
    const size_t each = layer->weights / maps;
    const size_t area = flow->count / maps;
    for (size_t m = 0; m < maps; m++) {
        for (size_t w = 0; w < each; w++) {
            layer->weight[m * each + w] *= scale[m * area];
        }
        layer->bias[m] = layer->bias[m] * scale[m * area] + shift[m * area];
    }
}

/* value * scale + shift, both by place. */
static enum status apply(struct flow *flow, double *scale, double *shift)
{
    bool through;
    TRY(flow_begin(flow));
    struct lower_layer *layer = weighted(flow, &through);
    const bool is_last = layer != NULL && layer == &flow->to->layer[flow->to->layer_count - 1];
    if (can_take(flow, layer, is_last, scale, shift)) {
        take(flow, layer, scale, shift);
        return STATUS_OK;
    }
    for (size_t i = 0; i < flow->count; i++) {
        shift[i] += flow->scale == NULL ? 0 : scale[i] * flow->shift[i];
        scale[i] *= flow->scale == NULL ? 1 : flow->scale[i];
    }
    flow->scale = scale;
    flow->shift = shift;
    return STATUS_OK;
}

static struct flow_shape shape_of(const struct flow *flow)
{
    struct flow_shape shape = {.rank = flow->rank};
    memcpy(shape.size, flow->shape, sizeof shape.size);
    return shape;
}

enum status lower_arithmetic(struct flow *flow)
{
    const char *op = flow->node->op;
    const bool is_second = strcmp(flow->node->input[0], flow->value) != 0;
    const struct model_tensor *constant;
    uint32_t *source;
    double *scale;
    double *shift;
    TRY(flow_begin(flow));
    TRY(flow_input(flow, is_second ? 0 : 1, &constant));
    if (constant == NULL) {
        return flow_refuse(flow, NULL, "operator %s has one input", op);
    }
    const struct flow_shape shape = shape_of(flow);
    TRY(flow_take_places(flow, flow->count, &source));
    TRY(flow_broadcast(flow, constant, &shape, flow->count, source));
    TRY(flow_take(flow, flow->count, &scale));
    TRY(flow_take(flow, flow->count, &shift));
    for (size_t i = 0; i < flow->count; i++) {
        const double c = constant->value[source[i]];
        const size_t at = flow->place[i];
        const bool is_sub = strcmp(op, "Sub") == 0;
        const bool is_sum = is_sub || strcmp(op, "Add") == 0;
        const bool is_div = strcmp(op, "Div") == 0;
        if (is_div && (is_second || c == 0)) {
            return flow_refuse(flow, "divide by a constant", "operator Div by the value, or by 0");
        }
        scale[at] = is_sum ? (is_sub && is_second ? -1 : 1) : is_div ? 1 / c : c;
        shift[at] = !is_sum ? 0 : is_sub && !is_second ? -c : c;
    }
    return apply(flow, scale, shift);
}

enum status lower_normalization(struct flow *flow)
{
    enum { GAMMA = 1, BETA, MEAN, VARIANCE, INPUTS };
    static const double STANDARD_EPSILON = 1e-5; /* of ONNX */
    const struct model_tensor *of[INPUTS] = {NULL};
    double *scale;
    double *shift;
    TRY(flow_begin(flow));
    TRY(flow_expect(flow, "training_mode", 0, "export the model for inference: model.eval()"));
    const size_t maps = flow->rank >= 2 ? (size_t)flow->shape[1] : 0;
    for (size_t i = GAMMA; i < INPUTS; i++) {
        TRY(flow_input(flow, i, &of[i]));
        if (of[i] == NULL || of[i]->count != maps || maps == 0) {
            return flow_refuse(flow, NULL,
                               "operator BatchNormalization: its input %zu is not one number for "
                               "each of %zu maps",
                               i, maps);
        }
    }
    TRY(flow_take(flow, flow->count, &scale));
    TRY(flow_take(flow, flow->count, &shift));
    const double epsilon = flow_number(flow, "epsilon", STANDARD_EPSILON);
    for (size_t i = 0; i < flow->count; i++) {
        const size_t map = i / (flow->count / maps);
        const double spread = of[VARIANCE]->value[map] + epsilon;
        const double factor = of[GAMMA]->value[map] / sqrt(spread);
        if (!(spread > 0) || !isfinite(factor)) {
            return flow_refuse(flow, NULL, "operator BatchNormalization: a variance of %g",
                               of[VARIANCE]->value[map]);
        }
        scale[flow->place[i]] = factor;
        shift[flow->place[i]] = of[BETA]->value[map] - factor * of[MEAN]->value[map];
    }
    return apply(flow, scale, shift);
}

/* ---- activations ---- */

static enum network_activation activation_of_node(const struct flow *flow)
{
    return strcmp(flow->node->op, "Relu") == 0   ? NETWORK_RELU
           : strcmp(flow->node->op, "Tanh") == 0 ? NETWORK_TANH
                                                 : NETWORK_SIGMOID;
}

/* All of them rise, so they may stand before a pool of largest values. */
enum status lower_activation(struct flow *flow)
{
    const enum network_activation wanted = activation_of_node(flow);
    bool through;
    struct lower_layer *layer = weighted(flow, &through);
    if (layer == NULL || !through || flow->scale != NULL) {
        return flow_refuse(flow,
                           "an activation belongs to a layer with weights, or to one with a "
                           "pool of largest values behind it",
                           "operator %s is not behind such a layer", flow->node->op);
    }
    if (wanted == NETWORK_RELU &&
        (layer->activation == NETWORK_RELU || layer->activation == NETWORK_SIGMOID)) {
        return STATUS_OK; /* no value is below 0 */
    }
    if (layer->activation != NETWORK_IDENTITY) {
        return flow_refuse(flow, NULL, "operator %s: the layer before it has an activation",
                           flow->node->op);
    }
    layer->activation = wanted;
    return STATUS_OK;
}

/* ---- dropout: nothing, in inference ---- */

enum status lower_dropout(struct flow *flow)
{
    const struct model_tensor *training;
    if (flow->model->opset >= 12) {
        TRY(flow_input(flow, 2, &training));
        if (training != NULL && training->count == 1 && training->value[0] != 0) {
            return flow_refuse(flow, "export the model for inference: model.eval()",
                               "operator Dropout in training mode");
        }
    }
    return STATUS_OK;
}
