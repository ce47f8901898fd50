/* lower_dense.c - dense layers, and the end of the chain (lower_flow.h). */
#include "sim/config/config_arena.h"
#include "sim/import/lower_flow.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

/* ---- a layer ---- */

enum status lower_dense(struct flow *flow, size_t units, const double *weights,
                        const double *biases)
{
    struct lower_layer *layer;
    const size_t inputs = flow->count;
    TRY(flow_begin(flow));
    TRY(flow_add_layer(flow, NETWORK_DENSE, &layer));
    layer->output = (struct network_shape){(uint32_t)units, 1, 1};
    layer->weights = units * inputs;
    TRY(flow_take(flow, units * inputs, &layer->weight));
    TRY(flow_take(flow, units, &layer->bias));
    for (size_t u = 0; u < units; u++) {
        double sum = biases == NULL ? 0 : biases[u];
        for (size_t i = 0; i < inputs; i++) {
            const size_t at = flow->place[i];
            const double weight = weights[u * inputs + i];
            sum += flow->shift == NULL ? 0 : weight * flow->shift[at];
            layer->weight[u * inputs + at] =
                flow->scale == NULL ? weight : weight * flow->scale[at];
        }
        layer->bias[u] = sum;
    }
    flow->scale = flow->shift = NULL;
    return flow_follow(flow, layer, 2);
}

/* Whether the value is one row of numbers: [1]...[1][count]. */
static bool is_row(const struct flow *flow)
{
    return flow->rank >= 1 && flow->shape[flow->rank - 1] == (int64_t)flow->count;
}

static enum status check_units(const struct flow *flow, int64_t inputs, int64_t units)
{
    if (is_row(flow) && inputs == (int64_t)flow->count && units >= 1 && units <= LAYER_MOST_MAPS) {
        return STATUS_OK;
    }
    return flow_refuse(flow, "a dense layer takes one row of numbers: put Flatten before it",
                       "operator %s: weights for %lld inputs and %lld units behind a value of %zu",
                       flow->node->op, (long long)inputs, (long long)units, flow->count);
}

/* The biases of Gemm, of one number or one for each unit, times beta. */
static enum status read_biases(struct flow *flow, size_t units, double beta, double *to)
{
    const struct model_tensor *biases;
    TRY(flow_input(flow, 2, &biases));
    if (biases != NULL && biases->count != units && biases->count != 1) {
        return flow_refuse(flow, NULL, "operator Gemm: %zu biases for %zu units", biases->count,
                           units);
    }
    for (size_t u = 0; u < units && biases != NULL; u++) {
        to[u] = beta * biases->value[biases->count == 1 ? 0 : u];
    }
    return STATUS_OK;
}

/* [units][inputs] of a matrix that has them so (`turned`), or the other way around. */
static enum status read_matrix(struct flow *flow, bool turned, double factor, size_t *units,
                               double **weights)
{
    const struct model_tensor *matrix;
    TRY(flow_input(flow, 1, &matrix));
    if (matrix == NULL || matrix->rank != 2) {
        return flow_refuse(flow, NULL, "operator %s: weights of %u axes; there are only 2",
                           flow->node->op, matrix == NULL ? 0 : matrix->rank);
    }
    const int64_t inputs = matrix->shape[turned ? 1 : 0];
    *units = (size_t)matrix->shape[turned ? 0 : 1];
    TRY(check_units(flow, inputs, (int64_t)*units));
    TRY(flow_take(flow, matrix->count, weights));
    for (size_t u = 0; u < *units; u++) {
        for (size_t i = 0; i < (size_t)inputs; i++) {
            (*weights)[u * (size_t)inputs + i] =
                factor * matrix->value[turned ? u * (size_t)inputs + i : i * *units + u];
        }
    }
    return STATUS_OK;
}

enum status lower_gemm(struct flow *flow)
{
    double *weights;
    double *biases;
    size_t units = 0;
    TRY(flow_expect(flow, "transA", 0, "the image comes as [1][values]"));
    TRY(read_matrix(flow, flow_number(flow, "transB", 0) != 0, flow_number(flow, "alpha", 1),
                    &units, &weights));
    TRY(flow_take(flow, units, &biases));
    TRY(read_biases(flow, units, flow_number(flow, "beta", 1), biases));
    return lower_dense(flow, units, weights, biases);
}

enum status lower_matmul(struct flow *flow)
{
    double *weights;
    size_t units = 0;
    TRY(read_matrix(flow, false, 1, &units, &weights));
    return lower_dense(flow, units, weights, NULL);
}

/* ---- the end ---- */

enum status lower_softmax(struct flow *flow)
{
    const bool is_old = flow->model->opset < 13; /* then over all axes from this one on */
    unsigned axis = 0;
    TRY(flow_axis(flow, flow_number(flow, "axis", is_old ? 1 : -1), flow->rank, &axis));
    size_t over = 1;
    for (unsigned i = axis; i < flow->rank && (is_old || i == axis); i++) {
        over *= (size_t)flow->shape[i];
    }
    if (over != flow->count) {
        return flow_refuse(flow, "softmax is over all classes",
                           "operator %s over %zu of %zu values", flow->node->op, over, flow->count);
    }
    flow->has_softmax = true;
    return STATUS_OK;
}

/* The sums of a dense layer of one unit and a sigmoid, for two classes: 0 and the sum. */
static enum status end_in_two(struct flow *flow, struct lower_layer *last)
{
    double *weight;
    double *bias;
    const size_t inputs = last->weights;
    TRY(flow_take(flow, 2 * inputs, &weight));
    TRY(flow_take(flow, 2, &bias));
    memcpy(weight + inputs, last->weight, inputs * sizeof *weight);
    bias[1] = last->bias[0];
    last->weight = weight;
    last->bias = bias;
    last->weights = 2 * inputs;
    last->output.channels = 2;
    last->activation = NETWORK_IDENTITY;
    return STATUS_OK;
}

/* A dense layer that only passes values on, in the model's order. */
static enum status pass_on(struct flow *flow)
{
    double *weights;
    TRY(flow_take(flow, flow->count * flow->count, &weights));
    for (size_t i = 0; i < flow->count; i++) {
        weights[i * flow->count + i] = 1;
    }
    return lower_dense(flow, flow->count, weights, NULL);
}

/* A convolution whose one window is its input is a dense layer, with the same weights. */
static void make_dense(struct lower_layer *last)
{
    if (last->type == NETWORK_CONV2D && last->padding == 0 && last->output.height == 1 &&
        last->output.width == 1 && last->kernel == last->input.height &&
        last->kernel == last->input.width) {
        last->type = NETWORK_DENSE;
        last->kernel = 0;
        last->stride = 1;
    }
}

/* That no weight has become infinite or no number. */
static enum status check_numbers(struct flow *flow)
{
    static const double MOST = 1e30;
    for (size_t l = 0; l < flow->to->layer_count; l++) {
        const struct lower_layer *layer = &flow->to->layer[l];
        const size_t biases = layer->weights == 0 ? 0 : layer->output.channels;
        for (size_t i = 0; i < layer->weights + biases; i++) {
            const double value =
                i < layer->weights ? layer->weight[i] : layer->bias[i - layer->weights];
            if (!(fabs(value) < MOST)) {
                return flow_refuse(flow, NULL, "node %s: a weight of %g", layer->node, value);
            }
        }
    }
    return STATUS_OK;
}

enum status lower_end(struct flow *flow)
{
    struct lowered *to = flow->to;
    const size_t layers = to->layer_count;
    struct lower_layer *last = layers == 0 ? NULL : &to->layer[layers - 1];
    bool in_order = true;
    if (last != NULL) {
        make_dense(last);
    }
    for (size_t i = 0; i < flow->count; i++) {
        in_order = in_order && flow->place[i] == i;
    }
    const bool is_dense = last != NULL && last->type == NETWORK_DENSE;
    if (flow->count == 1 && is_dense && last->activation == NETWORK_SIGMOID &&
        flow->scale == NULL) {
        TRY(end_in_two(flow, last));
    } else if (flow->count < 2 || flow->count > LAYER_MOST_MAPS) {
        return flow_refuse(flow, "spinnsim classifies: a sum for each class, or one and a sigmoid",
                           "the model ends with %zu values", flow->count);
    } else if (!is_dense || last->activation != NETWORK_IDENTITY || !in_order ||
               flow->scale != NULL) {
        TRY(pass_on(flow));
    }
    to->layer[to->layer_count - 1].activation = NETWORK_SOFTMAX;
    return check_numbers(flow);
}
