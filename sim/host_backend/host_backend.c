/* host_backend.c - the backend `host`: the same networks on this computer, in the same integers
 * (int16) or in double precision (float64).  No cycles, no traffic, no joules. */
#include "sim/host_backend/host_integer.h"
#include "sim/host_backend/integer_train.h"
#include "sim/host_backend/parallel.h"
#include "sim/host_backend/reference_train.h"
#include "sim/run_control/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(struct diagnostic *diagnostic, const char *key, const char *what,
                   const char *hint)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION, "%s", what);
    diagnostic_key(diagnostic, key);
    diagnostic_hint(diagnostic, "%s", hint);
    return false;
}

static bool can_run(const struct job *job, struct diagnostic *diagnostic)
{
    static const char INTEGERS[] = "network.number_format: int16 can";
    const struct sim_config *config = job->config;
    if (config->network_number_format != CONFIG_NUMBER_FORMAT_FLOAT64) {
        return true;
    }
    if (config->mode != CONFIG_MODE_TRAIN) {
        return job->weights.float64 != NULL ||
               refuse(diagnostic, "network.weights",
                      "the weights have no values in float64, only integers",
                      "use a file that mode: train has written in float64");
    }
    if (config->train_optimizer == CONFIG_OPTIMIZER_ADAM) {
        return refuse(diagnostic, "train.optimizer", "float64 learns without adam", INTEGERS);
    }
    return config->train_decay != CONFIG_DECAY_STEP ||
           refuse(diagnostic, "train.decay", "float64 learns without steps", INTEGERS);
}

/* ---- integers ---- */

static enum status test_integers(const struct job *job, const int16_t *parameters,
                                 struct outcome *outcome, struct diagnostic *diagnostic)
{
    struct host_integer_run run;
    const struct host_integer_request request = {.table = job->table,
                                                 .parameters = parameters,
                                                 .dataset = &job->test,
                                                 .threads = job->options.threads};
    const enum status status = host_integer_test(&request, &run, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    outcome->result = run.result; /* ownership moves */
    outcome->result_count = run.count;
    outcome->right = run.correct;
    outcome->saturations = run.saturations;
    outcome->overflows = run.overflows;
    outcome->has_logits = true;
    return STATUS_OK;
}

/* ---- doubles ---- */

/* Images in one task. */
enum { PART = 100 };

struct float64_work {
    const struct job *job;
    const double *parameters;
    struct reference_pass pass[PARALLEL_MAX_THREADS];
    struct nn_result *result;
};

/* The share of the largest logit, 16 fractional bits. */
static uint32_t confidence_of(const double *logits, uint32_t classes, uint32_t label)
{
    static const double ONE = 65536;
    double sum = 0;
    for (uint32_t c = 0; c < classes; c++) {
        sum += exp(logits[c] - logits[label]);
    }
    return (uint32_t)lround(ONE / sum);
}

static void classify_part(void *context, unsigned worker, size_t task)
{
    struct float64_work *work = context;
    const struct dataset *images = &work->job->test;
    const uint32_t classes = work->job->table->classes;
    const uint32_t first = (uint32_t)task * PART;
    for (uint32_t i = first; i < images->count && i < first + PART; i++) {
        const double *logits = reference_forward(&work->pass[worker], work->parameters,
                                                 images->images + (size_t)i * DATASET_PIXELS);
        struct nn_result *result = &work->result[i];
        result->label = reference_label(logits, classes);
        result->confidence = confidence_of(logits, classes, result->label);
        result->done = 1;
    }
}

static enum status classify_all(struct float64_work *work, struct diagnostic *diagnostic)
{
    const struct job *job = work->job;
    const unsigned workers = parallel_workers(job->options.threads);
    enum status status = STATUS_OK;
    unsigned ready = 0;
    for (; ready < workers && status == STATUS_OK; ready++) {
        status = reference_pass_init(&work->pass[ready], &job->network, diagnostic);
    }
    if (status == STATUS_OK) {
        parallel_run(job->options.threads, (job->test.count + PART - 1) / PART, classify_part,
                     work);
    }
    for (unsigned i = 0; i < ready; i++) {
        reference_pass_deinit(&work->pass[i]);
    }
    return status;
}

static enum status test_float64(const struct job *job, const double *parameters,
                                struct outcome *outcome, struct diagnostic *diagnostic)
{
    struct float64_work *work = calloc(1, sizeof *work);
    outcome->result = calloc(job->test.count + 1u, sizeof *outcome->result);
    if (work == NULL || outcome->result == NULL) {
        free(work);
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    work->job = job;
    work->parameters = parameters;
    work->result = outcome->result;
    const enum status status = classify_all(work, diagnostic);
    free(work);
    outcome->result_count = job->test.count;
    for (uint32_t i = 0; i < job->test.count; i++) {
        outcome->right += outcome->result[i].label == job->test.labels[i];
    }
    return status;
}

/* ---- training ---- */

struct listener {
    const struct job *job;
    struct outcome *outcome;
    double loss, accuracy; /* over the updates since the last row */
    uint64_t updates;
    bool no_room;
};

static void add_learning(struct listener *listener, const struct outcome_learning *row)
{
    struct outcome *outcome = listener->outcome;
    struct outcome_learning *larger =
        realloc(outcome->learning, (outcome->learning_count + 1) * sizeof *larger);
    if (larger == NULL) {
        listener->no_room = true;
        return;
    }
    outcome->learning = larger;
    larger[outcome->learning_count++] = *row;
}

static void on_progress(void *context, const struct reference_progress *progress)
{
    struct listener *listener = context;
    const struct job_options *options = &listener->job->options;
    const uint64_t every = listener->job->config->record_learning_every;
    struct outcome_learning row = {.update = progress->update,
                                   .epoch = progress->epoch,
                                   .images = progress->images,
                                   .seconds = NAN,
                                   .joules = NAN,
                                   .loss = progress->loss,
                                   .accuracy = progress->tested ? progress->accuracy : NAN};
    if (progress->tested) {
        add_learning(listener, &row);
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
        options->progress(options->progress_context, "train", progress->update, progress->updates,
                          "updates");
    }
}

/* The rate for the sum over a batch. */
static double rate_for_sum(const struct sim_config *config)
{
    const bool mean = config->train_reduction == CONFIG_REDUCTION_MEAN;
    return config->train_learning_rate / (mean ? (double)config->train_global_batch : 1);
}

static enum status train_float64(const struct job *job, struct outcome *outcome,
                                 struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    struct listener listener = {.job = job, .outcome = outcome};
    const bool momentum = config->train_optimizer == CONFIG_OPTIMIZER_MOMENTUM;
    const struct reference_training training = {
        .network = &job->network,
        .train = &job->train,
        .test = &job->test,
        .seed = config->seed,
        .epochs = (uint32_t)config->train_epochs,
        .global_batch = (uint32_t)config->train_global_batch,
        .momentum = momentum ? config->train_momentum : 0,
        .initializer = config->train_initializer,
        .learning_rate = rate_for_sum(config),
        .warm_up = config->train_warm_up,
        .decay = config->train_decay == CONFIG_DECAY_LINEAR,
        .test_every_epochs = (uint32_t)config->test_every_epochs,
        .initial = job->weights.float64,
        .threads = job->options.threads,
        .progress = on_progress,
        .context = &listener};
    struct reference_result result;
    enum status status = reference_train(&training, &result, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    outcome->updates = result.updates;
    outcome->images_trained = result.images;
    outcome->loss = result.test.loss;
    status = listener.no_room ? diagnose(diagnostic, STATUS_INTERNAL, "out of memory") : STATUS_OK;
    if (status == STATUS_OK) {
        status = weights_round(&outcome->trained, &job->network, job->table, result.parameters,
                               diagnostic);
    }
    if (status == STATUS_OK) {
        status = test_float64(job, result.parameters, outcome, diagnostic);
    }
    reference_result_deinit(&result);
    return status;
}

/* The weights of the configuration, or drawn ones. */
static enum status begin_integers(const struct job *job, int16_t **initial,
                                  struct diagnostic *diagnostic)
{
    *initial = malloc(job->table->parameter_bytes);
    if (*initial == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    if (job->weights.block != NULL) {
        memcpy(*initial, job->weights.block, job->table->parameter_bytes);
    } else {
        learning_draw(&job->network, job->table, job->config->train_initializer, job->config->seed,
                      *initial);
    }
    return STATUS_OK;
}

static void take_integers(struct outcome *outcome, struct integer_training_result *result)
{
    outcome->updates = result->updates;
    outcome->images_trained = result->images;
    outcome->loss = result->test_loss;
    outcome->trained.block = result->parameters; /* ownership moves */
    outcome->trained.origin.reference_accuracy = NAN;
    outcome->training.saturations = result->saturations;
    outcome->training.error_saturations = result->error_saturations;
    outcome->training.weight_saturations = result->weight_saturations;
    outcome->training.overflows = result->overflows;
    outcome->training.largest_sum = result->largest_sum;
    result->parameters = NULL;
}

static enum status train_integers(const struct job *job, struct outcome *outcome,
                                  struct diagnostic *diagnostic)
{
    struct listener listener = {.job = job, .outcome = outcome};
    struct learning learning;
    struct integer_training_result result = {0};
    int16_t *initial = NULL;
    enum status status =
        learning_of(job->config, &job->network, job->train.count, &learning, diagnostic);
    if (status == STATUS_OK) {
        status = begin_integers(job, &initial, diagnostic);
    }
    if (status == STATUS_OK) {
        const struct integer_training training = {.network = &job->network,
                                                  .table = job->table,
                                                  .learning = &learning,
                                                  .train = &job->train,
                                                  .test = &job->test,
                                                  .initial = initial,
                                                  .test_every_epochs =
                                                      (uint32_t)job->config->test_every_epochs,
                                                  .threads = job->options.threads,
                                                  .progress = on_progress,
                                                  .context = &listener};
        status = integer_train(&training, &result, diagnostic);
    }
    free(initial);
    if (status == STATUS_OK) {
        take_integers(outcome, &result);
        status = listener.no_room ? diagnose(diagnostic, STATUS_INTERNAL, "out of memory")
                                  : test_integers(job, outcome->trained.block, outcome, diagnostic);
    }
    integer_training_result_deinit(&result);
    return status;
}

/* A configuration's path from the folder that holds configs/: the same in every checkout. */
static const char *path_in_checkout(const char *path)
{
    static const char CONFIGS[] = "configs/";
    const char *found = path;
    for (const char *at = strstr(path, CONFIGS); at != NULL; at = strstr(at + 1, CONFIGS)) {
        if (at == path || at[-1] == '/') {
            found = at;
        }
    }
    return found;
}

/* The command that makes these weights again; where it is too long, what of it has room. */
static void write_recipe(const struct sim_config *config, char *recipe, size_t capacity)
{
    (void)snprintf(recipe, capacity, "spinnsim run %s", path_in_checkout(config->file));
    for (size_t i = 0; i < config->set_count; i++) {
        const size_t used = strlen(recipe);
        (void)snprintf(recipe + used, capacity - used, " --set %s", config->sets[i]);
    }
}

/* Where the weights come from, for their file. */
static void sign_weights(const struct job *job, struct outcome *outcome)
{
    struct weights_origin *origin = &outcome->trained.origin;
    (void)snprintf(origin->dataset, sizeof origin->dataset, "%s",
                   config_data_set_text(job->config->data_set));
    memcpy(origin->dataset_digest, job->train.digest_hex, sizeof origin->dataset_digest);
    write_recipe(job->config, origin->recipe, sizeof origin->recipe);
    if (outcome->trained.float64 != NULL) {
        origin->reference_accuracy = (double)outcome->right / outcome->result_count;
    }
}

/* ---- the whole ---- */

/* SHA-256 over the results: a host has no counters. */
static void hash_results(struct outcome *outcome)
{
    uint8_t digest[SHA256_BYTES];
    struct sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, outcome->result, outcome->result_count * sizeof *outcome->result);
    sha256_final(&hash, digest);
    sha256_hex(digest, outcome->stats_hash);
}

static enum status run(const struct job *job, struct outcome *outcome,
                       struct diagnostic *diagnostic)
{
    const bool reals = job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64;
    outcome->loss = NAN;
    outcome->reference_accuracy = NAN;
    outcome->labels = job->test.labels;
    enum status status;
    if (job->config->mode == CONFIG_MODE_TRAIN) {
        status = reals ? train_float64(job, outcome, diagnostic)
                       : train_integers(job, outcome, diagnostic);
        if (status == STATUS_OK) {
            sign_weights(job, outcome);
        }
    } else {
        outcome->reference_accuracy = job->weights.origin.reference_accuracy;
        status = reals ? test_float64(job, job->weights.float64, outcome, diagnostic)
                       : test_integers(job, job->weights.block, outcome, diagnostic);
    }
    if (status == STATUS_OK) {
        hash_results(outcome);
    }
    return status;
}

const struct backend BACKEND_HOST = {"host", can_run, run};
