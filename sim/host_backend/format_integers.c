/* format_integers.c - the machine's number formats on the host, by the sources that the modelled
 * cores run (workloads/nn), bit for bit.  Compiled once for each row of formats.def.
 *
 * A batch is cut into a lane for each thread.  Sums of gradients are plain 32-bit additions, so
 * neither the number of lanes nor the order of the images within a batch changes anything. */
#include "sim/host_backend/integer_pass.h"
#include "sim/host_backend/integer_update.h"
#include "sim/host_backend/trainer.h"
#include "sim/networks/loss.h"
#include "sim/steps.h"
#include "workloads/nn/kernels.h"
#include "workloads/nn/loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_IMAGES = 16 /* of a part */, ALIGNMENT = 64 };

struct integers {
    const struct host_training *training;
    struct nn_table *table; /* with offsets in bytes of this format; owned */
    uint32_t exp_table[NN_EXP_STEPS + 1];
    uint8_t *activations; /* of all workers, for tests */
    size_t worker_bytes;
    unsigned lanes;
    struct integer_pass *lane;
    struct nn_update_note note;
};

/* ---- memory ---- */

/* Offsets in the given table count 16-bit places, in that of int8 bytes. */
static struct nn_table *scaled(const struct nn_table *from)
{
    enum { PLACE_BYTES = 2, SCALE = sizeof(nn_value) <= PLACE_BYTES ? 1 : 2 };
    struct nn_table *table = malloc(from->bytes);
    if (table == NULL) {
        return NULL;
    }
    memcpy(table, from, from->bytes);
    table->activation_bytes *= SCALE;
    for (uint32_t i = 0; i < table->layers; i++) {
        struct nn_layer *layer = &table->layer[i];
        layer->weights *= SCALE;
        layer->biases *= SCALE;
        layer->from *= SCALE;
        layer->to *= SCALE;
    }
    return table;
}

static enum status open_lanes(struct integers *own, unsigned lanes, struct diagnostic *diagnostic)
{
    const struct host_training *training = own->training;
    own->lane = calloc(lanes, sizeof *own->lane);
    if (own->lane == NULL) {
        return no_memory(diagnostic);
    }
    for (own->lanes = 0; own->lanes < lanes; own->lanes++) {
        struct integer_pass *lane = &own->lane[own->lanes];
        TRY(integer_pass_init(lane, training->table, training->learning->rule.error_fraction,
                              diagnostic));
        if (training->round_errors != NULL) {
            lane->round_errors = training->round_errors;
        }
    }
    return STATUS_OK;
}

static enum status open_integers(const struct host_training *training, uint32_t most,
                                 unsigned workers, void **pass, struct diagnostic *diagnostic)
{
    struct integers *own = calloc(1, sizeof *own);
    (void)most;
    *pass = own;
    if (own == NULL || (own->table = scaled(training->table)) == NULL) {
        return no_memory(diagnostic);
    }
    own->training = training;
    own->worker_bytes =
        ((size_t)own->table->activation_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    own->activations = aligned_alloc(ALIGNMENT, own->worker_bytes * workers);
    if (own->activations == NULL) {
        return no_memory(diagnostic);
    }
    if (!NN_FLOATS) {
        nn_exp_table(own->exp_table);
    }
    return NN_TRAINS && training->learning != NULL ? open_lanes(own, workers, diagnostic)
                                                   : STATUS_OK;
}

static void close_integers(void *pass)
{
    struct integers *own = pass;
    for (unsigned i = 0; NN_TRAINS && own->lane != NULL && i < own->lanes; i++) {
        integer_pass_deinit(&own->lane[i]);
    }
    free(own->lane);
    free(own->table);
    free(own->activations);
    free(own);
}

static size_t parts(const void *pass, uint32_t images, bool trains)
{
    const struct integers *own = pass;
    return trains ? own->lanes : (images + TEST_IMAGES - 1) / TEST_IMAGES;
}

/* ---- tests ---- */

static struct nn_result classify(const struct integers *own, const void *parameters,
                                 uint8_t *activations, const uint8_t *image)
{
    const struct nn_table *table = own->table;
    const struct nn_layer *last = &table->layer[table->layers - 1];
    struct nn_numerics numerics = {0};
    uint32_t probability[NN_MAX_CLASSES];
    nn_forward(table, parameters, activations, image, NULL, &numerics);
    const nn_total *logits = nn_logits(table, activations);
    struct nn_result result = {
        .saturations = numerics.saturations, .overflows = numerics.overflows, .done = 1};
    result.label =
        nn_softmax(logits, table->classes, (uint32_t)last->weight_fraction + last->input_fraction,
                   own->exp_table, probability);
    result.confidence = probability[result.label];
    for (uint32_t c = 0; c < NN_RESULT_CLASSES; c++) {
        result.logits[c] = c < table->classes ? nn_logit_word(logits[c]) : 0;
    }
    return result;
}

static void test(void *pass, unsigned worker, size_t part, const struct host_batch *batch,
                 const void *parameters)
{
    const struct integers *own = pass;
    const uint32_t first = (uint32_t)part * TEST_IMAGES;
    for (uint32_t i = first; i < batch->count && i < first + TEST_IMAGES; i++) {
        const struct nn_result result = classify(
            own, parameters, own->activations + worker * own->worker_bytes, batch->image[i]);
        batch->found[i] = result.label;
        batch->loss[i] = test_loss(own->training->table, own->training->network->logit_factor,
                                   &result, &batch->label[i], 1);
        if (batch->result != NULL) {
            batch->result[i] = result;
        }
    }
}

/* ---- a batch ---- */

static void train(void *pass, unsigned worker, size_t part, const struct host_batch *batch,
                  const void *parameters, void *gradients, struct host_score *score)
{
    struct integers *own = pass;
    struct integer_pass *lane = &own->lane[part];
    uint64_t losses = 0; /* NN_LOSS_FRACTION fractional bits */
    (void)worker;
    for (uint32_t i = share_first(batch->count, own->lanes, (unsigned)part);
         i < share_first(batch->count, own->lanes, (unsigned)part + 1); i++) {
        uint32_t loss;
        lane->draw = (struct integer_draw){own->training->learning->order.seed, batch->epoch,
                                           batch->number[i]};
        score->correct += batch->label[i] == integer_forward(lane, parameters, batch->image[i],
                                                             batch->label[i], &loss);
        losses += loss;
        const uint64_t before = lane->products;
        integer_backward(lane, parameters, gradients);
        batch->work[i] = (double)(lane->products - before);
    }
    score->loss = ldexp((double)losses, -NN_LOSS_FRACTION);
}

/* ---- an update ---- */

static enum status update(void *pass, const struct host_step *step, size_t from, size_t most,
                          struct diagnostic *diagnostic)
{
    struct integers *own = pass;
    (void)from;
    (void)most;
    return integer_update(own->training, step, &own->note, diagnostic);
}

static void met(const void *pass, struct outcome_training *met)
{
    const struct integers *own = pass;
    *met = (struct outcome_training){.weight_saturations =
                                         own->note.saturations + own->note.state_saturations,
                                     .largest_sum = own->note.largest};
    for (unsigned i = 0; i < own->lanes; i++) {
        const struct nn_numerics *numerics = &own->lane[i].numerics;
        met->saturations += numerics->saturations;
        met->error_saturations += numerics->error_saturations;
        met->overflows += numerics->overflows;
    }
}

#define IF_IT_TRAINS(function) (NN_TRAINS ? (function) : NULL)
const struct host_format NN_OF_FORMAT(HOST_FORMAT) = {.type = EXCHANGE_WORDS,
                                                      .value_bytes = sizeof(nn_value),
                                                      .word_bytes = sizeof(int32_t),
                                                      .has_block = true,
                                                      .tells_losses = true,
                                                      .loss_group = UINT32_MAX,
                                                      .update_most = SIZE_MAX,
                                                      .open = open_integers,
                                                      .close = close_integers,
                                                      .parts = parts,
                                                      .test = test,
                                                      .train = IF_IT_TRAINS(train),
                                                      .update = IF_IT_TRAINS(update),
                                                      .met = IF_IT_TRAINS(met)};
