/* reference_train.c - see reference_train.h. */
#include "sim/host_backend/reference_train.h"

#include "sim/host_backend/dataset_fit.h"
#include "sim/host_backend/parallel.h"
#include "sim/host_backend/training_schedule.h"
#include "sim/networks/loss.h"

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

struct reference_trainer {
    const struct reference_training *request;
    size_t parameter_count;
    uint32_t classes;
    double *parameters, *velocity, *gradients;
    uint32_t *order; /* of this epoch's images */
    struct lane lane[REFERENCE_LANES];
    uint32_t batch_first, batch_count; /* in `order` */
    struct reference_training own;     /* of a trainer that is stepped: the request */
    struct training_schedule schedule;
    struct reference_progress now;
    struct reference_score epoch; /* loss: summed, not mean */
};

/* ---- one update ---- */

static void run_lane(void *context, unsigned worker, size_t task)
{
    struct reference_trainer *trainer = context;
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
    const struct reference_training *request = trainer->request;
    const double rate = request->learning_rate *
                        training_rate(&trainer->schedule, trainer->now.update) / TRAINING_FULL_RATE;
    for (size_t i = 0; i < trainer->parameter_count; i++) {
        trainer->velocity[i] =
            request->momentum * trainer->velocity[i] + rate * trainer->gradients[i];
        trainer->parameters[i] -= trainer->velocity[i];
    }
}

static void report(const struct reference_trainer *trainer,
                   const struct reference_progress *progress)
{
    if (trainer->request->progress != NULL) {
        trainer->request->progress(trainer->request->context, progress);
    }
}

static enum status run_update(struct reference_trainer *trainer, struct diagnostic *diagnostic)
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

static enum status run_test(const struct reference_trainer *trainer,
                            struct reference_result *result, struct diagnostic *diagnostic)
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

static void begin_epoch(struct reference_trainer *trainer)
{
    const struct reference_training *request = trainer->request;
    const uint32_t images = request->train->count;
    const uint32_t epoch = trainer->now.epoch++;
    trainer->epoch = (struct reference_score){0};
    trainer->batch_first = 0;
    if (request->order == NULL) {
        training_order(request->seed, epoch, trainer->order, images);
        return;
    }
    for (uint32_t i = 0; i < images; i++) {
        trainer->order[i] = nn_order_image(request->order, epoch, i);
    }
}

/* The next update; at its end an epoch's loss becomes a mean. */
static enum status advance(struct reference_trainer *trainer, struct diagnostic *diagnostic)
{
    const uint32_t images = trainer->request->train->count;
    if (trainer->now.epoch == 0 || trainer->batch_first == images) {
        begin_epoch(trainer);
    }
    const uint32_t left = images - trainer->batch_first;
    const uint32_t most = trainer->request->global_batch;
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
    const struct reference_training *request = trainer->request;
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

static enum status trainer_init(struct reference_trainer *trainer,
                                const struct reference_training *request,
                                struct diagnostic *diagnostic)
{
    const struct network *network = request->network;
    const uint32_t images = request->train->count;
    const size_t count = network_parameters(network);
    const uint64_t updates = (images + (uint64_t)request->global_batch - 1) / request->global_batch;
    *trainer =
        (struct reference_trainer){.request = request,
                                   .parameter_count = count,
                                   .classes = network->layer[network->layer_count - 1].outputs,
                                   .parameters = calloc(count, sizeof(double)),
                                   .velocity = calloc(count, sizeof(double)),
                                   .gradients = calloc(count, sizeof(double)),
                                   .order = calloc(images, sizeof(uint32_t)),
                                   .schedule = training_schedule_of(
                                       updates, request->epochs, request->warm_up, request->decay)};
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

static void trainer_deinit(struct reference_trainer *trainer)
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
    struct reference_trainer *trainer = malloc(sizeof *trainer);
    if (trainer == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    status = trainer_init(trainer, request, diagnostic);
    if (status == STATUS_OK) {
        status = run_all(trainer, result, diagnostic);
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

/* ---- update by update ---- */

enum status reference_trainer_open(const struct reference_training *training,
                                   struct reference_trainer **trainer,
                                   struct diagnostic *diagnostic)
{
    *trainer = NULL;
    enum status status = check_request(training, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    struct reference_trainer *made = malloc(sizeof *made);
    if (made == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    status = trainer_init(made, training, diagnostic);
    if (status != STATUS_OK) {
        reference_trainer_close(made);
        return status;
    }
    made->own = *training;
    made->own.progress = NULL;
    made->request = &made->own;
    *trainer = made;
    return STATUS_OK;
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
        trainer_deinit(trainer);
        free(trainer);
    }
}
