/* reference_optimizer.c - see reference_optimizer.h. */
#include "sim/run_control/reference_optimizer.h"

#include "models/common/units.h"
#include "sim/run_control/host_run.h"
#include "sim/run_control/session.h"
#include "sim/run_control/window.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reference {
    const struct job *job;
    struct sim_config config; /* the machine's: its programs leave sums of gradients */
    struct job machine;
    struct learning learning; /* of the job */
    size_t places;
    int16_t *parameters; /* a block; owned, as the next three */
    int32_t *state, *gradients, *zeros;
    struct host_numerics met;
    struct sha256 hash;
};

static void reference_deinit(struct reference *own)
{
    job_deinit(&own->machine);
    free(own->parameters);
    free(own->state);
    free(own->gradients);
    free(own->zeros);
}

/* ---- what the machine computes ---- */

/* The shift that makes the velocity of a weight its sum of gradients; less than 0: there is none.
 * See workloads/nn/optimizers/descent.h. */
static int rate_shift_of(const struct learning *learning)
{
    const struct nn_rule *rule = &learning->rule;
    return NN_VELOCITY_FRACTION - (int)rule->error_fraction - (int)rule->activation_fraction;
}

static struct sim_config config_of(const struct sim_config *whole, const struct learning *learning)
{
    struct sim_config config = *whole;
    for (size_t metric = 0; metric < CONFIG_METRICS; metric++) { /* bounds are for the whole */
        config.accept[metric] = (struct config_accept){-INFINITY, INFINITY};
    }
    config.run_without = "";
    config.train_optimizer = CONFIG_OPTIMIZER_MOMENTUM;
    config.train_momentum = 0;
    config.train_learning_rate = ldexp(1, -rate_shift_of(learning));
    config.train_reduction = CONFIG_REDUCTION_SUM;
    config.train_rounding = CONFIG_ROUNDING_NEAREST;
    config.train_decay = CONFIG_DECAY_NONE;
    config.train_warm_up = 0;
    return config;
}

static enum status prepare(struct reference *own, struct diagnostic *diagnostic)
{
    const struct job *job = own->job;
    struct job_options options = job->options;
    const size_t bytes = weights_block_bytes(&job->network, job->table);
    TRY(learning_of(job->config, &job->network, job->train.count, &own->learning, diagnostic));
    own->config = config_of(job->config, &own->learning);
    options.run_until = job_run_plain; /* a simulation kernel has one machine */
    options.progress = NULL;
    options.hook = NULL;
    options.results = NULL;
    TRY(job_prepare(&own->machine, &own->config, &options, diagnostic));
    own->places = weights_places(job->table);
    own->parameters = calloc(1, bytes);
    own->state =
        calloc(own->places * nn_rule_state_words(&own->learning.rule) + 1, sizeof(int32_t));
    own->gradients = calloc(own->places, sizeof *own->gradients);
    own->zeros = calloc(own->places, sizeof *own->zeros);
    if (own->parameters == NULL || own->state == NULL || own->gradients == NULL ||
        own->zeros == NULL) {
        return no_memory(diagnostic);
    }
    if (job->weights.block != NULL) {
        memcpy(own->parameters, job->weights.block, bytes);
    } else {
        learning_draw(&job->network, job->table, job->config->train_initializer, job->config->seed,
                      own->parameters);
    }
    sha256_init(&own->hash);
    return STATUS_OK;
}

/* ---- an update ---- */

static enum status refuse_sum(const struct nn_layer *layer, const char *what, uint64_t update,
                              struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                   "layer %s, update %" PRIu64 ": the gradient of a %s is too large to be "
                   "fetched\vthe training diverges: lower the rate or lengthen train.warm_up",
                   layer->name, update + 1, what);
    diagnostic_key(diagnostic, "train.learning_rate");
    return STATUS_CONFIGURATION;
}

/* The sums of `count` gradients, whose velocities have `shift` fractional bits more; false: a
 * velocity was cut to its range. */
static bool take_sums(const int32_t *velocity, int32_t *gradients, size_t count, uint32_t shift)
{
    bool whole = true;
    for (size_t i = 0; i < count; i++) {
        whole = whole && velocity[i] != INT32_MAX && velocity[i] != INT32_MIN;
        gradients[i] = velocity[i] >> shift;
    }
    return whole;
}

static enum status take_gradients(struct reference *own, const int32_t *velocity, uint64_t update,
                                  struct diagnostic *diagnostic)
{
    const struct job *job = own->job;
    for (uint32_t i = 0; i < job->table->layers; i++) {
        const struct nn_layer *layer = &job->table->layer[i];
        const size_t weights = layer->weights / sizeof(int16_t);
        const size_t biases = layer->biases / sizeof(int16_t);
        if (!take_sums(velocity + weights, own->gradients + weights,
                       network_layer_weights(&job->network.layer[i]), 0)) {
            return refuse_sum(layer, "weight", update, diagnostic);
        }
        if (!take_sums(velocity + biases, own->gradients + biases,
                       network_layer_biases(&job->network.layer[i]),
                       own->learning.rule.activation_fraction)) {
            return refuse_sum(layer, "bias", update, diagnostic);
        }
    }
    return STATUS_OK;
}

/* Adds what a run of the machine has done; false: out of memory. */
static bool add(struct reference *own, const struct outcome *run, struct outcome *whole)
{
    sha256_update(&own->hash, run->stats_hash, sizeof run->stats_hash);
    return outcome_add_run(whole, run, false);
}

/* Keeps why a program has failed. */
static void take_failure(struct outcome *whole, const struct outcome *run)
{
    whole->end = run->end;
    memcpy(whole->failure, run->failure, sizeof whole->failure);
}

static void outcome_destroy(struct outcome **outcome)
{
    if (*outcome != NULL) {
        outcome_deinit(*outcome);
    }
    free(*outcome);
}

static enum status update(struct reference *own, uint32_t number, struct outcome *whole,
                          struct diagnostic *diagnostic)
{
    RELEASED(outcome_destroy) struct outcome *run = calloc(1, sizeof *run);
    RELEASED(window_result_deinit) struct window_result result = {.sums = NULL};
    const struct window window = {.part = {number, 1},
                                  .parameters = own->parameters,
                                  .state = own->zeros,
                                  .takes_state = true};
    const struct data_input input = whole->input; /* images are loaded once */
    if (run == NULL) {
        return no_memory(diagnostic);
    }
    TRY(window_execute(&own->machine, &window, run, &result, diagnostic));
    if (!add(own, run, whole)) {
        return no_memory(diagnostic);
    }
    whole->input = number == 0 ? whole->input : input;
    if (run->end != OUTCOME_DONE) {
        take_failure(whole, run);
        return STATUS_OK;
    }
    TRY(take_gradients(own, result.state, number, diagnostic));
    whole->updates = number + 1;
    whole->images_trained +=
        learning_batch_of(&own->learning, number % own->learning.updates_per_epoch);
    return host_update(own->job, &own->learning, number, own->gradients, own->state,
                       own->parameters, &own->met, diagnostic);
}

/* ---- tests ---- */

/* Classifies the test images on the machine with the current parameters; the outcome is that of the
 * run. */
static enum status classify(const struct reference *own, uint32_t epochs, struct outcome *run,
                            struct diagnostic *diagnostic)
{
    struct session session;
    struct job part = own->machine; /* owns nothing */
    part.resumes = true;
    part.checkpoint =
        (struct checkpoint){.epochs = epochs, .parameters = own->parameters, .state = own->zeros};
    part.options.given.classifies = true;
    TRY(session_open(&session, &part, run, diagnostic));
    enum status status = session_train(&session, diagnostic);
    if (status == STATUS_OK) {
        status = session_take_down(&session, session.stop, diagnostic);
    }
    session_close(&session);
    return status;
}

/* Moves the test's row of learning.csv to the whole run, whose time it then has. */
static bool move_rows(struct outcome *whole, const struct outcome *run)
{
    for (size_t i = 0; i < run->learning_count; i++) {
        struct outcome_learning row = run->learning[i];
        row.seconds =
            (double)(whole->stage_ps[STAGE_TRAIN] + whole->stage_ps[STAGE_TEST]) / (double)PS_PER_S;
        row.joules = outcome_no_joules();
        if (!outcome_add_learning(whole, &row)) {
            return false;
        }
    }
    return true;
}

static enum status test(struct reference *own, uint32_t epochs, struct outcome *whole,
                        struct diagnostic *diagnostic)
{
    RELEASED(outcome_destroy) struct outcome *run = calloc(1, sizeof *run);
    const struct data_input input = whole->input;
    if (run == NULL) {
        return no_memory(diagnostic);
    }
    TRY(classify(own, epochs, run, diagnostic));
    if (!add(own, run, whole) || !move_rows(whole, run)) {
        return no_memory(diagnostic);
    }
    whole->input = input;
    whole->tests++;
    if (run->end != OUTCOME_DONE) {
        take_failure(whole, run);
        return STATUS_OK;
    }
    /* The last test's are the run's: ownership moves. */
    free(whole->result);
    free(whole->core);
    whole->result = run->result;
    whole->core = run->core;
    whole->core_count = run->core_count;
    whole->result_count = run->result_count;
    whole->validation_count = run->validation_count;
    whole->has_logits = run->has_logits;
    whole->classes = run->classes;
    whole->right = run->right;
    whole->saturations = run->saturations;
    whole->overflows = run->overflows;
    whole->loss = run->loss;
    run->result = NULL;
    run->core = NULL;
    run->core_count = 0;
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status train(struct reference *own, struct outcome *outcome,
                         struct diagnostic *diagnostic)
{
    const uint32_t each = own->learning.updates_per_epoch;
    const uint32_t epochs = own->learning.epochs;
    const uint64_t every = own->job->config->test_every_epochs;
    for (uint32_t e = 1; e <= epochs && outcome->end == OUTCOME_DONE; e++) {
        for (uint32_t u = 0; u < each && outcome->end == OUTCOME_DONE; u++) {
            TRY(update(own, (e - 1) * each + u, outcome, diagnostic));
        }
        if (outcome->end == OUTCOME_DONE && (e == epochs || (every > 0 && e % every == 0))) {
            TRY(test(own, e, outcome, diagnostic));
        }
    }
    return STATUS_OK;
}

/* The rows of operations.csv: parameters to each chip and state of zeros, sums of gradients back.
 * Their seconds are those of the bytes at data.input_rate, and not executed. */
static bool count(const struct reference *own, struct outcome *outcome)
{
    static const double BITS = 8;
    const uint64_t chips = own->job->config->mapping_chips;
    const uint64_t updates = outcome->updates;
    const uint64_t bytes = own->places * (sizeof(int16_t) + sizeof(int32_t));
    const struct {
        enum backend_capability of;
        uint64_t calls, elements, fallbacks;
    } row[] = {{BACKEND_CAN_LOAD, updates, updates * bytes * chips, 0},
               {BACKEND_CAN_DUMP, updates, updates * own->places * sizeof(int32_t), 0},
               {BACKEND_CAN_OPTIMIZER, 0, 0, updates}};
    bool good = true;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct backend_capability_row *capability = &BACKEND_CAPABILITY[row[i].of];
        const struct outcome_operation of = {.operation = capability->name,
                                             .calls = row[i].calls,
                                             .elements = row[i].elements,
                                             .fallbacks = row[i].fallbacks,
                                             .fallback =
                                                 row[i].fallbacks > 0 ? capability->fallback : ""};
        good = good && outcome_add_operation(outcome, &of);
    }
    outcome->operations_seconds = BITS * (double)outcome_operation_sum(outcome, OPERATION_BYTES) /
                                  (double)own->job->config->data_input_rate;
    outcome->operations_joules = NAN;
    return good;
}

static enum status finish(struct reference *own, struct outcome *outcome,
                          struct diagnostic *diagnostic)
{
    uint8_t digest[SHA256_BYTES];
    outcome->trained.block = own->parameters; /* ownership moves */
    own->parameters = NULL;
    outcome_sign_weights(outcome, own->job);
    outcome->labels = own->job->test.labels;
    outcome->training.weight_saturations = own->met.weight_saturations;
    outcome->training.largest_sum = own->met.largest_sum;
    sha256_final(&own->hash, digest);
    sha256_hex(digest, outcome->stats_hash);
    return count(own, outcome) ? STATUS_OK : no_memory(diagnostic);
}

enum status reference_optimizer_run(const struct job *job, struct outcome *outcome,
                                    struct diagnostic *diagnostic)
{
    RELEASED(reference_deinit) struct reference own = {.job = job};
    outcome->loss = outcome->reference_accuracy = NAN;
    TRY(prepare(&own, diagnostic));
    TRY(train(&own, outcome, diagnostic));
    return finish(&own, outcome, diagnostic);
}
