/* host_training.c - see host_training.h. */
#include "sim/host_backend/host_training.h"

#include "sim/host_backend/job_training.h"
#include "sim/run_control/follower.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is heard of a training ---- */

struct listener {
    const struct job *job;
    const struct host_format *format;
    const struct learning *learning;
    struct outcome *outcome;
    double loss; /* over the updates since the last row */
    uint64_t updates;
    double accuracy;                    /* of the last test */
    struct outcome_training before;     /* numeric events before the checkpoint */
    struct follower *follower;          /* NULL: no comparison */
    const struct host_watcher *watcher; /* NULL: nobody */
    struct operations_log *log;
};

/* ---- hooks ---- */

static bool tell(const struct listener *listener, enum job_event_kind kind,
                 const struct trainer_news *news, uint64_t update)
{
    const uint64_t begun = news->event == TRAINER_EPOCH_BEGINS ? 1 : 0; /* not counted yet */
    const struct job_live live = {.job = listener->job, .parameters = news->parameters};
    const bool tested = kind >= JOB_AFTER_TEST_SET;
    const struct job_event event = {.kind = kind,
                                    .epoch = news->epoch + begun,
                                    .update = update,
                                    .loss = tested ? listener->outcome->loss : news->loss,
                                    .accuracy = tested ? listener->accuracy : news->accuracy,
                                    .live = &live};
    return job_tell(listener->job, &event);
}

/* False: the hook ends the run. */
static bool tell_updated(const struct listener *listener, const struct trainer_news *news)
{
    (void)tell(listener, JOB_AFTER_STEP, news, news->update);
    const bool goes_on = tell(listener, JOB_STEP_CHECK, news, news->update);
    if (goes_on && news->update % listener->learning->updates_per_epoch != 0) {
        (void)tell(listener, JOB_BEFORE_STEP, news, news->update + 1);
    }
    return goes_on;
}

static bool is_test_due(const struct listener *listener, const struct trainer_news *news)
{
    const uint64_t every = listener->job->config->test_every_epochs;
    return news->epoch == listener->learning->epochs || (every > 0 && news->epoch % every == 0);
}

static enum status add_row(struct listener *listener, const struct trainer_news *news, double loss,
                           double accuracy, struct diagnostic *diagnostic)
{
    const struct outcome_learning row = {.update = news->update,
                                         .epoch = news->epoch,
                                         .images = news->images,
                                         .seconds = NAN,
                                         .joules = outcome_no_joules(),
                                         .loss = loss,
                                         .accuracy = accuracy,
                                         .validation_loss = news->validation_loss,
                                         .validation_accuracy = news->validation_accuracy};
    return outcome_add_learning(listener->outcome, &row) ? STATUS_OK : no_memory(diagnostic);
}

static enum status on_test(struct listener *listener, const struct trainer_news *news,
                           struct diagnostic *diagnostic)
{
    listener->accuracy = news->accuracy;
    listener->outcome->loss = news->loss;
    return add_row(listener, news, news->loss, news->accuracy, diagnostic);
}

static void show_progress(const struct listener *listener, const struct trainer_news *news)
{
    const struct job_options *options = &listener->job->options;
    const struct job_progress now = {.stage = "train",
                                     .unit = "updates",
                                     .done = news->update,
                                     .total = news->updates,
                                     .images_per_second = NAN,
                                     .loss = news->loss,
                                     .accuracy = listener->accuracy,
                                     .joules = NAN};
    if (options->progress != NULL) {
        options->progress(options->progress_context, &now);
    }
}

static enum status on_update(struct listener *listener, const struct trainer_news *news,
                             struct diagnostic *diagnostic)
{
    const struct sim_config *config = listener->job->config;
    struct outcome *outcome = listener->outcome;
    outcome->updates = news->update;
    outcome->images_trained = news->images;
    if (listener->follower != NULL) {
        const bool looks = news->update % config->record_parameter_norms == 0;
        TRY(follower_update(listener->follower, news->update, looks ? news->parameters : NULL,
                            outcome, diagnostic));
    }
    if (listener->watcher != NULL) {
        const struct host_update now = {news->update, news->parameters, news->state, news->work,
                                        news->batch};
        TRY(listener->watcher->updated(listener->watcher->context, &now, diagnostic));
    }
    listener->loss += news->loss;
    listener->updates++;
    if (news->update % config->record_learning_every == 0) {
        TRY(add_row(listener, news, listener->loss / (double)listener->updates, NAN, diagnostic));
        listener->loss = 0;
        listener->updates = 0;
    }
    show_progress(listener, news);
    return STATUS_OK;
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
static enum status leave_checkpoint(const struct listener *listener,
                                    const struct trainer_news *news, bool ends,
                                    struct diagnostic *diagnostic)
{
    const struct job *job = listener->job;
    const struct sim_config *config = job->config;
    struct checkpoint to;
    if (job->options.results == NULL || listener->watcher != NULL ||
        !checkpoint_is_due(config->record_checkpoint_every_epochs, config->record_last_checkpoint,
                           news->epoch, ends) ||
        !listener->format->has_block) {
        return STATUS_OK;
    }
    enum status status =
        checkpoint_init(&to, listener->learning, job->table, job->train.digest_hex, diagnostic);
    if (status == STATUS_OK) {
        to.epochs = news->epoch;
        memcpy(to.parameters, news->parameters, to.places * sizeof *to.parameters);
        memcpy(to.state, news->state, to.places * to.state_words * sizeof *to.state);
        to.joules[0] = to.joules[1] = to.joules[2] = NAN;
        to.since_row[0] = listener->loss;
        to.since_row[1] = (double)listener->updates;
        status = outcome_save(listener->outcome, &to)
                     ? checkpoint_write(&to, job->options.results, diagnostic)
                     : no_memory(diagnostic);
    }
    checkpoint_deinit(&to);
    return status;
}

static enum status listen(void *context, const struct trainer_news *news, bool *enough,
                          struct diagnostic *diagnostic)
{
    struct listener *listener = context;
    const struct sim_config *config = listener->job->config;
    switch (news->event) {
    case TRAINER_EPOCH_BEGINS:
        (void)tell(listener, JOB_BEFORE_EPOCH, news, news->update);
        (void)tell(listener, JOB_BEFORE_TRAINING_SET, news, news->update);
        (void)tell(listener, JOB_BEFORE_STEP, news, news->update + 1);
        return STATUS_OK;
    case TRAINER_UPDATED:
        TRY(on_update(listener, news, diagnostic));
        return tell_updated(listener, news)
                   ? STATUS_OK
                   : diagnose(diagnostic, STATUS_LIMIT,
                              "a hook has ended the run behind update %" PRIu64, news->update);
    case TRAINER_EPOCH_TRAINED:
        (void)tell(listener, JOB_AFTER_TRAINING_SET, news, news->update);
        if (is_test_due(listener, news)) {
            (void)tell(listener, JOB_BEFORE_TEST_SET, news, news->update);
            (void)tell(listener, JOB_BEFORE_INFERENCE, news, news->update);
        }
        return STATUS_OK;
    case TRAINER_CLASSIFIED:
        (void)tell(listener, JOB_AFTER_INFERENCE, news, news->update);
        return STATUS_OK;
    case TRAINER_TESTED:
        TRY(on_test(listener, news, diagnostic));
        (void)tell(listener, JOB_AFTER_TEST_SET, news, news->update);
        return STATUS_OK;
    case TRAINER_EPOCH_ENDS:
        listener->outcome->training = sum_of(listener->before, news->met);
        *enough = outcome_is_enough(listener->outcome, news->epoch, config->train_patience,
                                    config->train_target_accuracy);
        (void)tell(listener, JOB_AFTER_EPOCH, news, news->update);
        *enough = !tell(listener, JOB_EPOCH_CHECK, news, news->update) || *enough;
        return leave_checkpoint(listener, news,
                                *enough || news->epoch == listener->learning->epochs, diagnostic);
    default:
        return STATUS_OK;
    }
}

/* ---- the training ---- */

/* Whether nobody looks at parameters between two updates of an epoch. */
static bool hears_nothing_within(const struct listener *listener)
{
    const struct job *job = listener->job;
    return listener->watcher == NULL && job->config->record_parameter_norms == 0 &&
           !job_hears(job, JOB_BEFORE_STEP) && !job_hears(job, JOB_AFTER_STEP) &&
           !job_hears(job, JOB_STEP_CHECK);
}

/* What is different after a checkpoint, and beside a follower. */
static enum status prepare(struct listener *listener, struct host_training *training,
                           struct diagnostic *diagnostic)
{
    const struct job *job = listener->job;
    const struct checkpoint *from = &job->checkpoint;
    struct outcome *outcome = listener->outcome;
    if (job->resumes) {
        training->first_epoch = from->epochs;
        training->state = from->state;
        TRY(outcome_restore(outcome, from) ? STATUS_OK : no_memory(diagnostic));
        listener->before = outcome->training;
        listener->loss = from->since_row[0];
        listener->updates = (uint64_t)from->since_row[1];
        outcome->updates = (uint64_t)from->epochs * listener->learning->updates_per_epoch;
        outcome->images_trained = (uint64_t)from->epochs * job->train.count;
        outcome->epochs_before = from->time_ps > 0 ? from->epochs : 0; /* a machine's are lost */
    }
    return listener->format->has_block && job->config->record_parameter_norms > 0
               ? follower_open(job, &listener->follower, diagnostic)
               : STATUS_OK;
}

/* Keeps the trained parameters. */
static enum status keep(const struct host_training *training, const struct job *job,
                        const void *parameters, struct weights *trained,
                        struct diagnostic *diagnostic)
{
    const size_t bytes = trainer_parameter_bytes(training);
    if (!training->format->has_block) {
        FREED double *doubles = calloc(network_parameters(&job->network) + 1, sizeof *doubles);
        if (doubles == NULL) {
            return no_memory(diagnostic);
        }
        host_doubles(job, training->format, parameters, doubles);
        return weights_round(trained, &job->network, job->table, doubles, diagnostic);
    }
    trained->block = malloc(bytes);
    if (trained->block == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(trained->block, parameters, bytes);
    return STATUS_OK;
}

static enum status run(struct listener *listener, const void *initial,
                       struct diagnostic *diagnostic)
{
    struct host_training training =
        host_training_of(listener->job, listener->format, listener->learning, initial);
    struct trainer *trainer = NULL;
    training.shuffled =
        listener->job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64;
    training.log = listener->log;
    training.keeps = hears_nothing_within(listener);
    training.listener = listen;
    training.context = listener;
    enum status status = prepare(listener, &training, diagnostic);
    if (status == STATUS_OK) {
        const struct trainer_news nothing = {
            .event = TRAINER_EPOCH_ENDS, .loss = NAN, .accuracy = NAN};
        (void)tell(listener, JOB_BEFORE_RUN, &nothing, listener->outcome->updates);
        status = trainer_open(&training, &trainer, diagnostic);
    }
    if (status == STATUS_OK) {
        status = trainer_run(trainer, diagnostic);
    }
    if (status == STATUS_OK) {
        status = keep(&training, listener->job, trainer_parameters(trainer),
                      &listener->outcome->trained, diagnostic);
    }
    trainer_close(trainer);
    follower_close(listener->follower);
    return status;
}

enum status host_training_run(const struct job *job, const struct host_watcher *watcher,
                              struct operations_log *log, struct outcome *outcome,
                              struct diagnostic *diagnostic)
{
    struct learning learning;
    struct listener listener = {.job = job,
                                .format = host_format_of(job),
                                .learning = &learning,
                                .outcome = outcome,
                                .accuracy = NAN,
                                .watcher = watcher,
                                .log = log};
    void *initial;
    TRY(learning_of(job->config, &job->network, job->train.count, &learning, diagnostic));
    TRY(host_training_initial(job, listener.format, &initial, diagnostic));
    const enum status status = run(&listener, initial, diagnostic);
    free(initial);
    return status;
}
