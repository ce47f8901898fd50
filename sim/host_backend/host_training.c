/* host_training.c - see host_training.h. */
#include "sim/host_backend/host_training.h"

#include "sim/run_control/follower.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is heard of a training ---- */

struct listener {
    const struct job *job;
    struct outcome *outcome;
    double loss; /* over the updates since the last row */
    uint64_t updates;
    double accuracy; /* of the last test */
    const struct learning *learning;
    struct outcome_training before;     /* numeric events before the checkpoint */
    struct follower *follower;          /* NULL: no comparison */
    const struct host_watcher *watcher; /* NULL: nobody */
    enum status status; /* first failure in adding rows, in the follower or of the watcher */
    struct diagnostic *diagnostic;
};

static void add_learning(struct listener *listener, const struct outcome_learning *row)
{
    if (!outcome_add_learning(listener->outcome, row)) {
        listener->status = no_memory(listener->diagnostic);
    }
}

static void on_progress(void *context, const struct reference_progress *progress)
{
    struct listener *listener = context;
    const struct job_options *options = &listener->job->options;
    const uint64_t every = listener->job->config->record_learning_every;
    const bool validated = progress->tested && listener->job->validation.count > 0;
    struct outcome_learning row = {.update = progress->update,
                                   .epoch = progress->epoch,
                                   .images = progress->images,
                                   .seconds = NAN,
                                   .joules = outcome_no_joules(),
                                   .loss = progress->loss,
                                   .accuracy = progress->tested ? progress->accuracy : NAN,
                                   .validation_loss = validated ? progress->validation_loss : NAN,
                                   .validation_accuracy =
                                       validated ? progress->validation_accuracy : NAN};
    if (progress->tested) {
        add_learning(listener, &row);
        listener->accuracy = progress->accuracy;
        return;
    }
    listener->loss += progress->loss;
    listener->updates++;
    if (progress->update % every == 0) {
        row.loss = listener->loss / (double)listener->updates;
        add_learning(listener, &row);
        listener->loss = 0;
        listener->updates = 0;
    }
    if (options->progress != NULL) {
        const struct job_progress now = {.stage = "train",
                                         .unit = "updates",
                                         .done = progress->update,
                                         .total = progress->updates,
                                         .images_per_second = NAN,
                                         .loss = progress->loss,
                                         .accuracy = listener->accuracy,
                                         .joules = NAN};
        options->progress(options->progress_context, &now);
    }
}

static void on_update(void *context, const struct integer_update *update)
{
    struct listener *listener = context;
    if (listener->follower != NULL && listener->status == STATUS_OK) {
        const bool looks = update->update % listener->job->config->record_parameter_norms == 0;
        listener->status =
            follower_update(listener->follower, update->update, looks ? update->parameters : NULL,
                            listener->outcome, listener->diagnostic);
    }
    if (listener->watcher != NULL && listener->status == STATUS_OK) {
        const struct host_update now = {update->update, update->parameters, update->state};
        listener->status =
            listener->watcher->updated(listener->watcher->context, &now, listener->diagnostic);
    }
}

/* Sum of the numeric events before a checkpoint and since. */
static struct outcome_training sum_of(struct outcome_training a, const struct outcome_training *b)
{
    a.saturations += b->saturations;
    a.overflows += b->overflows;
    a.error_saturations += b->error_saturations;
    a.weight_saturations += b->weight_saturations;
    a.largest_sum = a.largest_sum > b->largest_sum ? a.largest_sum : b->largest_sum;
    return a;
}

/* A training with a watcher is a part of a run that has a checkpoint of its own (sim/sampling). */
static void leave_checkpoint(struct listener *listener, const struct integer_epoch *epoch)
{
    const struct job *job = listener->job;
    const uint64_t every = job->config->record_checkpoint_every_epochs;
    struct checkpoint to;
    if (job->options.results == NULL || listener->watcher != NULL || every == 0 ||
        epoch->epochs % every != 0 || epoch->epochs == listener->learning->epochs) {
        return;
    }
    listener->status = checkpoint_init(&to, listener->learning, job->table, job->train.digest_hex,
                                       listener->diagnostic);
    if (listener->status == STATUS_OK) {
        to.epochs = epoch->epochs;
        memcpy(to.parameters, epoch->parameters, to.places * sizeof *to.parameters);
        memcpy(to.state, epoch->state, to.places * to.state_words * sizeof *to.state);
        to.joules[0] = to.joules[1] = to.joules[2] = NAN;
        to.since_row[0] = listener->loss;
        to.since_row[1] = (double)listener->updates;
        listener->status = outcome_save(listener->outcome, &to)
                               ? checkpoint_write(&to, job->options.results, listener->diagnostic)
                               : no_memory(listener->diagnostic);
    }
    checkpoint_deinit(&to);
}

static bool on_epoch(void *context, const struct integer_epoch *epoch)
{
    struct listener *listener = context;
    struct outcome *outcome = listener->outcome;
    const struct sim_config *config = listener->job->config;
    outcome->training = sum_of(listener->before, epoch->met);
    if (listener->status == STATUS_OK) {
        leave_checkpoint(listener, epoch);
    }
    return listener->status == STATUS_OK &&
           !outcome_is_enough(outcome, epoch->epochs, config->train_patience,
                              config->train_target_accuracy);
}

/* ---- doubles ---- */

struct reference_training host_training_doubles(const struct job *job)
{
    const struct sim_config *config = job->config;
    const struct optimizer *optimizer = optimizer_of(config->train_optimizer);
    const bool mean = optimizer->descends && config->train_reduction == CONFIG_REDUCTION_MEAN;
    return (struct reference_training){
        .network = &job->network,
        .train = &job->train,
        .test = &job->test,
        .seed = config->seed,
        .epochs = (uint32_t)config->train_epochs,
        .global_batch = (uint32_t)config->train_global_batch,
        .optimizer = config->train_optimizer,
        .momentum = optimizer->state_words > 0 && optimizer->descends ? config->train_momentum : 0,
        .initializer = config->train_initializer,
        .learning_rate =
            config->train_learning_rate / (mean ? (double)config->train_global_batch : 1),
        .warm_up = config->train_warm_up,
        .decay = config->train_decay,
        .halve_every = (uint32_t)config->train_halve_every,
        .test_every_epochs = (uint32_t)config->test_every_epochs,
        .initial = job->weights.float64,
        .threads = job->options.threads};
}

static enum status train_float64(const struct job *job, struct outcome *outcome,
                                 struct diagnostic *diagnostic)
{
    struct listener listener = {
        .job = job, .outcome = outcome, .accuracy = NAN, .diagnostic = diagnostic};
    struct reference_training training = host_training_doubles(job);
    training.progress = on_progress;
    training.context = &listener;
    struct reference_result result;
    TRY(reference_train(&training, &result, diagnostic));
    outcome->updates = result.updates;
    outcome->images_trained = result.images;
    outcome->loss = result.test.loss;
    enum status status = listener.status;
    if (status == STATUS_OK) {
        status = weights_round(&outcome->trained, &job->network, job->table, result.parameters,
                               diagnostic);
    }
    reference_result_deinit(&result);
    return status;
}

/* ---- integers ---- */

enum status host_training_initial(const struct job *job, void **initial,
                                  struct diagnostic *diagnostic)
{
    const size_t bytes = weights_block_bytes(&job->network, job->table);
    *initial = malloc(bytes);
    if (*initial == NULL) {
        return no_memory(diagnostic);
    }
    if (job->resumes) {
        memcpy(*initial, job->checkpoint.parameters, bytes);
    } else if (job->weights.block != NULL) {
        memcpy(*initial, job->weights.block, bytes);
    } else {
        learning_draw(&job->network, job->table, job->config->train_initializer, job->config->seed,
                      *initial);
    }
    return STATUS_OK;
}

struct integer_training host_training_integers(const struct job *job,
                                               const struct learning *learning, const void *initial)
{
    return (struct integer_training){.network = &job->network,
                                     .table = job->table,
                                     .learning = learning,
                                     .train = &job->train,
                                     .test = &job->test,
                                     .validation = &job->validation,
                                     .initial = initial,
                                     .test_every_epochs = (uint32_t)job->config->test_every_epochs,
                                     .threads = job->options.threads};
}

static enum status run_integers(const struct job *job, const struct learning *learning,
                                const void *initial, struct listener *listener,
                                struct integer_training_result *result)
{
    struct integer_training training = host_training_integers(job, learning, initial);
    training.progress = on_progress;
    training.updated = on_update;
    training.epoch_done = on_epoch;
    training.context = listener;
    listener->learning = learning;
    enum status status = STATUS_OK;
    if (job->resumes) {
        training.first_epoch = job->checkpoint.epochs;
        training.state = job->checkpoint.state;
        status = outcome_restore(listener->outcome, &job->checkpoint)
                     ? STATUS_OK
                     : no_memory(listener->diagnostic);
        listener->before = listener->outcome->training;
        listener->loss = job->checkpoint.since_row[0];
        listener->updates = (uint64_t)job->checkpoint.since_row[1];
        listener->outcome->epochs_before =
            job->checkpoint.time_ps > 0 ? job->checkpoint.epochs : 0; /* a machine's are lost */
    }
    if (status == STATUS_OK && job->config->record_parameter_norms > 0) {
        status = follower_open(job, &listener->follower, listener->diagnostic);
    }
    if (status == STATUS_OK) {
        status =
            INTEGER_BACKEND[job->network.numbers].train(&training, result, listener->diagnostic);
    }
    follower_close(listener->follower);
    return status == STATUS_OK ? listener->status : status;
}

static enum status train_integers(const struct job *job, const struct host_watcher *watcher,
                                  struct outcome *outcome, struct diagnostic *diagnostic)
{
    struct listener listener = {.job = job,
                                .outcome = outcome,
                                .accuracy = NAN,
                                .watcher = watcher,
                                .diagnostic = diagnostic};
    struct learning learning;
    struct integer_training_result result = {0};
    void *initial = NULL;
    enum status status =
        learning_of(job->config, &job->network, job->train.count, &learning, diagnostic);
    if (status == STATUS_OK) {
        status = host_training_initial(job, &initial, diagnostic);
    }
    if (status == STATUS_OK) {
        status = run_integers(job, &learning, initial, &listener, &result);
    }
    if (status == STATUS_OK) {
        outcome->updates = result.updates;
        outcome->images_trained = result.images;
        outcome->loss = result.test_loss;
        outcome->trained.block = result.parameters; /* ownership moves */
        result.parameters = NULL;
    }
    free(initial);
    integer_training_result_deinit(&result);
    return status;
}

enum status host_training_run(const struct job *job, const struct host_watcher *watcher,
                              struct outcome *outcome, struct diagnostic *diagnostic)
{
    return job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64
               ? train_float64(job, outcome, diagnostic)
               : train_integers(job, watcher, outcome, diagnostic);
}
