/* flow.c - see lower_flow.h: memory, constants, and the value between layers. */
#include "sim/config/config_arena.h"
#include "sim/import/lower_flow.h"
#include "sim/steps.h"

#include <string.h>

/* ---- memory ---- */

static enum status use(struct flow *flow, size_t values)
{
    if (values >= flow->values_left) {
        return flow_refuse(flow, "a chip of SpiNNaker has 128 MiB",
                           "the model needs more than %d values", MODEL_MOST_VALUES);
    }
    flow->values_left -= values + 1;
    return STATUS_OK;
}

enum status flow_take(struct flow *flow, size_t values, double **taken)
{
    TRY(use(flow, values));
    *taken = config_arena_take(flow->model->arena, (values + 1) * sizeof **taken);
    return STATUS_OK;
}

enum status flow_take_places(struct flow *flow, size_t places, uint32_t **taken)
{
    TRY(use(flow, places));
    *taken = config_arena_take(flow->model->arena, (places + 1) * sizeof **taken);
    return STATUS_OK;
}

/* ---- inputs ---- */

const struct model_tensor *flow_constant(const struct flow *flow, const char *name)
{
    for (size_t i = 0; i < flow->made_count; i++) {
        if (strcmp(flow->made[i].name, name) == 0) {
            return &flow->made[i];
        }
    }
    return model_find_tensor(flow->model, name);
}

enum status flow_input(const struct flow *flow, size_t i, const struct model_tensor **constant)
{
    const struct model_node *node = flow->node;
    *constant = NULL;
    if (i >= node->input_count || node->input[i][0] == '\0') {
        return STATUS_OK;
    }
    *constant = flow_constant(flow, node->input[i]);
    return *constant != NULL
               ? STATUS_OK
               : flow_refuse(flow, "weights, shapes and axes must be constants of the model",
                             "operator %s: its input %s is computed from the image", node->op,
                             node->input[i]);
}

/* ---- layers ---- */

enum status flow_add_layer(struct flow *flow, enum network_layer_type type,
                           struct lower_layer **layer)
{
    struct lowered *to = flow->to;
    if (to->layer_count == NETWORK_LAYERS) {
        return flow_refuse(flow, NULL, "the model has more than %d layers", NETWORK_LAYERS);
    }
    *layer = &to->layer[to->layer_count++];
    **layer = (struct lower_layer){.node = flow->node == NULL ? "the end" : flow->node->name,
                                   .type = type,
                                   .activation = NETWORK_IDENTITY,
                                   .stride = 1,
                                   .input = flow->at};
    return STATUS_OK;
}

enum status flow_put_in_order(struct flow *flow)
{
    TRY(flow_take_places(flow, flow->count, &flow->place));
    for (size_t i = 0; i < flow->count; i++) {
        flow->place[i] = (uint32_t)i;
    }
    return STATUS_OK;
}

enum status flow_follow(struct flow *flow, const struct lower_layer *layer, unsigned rank)
{
    const struct network_shape output = layer->output;
    const int64_t shape[MODEL_MOST_RANK] = {1, output.channels, output.height, output.width};
    const uint64_t count = (uint64_t)output.channels * output.height * output.width;
    if (count > MODEL_MOST_VALUES) {
        return flow_refuse(flow, NULL, "operator %s has more than %d outputs", flow->node->op,
                           MODEL_MOST_VALUES);
    }
    flow->at = output;
    flow->rank = rank;
    memcpy(flow->shape, shape, sizeof shape);
    flow->count = (size_t)count;
    return flow_put_in_order(flow);
}

bool flow_by_channel(const struct flow *flow, const double *values)
{
    const size_t area = (size_t)flow->at.height * flow->at.width;
    for (size_t i = 0; i < flow->count; i++) {
        if (values[i] != values[i / area * area]) {
            return false;
        }
    }
    return true;
}

/* ---- the input ---- */

/* Pixels as the model wants them: (p * scale - mean) / deviation, of p / 256. */
enum status flow_begin(struct flow *flow)
{
    static const double PIXEL_STEPS = 256;
    const struct lower_pixels *pixels = flow->pixels;
    if (flow->to->layer_count > 0 || pixels == NULL) {
        return STATUS_OK;
    }
    flow->to->input = flow->at;
    flow->pixels = NULL;
    const size_t channels = flow->at.channels;
    if ((pixels->means > 1 && pixels->means != channels) ||
        (pixels->deviations > 1 && pixels->deviations != channels)) {
        return flow_refuse(flow, "one number for all channels, or one for each",
                           "means or deviations of pixels for other than %zu channels", channels);
    }
    TRY(flow_take(flow, flow->count, &flow->scale));
    TRY(flow_take(flow, flow->count, &flow->shift));
    for (size_t i = 0; i < flow->count; i++) {
        const size_t channel = i / (flow->count / channels);
        const double mean = pixels->means == 0 ? 0 : pixels->mean[pixels->means > 1 ? channel : 0];
        const double deviation =
            pixels->deviations == 0 ? 1 : pixels->deviation[pixels->deviations > 1 ? channel : 0];
        flow->scale[i] = PIXEL_STEPS * pixels->scale / deviation;
        flow->shift[i] = mean == 0 ? 0 : -mean / deviation;
    }
    return STATUS_OK;
}

/* Whether the value is the input, with its channels moved from the last axis to the first: then
 * images come in this order. */
static bool is_turned_input(const struct flow *flow)
{
    const int64_t *shape = flow->shape;
    const size_t channels = (size_t)shape[1];
    const size_t area = (size_t)(shape[2] * shape[3]);
    for (size_t i = 0; i < flow->count; i++) {
        if (flow->place[i] != i % area * channels + i / area) {
            return false;
        }
    }
    return flow->to->layer_count == 0 && flow->pixels != NULL;
}

enum status flow_need_image(struct flow *flow)
{
    const char *op = flow->node->op;
    const int64_t *shape = flow->shape;
    bool in_order = true;
    if (flow->rank != 4 || shape[0] != 1) {
        return flow_refuse(flow, "images come as [n][channels][height][width]",
                           "operator %s: a value of %u axes; there are only 4", op, flow->rank);
    }
    if (is_turned_input(flow)) {
        TRY(flow_put_in_order(flow));
    }
    for (size_t i = 0; i < flow->count; i++) {
        in_order = in_order && flow->place[i] == i;
    }
    const struct network_shape image = {(uint32_t)shape[1], (uint32_t)shape[2], (uint32_t)shape[3]};
    if (flow->to->layer_count == 0 && in_order) {
        flow->at = image;
    }
    if (!in_order || memcmp(&image, &flow->at, sizeof image) != 0) {
        return flow_refuse(flow, "images come as [n][channels][height][width]",
                           "operator %s: the order of its input has been changed", op);
    }
    return flow_begin(flow);
}
