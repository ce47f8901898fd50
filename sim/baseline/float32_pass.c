/* float32_pass.c - see float32_pass.h. */
#include "sim/baseline/float32_pass.h"

#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* The blocks that a task works on. */
struct part {
    struct float32_pass *pass;
    const struct float32_plan *plan;
    const float *parameters;
    float *room;
    float *kept, *scratch; /* of its first block */
    size_t first, blocks;
};

static float *of_block(const struct part *part, const struct float32_plane *plane, size_t block,
                       size_t at)
{
    return (plane->kept ? part->kept + block * part->plan->kept
                        : part->scratch + block * part->plan->scratch) +
           at;
}

static size_t block_step(const struct part *part, const struct float32_plane *plane)
{
    return plane->kept ? part->plan->kept : part->plan->scratch;
}

static const struct float32_plane *input_of(const struct float32_plan *plan, size_t layer)
{
    return layer == 0 ? &plan->input : &plan->layer[layer - 1].value;
}

/* ---- forward ---- */

static void load(const struct part *part, const struct float32_batch *batch)
{
    const struct float32_plan *plan = part->plan;
    const size_t lanes = plan->kernels->lanes;
    for (size_t b = 0; b < part->blocks; b++) {
        const size_t image = (part->first + b) * lanes;
        const size_t left = batch->count - image;
        plan->kernels->load(batch->images + image, left < lanes ? left : lanes, plan->pixel,
                            DATASET_PIXELS, plan->unit,
                            of_block(part, &plan->input, b, plan->input.at));
    }
}

static void forward_dense(const struct part *part, const struct float32_layer *layer,
                          const struct float32_plane *in)
{
    const struct float32_products products = {.weights = part->parameters + layer->weights,
                                              .row = layer->inputs,
                                              .term = 1,
                                              .in = of_block(part, in, 0, in->at),
                                              .in_place = block_step(part, in),
                                              .out =
                                                  of_block(part, &layer->value, 0, layer->value.at),
                                              .out_row = part->plan->kernels->lanes,
                                              .out_place = block_step(part, &layer->value),
                                              .rows = layer->of->outputs,
                                              .places = part->blocks,
                                              .terms = layer->inputs,
                                              .biases = part->parameters + layer->biases,
                                              .relu = layer->relu};
    part->plan->kernels->products(&products);
}

static void forward_convolution(const struct part *part, const struct float32_layer *layer,
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
        products.in = of_block(part, in, block, in->start + y * in->line);
        products.out = of_block(part, out, block, out->at + y * out->line);
        part->plan->kernels->products(&products);
    }
}

/* The pooling of a layer's input; `back` has what the way back needs. */
static struct float32_pool pool_of(const struct part *part, size_t i, size_t block)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    const struct float32_plane *in = input_of(plan, i);
    return (struct float32_pool){.in = of_block(part, in, block, in->at),
                                 .out = of_block(part, &layer->value, block, layer->value.at),
                                 .target = of_block(part, &layer->value, block, layer->value.at),
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

static void forward(const struct part *part)
{
    const struct float32_plan *plan = part->plan;
    for (size_t i = 0; i < plan->layers; i++) {
        const struct float32_layer *layer = &plan->layer[i];
        if (layer->dense) {
            forward_dense(part, layer, input_of(plan, i));
            continue;
        }
        for (size_t b = 0; b < part->blocks; b++) {
            if (layer->convolution) {
                forward_convolution(part, layer, input_of(plan, i), b);
            } else {
                const struct float32_pool pool = pool_of(part, i, b);
                plan->kernels->pool(&pool);
            }
        }
    }
}

/* ---- backward ---- */

/* Makes the gradient of a layer's output the one before its ReLU; a pool behind it has done so. */
static void mask(const struct part *part, size_t i)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    if (!layer->relu || (!plan->layer[i + 1].dense && !plan->layer[i + 1].convolution)) {
        return;
    }
    for (size_t b = 0; b < part->blocks; b++) {
        const float *values = of_block(part, &layer->value, b, layer->value.at);
        float *gradients = of_block(part, &layer->gradient, b, layer->gradient.at);
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

static void backward_dense(const struct part *part, size_t i)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    const struct float32_plane *to = &plan->layer[i - 1].gradient;
    const size_t lanes = plan->kernels->lanes;
    const bool flat = to->border == 0;
    const size_t rows = flat ? layer->inputs : to->width;
    struct float32_products products = {.row = 1,
                                        .term = layer->inputs,
                                        .in =
                                            of_block(part, &layer->gradient, 0, layer->gradient.at),
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
        products.out = of_block(
            part, to, 0,
            to->at + (flat ? 0 : line / to->height * to->map + line % to->height * to->line));
        plan->kernels->products(&products);
    }
}

static void backward_convolution(const struct part *part, size_t i, size_t block)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    const struct float32_plane *to = &plan->layer[i - 1].gradient;
    const struct float32_plane *from = &layer->gradient;
    const size_t lanes = plan->kernels->lanes;
    const size_t terms = from->maps * layer->of->kernel * layer->of->kernel;
    struct float32_products products = {.weights = part->pass->turned + layer->turned,
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
        products.in = of_block(part, from, block, from->start + y * from->line);
        products.out = of_block(part, to, block, to->at + y * to->line);
        plan->kernels->products(&products);
    }
}

/* The gradients of a convolution's weights and biases, of one block. */
static void convolution_sums(const struct part *part, size_t i, size_t block)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *layer = &plan->layer[i];
    const struct float32_plane *in = input_of(plan, i);
    const struct float32_plane *errors = &layer->gradient;
    float *sums = part->pass->sums + (part->first + block) * plan->sums + layer->sums;
    const size_t taps = layer->weight_count / errors->maps;
    struct float32_windows windows = {.errors = of_block(part, errors, block, errors->at),
                                      .error_map = errors->map,
                                      .error_line = errors->line,
                                      .in = of_block(part, in, block, in->start),
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
    windows.in = part->pass->ones;
    windows.in_line = 0;
    windows.at = &HERE;
    windows.taps = windows.row = 1;
    plan->kernels->windows(&windows);
    plan->kernels->lane_sums(part->room, errors->maps, sums + layer->weight_count);
}

static void pool_back(const struct part *part, size_t i, size_t block)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_plane *gradient = &plan->layer[i].gradient;
    const struct float32_plane *to = &plan->layer[i - 1].gradient;
    struct float32_pool pool = pool_of(part, i, block);
    pool.out_gradient = of_block(part, gradient, block, gradient->at);
    pool.gradient_map = gradient->map;
    pool.gradient_line = gradient->line;
    pool.target = of_block(part, to, block, to->at);
    pool.target_map = to->map;
    pool.target_line = to->line;
    pool.relu = plan->layer[i - 1].relu;
    plan->kernels->pool_back(&pool);
}

static void backward(const struct part *part)
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

/* ---- parts ---- */

static struct part part_of(struct float32_pass *pass, unsigned worker, size_t number, size_t images,
                           const float *parameters)
{
    const struct float32_plan *plan = pass->plan;
    const size_t lanes = plan->kernels->lanes;
    const size_t blocks = (images + lanes - 1) / lanes;
    struct part part = {.pass = pass,
                        .plan = plan,
                        .parameters = parameters,
                        .room = pass->room + worker * pass->room_floats,
                        .scratch = pass->scratch + worker * pass->part * plan->scratch,
                        .first = number * pass->part};
    part.kept = pass->kept + part.first * plan->kept;
    part.blocks = blocks - part.first < pass->part ? blocks - part.first : pass->part;
    return part;
}

/* The losses of the part's blocks. */
static void losses(const struct part *part, const struct float32_batch *batch, bool errors,
                   struct float32_loss *sum)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *last = &plan->layer[plan->layers - 1];
    const size_t lanes = plan->kernels->lanes;
    for (size_t b = 0; b < part->blocks; b++) {
        const size_t image = (part->first + b) * lanes;
        const size_t left = batch->count - image;
        sum->logits = of_block(part, &last->value, b, last->value.at);
        sum->classes = last->of->outputs;
        sum->images = left < lanes ? left : lanes;
        sum->labels = batch->labels + image;
        sum->errors = errors ? of_block(part, &last->gradient, b, last->gradient.at) : NULL;
        plan->kernels->loss(sum);
        for (size_t i = 0; i < sum->images && batch->logits != NULL; i++) {
            for (size_t c = 0; c < sum->classes; c++) {
                batch->logits[(image + i) * sum->classes + c] = sum->logits[c * lanes + i];
            }
        }
    }
}

void float32_train_part(struct float32_pass *pass, unsigned worker, size_t number,
                        const struct float32_batch *batch, const float *parameters)
{
    const struct part part = part_of(pass, worker, number, batch->count, parameters);
    struct float32_loss loss = {0};
    load(&part, batch);
    forward(&part);
    losses(&part, batch, true, &loss);
    backward(&part);
}

void float32_test_part(struct float32_pass *pass, unsigned worker, size_t number,
                       const struct float32_batch *batch, const float *parameters,
                       uint32_t *correct, double *loss)
{
    const struct part part = part_of(pass, worker, number, batch->count, parameters);
    struct float32_loss sum = {0};
    load(&part, batch);
    forward(&part);
    losses(&part, batch, false, &sum);
    *correct += sum.correct;
    *loss += sum.loss;
}

size_t float32_parts(const struct float32_pass *pass, size_t images)
{
    const size_t lanes = pass->plan->kernels->lanes;
    const size_t blocks = (images + lanes - 1) / lanes;
    return (blocks + pass->part - 1) / pass->part;
}

void float32_turn(struct float32_pass *pass, const float *parameters)
{
    const struct float32_plan *plan = pass->plan;
    for (size_t i = 0; i < plan->layers; i++) {
        const struct float32_layer *layer = &plan->layer[i];
        if (!layer->convolution) {
            continue;
        }
        const size_t window = (size_t)layer->of->kernel * layer->of->kernel;
        const size_t inputs = layer->of->input.channels;
        float *to = pass->turned + layer->turned;
        for (size_t in = 0; in < inputs; in++) {
            for (size_t out = 0; out < layer->of->outputs; out++) {
                const float *from = parameters + layer->weights + (out * inputs + in) * window;
                for (size_t t = window; t-- > 0;) {
                    *to++ = from[t];
                }
            }
        }
    }
}

/* ---- pieces of gradients ---- */

static void dense_biases(struct float32_pass *pass, float *room, const struct float32_layer *layer,
                         size_t blocks, float *gradients)
{
    const size_t outputs = layer->of->outputs;
    memset(gradients + layer->biases, 0, outputs * sizeof *gradients);
    for (size_t b = 0; b < blocks; b++) {
        pass->plan->kernels->lane_sums(pass->kept + b * pass->plan->kept + layer->gradient.at,
                                       outputs, room);
        for (size_t i = 0; i < outputs; i++) {
            gradients[layer->biases + i] += room[i];
        }
    }
}

/* Adds the gradients of the convolutions up, block by block. */
static void convolution_pieces(const struct float32_pass *pass, size_t blocks, float *gradients)
{
    const struct float32_plan *plan = pass->plan;
    for (size_t i = 0; i < plan->layers; i++) {
        const struct float32_layer *layer = &plan->layer[i];
        if (!layer->convolution) {
            continue;
        }
        /* Biases follow weights in the parameters, and here. */
        const size_t count = layer->weight_count + layer->of->outputs;
        float *to = gradients + layer->weights;
        memset(to, 0, count * sizeof *to);
        for (size_t b = 0; b < blocks; b++) {
            const float *from = pass->sums + b * plan->sums + layer->sums;
            for (size_t j = 0; j < count; j++) {
                to[j] += from[j];
            }
        }
    }
}

void float32_train_piece(struct float32_pass *pass, unsigned worker, size_t number,
                         const struct float32_batch *batch, float *gradients)
{
    const struct float32_plan *plan = pass->plan;
    const struct float32_piece *piece = &pass->piece[number];
    const size_t lanes = plan->kernels->lanes;
    const size_t blocks = (batch->count + lanes - 1) / lanes;
    float *room = pass->room + worker * pass->room_floats;
    if (piece->layer == plan->layers) {
        convolution_pieces(pass, blocks, gradients);
        return;
    }
    const struct float32_layer *layer = &plan->layer[piece->layer];
    const struct float32_plane *in = input_of(plan, piece->layer);
    const struct float32_outer outer = {
        .errors = pass->kept + layer->gradient.at + piece->output * lanes,
        .in = pass->kept + in->at + piece->input * lanes,
        .errors_block = plan->kept,
        .in_block = plan->kept,
        .blocks = blocks,
        .outputs = piece->outputs,
        .inputs = piece->inputs,
        .panel = room,
        .gradients = gradients + layer->weights + piece->output * layer->inputs + piece->input,
        .row = layer->inputs};
    plan->kernels->outer(&outer);
    if (piece->input == 0 && piece->output == 0) {
        dense_biases(pass, room, layer, blocks, gradients);
    }
}

/* ---- memory ---- */

enum {
    MOST_PART = 6,         /* blocks of a part: as many as the kernels take at once */
    PART_FLOATS = 1 << 18, /* of scratch, so that it stays in a core's cache: 1 MiB */
    PIECE_OUTPUTS = 64
};

static size_t list_pieces(const struct float32_plan *plan, struct float32_piece *piece)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->layers; i++) {
        const struct float32_layer *layer = &plan->layer[i];
        const size_t outputs = layer->of->outputs;
        for (size_t o = 0; o < outputs && layer->dense; o += PIECE_OUTPUTS) {
            for (size_t k = 0; k < layer->inputs; k += FLOAT32_PANEL_INPUTS) {
                const size_t rest = layer->inputs - k;
                if (piece != NULL) {
                    piece[count] = (struct float32_piece){
                        i, o, outputs - o < PIECE_OUTPUTS ? outputs - o : PIECE_OUTPUTS, k,
                        rest < FLOAT32_PANEL_INPUTS ? rest : FLOAT32_PANEL_INPUTS};
                }
                count++;
            }
        }
    }
    if (plan->sums > 0) {
        if (piece != NULL) {
            piece[count] = (struct float32_piece){.layer = plan->layers};
        }
        count++;
    }
    return count;
}

static size_t part_blocks(const struct float32_plan *plan, size_t blocks, unsigned workers)
{
    const size_t fair = (blocks + workers - 1) / workers;
    const size_t fit = plan->scratch == 0 ? MOST_PART : PART_FLOATS / plan->scratch;
    size_t part = fair < MOST_PART ? fair : MOST_PART;
    part = fit < part ? fit : part;
    return part == 0 ? 1 : part;
}

static size_t whole_lines(size_t floats)
{
    return (floats + FLOAT32_MOST_LANES - 1) / FLOAT32_MOST_LANES * FLOAT32_MOST_LANES;
}

enum status float32_pass_init(struct float32_pass *pass, const struct float32_plan *plan,
                              size_t batch, size_t images, unsigned workers,
                              struct diagnostic *diagnostic)
{
    const size_t lanes = plan->kernels->lanes;
    const size_t blocks = (images + lanes - 1) / lanes;
    const size_t sums = plan->largest_sums * lanes;
    *pass = (struct float32_pass){.plan = plan,
                                  .blocks = blocks,
                                  .part = part_blocks(plan, (batch + lanes - 1) / lanes, workers),
                                  .workers = workers};
    pass->room_floats = whole_lines(sums > FLOAT32_PANEL ? sums : FLOAT32_PANEL);
    const size_t part[] = {blocks * plan->kept,
                           whole_lines(blocks * plan->sums),
                           workers * pass->part * plan->scratch,
                           workers * pass->room_floats,
                           whole_lines((plan->largest_width + 1) * lanes),
                           whole_lines(plan->turned)};
    float **const place[] = {&pass->kept, &pass->sums, &pass->scratch,
                             &pass->room, &pass->ones, &pass->turned};
    size_t floats = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        floats += part[i];
    }
    pass->pieces = list_pieces(plan, NULL);
    pass->piece = calloc(pass->pieces, sizeof *pass->piece);
    pass->memory = aligned_alloc(FLOAT32_ALIGNMENT, floats * sizeof(float));
    if (pass->memory == NULL || pass->piece == NULL) {
        return no_memory(diagnostic);
    }
    memset(pass->memory, 0, floats * sizeof(float)); /* borders stay 0 */
    float *at = pass->memory;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *place[i] = at;
        at += part[i];
    }
    for (size_t i = 0; i < (plan->largest_width + 1) * lanes; i++) {
        pass->ones[i] = 1;
    }
    (void)list_pieces(plan, pass->piece);
    return STATUS_OK;
}

void float32_pass_deinit(struct float32_pass *pass)
{
    free(pass->memory);
    free(pass->piece);
    *pass = (struct float32_pass){0};
}
