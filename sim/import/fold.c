/* fold.c - nodes whose inputs are constants: computed once, here (lower_flow.h). */
#include "sim/config/config_arena.h"
#include "sim/import/lower_flow.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

/* ---- results ---- */

/* Adds a constant that the node makes, of so many values. */
static enum status make(struct flow *flow, const struct flow_shape *shape, size_t count,
                        const double *data)
{
    if (flow->made_count == FLOW_MOST_MADE || flow->node->output_count == 0) {
        return flow_refuse(flow, NULL, "too many constants, or one without a name");
    }
    struct model_tensor *made = &flow->made[flow->made_count++];
    *made = (struct model_tensor){
        .name = flow->node->output[0], .rank = shape->rank, .count = count, .value = data};
    memcpy(made->shape, shape->size, sizeof shape->size);
    return STATUS_OK;
}

/* The same, whose values the caller fills in. */
static enum status make_room(struct flow *flow, const struct flow_shape *shape, size_t count,
                             double **data)
{
    TRY(flow_take(flow, count, data));
    return make(flow, shape, count, *data);
}

static struct flow_shape shape_of(const struct model_tensor *tensor)
{
    struct flow_shape shape = {.rank = tensor->rank};
    memcpy(shape.size, tensor->shape, sizeof shape.size);
    return shape;
}

/* ---- operators ---- */

static enum status fold_constant(struct flow *flow)
{
    const struct model_node *node = flow->node;
    const struct model_attribute *value = node->attribute_count == 1 ? node->attribute : NULL;
    if (value == NULL || (value->tensor == NULL && value->number == NULL)) {
        return flow_refuse(flow, "numbers in a tensor", "operator Constant without numbers");
    }
    if (value->tensor != NULL) {
        const struct flow_shape shape = shape_of(value->tensor);
        TRY(make(flow, &shape, value->tensor->count, value->tensor->value));
    } else {
        const size_t length = strlen(value->name);
        const bool is_list = length > 0 && value->name[length - 1] == 's'; /* value_ints */
        const struct flow_shape shape = {.rank = is_list, .size = {(int64_t)value->count}};
        TRY(make(flow, &shape, value->count, value->number));
    }
    return STATUS_OK;
}

static enum status fold_shape(struct flow *flow)
{
    const struct model_tensor *from = NULL;
    struct flow_shape shape;
    TRY(flow_input(flow, 0, &from));
    const struct flow_shape old = shape_of(from);
    TRY(flow_reshape(flow, &old, from->count, &shape));
    TRY(make(flow, &shape, from->count, from->value));
    return STATUS_OK;
}

static enum status fold_transpose(struct flow *flow)
{
    const struct model_tensor *from = NULL;
    struct flow_shape shape;
    uint32_t *source;
    double *to;
    TRY(flow_input(flow, 0, &from));
    const struct flow_shape old = shape_of(from);
    TRY(flow_take_places(flow, from->count, &source));
    TRY(flow_transpose(flow, &old, from->count, &shape, source));
    TRY(make_room(flow, &shape, from->count, &to));
    for (size_t i = 0; i < from->count; i++) {
        to[i] = from->value[source[i]];
    }
    return STATUS_OK;
}

/* Of shapes: items of a list, or one list behind the other. */
static enum status fold_gather(struct flow *flow)
{
    const struct model_tensor *from = NULL;
    const struct model_tensor *index = NULL;
    double *to;
    TRY(flow_input(flow, 0, &from));
    TRY(flow_input(flow, 1, &index));
    if (index == NULL || from->rank != 1) {
        return flow_refuse(flow, NULL, "operator Gather of constants of %u axes; there is only 1",
                           from->rank);
    }
    const struct flow_shape shape = shape_of(index);
    TRY(make_room(flow, &shape, index->count, &to));
    for (size_t i = 0; i < index->count; i++) {
        const double wanted = index->value[i];
        const double at = wanted < 0 ? wanted + (double)from->count : wanted;
        if (!(at >= 0 && at < (double)from->count)) {
            return flow_refuse(flow, NULL, "operator Gather: item %g of %zu", wanted, from->count);
        }
        to[i] = from->value[(size_t)at];
    }
    return STATUS_OK;
}

static enum status fold_concat(struct flow *flow)
{
    size_t count = 0;
    const struct model_tensor *from = NULL;
    double *to;
    for (size_t i = 0; i < flow->node->input_count; i++) {
        TRY(flow_input(flow, i, &from));
        if (from == NULL || from->rank != 1) {
            return flow_refuse(flow, NULL, "operator Concat of constants that are no lists");
        }
        count += from->count;
    }
    const struct flow_shape shape = {.rank = 1, .size = {(int64_t)count}};
    TRY(make_room(flow, &shape, count, &to));
    for (size_t i = 0; i < flow->node->input_count; i++) {
        TRY(flow_input(flow, i, &from));
        memcpy(to, from->value, from->count * sizeof *to);
        to += from->count;
    }
    return STATUS_OK;
}

static double compute(const char *op, double left, double right)
{
    return strcmp(op, "Add") == 0   ? left + right
           : strcmp(op, "Sub") == 0 ? left - right
           : strcmp(op, "Mul") == 0 ? left * right
                                    : left / right;
}

/* The larger constant has the shape of the result. */
static enum status fold_arithmetic(struct flow *flow)
{
    const struct model_tensor *side[2] = {NULL, NULL};
    uint32_t *source;
    double *to;
    TRY(flow_input(flow, 0, &side[0]));
    TRY(flow_input(flow, 1, &side[1]));
    if (side[0] == NULL || side[1] == NULL) {
        return flow_refuse(flow, NULL, "operator %s has one input", flow->node->op);
    }
    const int large = side[1]->count > side[0]->count;
    const struct flow_shape shape = shape_of(side[large]);
    const size_t count = side[large]->count;
    TRY(flow_take_places(flow, count, &source));
    TRY(flow_broadcast(flow, side[!large], &shape, count, source));
    TRY(make_room(flow, &shape, count, &to));
    for (size_t i = 0; i < count; i++) {
        const double other = side[!large]->value[source[i]];
        const double own = side[large]->value[i];
        to[i] =
            large == 0 ? compute(flow->node->op, own, other) : compute(flow->node->op, other, own);
        if (!isfinite(to[i])) {
            return flow_refuse(flow, NULL, "operator %s of constants is infinite", flow->node->op);
        }
    }
    return STATUS_OK;
}

/* ---- the table ---- */

static const struct {
    const char *op;
    enum status (*fold)(struct flow *flow);
} FOLDS[] = {{"Constant", fold_constant}, {"Identity", fold_shape},  {"Cast", fold_shape},
             {"Dropout", fold_shape},     {"Reshape", fold_shape},   {"Flatten", fold_shape},
             {"Squeeze", fold_shape},     {"Unsqueeze", fold_shape}, {"Transpose", fold_transpose},
             {"Gather", fold_gather},     {"Concat", fold_concat},   {"Add", fold_arithmetic},
             {"Sub", fold_arithmetic},    {"Mul", fold_arithmetic},  {"Div", fold_arithmetic}};

enum status fold_node(struct flow *flow)
{
    for (size_t i = 0; i < sizeof FOLDS / sizeof *FOLDS; i++) {
        if (strcmp(FOLDS[i].op, flow->node->op) == 0) {
            if (strcmp(flow->node->op, "Constant") != 0 &&
                (flow->node->input_count == 0 || flow->node->input[0][0] == '\0')) {
                return flow_refuse(flow, NULL, "operator %s has no input", flow->node->op);
            }
            return FOLDS[i].fold(flow);
        }
    }
    return flow_refuse(flow, "export the model with constants computed (constant folding)",
                       "operator %s of constants is not supported", flow->node->op);
}
