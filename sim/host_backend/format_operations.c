/* format_operations.c - a training by a backend's operations: the host's own, one by one, or those
 * of a user's shared library.
 *
 * Images follow each other, on one thread.  Parameters, gradients and state lie with the backend.
 * Without an optimizer there, gradients are dumped for each update, the host's reference rules make
 * the new parameters, and these are loaded. */
#include "sim/host_backend/integer_update.h"
#include "sim/host_backend/operations_network.h"
#include "sim/host_backend/reference.h"
#include "sim/host_backend/trainer.h"
#include "sim/networks/loss.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"
#include "workloads/nn/kernels.h"
#include "workloads/nn/loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOSS_GROUP = 250 };

struct by_operations {
    const struct host_training *training;
    struct operations_network network;
    struct operations_log nobody; /* where the training has no log */
    uint32_t exp_table[NN_EXP_STEPS + 1];
    union {
        int32_t words[NN_MAX_CLASSES];
        float floats[NN_MAX_CLASSES];
        double doubles[NN_MAX_CLASSES];
    } logits;
    bool is_loaded; /* the parameters there are the newest */
    struct nn_update_note note;
};

static bool is_integer(const struct by_operations *own)
{
    return own->network.integers;
}

static enum status open_operations(const struct host_training *training, uint32_t most,
                                   unsigned workers, void **pass, struct diagnostic *diagnostic)
{
    struct by_operations *own = calloc(1, sizeof *own);
    const struct learning *learning = training->learning;
    const bool integers = training->operations->numbers == SPINNSIM_INT16;
    size_t state_words = 0;
    (void)most;
    (void)workers;
    *pass = own;
    if (own == NULL) {
        return no_memory(diagnostic);
    }
    own->training = training;
    nn_exp_table(own->exp_table);
    if (learning != NULL) { /* a rule without state has a word of it all the same */
        const size_t words = nn_rule_state_words(&learning->rule);
        state_words = !integers ? OPTIMIZER_MOST_WORDS : words == 0 ? 1 : words;
    }
    TRY(operations_network_open(&own->network, training->network, training->table,
                                training->operations, training->without, state_words,
                                learning == NULL ? 0 : learning->rule.error_fraction,
                                training->log == NULL ? &own->nobody : training->log, diagnostic));
    if (learning != NULL && training->state != NULL) {
        operations_load(&own->network.on, own->network.state, SPINNSIM_TOTAL,
                        own->network.places * nn_rule_state_words(&learning->rule),
                        training->state);
    }
    return operations_check(&own->network.on, diagnostic);
}

static void close_operations(void *pass)
{
    struct by_operations *own = pass;
    if (own->network.on.backend != NULL) {
        operations_cost(&own->network.on);
    }
    operations_network_close(&own->network);
    free(own);
}

static size_t parts(const void *pass, uint32_t images, bool trains)
{
    (void)pass;
    (void)trains;
    return images > 0;
}

static enum status check(const void *pass, struct diagnostic *diagnostic)
{
    return operations_check(&((const struct by_operations *)pass)->network.on, diagnostic);
}

/* The backend's parameters are those of the host. */
static void load_parameters(struct by_operations *own, const void *parameters)
{
    if (!own->is_loaded) {
        operations_load(&own->network.on, own->network.parameters, SPINNSIM_VALUE,
                        own->network.places, parameters);
        own->is_loaded = true;
    }
}

static void begin(void *pass, const void *parameters)
{
    load_parameters(pass, parameters);
}

/* ---- what is told of an image ---- */

static uint32_t logit_fraction(const struct by_operations *own)
{
    const struct nn_table *table = own->training->table;
    const struct nn_layer *last = &table->layer[table->layers - 1];
    return (uint32_t)last->weight_fraction + last->input_fraction;
}

/* Of floats: the logits as doubles, in their place. */
static const double *real_logits(struct by_operations *own)
{
    if (own->network.on.backend->numbers == SPINNSIM_FLOAT32) {
        for (size_t c = own->training->table->classes; c-- > 0;) {
            own->logits.doubles[c] = own->logits.floats[c];
        }
    }
    return own->logits.doubles;
}

/* Class and loss of a training's image, from its logits. */
static void add_score(struct by_operations *own, uint8_t label, struct host_score *score)
{
    const uint32_t classes = own->training->table->classes;
    if (is_integer(own)) {
        nn_value errors[NN_MAX_CLASSES];
        uint32_t loss;
        score->correct +=
            label == nn_softmax_error(own->logits.words, classes, logit_fraction(own),
                                      own->exp_table, label,
                                      own->training->learning->rule.error_fraction, errors, &loss);
        score->loss += ldexp((double)loss, -NN_LOSS_FRACTION);
        return;
    }
    const double *logits = real_logits(own);
    score->correct += reference_label(logits, classes) == label;
    score->loss += reference_loss(own->training->network)->of(logits, classes, label);
}

static struct nn_result integer_result(const struct by_operations *own)
{
    const uint32_t classes = own->training->table->classes;
    uint32_t probability[NN_MAX_CLASSES];
    struct nn_result result = {.done = 1};
    result.label =
        nn_softmax(own->logits.words, classes, logit_fraction(own), own->exp_table, probability);
    result.confidence = probability[result.label];
    memcpy(result.logits, own->logits.words, classes * sizeof *result.logits);
    return result;
}

static struct nn_result real_result(struct by_operations *own, uint8_t label, double *loss)
{
    static const double ONE = 65536;
    const uint32_t classes = own->training->table->classes;
    struct nn_result result = {.done = 1};
    double probability[NN_MAX_CLASSES];
    (void)real_logits(own);
    double *logits = own->logits.doubles;
    for (uint32_t c = 0; c < classes; c++) {
        logits[c] /= own->training->network->logit_factor;
    }
    result.label = reference_label(logits, classes);
    reference_softmax(logits, classes, probability);
    result.confidence = (uint32_t)lround(ONE * probability[result.label]);
    *loss = reference_loss(own->training->network)->of(logits, classes, label);
    return result;
}

static void test(void *pass, unsigned worker, size_t part, const struct host_batch *batch,
                 const void *parameters)
{
    struct by_operations *own = pass;
    (void)worker;
    (void)part;
    load_parameters(own, parameters);
    for (uint32_t i = 0; i < batch->count && own->network.on.failed == NULL; i++) {
        const uint64_t saturations = own->network.saturations;
        const uint64_t overflows = own->network.overflows;
        struct nn_result result;
        operations_network_forward(&own->network, batch->image[i], &own->logits);
        if (is_integer(own)) {
            result = integer_result(own);
            result.saturations = (uint32_t)(own->network.saturations - saturations);
            result.overflows = (uint32_t)(own->network.overflows - overflows);
            batch->loss[i] = test_loss(own->training->table, own->training->network->logit_factor,
                                       &result, &batch->label[i], 1);
        } else {
            result = real_result(own, batch->label[i], &batch->loss[i]);
        }
        batch->found[i] = result.label;
        if (batch->result != NULL) {
            batch->result[i] = result;
        }
    }
}

/* ---- a batch ---- */

static void train(void *pass, unsigned worker, size_t part, const struct host_batch *batch,
                  const void *parameters, void *gradients, struct host_score *score)
{
    struct by_operations *own = pass;
    (void)worker;
    (void)part;
    (void)parameters;
    (void)gradients; /* they stay with the backend */
    for (uint32_t i = 0; i < batch->count && own->network.on.failed == NULL; i++) {
        operations_network_forward(&own->network, batch->image[i], &own->logits);
        add_score(own, batch->label[i], score);
        operations_network_backward(&own->network, batch->label[i]);
    }
}

/* The gradients are in no pieces that the trainer could add up. */
static size_t pieces(const void *pass)
{
    (void)pass;
    return 0;
}

static void gather(void *pass, unsigned worker, size_t piece, const struct host_batch *batch,
                   void *gradients)
{
    (void)pass;
    (void)worker;
    (void)piece;
    (void)batch;
    (void)gradients;
}

/* ---- an update where the parameters are ---- */

static struct spinnsim_rule rule_of(const struct nn_rule *rule)
{
    return (struct spinnsim_rule){rule->optimizer,
                                  rule->rounding,
                                  rule->weight_fraction,
                                  rule->error_fraction,
                                  rule->activation_fraction,
                                  rule->rate_shift,
                                  rule->rate_scale,
                                  rule->one_less_momentum,
                                  rule->one_less_decay,
                                  rule->epsilon,
                                  rule->seed};
}

static struct spinnsim_update update_of(const struct by_operations *own,
                                        const struct host_step *step, size_t first, size_t count)
{
    const struct host_training *training = own->training;
    const struct operations_network *network = &own->network;
    return (struct spinnsim_update){.optimizer = optimizer_of(training->reals.optimizer)->name,
                                    .number = step->number,
                                    .rate = training->reals.rate * step->rate / NN_FULL_RATE,
                                    .momentum = training->reals.momentum,
                                    .rate_256 = step->rate,
                                    .parameters = {network->parameters, first, 1},
                                    .gradients = {network->gradients, first, 1},
                                    .state = {network->state, first * network->state_words, 1},
                                    .count = count,
                                    .state_words = network->state_words};
}

static enum status refuse_sum(const struct nn_layer *layer, const char *what, uint64_t update,
                              uint32_t largest, struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                   "layer %s, update %llu: the gradient of a %s adds up to %u, which leaves less "
                   "than half of 32 bits free\v"
                   "the training diverges: lower the rate or lengthen train.warm_up",
                   layer->name, (unsigned long long)update + 1, what, largest);
    diagnostic_key(diagnostic, "train.learning_rate");
    return STATUS_CONFIGURATION;
}

/* The weights or the biases of a layer, in integers.  *done false: there is no such optimizer. */
static enum status update_part(struct by_operations *own, const struct host_step *step, size_t i,
                               bool of_weights, bool *done, struct diagnostic *diagnostic)
{
    const struct network_layer *layer = &own->training->network->layer[i];
    const struct operations_place place = operations_network_place(&own->network, i);
    const size_t weights = network_layer_weights(layer);
    const size_t count = of_weights ? weights : network_layer_biases(layer);
    const struct spinnsim_rule rule = rule_of(&own->training->learning->rule);
    struct spinnsim_update update =
        update_of(own, step, of_weights ? place.weights : place.biases, count);
    uint32_t largest = 0;
    update.rule = &rule;
    update.weights_end = of_weights ? weights : 0;
    update.largest = &largest;
    if (count == 0) {
        return STATUS_OK;
    }
    *done = operations_optimize(&own->network.on, &update);
    own->note.largest = largest > own->note.largest ? largest : own->note.largest;
    return learning_has_room(largest)
               ? STATUS_OK
               : refuse_sum(&own->training->table->layer[i], of_weights ? "weight" : "bias",
                            step->number, largest, diagnostic);
}

/* Whether the backend has made the update. */
static enum status update_there(struct by_operations *own, const struct host_step *step, bool *done,
                                struct diagnostic *diagnostic)
{
    *done = true;
    if (!is_integer(own)) {
        const struct spinnsim_update update = update_of(own, step, 0, own->network.places);
        *done = operations_optimize(&own->network.on, &update);
        return STATUS_OK;
    }
    for (size_t i = 0; i < own->training->network->layer_count && *done; i++) {
        TRY(update_part(own, step, i, true, done, diagnostic));
        if (*done) {
            TRY(update_part(own, step, i, false, done, diagnostic));
        }
    }
    return STATUS_OK;
}

/* ---- the reference optimizer, on the host ---- */

static enum status update_floats(const struct by_operations *own, const struct optimizer_step *now,
                                 const struct host_step *step, struct diagnostic *diagnostic)
{
    const size_t count = step->places;
    const size_t words = count * OPTIMIZER_MOST_WORDS;
    FREED double *doubles = calloc(2 * count + words + 1, sizeof *doubles);
    float *const vector[] = {step->gradients, step->parameters, step->state};
    const size_t length[] = {count, count, words};
    if (doubles == NULL) {
        return no_memory(diagnostic);
    }
    double *at = doubles;
    for (size_t v = 0; v < sizeof length / sizeof *length; at += length[v++]) {
        for (size_t i = 0; i < length[v]; i++) {
            at[i] = vector[v][i];
        }
    }
    optimizer_of(own->training->reals.optimizer)
        ->doubles(now, count, doubles, doubles + 2 * count, doubles + count);
    at = doubles + count;
    for (size_t v = 1; v < sizeof length / sizeof *length; at += length[v++]) {
        for (size_t i = 0; i < length[v]; i++) {
            vector[v][i] = (float)at[i];
        }
    }
    return STATUS_OK;
}

static enum status update_on_host(struct by_operations *own, const struct host_step *step,
                                  struct diagnostic *diagnostic)
{
    const struct host_training *training = own->training;
    const struct optimizer_step now = {.number = step->number,
                                       .rate = training->reals.rate * step->rate / NN_FULL_RATE,
                                       .momentum = training->reals.momentum};
    if (is_integer(own)) {
        return integer_update(training, step, &own->note, diagnostic);
    }
    if (own->network.on.backend->numbers == SPINNSIM_FLOAT32) {
        return update_floats(own, &now, step, diagnostic);
    }
    optimizer_of(training->reals.optimizer)
        ->doubles(&now, step->places, step->gradients, step->state, step->parameters);
    return STATUS_OK;
}

/* The reference optimizer: fetch the gradients, compute here, feed the parameters. */
static enum status update_here(struct by_operations *own, const struct host_step *step,
                               struct diagnostic *diagnostic)
{
    struct operations *on = &own->network.on;
    on->log->of[BACKEND_CAN_OPTIMIZER].fallbacks++;
    operations_sync(on);
    operations_dump(on, own->network.gradients, SPINNSIM_TOTAL, step->places, step->gradients);
    TRY(operations_check(on, diagnostic));
    TRY(update_on_host(own, step, diagnostic));
    own->is_loaded = false;
    load_parameters(own, step->parameters);
    return STATUS_OK;
}

static enum status update(void *pass, const struct host_step *step, size_t first, size_t count,
                          struct diagnostic *diagnostic)
{
    struct by_operations *own = pass;
    bool done;
    (void)first;
    (void)count;
    TRY(update_there(own, step, &done, diagnostic));
    if (!done) {
        TRY(update_here(own, step, diagnostic));
    }
    operations_clear(&own->network.on, operations_at(own->network.gradients, 0, 1),
                     own->network.places);
    return operations_check(&own->network.on, diagnostic);
}

static void fetch(void *pass, const struct host_step *step)
{
    struct by_operations *own = pass;
    if (own->network.on.log->of[BACKEND_CAN_OPTIMIZER].calls == 0) {
        return; /* the host has made them */
    }
    const size_t words = is_integer(own) ? nn_rule_state_words(&own->training->learning->rule)
                                         : own->network.state_words;
    operations_sync(&own->network.on);
    operations_dump(&own->network.on, own->network.parameters, SPINNSIM_VALUE, step->places,
                    step->parameters);
    operations_dump(&own->network.on, own->network.state, SPINNSIM_TOTAL, step->places * words,
                    step->state);
}

static void met(const void *pass, struct outcome_training *met)
{
    const struct by_operations *own = pass;
    const struct operations_network *network = &own->network;
    *met = (struct outcome_training){.saturations = network->saturations,
                                     .overflows = network->overflows,
                                     .error_saturations = network->error_saturations,
                                     .weight_saturations =
                                         own->note.saturations + own->note.state_saturations +
                                         network->on.events.cut - network->saturations -
                                         network->error_saturations,
                                     .largest_sum = own->note.largest};
}

#define BY_OPERATIONS                                                                              \
    .tells_losses = true, .update_most = SIZE_MAX, .open = open_operations,                        \
    .close = close_operations, .parts = parts, .begin = begin, .train = train, .pieces = pieces,   \
    .gather = gather, .update = update, .test = test, .check = check, .fetch = fetch

const struct host_format HOST_FORMAT_OPERATIONS_INT16 = {.type = EXCHANGE_WORDS,
                                                         .value_bytes = sizeof(int16_t),
                                                         .word_bytes = sizeof(int32_t),
                                                         .has_block = true,
                                                         .loss_group = UINT32_MAX,
                                                         .met = met,
                                                         BY_OPERATIONS};
const struct host_format HOST_FORMAT_OPERATIONS_FLOAT32 = {.type = EXCHANGE_FLOATS,
                                                           .value_bytes = sizeof(float),
                                                           .word_bytes = sizeof(float),
                                                           .state_words = OPTIMIZER_MOST_WORDS,
                                                           .loss_group = LOSS_GROUP,
                                                           BY_OPERATIONS};
const struct host_format HOST_FORMAT_OPERATIONS_FLOAT64 = {.type = EXCHANGE_DOUBLES,
                                                           .value_bytes = sizeof(double),
                                                           .word_bytes = sizeof(double),
                                                           .state_words = OPTIMIZER_MOST_WORDS,
                                                           .loss_group = LOSS_GROUP,
                                                           BY_OPERATIONS};
