/* format_float64.c - double precision on the host: the reference (reference.h), which is exact but
 * not fast.  The update rules are those of optimizer.h.
 *
 * The bits do not depend on the number of threads: a batch is always cut into PARTS, whose sums are
 * added in order. */
#include "sim/host_backend/reference.h"
#include "sim/host_backend/trainer.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

enum { PARTS = 16, TEST_IMAGES = 16 /* of a part */, LOSS_GROUP = 250 };

struct doubles {
    const struct host_training *training;
    uint32_t classes;
    unsigned workers;
    struct reference_pass *pass; /* [worker] */
};

static enum status open_doubles(const struct host_training *training, uint32_t most,
                                unsigned workers, void **pass, struct diagnostic *diagnostic)
{
    const struct network *network = training->network;
    struct doubles *own = calloc(1, sizeof *own);
    (void)most;
    *pass = own;
    if (own == NULL) {
        return no_memory(diagnostic);
    }
    own->training = training;
    own->classes = network->layer[network->layer_count - 1].outputs;
    own->pass = calloc(workers, sizeof *own->pass);
    if (own->pass == NULL) {
        return no_memory(diagnostic);
    }
    for (; own->workers < workers; own->workers++) {
        TRY(reference_pass_init(&own->pass[own->workers], network, diagnostic));
    }
    return STATUS_OK;
}

static void close_doubles(void *pass)
{
    struct doubles *own = pass;
    for (unsigned i = 0; i < own->workers; i++) {
        reference_pass_deinit(&own->pass[i]);
    }
    free(own->pass);
    free(own);
}

static size_t parts(const void *pass, uint32_t images, bool trains)
{
    (void)pass;
    return trains ? PARTS : (images + TEST_IMAGES - 1) / TEST_IMAGES;
}

/* Softmax probability of the largest logit, with 16 fractional bits. */
static uint32_t confidence_of(const double *logits, uint32_t classes, uint32_t label)
{
    static const double ONE = 65536;
    double sum = 0;
    for (uint32_t c = 0; c < classes; c++) {
        sum += exp(logits[c] - logits[label]);
    }
    return (uint32_t)lround(ONE / sum);
}

static void test(void *pass, unsigned worker, size_t part, const struct host_batch *batch,
                 const void *parameters)
{
    const struct doubles *own = pass;
    const uint32_t first = (uint32_t)part * TEST_IMAGES;
    for (uint32_t i = first; i < batch->count && i < first + TEST_IMAGES; i++) {
        double *logits = own->pass[worker].value[own->training->network->layer_count];
        (void)reference_forward(&own->pass[worker], parameters, batch->image[i]);
        for (uint32_t c = 0; c < own->classes; c++) {
            logits[c] /= own->training->network->logit_factor;
        }
        const uint32_t label = reference_label(logits, own->classes);
        batch->found[i] = label;
        batch->loss[i] =
            reference_loss(own->training->network)->of(logits, own->classes, batch->label[i]);
        if (batch->result != NULL) {
            batch->result[i] =
                (struct nn_result){.label = label,
                                   .confidence = confidence_of(logits, own->classes, label),
                                   .done = 1};
        }
    }
}

static void train(void *pass, unsigned worker, size_t part, const struct host_batch *batch,
                  const void *parameters, void *gradients, struct host_score *score)
{
    const struct doubles *own = pass;
    struct reference_pass *image = &own->pass[worker];
    for (uint32_t i = share_first(batch->count, PARTS, (unsigned)part);
         i < share_first(batch->count, PARTS, (unsigned)part + 1); i++) {
        const uint8_t label = batch->label[i];
        const double *logits = reference_forward(image, parameters, batch->image[i]);
        score->correct += reference_label(logits, own->classes) == label;
        score->loss += reference_loss(own->training->network)->of(logits, own->classes, label);
        reference_backward(image, parameters, label, gradients);
    }
}

static enum status update(void *pass, const struct host_step *step, size_t first, size_t count,
                          struct diagnostic *diagnostic)
{
    const struct host_training *training = ((const struct doubles *)pass)->training;
    const struct optimizer_step now = {.number = step->number,
                                       .rate = training->reals.rate * step->rate / NN_FULL_RATE,
                                       .momentum = training->reals.momentum};
    (void)first;
    (void)diagnostic;
    optimizer_of(training->reals.optimizer)
        ->doubles(&now, count, step->gradients, step->state, step->parameters);
    return STATUS_OK;
}

const struct host_format HOST_FORMAT_FLOAT64 = {.type = EXCHANGE_DOUBLES,
                                                .value_bytes = sizeof(double),
                                                .word_bytes = sizeof(double),
                                                .state_words = OPTIMIZER_MOST_WORDS,
                                                .tells_losses = true,
                                                .loss_group = LOSS_GROUP,
                                                .update_most = SIZE_MAX,
                                                .open = open_doubles,
                                                .close = close_doubles,
                                                .parts = parts,
                                                .train = train,
                                                .update = update,
                                                .test = test};
