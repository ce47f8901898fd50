/* host_backend.c - the backend `host`: networks on the host, bit-identical to the cores in the
 * machine's number formats, or in double precision (float64).  No cycles, no traffic, no joules. */
#include "sim/file.h"
#include "sim/host_backend/float32_plan.h"
#include "sim/host_backend/format_float32.h"
#include "sim/host_backend/host_training.h"
#include "sim/host_backend/integer_update.h"
#include "sim/host_backend/job_training.h"
#include "sim/host_backend/operations_network.h"
#include "sim/run_control/backend.h"
#include "sim/run_control/job_backend.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

static enum status check_float64(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    if (config->mode != CONFIG_MODE_TRAIN && job->weights.float64 == NULL) {
        return config_refuse(config, "network.weights",
                             "use a file that mode: train has written in float64", diagnostic,
                             "the weights have no values in float64, only integers");
    }
    if (config->mode == CONFIG_MODE_TRAIN && network_has_dropout(&job->network)) {
        return config_refuse(config, "network.name", "network.number_format: int16 can", diagnostic,
                             "float64 learns without dropout");
    }
    return STATUS_OK;
}

/* Keys that integers have and floats have not. */
static enum status check_floats(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    const char *key = config->record_parameter_norms > 0 ? "record.parameter_norms"
                      : config->record_checkpoint_every_epochs > 0
                          ? "record.checkpoint_every_epochs"
                      : config->record_last_checkpoint ? "record.last_checkpoint"
                                                       : NULL;
    if (job->resumes) {
        return file_refuse("--resume", "backend: host, spinnaker, or a library in int16",
                           diagnostic, "a checkpoint holds integers, and this backend has floats");
    }
    return key == NULL
               ? STATUS_OK
               : config_refuse(config, key, "backend: host, spinnaker, or a library in int16",
                               diagnostic, "this backend has floats, not integers");
}

static enum status check(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    const struct host_format *format = host_format_of(job);
    const bool doubles = config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64;
    if (config->check_memory) {
        return config_refuse(config, "check.memory", "backend: spinnaker", diagnostic,
                             "this backend has no memory of a machine");
    }
    TRY(doubles ? check_float64(job, diagnostic) : STATUS_OK);
    TRY(!doubles && !format->has_block ? check_floats(job, diagnostic) : STATUS_OK);
    TRY(format == &FORMAT_FLOAT32 ? float32_check_job(job, diagnostic) : STATUS_OK);
    return job->operations == NULL ? STATUS_OK
                                   : operations_network_check(&job->network, diagnostic);
}

/* Classifies the job's test images. */
static enum status classify(const struct job *job, const struct host_format *format,
                            const struct weights *weights, struct operations_log *log,
                            struct nn_result *result, struct host_score *score,
                            struct diagnostic *diagnostic)
{
    FREED void *parameters = NULL;
    TRY(host_parameters(job, format, weights, &parameters, diagnostic));
    const struct host_training training = {.format = format,
                                           .network = &job->network,
                                           .table = job->table,
                                           .initial = parameters,
                                           .threads = job->options.threads,
                                           .operations = job->operations,
                                           .without = job->without,
                                           .log = log};
    return trainer_classify(&training, &job->test, result, score, diagnostic);
}

static enum status test(const struct job *job, const struct weights *weights,
                        struct operations_log *log, struct outcome *outcome,
                        struct diagnostic *diagnostic)
{
    const struct host_format *format = host_format_of(job);
    struct host_score score;
    outcome->result = calloc(job->test.count + 1u, sizeof *outcome->result);
    if (outcome->result == NULL) {
        return no_memory(diagnostic);
    }
    outcome->result_count = job->test.count;
    TRY(classify(job, format, weights, log, outcome->result, &score, diagnostic));
    outcome->right = score.correct;
    outcome->has_logits = format->has_block;
    outcome->classes = job->table->classes;
    if (format->has_block) {
        outcome->loss = score.loss;
    }
    for (uint32_t i = 0; i < job->test.count; i++) {
        outcome->saturations += outcome->result[i].saturations;
        outcome->overflows += outcome->result[i].overflows;
    }
    return STATUS_OK;
}

enum status host_reference_accuracy(const struct job *job, double *accuracy,
                                    struct diagnostic *diagnostic)
{
    struct host_score score;
    *accuracy = NAN;
    if (job->weights.float64 == NULL) {
        return STATUS_OK;
    }
    TRY(classify(job, &HOST_FORMAT_FLOAT64, &job->weights, NULL, NULL, &score, diagnostic));
    *accuracy = (double)score.correct / score.count;
    return STATUS_OK;
}

enum status host_update(const struct job *job, const struct learning *learning, uint64_t number,
                        int32_t *gradients, int32_t *state, int16_t *parameters,
                        struct host_numerics *met, struct diagnostic *diagnostic)
{
    const struct host_training training = {
        .network = &job->network, .table = job->table, .learning = learning};
    const struct host_step step = {.number = number,
                                   .rate = nn_rate(&learning->schedule, (uint32_t)number),
                                   .places = weights_places(job->table),
                                   .gradients = gradients,
                                   .state = state,
                                   .parameters = parameters};
    struct nn_update_note note = {0};
    const enum status status = integer_update(&training, &step, &note, diagnostic);
    met->weight_saturations += note.saturations + note.state_saturations;
    met->largest_sum = note.largest > met->largest_sum ? note.largest : met->largest_sum;
    return status;
}

/* ---- the whole ---- */

/* Sets stats_hash to the SHA-256 of the results, as there are no counters. */
static void hash_results(struct outcome *outcome)
{
    uint8_t digest[SHA256_BYTES];
    struct sha256 hash;
    sha256_init(&hash);
    outcome_hash_results(outcome, &hash);
    sha256_final(&hash, digest);
    sha256_hex(digest, outcome->stats_hash);
}

/* The rows of operations.csv: what the backend was asked for, and what was made otherwise. */
static enum status keep_log(const struct operations_log *log, struct outcome *outcome,
                            struct diagnostic *diagnostic)
{
    outcome->operations_seconds = log->seconds;
    outcome->operations_joules = log->joules;
    for (size_t i = 0; i < BACKEND_CAPABILITIES; i++) {
        const struct backend_capability_row *capability = &BACKEND_CAPABILITY[i];
        const struct outcome_operation row = {
            .operation = capability->name,
            .calls = log->of[i].calls,
            .elements = log->of[i].elements,
            .fallbacks = log->of[i].fallbacks,
            .fallback = log->of[i].fallbacks > 0 ? capability->fallback : ""};
        if (!outcome_add_operation(outcome, &row)) {
            return no_memory(diagnostic);
        }
    }
    return STATUS_OK;
}

/* What a hook hears of a run; of a training's epochs it hears from host_training.c. */
static void tell(const struct job *job, const struct outcome *outcome, enum job_event_kind kind)
{
    const bool doubles = job_values_of(job) != JOB_BLOCK;
    const struct weights *trained = &outcome->trained;
    const size_t rows = outcome->learning_count;
    const struct job_live live = {
        .job = job, .parameters = doubles ? (const void *)trained->float64 : trained->block};
    const struct job_event event = {.kind = kind,
                                    .epoch = rows == 0 ? 0 : outcome->learning[rows - 1].epoch,
                                    .update = outcome->updates,
                                    .loss = outcome->loss,
                                    .accuracy =
                                        kind >= JOB_AFTER_TEST_SET
                                            ? (double)outcome->right / (double)outcome->result_count
                                            : NAN,
                                    .live = &live};
    (void)job_tell(job, &event);
}

static enum status classify_told(const struct job *job, const struct weights *weights,
                                 struct operations_log *log, struct outcome *outcome,
                                 struct diagnostic *diagnostic)
{
    tell(job, outcome, JOB_BEFORE_TEST_SET);
    tell(job, outcome, JOB_BEFORE_INFERENCE);
    TRY(test(job, weights, log, outcome, diagnostic));
    tell(job, outcome, JOB_AFTER_INFERENCE);
    tell(job, outcome, JOB_AFTER_TEST_SET);
    return STATUS_OK;
}

enum status host_run(const struct job *job, const struct host_watcher *watcher,
                     struct outcome *outcome, struct diagnostic *diagnostic)
{
    const bool trains = job->config->mode == CONFIG_MODE_TRAIN;
    const struct weights *weights = trains ? &outcome->trained : &job->weights;
    struct operations_log log = {.seconds = NAN, .joules = NAN};
    outcome->loss = outcome->reference_accuracy = NAN;
    outcome->labels = job->test.labels;
    outcome->validation_count = job->validation.count;
    if (trains) { /* which tells of its beginning itself, behind the updates of a checkpoint */
        TRY(host_training_run(job, watcher, &log, outcome, diagnostic));
        TRY(test(job, weights, &log, outcome, diagnostic));
        outcome_sign_weights(outcome, job);
    } else {
        tell(job, outcome, JOB_BEFORE_RUN);
        TRY(classify_told(job, weights, &log, outcome, diagnostic));
        TRY(host_reference_accuracy(job, &outcome->reference_accuracy, diagnostic));
    }
    if (job->operations != NULL) {
        TRY(keep_log(&log, outcome, diagnostic));
    }
    hash_results(outcome);
    tell(job, outcome, JOB_AFTER_RUN);
    return STATUS_OK;
}

static enum status run(const struct job *job, struct outcome *outcome,
                       struct diagnostic *diagnostic)
{
    return host_run(job, NULL, outcome, diagnostic);
}

const struct backend BACKEND_HOST = {"host", check, run};
