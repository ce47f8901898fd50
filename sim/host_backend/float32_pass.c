/* float32_pass.c - see float32_pass.h. */
#include "sim/host_backend/float32_pass.h"

float *float32_of_block(const struct float32_part *part, const struct float32_plane *plane,
                        size_t block, size_t at)
{
    return (plane->kept ? part->kept + block * part->plan->kept
                        : part->scratch + block * part->plan->scratch) +
           at;
}

static size_t block_step(const struct float32_part *part, const struct float32_plane *plane)
{
    return plane->kept ? part->plan->kept : part->plan->scratch;
}

const struct float32_plane *float32_input_of(const struct float32_plan *plan, size_t layer)
{
    return layer == 0 ? &plan->input : &plan->layer[layer - 1].value;
}

/* ---- forward ---- */

static void load(const struct float32_part *part, const struct host_batch *batch)
{
    const struct float32_plan *plan = part->plan;
    const size_t lanes = plan->kernels->lanes;
    for (size_t b = 0; b < part->blocks; b++) {
        const size_t image = (part->first + b) * lanes;
        const size_t left = batch->count - image;
        plan->kernels->load(batch->image + image, left < lanes ? left : lanes, plan->pixel,
                            network_values(plan->network->input), plan->unit,
                            float32_of_block(part, &plan->input, b, plan->input.at));
    }
}

static void forward_dense(const struct float32_part *part, const struct float32_layer *layer,
                          const struct float32_plane *in)
{
    const struct float32_products products = {
        .weights = part->parameters + layer->weights,
        .row = layer->inputs,
        .term = 1,
        .in = float32_of_block(part, in, 0, in->at),
        .in_place = block_step(part, in),
        .out = float32_of_block(part, &layer->value, 0, layer->value.at),
        .out_row = part->plan->kernels->lanes,
        .out_place = block_step(part, &layer->value),
        .rows = layer->of->outputs,
        .places = part->blocks,
        .terms = layer->inputs,
        .biases = part->parameters + layer->biases,
        .relu = layer->relu};
    part->plan->kernels->products(&products);
}

static void forward_convolution(const struct float32_part *part, const struct float32_layer *layer,
                                const struct float32_plane *in, size_t block)
{
    const struct float32_plane *out = &layer->value;
    const size_t lanes = part->plan->kernels->lanes;
    const size_t window = layer->of->kernel;
    struct float32_products products = {.weights = part->parameters + layer->weights,
                                        .row = in->maps * window * window,
                                        .term = 1,
                                        .at = layer->terms,
                                        .in_place = lanes,
                                        .out_row = out->map,
                                        .out_place = lanes,
                                        .rows = out->maps,
                                        .places = out->width,
                                        .terms = in->maps * window * window,
                                        .biases = part->parameters + layer->biases,
                                        .relu = layer->relu};
    for (size_t y = 0; y < out->height; y++) {
        products.in = float32_of_block(part, in, block, in->start + y * in->line);
        products.out = float32_of_block(part, out, block, out->at + y * out->line);
        part->plan->kernels->products(&products);
    }
}

/* The pooling of a layer's input; `back` has what the way back needs. */
static struct float32_pool pool_of(const struct float32_part *part, size_t i, size_t block)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    const struct float32_plane *in = float32_input_of(plan, i);
    return (struct float32_pool){
        .in = float32_of_block(part, in, block, in->at),
        .out = float32_of_block(part, &layer->value, block, layer->value.at),
        .target = float32_of_block(part, &layer->value, block, layer->value.at),
        .maps = layer->value.maps,
        .in_height = in->height,
        .in_width = in->width,
        .in_map = in->map,
        .in_line = in->line,
        .height = layer->value.height,
        .width = layer->value.width,
        .out_map = layer->value.map,
        .out_line = layer->value.line,
        .window = layer->of->kernel,
        .stride = layer->of->stride};
}

void float32_forward(const struct float32_part *part, const struct host_batch *batch)
{
    const struct float32_plan *plan = part->plan;
    load(part, batch);
    for (size_t i = 0; i < plan->layers; i++) {
        const struct float32_layer *layer = &plan->layer[i];
        if (layer->dense) {
            forward_dense(part, layer, float32_input_of(plan, i));
            continue;
        }
        for (size_t b = 0; b < part->blocks; b++) {
            if (layer->convolution) {
                forward_convolution(part, layer, float32_input_of(plan, i), b);
            } else {
                const struct float32_pool pool = pool_of(part, i, b);
                plan->kernels->pool(&pool);
            }
        }
    }
}

/* ---- backward ---- */

/* Makes the gradient of a layer's output the one before its ReLU; a pool behind it has done so. */
static void mask(const struct float32_part *part, size_t i)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    if (!layer->relu || (!plan->layer[i + 1].dense && !plan->layer[i + 1].convolution)) {
        return;
    }
    for (size_t b = 0; b < part->blocks; b++) {
        const float *values = float32_of_block(part, &layer->value, b, layer->value.at);
        float *gradients = float32_of_block(part, &layer->gradient, b, layer->gradient.at);
        for (size_t m = 0; m < layer->value.maps; m++) {
            for (size_t y = 0; y < layer->value.height; y++) {
                plan->kernels->relu_back(values + m * layer->value.map + y * layer->value.line,
                                         gradients + m * layer->gradient.map +
                                             y * layer->gradient.line,
                                         layer->value.width);
            }
        }
    }
}

static void backward_dense(const struct float32_part *part, size_t i)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    const struct float32_plane *to = &plan->layer[i - 1].gradient;
    const size_t lanes = plan->kernels->lanes;
    const bool flat = to->border == 0;
    const size_t rows = flat ? layer->inputs : to->width;
    struct float32_products products = {
        .row = 1,
        .term = layer->inputs,
        .in = float32_of_block(part, &layer->gradient, 0, layer->gradient.at),
        .in_place = block_step(part, &layer->gradient),
        .out_row = lanes,
        .out_place = block_step(part, to),
        .rows = rows,
        .places = part->blocks,
        .terms = layer->of->outputs,
        .fresh = true};
    for (size_t first = 0; first < layer->inputs; first += rows) {
        const size_t line = first / rows;
        products.weights = part->parameters + layer->weights + first;
        products.out = float32_of_block(
            part, to, 0,
            to->at + (flat ? 0 : line / to->height * to->map + line % to->height * to->line));
        plan->kernels->products(&products);
    }
}

static void backward_convolution(const struct float32_part *part, size_t i, size_t block)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    const struct float32_plane *to = &plan->layer[i - 1].gradient;
    const struct float32_plane *from = &layer->gradient;
    const size_t lanes = plan->kernels->lanes;
    const size_t terms = from->maps * layer->of->kernel * layer->of->kernel;
    struct float32_products products = {.weights = part->turned + layer->turned,
                                        .row = terms,
                                        .term = 1,
                                        .at = layer->back_terms,
                                        .in_place = lanes,
                                        .out_row = to->map,
                                        .out_place = lanes,
                                        .rows = to->maps,
                                        .places = to->width,
                                        .terms = terms,
                                        .fresh = true};
    for (size_t y = 0; y < to->height; y++) {
        products.in = float32_of_block(part, from, block, from->start + y * from->line);
        products.out = float32_of_block(part, to, block, to->at + y * to->line);
        plan->kernels->products(&products);
    }
}

/* The gradients of a convolution's weights and biases, of one block. */
static void convolution_sums(const struct float32_part *part, size_t i, size_t block)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    const struct float32_plane *in = float32_input_of(plan, i);
    const struct float32_plane *errors = &layer->gradient;
    float *sums = part->sums + block * plan->sums + layer->sums;
    const size_t taps = layer->weight_count / errors->maps;
    struct float32_windows windows = {.errors = float32_of_block(part, errors, block, errors->at),
                                      .error_map = errors->map,
                                      .error_line = errors->line,
                                      .in = float32_of_block(part, in, block, in->start),
                                      .in_line = in->line,
                                      .at = layer->terms,
                                      .maps = errors->maps,
                                      .taps = taps,
                                      .height = errors->height,
                                      .width = errors->width,
                                      .sums = part->room,
                                      .row = taps};
    static const uint32_t HERE = 0;
    plan->kernels->windows(&windows);
    plan->kernels->lane_sums(part->room, layer->weight_count, sums);
    windows.in = part->ones;
    windows.in_line = 0;
    windows.at = &HERE;
    windows.taps = windows.row = 1;
    plan->kernels->windows(&windows);
    plan->kernels->lane_sums(part->room, errors->maps, sums + layer->weight_count);
}

static void pool_back(const struct float32_part *part, size_t i, size_t block)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_plane *gradient = &plan->layer[i].gradient;
    const struct float32_plane *to = &plan->layer[i - 1].gradient;
    struct float32_pool pool = pool_of(part, i, block);
    pool.out_gradient = float32_of_block(part, gradient, block, gradient->at);
    pool.gradient_map = gradient->map;
    pool.gradient_line = gradient->line;
    pool.target = float32_of_block(part, to, block, to->at);
    pool.target_map = to->map;
    pool.target_line = to->line;
    pool.relu = plan->layer[i - 1].relu;
    plan->kernels->pool_back(&pool);
}

void float32_backward(const struct float32_part *part)
{
    const struct float32_plan *plan = part->plan;
    for (size_t i = plan->layers; i-- > 0;) {
        const struct float32_layer *layer = &plan->layer[i];
        if (i + 1 < plan->layers) {
            mask(part, i);
        }
        for (size_t b = 0; b < part->blocks && layer->convolution; b++) {
            convolution_sums(part, i, b);
            if (layer->passes) {
                backward_convolution(part, i, b);
            }
        }
        if (!layer->passes || layer->convolution) {
            continue;
        }
        if (layer->dense) {
            backward_dense(part, i);
        }
        for (size_t b = 0; b < part->blocks && !layer->dense; b++) {
            pool_back(part, i, b);
        }
    }
}
