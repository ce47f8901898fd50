/* integer_train.c - see integer_train.h. */
#include "sim/host_backend/integer_train.h"

#include "sim/host_backend/dataset_fit.h"
#include "sim/host_backend/host_integer.h"
#include "sim/host_backend/parallel.h"
#include "sim/networks/loss.h"
#include "sim/steps.h"
#include "workloads/nn/loss.h"
#include "workloads/nn/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* State of one part of each batch. */
struct lane {
    struct integer_pass pass;
    int32_t *gradients;
    uint64_t loss; /* sum over images, NN_LOSS_FRACTION fractional bits */
    uint32_t correct;
};

struct integer_trainer {
    struct integer_training request;
    size_t places; /* places of the parameter block */
    unsigned lanes;
    struct lane *lane;
    nn_value *parameters;
    int32_t *gradients, *state;
    uint32_t epoch, update; /* the next epoch and update; update counts within its epoch */
    uint64_t epoch_loss;
    uint32_t epoch_correct, epoch_images;
    struct nn_update_note note;
    struct reference_progress now;
};

/* ---- a batch ---- */

/* Positions of an update's images within its epoch. */
struct reach {
    uint64_t first, end;
};

static struct reach reach_of(const struct integer_trainer *trainer)
{
    const struct integer_share *share = trainer->request.share;
    const struct learning *learning = trainer->request.learning;
    const uint64_t first = (uint64_t)trainer->update * learning->batch;
    const uint64_t count = learning_batch_of(learning, trainer->update);
    return share == NULL ? (struct reach){first, first + count}
                         : (struct reach){first + count * share->index / share->count,
                                          first + count * (share->index + 1) / share->count};
}

static double mean_loss(uint64_t loss, uint64_t count)
{
    return ldexp((double)loss, -NN_LOSS_FRACTION) / (double)count;
}

static void run_lane(void *context, unsigned worker, size_t task)
{
    struct integer_trainer *trainer = context;
    const struct integer_training *request = &trainer->request;
    const struct learning *learning = request->learning;
    const struct reach all = reach_of(trainer);
    const uint64_t count = all.end - all.first;
    const uint32_t first = (uint32_t)all.first;
    struct lane *lane = &trainer->lane[task];
    (void)worker;
    memset(lane->gradients, 0, trainer->places * sizeof *lane->gradients);
    lane->loss = 0;
    lane->correct = 0;
    for (uint64_t i = count * task / trainer->lanes; i < count * (task + 1) / trainer->lanes; i++) {
        const uint32_t image =
            nn_order_image(&learning->order, trainer->epoch, first + (uint32_t)i);
        const uint32_t label = request->train->labels[image];
        uint32_t loss;
        lane->pass.draw = (struct integer_draw){learning->order.seed, trainer->epoch, image};
        lane->correct +=
            label == integer_forward(&lane->pass, trainer->parameters,
                                     request->train->images + (size_t)image * DATASET_PIXELS, label,
                                     &loss);
        lane->loss += loss;
        integer_backward(&lane->pass, trainer->parameters, lane->gradients);
    }
}

/* Adds up the lanes; additions wrap, as on the cores. */
static void add_lanes(struct integer_trainer *trainer, uint64_t *loss, uint32_t *correct)
{
    memset(trainer->gradients, 0, trainer->places * sizeof *trainer->gradients);
    *loss = 0;
    *correct = 0;
    for (unsigned i = 0; i < trainer->lanes; i++) {
        const struct lane *lane = &trainer->lane[i];
        *loss += lane->loss;
        *correct += lane->correct;
        nn_add_words(trainer->gradients, lane->gradients, (uint32_t)trainer->places, 1);
    }
}

/* ---- an update ---- */

struct part {
    const char *what; /* "weight" or "bias" */
    uint32_t first, count, weights_end;
};

static enum status update_part(struct integer_trainer *trainer, const struct nn_layer *layer,
                               const struct part *part, struct diagnostic *diagnostic)
{
    const struct learning *learning = trainer->request.learning;
    const uint32_t number = (uint32_t)trainer->now.update;
    const size_t state = (size_t)part->first * nn_rule_state_words(&learning->rule);
    struct nn_update_note note = {0};
    nn_update(&learning->rule, number, nn_rate(&learning->schedule, number), part->first,
              part->count, part->weights_end, trainer->gradients + part->first,
              trainer->state + state, trainer->parameters + part->first, &note);
    trainer->note.saturations += note.saturations;
    trainer->note.state_saturations += note.state_saturations;
    if (note.largest > trainer->note.largest) {
        trainer->note.largest = note.largest;
    }
    if (learning_has_room(note.largest)) {
        return STATUS_OK;
    }
    (void)diagnose(
        diagnostic, STATUS_CONFIGURATION,
        "layer %s, update %llu: the gradient of %s %u adds up to %d, which leaves less than half "
        "of 32 bits free",
        layer->name, (unsigned long long)trainer->now.update + 1, part->what,
        note.largest_at - part->first, trainer->gradients[note.largest_at]);
    diagnostic_key(diagnostic, "train.learning_rate");
    diagnostic_hint(diagnostic, "the training diverges: lower the rate or lengthen train.warm_up");
    return STATUS_CONFIGURATION;
}

static enum status update_layers(struct integer_trainer *trainer, struct diagnostic *diagnostic)
{
    const struct nn_table *table = trainer->request.table;
    const struct network *network = trainer->request.network;
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        const uint32_t first = layer->weights / (uint32_t)sizeof(int16_t);
        const uint32_t count = (uint32_t)network_layer_weights(&network->layer[i]);
        const struct part weights = {"weight", first, count, first + count};
        const struct part biases = {"bias", layer->biases / (uint32_t)sizeof(int16_t),
                                    network_layer_biases(&network->layer[i]), 0};
        TRY(update_part(trainer, layer, &weights, diagnostic));
        TRY(update_part(trainer, layer, &biases, diagnostic));
    }
    return STATUS_OK;
}

static void tell(const struct integer_trainer *trainer)
{
    const struct integer_training *request = &trainer->request;
    const struct integer_update update = {.update = trainer->now.update,
                                          .parameters = trainer->parameters,
                                          .gradients = trainer->gradients,
                                          .state = trainer->state};
    if (request->updated != NULL) {
        request->updated(request->context, &update);
    }
    if (request->progress != NULL) {
        request->progress(request->context, &trainer->now);
    }
}

static enum status run_update(struct integer_trainer *trainer, struct diagnostic *diagnostic)
{
    const struct integer_share *share = trainer->request.share;
    const struct reach all = reach_of(trainer);
    const uint32_t count = (uint32_t)(all.end - all.first);
    uint64_t loss;
    uint32_t correct;
    parallel_run(trainer->request.threads, trainer->lanes, run_lane, trainer);
    add_lanes(trainer, &loss, &correct);
    if (share != NULL) {
        TRY(share->sum(share->context, trainer->gradients, trainer->places, diagnostic));
    }
    TRY(update_layers(trainer, diagnostic));
    trainer->now.update++;
    trainer->now.images += count;
    trainer->now.loss = mean_loss(loss, count);
    trainer->now.accuracy = (double)correct / count;
    trainer->epoch_loss += loss;
    trainer->epoch_correct += correct;
    trainer->epoch_images += count;
    tell(trainer);
    return STATUS_OK;
}

/* ---- tests and epochs ---- */

static enum status classify(const struct integer_trainer *trainer, const struct dataset *images,
                            double *loss, double *accuracy, struct diagnostic *diagnostic)
{
    const struct integer_training *request = &trainer->request;
    const struct host_integer_request test = {.table = request->table,
                                              .parameters = trainer->parameters,
                                              .dataset = images,
                                              .threads = request->threads};
    struct host_integer_run run;
    TRY(host_integer_test(&test, &run, diagnostic));
    *loss = test_loss(request->table, run.result, images->labels, run.count);
    *accuracy = (double)run.correct / run.count;
    host_integer_run_deinit(&run);
    return STATUS_OK;
}

static bool has_validation(const struct integer_training *request)
{
    return request->validation != NULL && request->validation->count > 0;
}

static enum status run_test(const struct integer_trainer *trainer,
                            struct integer_training_result *result, struct diagnostic *diagnostic)
{
    const struct integer_training *request = &trainer->request;
    struct reference_progress tested = trainer->now;
    TRY(classify(trainer, request->test, &tested.loss, &tested.accuracy, diagnostic));
    if (has_validation(request)) {
        TRY(classify(trainer, request->validation, &tested.validation_loss,
                     &tested.validation_accuracy, diagnostic));
    }
    tested.tested = true;
    result->test_loss = tested.loss;
    result->test_accuracy = tested.accuracy;
    if (request->progress != NULL) {
        request->progress(request->context, &tested);
    }
    return STATUS_OK;
}

static bool is_over(const struct integer_trainer *trainer)
{
    const uint64_t stop = trainer->request.stop_after;
    return trainer->epoch == trainer->request.learning->epochs ||
           (stop != 0 && trainer->now.update >= stop);
}

/* Performs the next update; after the last one of an epoch, starts the next epoch. */
static enum status advance(struct integer_trainer *trainer, struct diagnostic *diagnostic)
{
    if (trainer->update == 0) {
        trainer->epoch_loss = 0;
        trainer->epoch_correct = 0;
        trainer->epoch_images = 0;
        trainer->now.epoch = trainer->epoch + 1;
    }
    const enum status status = run_update(trainer, diagnostic);
    trainer->update++;
    if (trainer->update == trainer->request.learning->updates_per_epoch) {
        trainer->update = 0;
        trainer->epoch++;
    }
    return status;
}

static struct outcome_training what_was_met(const struct integer_trainer *trainer)
{
    struct outcome_training met = {.weight_saturations =
                                       trainer->note.saturations + trainer->note.state_saturations,
                                   .largest_sum = trainer->note.largest};
    for (unsigned i = 0; i < trainer->lanes; i++) {
        const struct nn_numerics *numerics = &trainer->lane[i].pass.numerics;
        met.saturations += numerics->saturations;
        met.error_saturations += numerics->error_saturations;
        met.overflows += numerics->overflows;
    }
    return met;
}

static enum status run_all(struct integer_trainer *trainer, struct integer_training_result *result,
                           struct diagnostic *diagnostic)
{
    const struct integer_training *request = &trainer->request;
    const uint32_t every = request->test_every_epochs;
    bool goes_on = true;
    while (goes_on && !is_over(trainer)) {
        TRY(advance(trainer, diagnostic));
        if (trainer->update != 0) { /* within an epoch */
            continue;
        }
        const bool last = trainer->epoch == request->learning->epochs;
        if (last || (every != 0 && trainer->epoch % every == 0)) {
            TRY(run_test(trainer, result, diagnostic));
        }
        if (request->epoch_done != NULL) {
            const struct outcome_training met = what_was_met(trainer);
            const struct integer_epoch epoch = {.epochs = trainer->epoch,
                                                .parameters = trainer->parameters,
                                                .state = trainer->state,
                                                .met = &met};
            goes_on = request->epoch_done(request->context, &epoch);
        }
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status trainer_init(struct integer_trainer *trainer,
                                const struct integer_training *request,
                                struct diagnostic *diagnostic)
{
    const struct nn_table *table = request->table;
    const size_t places = table->parameter_bytes / sizeof(int16_t);
    const size_t words = nn_rule_state_words(&request->learning->rule);
    *trainer = (struct integer_trainer){.request = *request,
                                        .places = places,
                                        .lanes = parallel_workers(request->threads),
                                        .parameters = malloc(places * sizeof(nn_value)),
                                        .gradients = calloc(places, sizeof(int32_t)),
                                        .state = calloc(places * words + 1, sizeof(int32_t)),
                                        .now = {.updates = request->learning->schedule.updates}};
    trainer->lane = calloc(trainer->lanes, sizeof *trainer->lane);
    bool memory = trainer->parameters != NULL && trainer->gradients != NULL &&
                  trainer->state != NULL && trainer->lane != NULL;
    enum status status = STATUS_OK;
    for (unsigned i = 0; i < trainer->lanes && memory && status == STATUS_OK; i++) {
        trainer->lane[i].gradients = calloc(places, sizeof(int32_t));
        memory = trainer->lane[i].gradients != NULL;
        status = integer_pass_init(&trainer->lane[i].pass, table,
                                   request->learning->rule.error_fraction, diagnostic);
        if (request->round_errors != NULL) {
            trainer->lane[i].pass.round_errors = request->round_errors;
        }
    }
    if (!memory) {
        return no_memory(diagnostic);
    }
    memcpy(trainer->parameters, request->initial, places * sizeof(nn_value));
    if (request->state != NULL) {
        memcpy(trainer->state, request->state, places * words * sizeof(int32_t));
    }
    trainer->epoch = request->first_epoch;
    trainer->now.update = (uint64_t)request->first_epoch * request->learning->updates_per_epoch;
    trainer->now.images = (uint64_t)request->first_epoch * request->learning->order.images;
    return status;
}

static void trainer_deinit(struct integer_trainer *trainer)
{
    for (unsigned i = 0; i < trainer->lanes && trainer->lane != NULL; i++) {
        free(trainer->lane[i].gradients);
        integer_pass_deinit(&trainer->lane[i].pass);
    }
    free(trainer->lane);
    free(trainer->parameters);
    free(trainer->gradients);
    free(trainer->state);
}

static void finish(struct integer_trainer *trainer, struct integer_training_result *result)
{
    const uint32_t images = trainer->epoch_images;
    result->met = what_was_met(trainer);
    result->parameters = trainer->parameters;
    trainer->parameters = NULL;
    result->updates = trainer->now.update;
    result->images = trainer->now.images;
    result->train_loss = mean_loss(trainer->epoch_loss, images);
    result->train_accuracy = (double)trainer->epoch_correct / images;
}

static enum status fits(const struct integer_training *request, const struct dataset *images,
                        struct diagnostic *diagnostic)
{
    return dataset_fit(images, request->table->image_pixels, request->table->classes, diagnostic);
}

enum status integer_train(const struct integer_training *request,
                          struct integer_training_result *result, struct diagnostic *diagnostic)
{
    struct integer_trainer trainer;
    *result = (struct integer_training_result){.test_loss = NAN, .test_accuracy = NAN};
    TRY(fits(request, request->train, diagnostic));
    TRY(fits(request, request->test, diagnostic));
    if (has_validation(request)) {
        TRY(fits(request, request->validation, diagnostic));
    }
    enum status status = trainer_init(&trainer, request, diagnostic);
    if (status == STATUS_OK) {
        status = run_all(&trainer, result, diagnostic);
    }
    if (status == STATUS_OK) {
        finish(&trainer, result);
    } else {
        *result = (struct integer_training_result){0};
    }
    trainer_deinit(&trainer);
    return status;
}

void integer_training_result_deinit(struct integer_training_result *result)
{
    free(result->parameters);
    *result = (struct integer_training_result){0};
}

/* ---- update by update ---- */

enum status integer_trainer_open(const struct integer_training *training,
                                 struct integer_trainer **trainer, struct diagnostic *diagnostic)
{
    *trainer = NULL;
    TRY(fits(training, training->train, diagnostic));
    struct integer_trainer *made = malloc(sizeof *made);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    const enum status status = trainer_init(made, training, diagnostic);
    if (status != STATUS_OK) {
        integer_trainer_close(made);
        return status;
    }
    made->request.progress = NULL;
    made->request.updated = NULL;
    *trainer = made;
    return STATUS_OK;
}

enum status integer_trainer_step(struct integer_trainer *trainer, struct diagnostic *diagnostic)
{
    if (trainer->epoch == trainer->request.learning->epochs) {
        return diagnose(diagnostic, STATUS_INTERNAL, "the training has no more updates");
    }
    return advance(trainer, diagnostic);
}

const void *integer_trainer_parameters(const struct integer_trainer *trainer)
{
    return trainer->parameters;
}

void integer_trainer_close(struct integer_trainer *trainer)
{
    if (trainer != NULL) {
        trainer_deinit(trainer);
        free(trainer);
    }
}
