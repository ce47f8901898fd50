/* reference_train.c - see reference_train.h. */
#include "sim/host_backend/reference_train.h"

#include "sim/host_backend/dataset_fit.h"
#include "sim/host_backend/parallel.h"
#include "sim/networks/draw.h"
#include "sim/networks/learning.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* State of one part of each batch. */
struct lane {
    struct reference_pass pass;
    double *gradients; /* summed over the lane's images */
    double loss;
    uint32_t correct;
};

struct reference_trainer {
    struct reference_training request;
    size_t parameter_count;
    uint32_t classes;
    double *memory; /* owned: the vectors below and the lanes' gradients */
    double *parameters, *state, *gradients;
    uint32_t *order; /* order of this epoch's images */
    struct lane lane[REFERENCE_LANES];
    uint32_t batch_first, batch_count; /* in `order` */
    struct nn_schedule schedule;
    struct reference_progress now;
    struct reference_score epoch; /* loss: summed, not mean */
};

/* ---- one update ---- */

static void run_lane(void *context, unsigned worker, size_t task)
{
    struct reference_trainer *trainer = context;
    const struct dataset *dataset = trainer->request.train;
    struct lane *lane = &trainer->lane[task];
    const uint64_t count = trainer->batch_count;
    const uint32_t first = (uint32_t)(count * task / REFERENCE_LANES);
    const uint32_t end = (uint32_t)(count * (task + 1) / REFERENCE_LANES);
    (void)worker;
    memset(lane->gradients, 0, trainer->parameter_count * sizeof *lane->gradients);
    lane->loss = 0;
    lane->correct = 0;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t image = trainer->order[trainer->batch_first + i];
        const uint8_t label = dataset->labels[image];
        const double *logits = reference_forward(&lane->pass, trainer->parameters,
                                                 dataset->images + (size_t)image * DATASET_PIXELS);
        lane->correct += reference_label(logits, trainer->classes) == label;
        lane->loss += reference_loss(trainer->request.network)->of(logits, trainer->classes, label);
        reference_backward(&lane->pass, trainer->parameters, label, lane->gradients);
    }
}

static void add_lanes(struct reference_trainer *trainer, double *loss, uint32_t *correct)
{
    *loss = 0;
    *correct = 0;
    memset(trainer->gradients, 0, trainer->parameter_count * sizeof *trainer->gradients);
    for (size_t i = 0; i < REFERENCE_LANES; i++) {
        const struct lane *lane = &trainer->lane[i];
        *loss += lane->loss;
        *correct += lane->correct;
        for (size_t j = 0; j < trainer->parameter_count; j++) {
            trainer->gradients[j] += lane->gradients[j];
        }
    }
}

static void step(struct reference_trainer *trainer)
{
    const struct reference_training *request = &trainer->request;
    const uint64_t number = trainer->now.update;
    const struct optimizer_step now = {.number = number,
                                       .rate = request->learning_rate *
                                               nn_rate(&trainer->schedule, (uint32_t)number) /
                                               NN_FULL_RATE,
                                       .momentum = request->momentum};
    optimizer_of(request->optimizer)
        ->doubles(&now, trainer->parameter_count, trainer->gradients, trainer->state,
                  trainer->parameters);
}

static void report(const struct reference_trainer *trainer,
                   const struct reference_progress *progress)
{
    if (trainer->request.progress != NULL) {
        trainer->request.progress(trainer->request.context, progress);
    }
}

static enum status run_update(struct reference_trainer *trainer, struct diagnostic *diagnostic)
{
    double loss;
    uint32_t correct;
    parallel_run(trainer->request.threads, REFERENCE_LANES, run_lane, trainer);
    add_lanes(trainer, &loss, &correct);
    step(trainer);
    struct reference_progress *now = &trainer->now;
    now->update++;
    now->images += trainer->batch_count;
    if (!isfinite(loss)) {
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION,
                     "the training has diverged: the loss of update %llu is no number",
                     (unsigned long long)now->update);
        diagnostic_key(diagnostic, "train.learning_rate");
        diagnostic_hint(diagnostic, "it applies to the sum over the batch: lower it, or lengthen "
                                    "train.warm_up");
        return status;
    }
    now->loss = loss / trainer->batch_count;
    now->accuracy = (double)correct / trainer->batch_count;
    trainer->epoch.count += trainer->batch_count;
    trainer->epoch.correct += correct;
    trainer->epoch.loss += loss;
    report(trainer, now);
    return STATUS_OK;
}

/* ---- epochs ---- */

static enum status run_test(const struct reference_trainer *trainer,
                            struct reference_result *result, struct diagnostic *diagnostic)
{
    const struct reference_training *request = &trainer->request;
    const enum status status = reference_test(request->network, trainer->parameters, request->test,
                                              request->threads, &result->test, NULL, diagnostic);
    if (status == STATUS_OK) {
        struct reference_progress tested = trainer->now;
        tested.tested = true;
        tested.loss = result->test.loss;
        tested.accuracy = (double)result->test.correct / result->test.count;
        report(trainer, &tested);
    }
    return status;
}

void reference_order(uint64_t seed, uint32_t epoch, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (uint32_t left = count; left > 1; left--) {
        const uint64_t word = draw_word(seed, (uint32_t)DRAW_ORDER + epoch, left - 1);
        const uint32_t chosen = draw_below(word, left);
        const uint32_t swapped = order[chosen];
        order[chosen] = order[left - 1];
        order[left - 1] = swapped;
    }
}

static void begin_epoch(struct reference_trainer *trainer)
{
    const struct reference_training *request = &trainer->request;
    const uint32_t images = request->train->count;
    const uint32_t epoch = trainer->now.epoch++;
    trainer->epoch = (struct reference_score){0};
    trainer->batch_first = 0;
    if (request->order == NULL) {
        reference_order(request->seed, epoch, trainer->order, images);
        return;
    }
    for (uint32_t i = 0; i < images; i++) {
        trainer->order[i] = nn_order_image(request->order, epoch, i);
    }
}

/* Performs the next update; at the end of an epoch, turns the sum of losses into their mean. */
static enum status advance(struct reference_trainer *trainer, struct diagnostic *diagnostic)
{
    const uint32_t images = trainer->request.train->count;
    if (trainer->now.epoch == 0 || trainer->batch_first == images) {
        begin_epoch(trainer);
    }
    const uint32_t left = images - trainer->batch_first;
    const uint32_t most = trainer->request.global_batch;
    trainer->batch_count = left < most ? left : most;
    const enum status status = run_update(trainer, diagnostic);
    trainer->batch_first += trainer->batch_count;
    if (trainer->batch_first == images) {
        trainer->epoch.loss /= images;
    }
    return status;
}

static enum status run_all(struct reference_trainer *trainer, struct reference_result *result,
                           struct diagnostic *diagnostic)
{
    const struct reference_training *request = &trainer->request;
    enum status status = STATUS_OK;
    while (trainer->now.update < trainer->now.updates && status == STATUS_OK) {
        status = advance(trainer, diagnostic);
        const uint32_t epoch = trainer->now.epoch;
        const uint32_t every = request->test_every_epochs;
        const bool test = trainer->batch_first == request->train->count &&
                          (epoch == request->epochs || (every != 0 && epoch % every == 0));
        if (status == STATUS_OK && test) {
            status = run_test(trainer, result, diagnostic);
        }
    }
    return status;
}

/* ---- the whole ---- */

static enum status check_request(const struct reference_training *request,
                                 struct diagnostic *diagnostic)
{
    const struct network *network = request->network;
    const uint32_t pixels = network_values(network->input);
    const uint32_t classes = network->layer[network->layer_count - 1].outputs;
    const uint64_t batch = request->global_batch == 0 ? 1 : request->global_batch;
    const uint64_t updates = (request->train->count + batch - 1) / batch * request->epochs;
    const struct {
        bool right;
        const char *key, *what;
    } claim[] = {
        {request->epochs > 0, "train.epochs", "there must be an epoch"},
        {request->global_batch > 0, "train.global_batch", "a batch must have an image"},
        {request->momentum >= 0 && request->momentum < 1, "train.momentum",
         "the momentum must be at least 0, below 1"},
        {request->learning_rate > 0 && isfinite(request->learning_rate), "train.learning_rate",
         "the rate must be above 0"},
        {request->warm_up >= 0 && request->warm_up <= 1, "train.warm_up",
         "the warm-up is a share, 0 to 1"},
        {updates <= NN_MAX_UPDATES, "train.epochs", "more updates than the schedule can count"},
    };
    for (size_t i = 0; i < sizeof claim / sizeof *claim; i++) {
        if (!claim[i].right) {
            (void)diagnose(diagnostic, STATUS_CONFIGURATION, "%s", claim[i].what);
            diagnostic_key(diagnostic, claim[i].key);
            return STATUS_CONFIGURATION;
        }
    }
    TRY(dataset_fit(request->train, pixels, classes, diagnostic));
    return dataset_fit(request->test, pixels, classes, diagnostic);
}

static enum status trainer_init(struct reference_trainer *trainer, struct diagnostic *diagnostic)
{
    const struct reference_training *request = &trainer->request;
    const struct network *network = request->network;
    const uint32_t images = request->train->count;
    const size_t count = network_parameters(network);
    const size_t vectors = 2 + OPTIMIZER_MOST_WORDS + REFERENCE_LANES;
    trainer->parameter_count = count;
    trainer->classes = network->layer[network->layer_count - 1].outputs;
    trainer->schedule = training_schedule_of(
        (images + request->global_batch - 1) / request->global_batch, request->epochs,
        request->warm_up, request->decay, request->halve_every);
    trainer->now.updates = trainer->schedule.updates;
    trainer->order = calloc(images, sizeof *trainer->order);
    trainer->memory = calloc(vectors * count, sizeof *trainer->memory);
    if (trainer->order == NULL || trainer->memory == NULL) {
        return no_memory(diagnostic);
    }
    trainer->parameters = trainer->memory;
    trainer->gradients = trainer->memory + count;
    trainer->state = trainer->memory + 2 * count;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < REFERENCE_LANES && status == STATUS_OK; i++) {
        trainer->lane[i].gradients = trainer->memory + (vectors - 1 - i) * count;
        status = reference_pass_init(&trainer->lane[i].pass, network, diagnostic);
    }
    if (request->initial != NULL) {
        memcpy(trainer->parameters, request->initial, count * sizeof(double));
    } else {
        reference_draw(network, request->initializer, request->seed, trainer->parameters);
    }
    return status;
}

enum status reference_trainer_open(const struct reference_training *training,
                                   struct reference_trainer **trainer,
                                   struct diagnostic *diagnostic)
{
    *trainer = NULL;
    TRY(check_request(training, diagnostic));
    struct reference_trainer *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    made->request = *training;
    *trainer = made;
    const enum status status = trainer_init(made, diagnostic);
    if (status != STATUS_OK) {
        reference_trainer_close(made);
        *trainer = NULL;
    }
    return status;
}

enum status reference_trainer_step(struct reference_trainer *trainer, struct diagnostic *diagnostic)
{
    if (trainer->now.update == trainer->now.updates) {
        return diagnose(diagnostic, STATUS_INTERNAL, "the training has no more updates");
    }
    return advance(trainer, diagnostic);
}

const double *reference_trainer_parameters(const struct reference_trainer *trainer)
{
    return trainer->parameters;
}

void reference_trainer_close(struct reference_trainer *trainer)
{
    if (trainer != NULL) {
        for (size_t i = 0; i < REFERENCE_LANES; i++) {
            reference_pass_deinit(&trainer->lane[i].pass);
        }
        free(trainer->memory);
        free(trainer->order);
        free(trainer);
    }
}

enum status reference_train(const struct reference_training *request,
                            struct reference_result *result, struct diagnostic *diagnostic)
{
    struct reference_trainer *trainer;
    *result = (struct reference_result){0};
    enum status status = reference_trainer_open(request, &trainer, diagnostic);
    if (status == STATUS_OK) {
        status = run_all(trainer, result, diagnostic);
    }
    if (status == STATUS_OK) {
        result->updates = trainer->now.update;
        result->images = trainer->now.images;
        result->train = trainer->epoch;
        result->parameters =
            trainer->memory; /* ownership moves: the parameters are first in `memory` */
        trainer->memory = NULL;
    } else {
        *result = (struct reference_result){0};
    }
    reference_trainer_close(trainer);
    return status;
}

void reference_result_deinit(struct reference_result *result)
{
    free(result->parameters);
    *result = (struct reference_result){0};
}
