/* lower.c - see lower.h: the walk through the graph. */
#include "sim/import/lower.h"

#include "sim/config/config_arena.h"
#include "sim/import/lower_flow.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

/* The operators of a value that comes from the image; those of constants are in fold.c. */
static const struct {
    const char *op;
    enum status (*lower)(struct flow *flow);
} OPERATORS[] = {
    {"Conv", lower_conv},           {"MaxPool", lower_pool},
    {"AveragePool", lower_pool},    {"GlobalAveragePool", lower_pool},
    {"GlobalMaxPool", lower_pool},  {"Gemm", lower_gemm},
    {"MatMul", lower_matmul},       {"Add", lower_arithmetic},
    {"Sub", lower_arithmetic},      {"Mul", lower_arithmetic},
    {"Div", lower_arithmetic},      {"BatchNormalization", lower_normalization},
    {"Relu", lower_activation},     {"Tanh", lower_activation},
    {"Sigmoid", lower_activation},  {"Softmax", lower_softmax},
    {"LogSoftmax", lower_softmax},  {"Dropout", lower_dropout},
    {"Flatten", lower_shape},       {"Reshape", lower_shape},
    {"Squeeze", lower_shape},       {"Unsqueeze", lower_shape},
    {"Identity", lower_shape},      {"Cast", lower_shape},
    {"Transpose", lower_transpose}, {"Pad", lower_pad},
};

enum { OPERATOR_COUNT = sizeof OPERATORS / sizeof *OPERATORS };

/* ---- the input ---- */

/* A row of numbers is a square image where it can be one. */
static struct network_shape shape_of_row(size_t count)
{
    enum { MOST_COLUMNS = 1024 };
    const uint32_t side = (uint32_t)lround(sqrt((double)count));
    if ((size_t)side * side == count) {
        return (struct network_shape){1, side, side};
    }
    return count <= MOST_COLUMNS ? (struct network_shape){1, 1, (uint32_t)count}
                                 : (struct network_shape){(uint32_t)count, 1, 1};
}

static enum status begin(struct flow *flow)
{
    const struct model *model = flow->model;
    flow->value = model->input;
    flow->rank = model->input_rank;
    flow->count = 1;
    for (unsigned i = 0; i < flow->rank; i++) {
        const int64_t size = i == 0 ? 1 : model->input_shape[i];
        if (size < 1 || (uint64_t)size > MODEL_MOST_VALUES / flow->count) {
            return flow_refuse(flow, "export the model with the size of its images, for one image",
                               "input %s: axis %u has no fixed size, or it is too large",
                               model->input, i);
        }
        flow->shape[i] = size;
        flow->count *= (size_t)size;
    }
    const int64_t *shape = flow->shape;
    if (flow->rank == 2) {
        flow->at = shape_of_row(flow->count);
    } else if (flow->rank == 3) {
        flow->at = (struct network_shape){1, (uint32_t)shape[1], (uint32_t)shape[2]};
    } else if (flow->rank == 4) {
        flow->at =
            (struct network_shape){(uint32_t)shape[1], (uint32_t)shape[2], (uint32_t)shape[3]};
    } else {
        return flow_refuse(flow,
                           "images are [n][channels][height][width], [n][height][width] or "
                           "[n][values]",
                           "input %s has %u axes", model->input, flow->rank);
    }
    return flow_put_in_order(flow);
}

/* ---- nodes ---- */

/* Whether a node's inputs are all constants; otherwise which input the value is. */
static bool is_constant(const struct flow *flow, const char **other)
{
    const struct model_node *node = flow->node;
    *other = NULL;
    for (size_t i = 0; i < node->input_count; i++) {
        const char *input = node->input[i];
        if (input[0] == '\0' || flow_constant(flow, input) != NULL) {
            continue;
        }
        if (*other == NULL || strcmp(input, flow->value) != 0) {
            *other = input; /* one that is not the value is what to report */
        }
    }
    return *other == NULL;
}

static size_t uses_of(const struct flow *flow)
{
    size_t uses = 0;
    for (size_t i = 0; i < flow->node->input_count; i++) {
        uses += strcmp(flow->node->input[i], flow->value) == 0;
    }
    return uses;
}

/* The shape of the value as a constant, which exporters compute with. */
static enum status take_shape(struct flow *flow)
{
    double *size;
    if (flow->made_count == FLOW_MOST_MADE || flow->node->output_count == 0) {
        return flow_refuse(flow, NULL, "too many constants, or one without a name");
    }
    TRY(flow_take(flow, flow->rank, &size));
    for (unsigned i = 0; i < flow->rank; i++) {
        size[i] = (double)flow->shape[i];
    }
    flow->made[flow->made_count++] = (struct model_tensor){.name = flow->node->output[0],
                                                           .rank = 1,
                                                           .shape = {flow->rank},
                                                           .count = flow->rank,
                                                           .value = size,
                                                           .whole = true};
    return STATUS_OK;
}

static size_t row_of(const char *op)
{
    size_t row = 0;
    while (row < OPERATOR_COUNT && strcmp(OPERATORS[row].op, op) != 0) {
        row++;
    }
    return row;
}

bool lower_knows(const char *op)
{
    return row_of(op) < OPERATOR_COUNT;
}

static enum status lower_one(struct flow *flow)
{
    const char *op = flow->node->op;
    const size_t row = row_of(op);
    if (row == OPERATOR_COUNT) {
        return flow_refuse(flow,
                           "spinnsim imports chains of convolutions, pools and dense layers: see "
                           "spinnsim import --help",
                           "operator %s is not supported", op);
    }
    if (flow->has_softmax && OPERATORS[row].lower != lower_shape) {
        return flow_refuse(flow, "softmax may only be the last operator",
                           "operator %s behind a softmax", op);
    }
    TRY(OPERATORS[row].lower(flow));
    if (flow->node->output_count == 0) {
        return flow_refuse(flow, NULL, "operator %s has no output", op);
    }
    flow->value = flow->node->output[0];
    return STATUS_OK;
}

/* Zeros that wait can only become a convolution's. */
static enum status check_frame(const struct flow *flow, const char *next)
{
    return flow->frame == 0 || strcmp(next, "Conv") == 0 || strcmp(next, "Pad") == 0
               ? STATUS_OK
               : flow_refuse(flow, "put the convolution right behind Pad",
                             "%s behind operator Pad: only a convolution takes its zeros", next);
}

static enum status lower_node(struct flow *flow)
{
    const char *other;
    if (is_constant(flow, &other)) {
        return fold_node(flow);
    }
    if (strcmp(other, flow->value) != 0 || uses_of(flow) != 1) {
        return flow_refuse(
            flow, "spinnsim has chains: no layer with two inputs, none that feeds two",
            "operator %s joins branches: value %s is not the one before it", flow->node->op, other);
    }
    TRY(check_frame(flow, flow->node->op));
    return strcmp(flow->node->op, "Shape") == 0 ? take_shape(flow) : lower_one(flow);
}

static enum status lower_nodes(struct flow *flow)
{
    TRY(begin(flow));
    for (size_t i = 0; i < flow->model->node_count; i++) {
        flow->node = &flow->model->node[i];
        TRY(lower_node(flow));
    }
    flow->node = NULL;
    TRY(check_frame(flow, "the end"));
    if (strcmp(flow->value, flow->model->output) != 0) {
        return flow_refuse(flow, NULL, "output %s does not come from the last node",
                           flow->model->output);
    }
    return lower_end(flow);
}

enum status lower_model(const struct model *model, const struct lower_pixels *pixels,
                        struct lowered *lowered, struct diagnostic *diagnostic)
{
    struct flow *flow = config_arena_take(model->arena, sizeof *flow);
    *lowered = (struct lowered){.arena = model->arena};
    *flow = (struct flow){.model = model,
                          .pixels = pixels,
                          .to = lowered,
                          .diagnostic = diagnostic,
                          .values_left = MODEL_MOST_VALUES};
    return lower_nodes(flow);
}
