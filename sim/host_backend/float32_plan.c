/* float32_plan.c - see float32_plan.h. */
#include "sim/host_backend/float32_plan.h"

#include "sim/data/dataset.h"
#include "sim/networks/layer.h"
#include "sim/networks/optimizer.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

/* ---- what can be trained ---- */

static bool is_known(const struct network_layer *layer)
{
    const bool window = layer->type == NETWORK_CONV2D && layer->links == NULL && layer->stride == 1;
    const bool pool = layer->type == NETWORK_MAX_POOL2D;
    const bool dense = layer->type == NETWORK_DENSE && layer->dropout == 0;
    const enum network_activation activation = layer->activation;
    return (window || pool || dense) &&
           (activation == NETWORK_IDENTITY || activation == NETWORK_RELU ||
            activation == NETWORK_SOFTMAX);
}

enum status float32_check(const struct network *network, struct diagnostic *diagnostic)
{
    static const char HINT[] =
        "it has convolutions of all maps with stride 1, max_pool2d, dense layers without dropout, "
        "and relu; int16 and float64 have more";
    for (size_t i = 0; i < network->layer_count; i++) {
        if (!is_known(&network->layer[i])) {
            return layer_refuse(network, &network->layer[i], HINT, diagnostic,
                                "float32 in vectors does not have such a layer");
        }
    }
    if (network->loss != NN_SOFTMAX_CROSS_ENTROPY) {
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION,
                     "float32 in vectors has no other loss than softmax_cross_entropy");
        diagnostic_key(diagnostic, "train.loss");
        diagnostic_hint(diagnostic, "int16 and float64 have all");
        return status;
    }
    return STATUS_OK;
}

enum status float32_check_job(const struct job *job, struct diagnostic *diagnostic)
{
    const enum config_optimizer optimizer = job->config->train_optimizer;
    if (!optimizer_of(optimizer)->descends && optimizer != CONFIG_OPTIMIZER_ACCELEGRAD) {
        return config_refuse(job->config, "train.optimizer", "int16 and float64 have it",
                             diagnostic,
                             "float32 in vectors has sgd, momentum and accelegrad only");
    }
    return float32_check(&job->network, diagnostic);
}

/* ---- planes ---- */

static struct float32_plane plane_of(struct float32_plan *plan, struct network_shape shape,
                                     size_t border, bool kept)
{
    const size_t lanes = plan->kernels->lanes;
    struct float32_plane plane = {.kept = kept,
                                  .maps = shape.channels,
                                  .height = shape.height,
                                  .width = shape.width,
                                  .border = border};
    size_t *end = kept ? &plan->kept : &plan->scratch;
    plane.line = (shape.width + 2 * border) * lanes;
    plane.map = (shape.height + 2 * border) * plane.line;
    plane.start = *end;
    plane.at = plane.start + border * (plane.line + lanes);
    /* whole cache lines, for any number of lanes */
    *end +=
        (plane.maps * plane.map + FLOAT32_MOST_LANES - 1) / FLOAT32_MOST_LANES * FLOAT32_MOST_LANES;
    return plane;
}

static const struct network_layer *after(const struct network *network, size_t layer)
{
    return layer + 1 < network->layer_count ? &network->layer[layer + 1] : NULL;
}

/* The border of what feeds `layer`. */
static size_t border_for(const struct network_layer *layer)
{
    return layer == NULL || layer->type != NETWORK_CONV2D ? 0 : layer->padding;
}

static bool is_dense(const struct network_layer *layer)
{
    return layer != NULL && layer->type == NETWORK_DENSE;
}

/* Fills the places of (map, row, column) of a window in a plane. */
static void list_terms(const struct float32_plane *plane, size_t lanes, size_t window,
                       uint32_t *terms)
{
    for (size_t m = 0; m < plane->maps; m++) {
        for (size_t y = 0; y < window; y++) {
            for (size_t x = 0; x < window; x++) {
                *terms++ = (uint32_t)(m * plane->map + y * plane->line + x * lanes);
            }
        }
    }
}

static void plan_layer(struct float32_plan *plan, size_t i, bool trained_before)
{
    const struct network *network = plan->network;
    const struct network_layer *of = &network->layer[i];
    const struct weights_place place = weights_place(network, i);
    struct float32_layer *layer = &plan->layer[i];
    *layer = (struct float32_layer){.of = of,
                                    .dense = is_dense(of),
                                    .convolution = of->type == NETWORK_CONV2D,
                                    .relu = of->activation == NETWORK_RELU,
                                    .trains = !network_is_pool(of),
                                    .passes = trained_before,
                                    .weights = place.weights,
                                    .biases = place.biases,
                                    .weight_count = network_layer_weights(of),
                                    .inputs = network_values(of->input)};
    const size_t back = layer->convolution && layer->passes ? of->kernel - 1 - of->padding : 0;
    layer->value =
        plane_of(plan, of->output, border_for(after(network, i)), is_dense(after(network, i)));
    layer->gradient = plane_of(plan, of->output, back, layer->dense);
    if (layer->convolution) {
        layer->turned = plan->turned;
        layer->sums = plan->sums;
        plan->turned += layer->weight_count;
        plan->sums += layer->weight_count + of->outputs;
        plan->largest_width =
            of->output.width > plan->largest_width ? of->output.width : plan->largest_width;
        plan->largest_sums =
            layer->weight_count > plan->largest_sums ? layer->weight_count : plan->largest_sums;
    }
}

static void plan_lists(struct float32_plan *plan)
{
    const size_t lanes = plan->kernels->lanes;
    uint32_t *list = plan->lists;
    for (size_t i = 0; i < plan->layers; i++) {
        struct float32_layer *layer = &plan->layer[i];
        if (layer->convolution) {
            const struct float32_plane *in = i == 0 ? &plan->input : &plan->layer[i - 1].value;
            const size_t window = layer->of->kernel;
            layer->terms = list;
            layer->back_terms = list + in->maps * window * window;
            list = layer->back_terms + layer->gradient.maps * window * window;
            list_terms(in, lanes, window, layer->terms);
            list_terms(&layer->gradient, lanes, window, layer->back_terms);
        }
    }
}

static void list_pixels(struct float32_plan *plan)
{
    const struct network_shape shape = plan->network->input;
    uint32_t *next = plan->pixel;
    for (size_t c = 0; c < shape.channels; c++) {
        for (size_t y = 0; y < shape.height; y++) {
            for (size_t x = 0; x < shape.width; x++) {
                *next++ = (uint32_t)(c * plan->input.map + y * plan->input.line +
                                     x * plan->kernels->lanes);
            }
        }
    }
}

enum status float32_plan_init(struct float32_plan *plan, const struct network *network,
                              const struct float32_kernels *kernels, struct diagnostic *diagnostic)
{
    *plan = (struct float32_plan){.kernels = kernels,
                                  .network = network,
                                  .layers = network->layer_count,
                                  .parameters = network_parameters(network)};
    TRY(float32_check(network, diagnostic));
    plan->unit = (float)ldexp(1, (int)network->input_shift - (int)network->activation_fraction);
    plan->input = plane_of(plan, network->input, border_for(&network->layer[0]),
                           is_dense(&network->layer[0]));
    bool trained = false;
    size_t terms = 1;
    for (size_t i = 0; i < plan->layers; i++) {
        const struct network_layer *of = &network->layer[i];
        plan_layer(plan, i, trained);
        trained = trained || plan->layer[i].trains;
        terms += (size_t)(of->input.channels + of->output.channels) * of->kernel * of->kernel;
    }
    plan->lists = calloc(terms, sizeof *plan->lists);
    plan->pixel = calloc(network_values(network->input), sizeof *plan->pixel);
    if (plan->lists == NULL || plan->pixel == NULL) {
        return no_memory(diagnostic);
    }
    plan_lists(plan);
    list_pixels(plan);
    return STATUS_OK;
}

void float32_plan_deinit(struct float32_plan *plan)
{
    free(plan->lists);
    free(plan->pixel);
    *plan = (struct float32_plan){0};
}
