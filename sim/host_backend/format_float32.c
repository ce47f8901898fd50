/* format_float32.c - the format float32 of `spinnsim baseline`: a training written for the host's
 * vector units.  Its arithmetic is in float32_kernels.c, compiled once for each instruction set.
 *
 * A batch is trained in parts of some blocks of images (both passes, gradients of convolutions);
 * then come pieces of the dense layers' gradients.  The bits depend neither on threads nor on how a
 * batch is cut into parts; they do on the instruction set. */
#include "sim/host_backend/format_float32.h"
#include "sim/host_backend/float32_pass.h"
#include "sim/host_backend/trainer.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PART = 6,         /* blocks of a part: as many as the kernels take at once */
    PART_FLOATS = 1 << 18, /* of scratch, so that it stays in a core's cache: 1 MiB */
    PIECE_OUTPUTS = 64,
    UPDATE_FLOATS = 1 << 14
};

/* A piece of a dense layer's gradients; or of the convolutions' (layer == plan.layers). */
struct piece {
    size_t layer, output, outputs, input, inputs;
};

struct floats {
    const struct host_training *training;
    struct float32_plan plan;
    size_t part;    /* blocks of a part */
    float *memory;  /* owned: the following */
    float *kept;    /* of all blocks */
    float *sums;    /* gradients of the convolutions, of all blocks */
    float *scratch; /* of each worker, for a part */
    float *room;    /* of each worker: sums of lanes, or a panel */
    float *ones;
    float *turned;
    size_t room_floats;
    struct piece *piece; /* owned */
    size_t pieces;
};

/* ---- memory ---- */

static size_t list_pieces(const struct float32_plan *plan, struct piece *piece)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->layers; i++) {
        const struct float32_layer *layer = &plan->layer[i];
        const size_t outputs = layer->of->outputs;
        for (size_t o = 0; o < outputs && layer->dense; o += PIECE_OUTPUTS) {
            for (size_t k = 0; k < layer->inputs; k += FLOAT32_PANEL_INPUTS, count++) {
                const size_t rest = layer->inputs - k;
                if (piece != NULL) {
                    piece[count] = (struct piece){
                        i, o, outputs - o < PIECE_OUTPUTS ? outputs - o : PIECE_OUTPUTS, k,
                        rest < FLOAT32_PANEL_INPUTS ? rest : FLOAT32_PANEL_INPUTS};
                }
            }
        }
    }
    if (plan->sums > 0) {
        if (piece != NULL) {
            piece[count] = (struct piece){.layer = plan->layers};
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

static size_t blocks_of(const struct floats *own, size_t images)
{
    const size_t lanes = own->plan.kernels->lanes;
    return (images + lanes - 1) / lanes;
}

static size_t whole_lines(size_t floats)
{
    return (floats + FLOAT32_MOST_LANES - 1) / FLOAT32_MOST_LANES * FLOAT32_MOST_LANES;
}

static enum status make_memory(struct floats *own, uint32_t images, unsigned workers,
                               struct diagnostic *diagnostic)
{
    const struct float32_plan *plan = &own->plan;
    const size_t lanes = plan->kernels->lanes;
    const size_t blocks = blocks_of(own, images);
    const size_t sums = plan->largest_sums * lanes;
    const struct learning *learning = own->training->learning;
    own->part =
        part_blocks(plan, blocks_of(own, learning == NULL ? images : learning->batch), workers);
    own->room_floats = whole_lines(sums > FLOAT32_PANEL ? sums : FLOAT32_PANEL);
    const struct {
        float **place;
        size_t floats;
    } share[] = {{&own->kept, blocks * plan->kept},
                 {&own->sums, whole_lines(blocks * plan->sums)},
                 {&own->scratch, workers * own->part * plan->scratch},
                 {&own->room, workers * own->room_floats},
                 {&own->ones, whole_lines((plan->largest_width + 1) * lanes)},
                 {&own->turned, whole_lines(plan->turned)}};
    size_t floats = 0;
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        floats += share[i].floats;
    }
    own->pieces = list_pieces(plan, NULL);
    own->piece = calloc(own->pieces, sizeof *own->piece);
    own->memory = aligned_alloc(FLOAT32_ALIGNMENT, floats * sizeof(float));
    if (own->memory == NULL || own->piece == NULL) {
        return no_memory(diagnostic);
    }
    memset(own->memory, 0, floats * sizeof(float)); /* borders stay 0 */
    float *at = own->memory;
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        *share[i].place = at;
        at += share[i].floats;
    }
    for (size_t i = 0; i < (plan->largest_width + 1) * lanes; i++) {
        own->ones[i] = 1;
    }
    (void)list_pieces(plan, own->piece);
    return STATUS_OK;
}

static enum status open_floats(const struct host_training *training, uint32_t most,
                               unsigned workers, void **pass, struct diagnostic *diagnostic)
{
    struct floats *own = calloc(1, sizeof *own);
    *pass = own;
    if (own == NULL) {
        return no_memory(diagnostic);
    }
    own->training = training;
    TRY(float32_plan_init(&own->plan, training->network, float32_kernels_of(training->instructions),
                          diagnostic));
    return make_memory(own, most, workers, diagnostic);
}

static void close_floats(void *pass)
{
    struct floats *own = pass;
    float32_plan_deinit(&own->plan);
    free(own->memory);
    free(own->piece);
    free(own);
}

/* ---- parts ---- */

static size_t parts(const void *pass, uint32_t images, bool trains)
{
    const struct floats *own = pass;
    (void)trains;
    return (blocks_of(own, images) + own->part - 1) / own->part;
}

/* The part of a batch, after its forward pass. */
static struct float32_part run_part(const struct floats *own, unsigned worker, size_t number,
                                    const struct host_batch *batch, const float *parameters)
{
    const struct float32_plan *plan = &own->plan;
    const size_t first = number * own->part;
    const size_t left = blocks_of(own, batch->count) - first;
    const struct float32_part part = {.plan = plan,
                                      .parameters = parameters,
                                      .turned = own->turned,
                                      .ones = own->ones,
                                      .room = own->room + worker * own->room_floats,
                                      .sums = own->sums + first * plan->sums,
                                      .kept = own->kept + first * plan->kept,
                                      .scratch = own->scratch + worker * own->part * plan->scratch,
                                      .first = first,
                                      .blocks = left < own->part ? left : own->part};
    float32_forward(&part, batch);
    return part;
}

/* Calls the kernel of losses for each of the part's blocks: for errors, or for a test's losses. */
static void run_losses(const struct float32_part *part, const struct host_batch *batch, bool errors)
{
    const struct float32_plan *plan = part->plan;
    const struct float32_layer *last = &plan->layer[plan->layers - 1];
    const size_t lanes = plan->kernels->lanes;
    for (size_t b = 0; b < part->blocks; b++) {
        const size_t image = (part->first + b) * lanes;
        const size_t left = batch->count - image;
        const struct float32_loss loss = {
            .logits = float32_of_block(part, &last->value, b, last->value.at),
            .classes = last->of->outputs,
            .images = left < lanes ? left : lanes,
            .labels = batch->label + image,
            .errors = errors ? float32_of_block(part, &last->gradient, b, last->gradient.at) : NULL,
            .found = batch->found + image,
            .losses = batch->loss + image};
        plan->kernels->loss(&loss);
    }
}

static void train(void *pass, unsigned worker, size_t number, const struct host_batch *batch,
                  const void *parameters, void *gradients, struct host_score *score)
{
    const struct float32_part part = run_part(pass, worker, number, batch, parameters);
    (void)gradients; /* in pieces, later */
    (void)score;     /* this format does not tell */
    run_losses(&part, batch, true);
    float32_backward(&part);
}

/* Logits as the machine has them, rounded to nearest; the label is that of the floats. */
static struct nn_result result_of(const struct nn_table *table, const float *logits, size_t lanes,
                                  uint32_t label)
{
    const struct nn_layer *last = &table->layer[table->layers - 1];
    const int fraction = last->weight_fraction + last->input_fraction;
    struct nn_result result = {.label = label, .done = 1};
    for (uint32_t c = 0; c < table->classes; c++) {
        const double wide = round(ldexp((double)logits[c * lanes], fraction));
        result.logits[c] = (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, wide));
    }
    return result;
}

static void test(void *pass, unsigned worker, size_t number, const struct host_batch *batch,
                 const void *parameters)
{
    const struct floats *own = pass;
    const struct float32_part part = run_part(own, worker, number, batch, parameters);
    const struct float32_plane *logits = &own->plan.layer[own->plan.layers - 1].value;
    const size_t lanes = own->plan.kernels->lanes;
    const size_t first = part.first * lanes;
    run_losses(&part, batch, false);
    for (size_t i = first;
         batch->result != NULL && i < batch->count && i < first + part.blocks * lanes; i++) {
        const size_t block = (i - first) / lanes;
        batch->result[i] = result_of(own->training->table,
                                     float32_of_block(&part, logits, block, logits->at) + i % lanes,
                                     lanes, batch->found[i]);
    }
}

/* Turns the convolutions' weights for the way back. */
static void turn(void *pass, const void *parameters)
{
    const struct floats *own = pass;
    const struct float32_plan *plan = &own->plan;
    for (size_t i = 0; i < plan->layers; i++) {
        const struct float32_layer *layer = &plan->layer[i];
        if (!layer->convolution) {
            continue;
        }
        const size_t window = (size_t)layer->of->kernel * layer->of->kernel;
        const size_t inputs = layer->of->input.channels;
        float *to = own->turned + layer->turned;
        for (size_t in = 0; in < inputs; in++) {
            for (size_t out = 0; out < layer->of->outputs; out++) {
                const float *from =
                    (const float *)parameters + layer->weights + (out * inputs + in) * window;
                for (size_t t = window; t-- > 0;) {
                    *to++ = from[t];
                }
            }
        }
    }
}

/* ---- pieces of gradients ---- */

static void dense_biases(const struct floats *own, float *room, const struct float32_layer *layer,
                         size_t blocks, float *gradients)
{
    const size_t outputs = layer->of->outputs;
    memset(gradients + layer->biases, 0, outputs * sizeof *gradients);
    for (size_t b = 0; b < blocks; b++) {
        own->plan.kernels->lane_sums(own->kept + b * own->plan.kept + layer->gradient.at, outputs,
                                     room);
        for (size_t i = 0; i < outputs; i++) {
            gradients[layer->biases + i] += room[i];
        }
    }
}

/* Adds the gradients of the convolutions up, block by block. */
static void convolution_pieces(const struct floats *own, size_t blocks, float *gradients)
{
    const struct float32_plan *plan = &own->plan;
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
            const float *from = own->sums + b * plan->sums + layer->sums;
            for (size_t j = 0; j < count; j++) {
                to[j] += from[j];
            }
        }
    }
}

static size_t pieces(const void *pass)
{
    return ((const struct floats *)pass)->pieces;
}

static void gather(void *pass, unsigned worker, size_t number, const struct host_batch *batch,
                   void *sums)
{
    const struct floats *own = pass;
    const struct float32_plan *plan = &own->plan;
    const struct piece *piece = &own->piece[number];
    const size_t lanes = plan->kernels->lanes;
    const size_t blocks = blocks_of(own, batch->count);
    float *room = own->room + worker * own->room_floats;
    float *gradients = sums;
    if (piece->layer == plan->layers) {
        convolution_pieces(own, blocks, gradients);
        return;
    }
    const struct float32_layer *layer = &plan->layer[piece->layer];
    const struct float32_plane *in = float32_input_of(plan, piece->layer);
    const struct float32_outer outer = {
        .errors = own->kept + layer->gradient.at + piece->output * lanes,
        .in = own->kept + in->at + piece->input * lanes,
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
        dense_biases(own, room, layer, blocks, gradients);
    }
}

/* ---- an update ---- */

static enum status update(void *pass, const struct host_step *step, size_t first, size_t count,
                          struct diagnostic *diagnostic)
{
    const struct floats *own = pass;
    const struct host_training *training = own->training;
    const struct float32_step now = {
        .momentum = (float)training->reals.momentum,
        .rate = (float)(training->reals.rate * step->rate / NN_FULL_RATE),
        .weight = (float)optimizer_accelegrad_weight(step->number),
        .coupling = (float)(1 / optimizer_accelegrad_weight(step->number + 1))};
    const float *gradients = (const float *)step->gradients + first;
    float *state = (float *)step->state + first;
    float *parameters = (float *)step->parameters + first;
    (void)diagnostic;
    if (training->reals.optimizer == CONFIG_OPTIMIZER_ACCELEGRAD) {
        own->plan.kernels->accelegrad(&now, count, gradients, state, state + step->places,
                                      parameters);
    } else {
        own->plan.kernels->update(&now, count, gradients, state, parameters);
    }
    return STATUS_OK;
}

const struct host_format FORMAT_FLOAT32 = {.type = EXCHANGE_FLOATS,
                                           .value_bytes = sizeof(float),
                                           .word_bytes = sizeof(float),
                                           .state_words = 2,
                                           .loss_group = UINT32_MAX,
                                           .update_most = UPDATE_FLOATS,
                                           .open = open_floats,
                                           .close = close_floats,
                                           .parts = parts,
                                           .pieces = pieces,
                                           .begin = turn,
                                           .train = train,
                                           .gather = gather,
                                           .update = update,
                                           .test = test};
