/* host_backend.c - the backend `host`: networks on the host, bit-identical to the cores in the
 * machine's number formats, or in double precision (float64).  No cycles, no traffic, no joules. */
#include "sim/host_backend/host_integer.h"
#include "sim/host_backend/host_training.h"
#include "sim/networks/loss.h"
#include "sim/run_control/backend.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

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

/* ---- test ---- */

static enum status test_integers(const struct job *job, const void *parameters,
                                 struct outcome *outcome, struct diagnostic *diagnostic)
{
    struct host_integer_run run;
    const struct host_integer_request request = {.table = job->table,
                                                 .parameters = parameters,
                                                 .dataset = &job->test,
                                                 .threads = job->options.threads};
    TRY(INTEGER_BACKEND[job->network.numbers].test(&request, &run, diagnostic));
    outcome->result = run.result; /* ownership moves */
    outcome->result_count = run.count;
    outcome->right = run.correct;
    outcome->saturations = run.saturations;
    outcome->overflows = run.overflows;
    outcome->has_logits = true;
    outcome->loss = test_loss(job->table, run.result, job->test.labels, run.count);
    return STATUS_OK;
}

static enum status test_float64(const struct job *job, const double *parameters,
                                struct outcome *outcome, struct diagnostic *diagnostic)
{
    struct reference_score score;
    outcome->result = calloc(job->test.count + 1u, sizeof *outcome->result);
    if (outcome->result == NULL) {
        return no_memory(diagnostic);
    }
    outcome->result_count = job->test.count;
    TRY(reference_test(&job->network, parameters, &job->test, job->options.threads, &score,
                       outcome->result, diagnostic));
    outcome->right = score.correct;
    return STATUS_OK;
}

enum status host_reference_accuracy(const struct job *job, double *accuracy,
                                    struct diagnostic *diagnostic)
{
    struct reference_score score;
    *accuracy = NAN;
    if (job->weights.float64 == NULL) {
        return STATUS_OK;
    }
    TRY(reference_test(&job->network, job->weights.float64, &job->test, job->options.threads,
                       &score, NULL, diagnostic));
    *accuracy = (double)score.correct / score.count;
    return STATUS_OK;
}

/* ---- the whole ---- */

/* Sets stats_hash to the SHA-256 of the results, as there are no counters. */
static void hash_results(struct outcome *outcome)
{
    uint8_t digest[SHA256_BYTES];
    struct sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, outcome->result, outcome->result_count * sizeof *outcome->result);
    sha256_final(&hash, digest);
    sha256_hex(digest, outcome->stats_hash);
}

enum status host_run(const struct job *job, const struct host_watcher *watcher,
                     struct outcome *outcome, struct diagnostic *diagnostic)
{
    const bool trains = job->config->mode == CONFIG_MODE_TRAIN;
    const struct weights *weights = trains ? &outcome->trained : &job->weights;
    outcome->loss = outcome->reference_accuracy = NAN;
    outcome->labels = job->test.labels;
    outcome->validation_count = job->validation.count;
    if (trains) {
        TRY(host_training_run(job, watcher, outcome, diagnostic));
    }
    TRY(job->config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64
            ? test_float64(job, weights->float64, outcome, diagnostic)
            : test_integers(job, weights->block, outcome, diagnostic));
    if (trains) {
        outcome_sign_weights(outcome, job);
    } else {
        TRY(host_reference_accuracy(job, &outcome->reference_accuracy, diagnostic));
    }
    hash_results(outcome);
    return STATUS_OK;
}

static enum status run(const struct job *job, struct outcome *outcome,
                       struct diagnostic *diagnostic)
{
    return host_run(job, NULL, outcome, diagnostic);
}

const struct backend BACKEND_HOST = {"host", check, run};
