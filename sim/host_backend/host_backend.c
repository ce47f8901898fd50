/* host_backend.c - the backend `host`: the same networks on this computer, in the same integers
 * (int16, s16.15) or in double precision (float64).  No cycles, no traffic, no joules. */
#include "sim/host_backend/host_integer.h"
#include "sim/host_backend/host_training.h"
#include "sim/host_backend/parallel.h"
#include "sim/networks/loss.h"
#include "sim/run_control/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum status check(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    if (config->network_number_format != CONFIG_NUMBER_FORMAT_FLOAT64) {
        return STATUS_OK;
    }
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

/* ---- integers ---- */

static enum status test_integers(const struct job *job, const void *parameters,
                                 struct outcome *outcome, struct diagnostic *diagnostic)
{
    struct host_integer_run run;
    const struct host_integer_request request = {.table = job->table,
                                                 .parameters = parameters,
                                                 .dataset = &job->test,
                                                 .threads = job->options.threads};
    const enum status status =
        INTEGER_BACKEND[job->network.numbers].test(&request, &run, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    outcome->result = run.result; /* ownership moves */
    outcome->result_count = run.count;
    outcome->right = run.correct;
    outcome->saturations = run.saturations;
    outcome->overflows = run.overflows;
    outcome->has_logits = true;
    outcome->loss = test_loss(job->table, run.result, job->test.labels, run.count);
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

static enum status train(const struct job *job, struct outcome *outcome,
                         struct diagnostic *diagnostic)
{
    enum status status = host_training_run(job, outcome, diagnostic);
    if (status == STATUS_OK && outcome->trained.float64 != NULL) {
        status = test_float64(job, outcome->trained.float64, outcome, diagnostic);
    } else if (status == STATUS_OK) {
        status = test_integers(job, outcome->trained.block, outcome, diagnostic);
    }
    if (status == STATUS_OK) {
        outcome_sign_weights(outcome, job);
    }
    return status;
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
        status = train(job, outcome, diagnostic);
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

const struct backend BACKEND_HOST = {"host", check, run};
