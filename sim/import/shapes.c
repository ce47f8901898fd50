/* shapes.c - shapes of values and constants: reshaping, transposing, broadcasting (lower_flow.h).
 */
#include "sim/import/lower_flow.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

/* ---- attributes ---- */

double flow_number(const struct flow *flow, const char *attribute, double standard)
{
    const struct model_attribute *found = model_find_attribute(flow->node, attribute);
    return found == NULL || found->count == 0 ? standard : found->number[0];
}

enum status flow_expect(const struct flow *flow, const char *attribute, double wanted,
                        const char *hint)
{
    const double given = flow_number(flow, attribute, wanted);
    return given == wanted ? STATUS_OK
                           : flow_refuse(flow, hint, "operator %s with %s: %g; there is only %g",
                                         flow->node->op, attribute, given, wanted);
}

enum status flow_axis(const struct flow *flow, double axis, unsigned rank, unsigned *found)
{
    const double from_start = axis < 0 ? axis + rank : axis;
    if (!(from_start >= 0 && from_start < rank) || from_start != floor(from_start)) {
        return flow_refuse(flow, NULL, "operator %s: axis %g of a value with %u axes",
                           flow->node->op, axis, rank);
    }
    *found = (unsigned)from_start;
    return STATUS_OK;
}

enum status flow_axes(const struct flow *flow, const char *attribute, size_t i,
                      struct flow_list *list)
{
    const struct model_attribute *found = model_find_attribute(flow->node, attribute);
    const struct model_tensor *constant = NULL;
    *list = (struct flow_list){0};
    if (found != NULL) {
        *list = (struct flow_list){found->count, found->number};
        return STATUS_OK;
    }
    TRY(flow_input(flow, i, &constant));
    if (constant != NULL) {
        *list = (struct flow_list){constant->count, constant->value};
    }
    return STATUS_OK;
}

/* ---- new shapes ---- */

static enum status refuse_shape(const struct flow *flow, size_t count)
{
    return flow_refuse(
        flow, "export the model with a fixed size of images, for one image at a time",
        "operator %s: a shape that a value of %zu numbers cannot have", flow->node->op, count);
}

/* Whether the value's first size is that of the model's batch. */
static bool is_batch(const struct flow *flow, double size)
{
    return size == (double)flow->model->input_shape[0] &&
           strcmp(flow->node->input[0], flow->value) == 0;
}

/* Reshape: 0 keeps a size, -1 is what is left; a batch is one image here. */
static enum status reshape(const struct flow *flow, const struct flow_shape *from, size_t count,
                           struct flow_shape *to)
{
    struct flow_list list;
    size_t known = 1;
    int open = -1;
    TRY(flow_axes(flow, "shape", 1, &list));
    if (list.count > MODEL_MOST_RANK) {
        return refuse_shape(flow, count);
    }
    const bool keeps = flow_number(flow, "allowzero", 0) == 0;
    to->rank = (unsigned)list.count;
    for (unsigned i = 0; i < to->rank; i++) {
        const double size = list.value[i];
        if (size == -1 && open < 0) {
            open = (int)i;
            continue;
        }
        if (!(size >= 0 && size <= MODEL_MOST_VALUES)) {
            return refuse_shape(flow, count);
        }
        to->size[i] = size == 0 && keeps && i < from->rank ? from->size[i]
                      : i == 0 && is_batch(flow, size)     ? 1
                                                           : (int64_t)size;
        if (to->size[i] == 0) {
            return refuse_shape(flow, count);
        }
        known *= (size_t)to->size[i];
        if (known > MODEL_MOST_VALUES) {
            return refuse_shape(flow, count);
        }
    }
    if (open >= 0) {
        to->size[open] = (int64_t)(count / known);
        known *= count / known;
    }
    return known == count ? STATUS_OK : refuse_shape(flow, count);
}

static enum status flatten(const struct flow *flow, const struct flow_shape *from,
                           struct flow_shape *to)
{
    const double axis = flow_number(flow, "axis", 1);
    unsigned at = from->rank;
    if (axis != from->rank) {
        TRY(flow_axis(flow, axis, from->rank, &at));
    }
    *to = (struct flow_shape){.rank = 2, .size = {1, 1}};
    for (unsigned i = 0; i < from->rank; i++) {
        to->size[i >= at] *= from->size[i];
    }
    return STATUS_OK;
}

static enum status squeeze(const struct flow *flow, const struct flow_shape *from,
                           struct flow_shape *to)
{
    bool drops[MODEL_MOST_RANK] = {false};
    struct flow_list axes;
    TRY(flow_axes(flow, "axes", 1, &axes));
    for (size_t i = 0; i < axes.count; i++) {
        unsigned axis = 0;
        TRY(flow_axis(flow, axes.value[i], from->rank, &axis));
        drops[axis] = true;
        if (from->size[axis] != 1) {
            return flow_refuse(flow, NULL, "operator Squeeze: axis %u has %lld values", axis,
                               (long long)from->size[axis]);
        }
    }
    to->rank = 0;
    for (unsigned i = 0; i < from->rank; i++) {
        if (axes.count == 0 ? from->size[i] != 1 : !drops[i]) {
            to->size[to->rank++] = from->size[i];
        }
    }
    return STATUS_OK;
}

static enum status unsqueeze(const struct flow *flow, const struct flow_shape *from,
                             struct flow_shape *to)
{
    bool adds[MODEL_MOST_RANK] = {false};
    struct flow_list axes;
    TRY(flow_axes(flow, "axes", 1, &axes));
    if (from->rank + axes.count > MODEL_MOST_RANK) {
        return flow_refuse(flow, NULL, "operator Unsqueeze: more than %d axes", MODEL_MOST_RANK);
    }
    to->rank = from->rank + (unsigned)axes.count;
    for (size_t i = 0; i < axes.count; i++) {
        unsigned axis = 0;
        TRY(flow_axis(flow, axes.value[i], to->rank, &axis));
        if (adds[axis]) {
            return flow_refuse(flow, NULL, "operator Unsqueeze: axis %u twice", axis);
        }
        adds[axis] = true;
    }
    unsigned next = 0;
    for (unsigned i = 0; i < to->rank; i++) {
        to->size[i] = adds[i] ? 1 : from->size[next++];
    }
    return STATUS_OK;
}

enum status flow_reshape(const struct flow *flow, const struct flow_shape *from, size_t count,
                         struct flow_shape *to)
{
    const char *op = flow->node->op;
    *to = *from;
    return strcmp(op, "Reshape") == 0     ? reshape(flow, from, count, to)
           : strcmp(op, "Flatten") == 0   ? flatten(flow, from, to)
           : strcmp(op, "Squeeze") == 0   ? squeeze(flow, from, to)
           : strcmp(op, "Unsqueeze") == 0 ? unsqueeze(flow, from, to)
                                          : STATUS_OK; /* Identity, Cast */
}

/* ---- items ---- */

/* Steps through the items of a shape, in C order, and keeps the sum of index * stride. */
struct stepper {
    const struct flow_shape *shape;
    const size_t *stride; /* [rank] */
    int64_t index[MODEL_MOST_RANK];
    size_t at;
};

static void step(struct stepper *stepper)
{
    for (unsigned i = stepper->shape->rank; i-- > 0;) {
        stepper->at += stepper->stride[i];
        if (++stepper->index[i] < stepper->shape->size[i]) {
            return;
        }
        stepper->at -= stepper->stride[i] * (size_t)stepper->shape->size[i];
        stepper->index[i] = 0;
    }
}

static void fill_source(const struct flow_shape *shape, const size_t *stride, size_t count,
                        uint32_t *source)
{
    struct stepper stepper = {.shape = shape, .stride = stride};
    for (size_t i = 0; i < count; i++) {
        source[i] = (uint32_t)stepper.at;
        step(&stepper);
    }
}

static void strides_of(const struct flow_shape *shape, size_t *stride)
{
    size_t next = 1;
    for (unsigned i = shape->rank; i-- > 0;) {
        stride[i] = next;
        next *= (size_t)shape->size[i];
    }
}

enum status flow_transpose(const struct flow *flow, const struct flow_shape *from, size_t count,
                           struct flow_shape *to, uint32_t *source)
{
    const struct model_attribute *order = model_find_attribute(flow->node, "perm");
    bool seen[MODEL_MOST_RANK] = {false};
    size_t stride[MODEL_MOST_RANK];
    size_t moved[MODEL_MOST_RANK];
    if (order != NULL && order->count != from->rank) {
        return flow_refuse(flow, NULL, "operator Transpose: perm has %zu axes, the value %u",
                           order->count, from->rank);
    }
    strides_of(from, stride);
    to->rank = from->rank;
    for (unsigned i = 0; i < from->rank; i++) {
        unsigned axis = from->rank - 1 - i;
        if (order != NULL) {
            TRY(flow_axis(flow, order->number[i], from->rank, &axis));
        }
        if (seen[axis]) {
            return flow_refuse(flow, NULL, "operator Transpose: axis %u twice", axis);
        }
        seen[axis] = true;
        to->size[i] = from->size[axis];
        moved[i] = stride[axis];
    }
    fill_source(to, moved, count, source);
    return STATUS_OK;
}

/* Before opset 7 a constant's axes begin at the attribute `axis`; since then they end with the
 * value's. */
enum status flow_broadcast(const struct flow *flow, const struct model_tensor *constant,
                           const struct flow_shape *to, size_t count, uint32_t *source)
{
    size_t stride[MODEL_MOST_RANK] = {0};
    size_t next = 1;
    const double axis = flow->model->opset < 7 ? flow_number(flow, "axis", -1) : -1;
    unsigned rank = constant->rank;
    while (rank > to->rank && constant->shape[constant->rank - rank] == 1) {
        rank--; /* more axes than the value, all of size 1 */
    }
    unsigned first = to->rank - rank;
    bool fits = rank <= to->rank;
    if (axis >= 0) {
        fits = fits && axis + rank <= to->rank;
        first = fits ? (unsigned)axis : 0;
    }
    for (unsigned i = rank; fits && i-- > 0;) {
        const int64_t size = constant->shape[constant->rank - rank + i];
        stride[first + i] = size == 1 ? 0 : next;
        fits = size == 1 || size == to->size[first + i];
        next *= (size_t)size;
    }
    if (!fits) {
        return flow_refuse(flow, NULL,
                           "operator %s: the shape of constant %s does not go with the value's",
                           flow->node->op, constant->name);
    }
    fill_source(to, stride, count, source);
    return STATUS_OK;
}

/* ---- operators ---- */

static struct flow_shape shape_of(const struct flow *flow)
{
    struct flow_shape shape = {.rank = flow->rank};
    memcpy(shape.size, flow->shape, sizeof shape.size);
    return shape;
}

static void set_shape(struct flow *flow, const struct flow_shape *shape)
{
    flow->rank = shape->rank;
    memcpy(flow->shape, shape->size, sizeof flow->shape);
}

enum status lower_shape(struct flow *flow)
{
    const struct flow_shape from = shape_of(flow);
    struct flow_shape to;
    TRY(flow_reshape(flow, &from, flow->count, &to));
    set_shape(flow, &to);
    return STATUS_OK;
}

enum status lower_transpose(struct flow *flow)
{
    const struct flow_shape from = shape_of(flow);
    struct flow_shape to = {0};
    uint32_t *place;
    const struct model_attribute *order = model_find_attribute(flow->node, "perm");
    const double first = order != NULL && order->count > 0 ? order->number[0] : from.rank - 1;
    TRY(flow_take_places(flow, flow->count, &place));
    TRY(flow_transpose(flow, &from, flow->count, &to, place));
    if (flow->model->input_shape[0] > 1 && first != 0) {
        return flow_refuse(flow, "export the model for one image",
                           "operator Transpose moves the axis of %lld images",
                           (long long)flow->model->input_shape[0]);
    }
    for (size_t i = 0; i < flow->count; i++) {
        place[i] = flow->place[place[i]];
    }
    flow->place = place;
    set_shape(flow, &to);
    return STATUS_OK;
}
