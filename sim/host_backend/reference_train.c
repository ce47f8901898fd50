/* reference_train.c - see reference_train.h. */
#include "sim/host_backend/reference_train.h"

#include "sim/host_backend/dataset_fit.h"
#include "sim/host_backend/parallel.h"
#include "sim/host_backend/reference_layers.h"
#include "sim/host_backend/training_schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A part of each batch. */
struct lane {
    struct reference_pass pass;
    double *gradients; /* summed over the lane's images */
    double loss;
    uint32_t correct;
};

struct trainer {
    const struct reference_training *request;
    size_t parameter_count;
    uint32_t classes;
    double *parameters, *velocity, *gradients;
    uint32_t *order; /* of this epoch's images */
    struct lane lane[REFERENCE_LANES];
    uint32_t batch_first, batch_count; /* in `order` */
    struct training_schedule schedule;
    struct reference_progress now;
    struct reference_score epoch; /* loss: summed, not mean */
};

/* ---- one update ---- */

static void run_lane(void *context, unsigned worker, size_t task)
{
    struct trainer *trainer = context;
    const struct dataset *dataset = trainer->request->train;
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
        lane->loss += reference_cross_entropy(logits, trainer->classes, label);
        reference_backward(&lane->pass, trainer->parameters, label, lane->gradients);
    }
}

static void add_lanes(struct trainer *trainer, double *loss, uint32_t *correct)
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

static void step(struct trainer *trainer)
{
    const struct reference_training *request = trainer->request;
    const double rate = request->learning_rate *
                        training_rate(&trainer->schedule, trainer->now.update) / TRAINING_FULL_RATE;
    for (size_t i = 0; i < trainer->parameter_count; i++) {
        trainer->velocity[i] =
            request->momentum * trainer->velocity[i] + rate * trainer->gradients[i];
        trainer->parameters[i] -= trainer->velocity[i];
    }
}

static void report(const struct trainer *trainer, const struct reference_progress *progress)
{
    if (trainer->request->progress != NULL) {
        trainer->request->progress(trainer->request->context, progress);
    }
}

static enum status run_update(struct trainer *trainer, struct diagnostic *diagnostic)
{
    double loss;
    uint32_t correct;
    parallel_run(trainer->request->threads, REFERENCE_LANES, run_lane, trainer);
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

static enum status run_test(const struct trainer *trainer, struct reference_result *result,
                            struct diagnostic *diagnostic)
{
    const struct reference_training *request = trainer->request;
    const enum status status = reference_test(request->network, trainer->parameters, request->test,
                                              request->threads, &result->test, diagnostic);
    if (status == STATUS_OK) {
        struct reference_progress tested = trainer->now;
        tested.tested = true;
        tested.loss = result->test.loss;
        tested.accuracy = (double)result->test.correct / result->test.count;
        report(trainer, &tested);
    }
    return status;
}

static enum status run_epoch(struct trainer *trainer, struct diagnostic *diagnostic)
{
    const struct reference_training *request = trainer->request;
    const uint32_t images = request->train->count;
    enum status status = STATUS_OK;
    training_order(request->seed, trainer->now.epoch - 1, trainer->order, images);
    trainer->epoch = (struct reference_score){0};
    for (uint32_t first = 0; first < images && status == STATUS_OK; first += trainer->batch_count) {
        const uint32_t left = images - first;
        trainer->batch_first = first;
        trainer->batch_count = left < request->global_batch ? left : request->global_batch;
        status = run_update(trainer, diagnostic);
    }
    trainer->epoch.loss /= images;
    return status;
}

static enum status run_epochs(struct trainer *trainer, struct reference_result *result,
                              struct diagnostic *diagnostic)
{
    const struct reference_training *request = trainer->request;
    enum status status = STATUS_OK;
    for (uint32_t epoch = 1; epoch <= request->epochs && status == STATUS_OK; epoch++) {
        trainer->now.epoch = epoch;
        status = run_epoch(trainer, diagnostic);
        const uint32_t every = request->test_every_epochs;
        const bool test = epoch == request->epochs || (every != 0 && epoch % every == 0);
        if (status == STATUS_OK && test) {
            status = run_test(trainer, result, diagnostic);
        }
    }
    return status;
}

/* ---- the whole ---- */

static enum status refuse(struct diagnostic *diagnostic, const char *key, const char *what)
{
    const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION, "%s", what);
    diagnostic_key(diagnostic, key);
    return status;
}

static enum status check_request(const struct reference_training *request,
                                 struct diagnostic *diagnostic)
{
    const struct network *network = request->network;
    const uint32_t pixels = network_values(network->input);
    const uint32_t classes = network->layer[network->layer_count - 1].outputs;
    if (request->epochs == 0) {
        return refuse(diagnostic, "train.epochs", "there must be an epoch");
    }
    if (request->global_batch == 0) {
        return refuse(diagnostic, "train.global_batch", "a batch must have an image");
    }
    if (!(request->momentum >= 0 && request->momentum < 1)) {
        return refuse(diagnostic, "train.momentum", "the momentum must be at least 0, below 1");
    }
    if (!(request->learning_rate > 0 && isfinite(request->learning_rate))) {
        return refuse(diagnostic, "train.learning_rate", "the rate must be above 0");
    }
    if (!(request->warm_up >= 0 && request->warm_up <= 1)) {
        return refuse(diagnostic, "train.warm_up", "the warm-up is a share, 0 to 1");
    }
    const enum status status = dataset_fit(request->train, pixels, classes, diagnostic);
    return status == STATUS_OK ? dataset_fit(request->test, pixels, classes, diagnostic) : status;
}

static enum status trainer_init(struct trainer *trainer, const struct reference_training *request,
                                struct diagnostic *diagnostic)
{
    const struct network *network = request->network;
    const uint32_t images = request->train->count;
    const size_t count = network_parameters(network);
    const uint64_t updates = (images + (uint64_t)request->global_batch - 1) / request->global_batch;
    *trainer = (struct trainer){.request = request,
                                .parameter_count = count,
                                .classes = network->layer[network->layer_count - 1].outputs,
                                .parameters = calloc(count, sizeof(double)),
                                .velocity = calloc(count, sizeof(double)),
                                .gradients = calloc(count, sizeof(double)),
                                .order = calloc(images, sizeof(uint32_t)),
                                .schedule = training_schedule_of(updates, request->epochs,
                                                                 request->warm_up, request->decay)};
    trainer->now.updates = trainer->schedule.updates;
    bool memory = trainer->parameters != NULL && trainer->velocity != NULL &&
                  trainer->gradients != NULL && trainer->order != NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < REFERENCE_LANES && memory && status == STATUS_OK; i++) {
        trainer->lane[i].gradients = calloc(count, sizeof(double));
        memory = trainer->lane[i].gradients != NULL;
        status = reference_pass_init(&trainer->lane[i].pass, network, diagnostic);
    }
    if (!memory) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    if (status == STATUS_OK && request->initial != NULL) {
        memcpy(trainer->parameters, request->initial, count * sizeof(double));
    } else if (status == STATUS_OK) {
        reference_draw(network, request->initializer, request->seed, trainer->parameters);
    }
    return status;
}

static void trainer_deinit(struct trainer *trainer)
{
    free(trainer->parameters);
    free(trainer->velocity);
    free(trainer->gradients);
    free(trainer->order);
    for (size_t i = 0; i < REFERENCE_LANES; i++) {
        free(trainer->lane[i].gradients);
        reference_pass_deinit(&trainer->lane[i].pass);
    }
}

enum status reference_train(const struct reference_training *request,
                            struct reference_result *result, struct diagnostic *diagnostic)
{
    *result = (struct reference_result){0};
    enum status status = check_request(request, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    struct trainer *trainer = malloc(sizeof *trainer);
    if (trainer == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    status = trainer_init(trainer, request, diagnostic);
    if (status == STATUS_OK) {
        status = run_epochs(trainer, result, diagnostic);
    }
    if (status == STATUS_OK) {
        result->parameters = trainer->parameters;
        trainer->parameters = NULL;
        result->updates = trainer->now.update;
        result->images = trainer->now.images;
        result->train = trainer->epoch;
    } else {
        *result = (struct reference_result){0};
    }
    trainer_deinit(trainer);
    free(trainer);
    return status;
}

void reference_result_deinit(struct reference_result *result)
{
    free(result->parameters);
    *result = (struct reference_result){0};
}
