/* reference.c - see reference.h. */
#include "sim/host_backend/reference.h"

#include "sim/host_backend/dataset_fit.h"
#include "sim/host_backend/parallel.h"
#include "sim/networks/activation.h"
#include "sim/networks/draw.h"
#include "sim/networks/layer.h"
#include "sim/networks/learning.h"
#include "sim/networks/loss.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- initial parameters ---- */

void reference_draw(const struct network *network, enum config_initializer initializer,
                    uint64_t seed, double *parameters)
{
    memset(parameters, 0, network_parameters(network) * sizeof *parameters);
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const struct layer_kind *kind = layer_kind_of(layer->type);
        const size_t weights = network_layer_weights(layer);
        double *weight = parameters + weights_place(network, i).weights;
        if (weights > 0) {
            const double bound = learning_bound(network, i, initializer);
            for (size_t j = 0; j < weights; j++) {
                const uint64_t word = draw_word(seed, (uint32_t)(DRAW_WEIGHTS + i), j);
                weight[j] =
                    kind->given != NULL ? kind->given(layer, j) : bound * draw_signed_unit(word);
            }
        }
    }
}

/* ---- one image ---- */

enum status reference_pass_init(struct reference_pass *pass, const struct network *network,
                                struct diagnostic *diagnostic)
{
    size_t values = network_values(network->input);
    for (size_t i = 0; i < network->layer_count; i++) {
        values += 2 * (size_t)network_values(network->layer[i].output);
    }
    *pass = (struct reference_pass){.network = network, .memory_values = values};
    pass->memory = calloc(values, sizeof *pass->memory);
    if (pass->memory == NULL) {
        return no_memory(diagnostic);
    }
    double *at = pass->memory;
    pass->value[0] = at;
    at += network_values(network->input);
    for (size_t i = 0; i < network->layer_count; i++) {
        const size_t outputs = network_values(network->layer[i].output);
        pass->value[i + 1] = at;
        pass->gradient[i + 1] = at + outputs;
        at += 2 * outputs;
    }
    return STATUS_OK;
}

void reference_pass_deinit(struct reference_pass *pass)
{
    free(pass->memory);
    *pass = (struct reference_pass){0};
}

static struct layer_pass layer_pass_of(const struct reference_pass *pass, size_t i,
                                       const double *parameters)
{
    const struct weights_place place = weights_place(pass->network, i);
    return (struct layer_pass){.layer = &pass->network->layer[i],
                               .weights = parameters + place.weights,
                               .biases = parameters + place.biases,
                               .input = pass->value[i],
                               .output = pass->value[i + 1],
                               .output_gradient = pass->gradient[i + 1],
                               .input_gradient = pass->gradient[i]};
}

const double *reference_forward(struct reference_pass *pass, const double *parameters,
                                const uint8_t *image)
{
    const struct network *network = pass->network;
    const double unit = ldexp(1, (int)network->input_shift - (int)network->activation_fraction);
    const size_t pixels = network_values(network->input);
    for (size_t i = 0; i < pixels; i++) {
        pass->value[0][i] = unit * image[i];
    }
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const struct activation *activation = activation_of(layer->activation);
        const struct layer_pass own = layer_pass_of(pass, i, parameters);
        layer_kind_of(layer->type)->forward(&own);
        if (activation->forward != NULL) {
            activation->forward(own.output, network_values(layer->output));
        }
    }
    return pass->value[network->layer_count];
}

uint32_t reference_label(const double *logits, uint32_t classes)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < classes; c++) {
        best = logits[c] > logits[best] ? c : best;
    }
    return best;
}

static void backward_layer(struct reference_pass *pass, size_t i, const double *parameters,
                           double *gradients)
{
    const struct network_layer *layer = &pass->network->layer[i];
    const struct weights_place place = weights_place(pass->network, i);
    const struct activation *activation = activation_of(layer->activation);
    struct layer_pass own = layer_pass_of(pass, i, parameters);
    own.weight_gradients = gradients + place.weights;
    own.bias_gradients = gradients + place.biases;
    if (own.input_gradient != NULL) {
        memset(own.input_gradient, 0, network_values(layer->input) * sizeof(double));
    }
    if (activation->backward != NULL) {
        activation->backward(own.output, pass->gradient[i + 1], network_values(layer->output));
    }
    layer_kind_of(layer->type)->backward(&own);
}

const struct loss *reference_loss(const struct network *network)
{
    return loss_of((enum nn_loss)network->loss);
}

void reference_backward(struct reference_pass *pass, const double *parameters, uint32_t label,
                        double *gradients)
{
    const size_t layers = pass->network->layer_count;
    const size_t classes = pass->network->layer[layers - 1].outputs;
    reference_loss(pass->network)
        ->gradient(pass->value[layers], classes, label, pass->gradient[layers]);
    for (size_t i = layers; i-- > 0;) {
        backward_layer(pass, i, parameters, gradients);
    }
}

/* ---- over a data set ---- */

/* The data set is cut into parts of this size, whose losses are added in order. */
enum { TEST_PART = 250 };

struct test {
    const double *parameters;
    const struct dataset *dataset;
    struct nn_result *result;
    struct reference_pass *pass;  /* for each worker */
    struct reference_score *part; /* [part]; their losses are sums, not means */
};

/* Softmax probability of the largest logit, with 16 fractional bits. */
static uint32_t confidence_of(const double *logits, uint32_t classes, uint32_t label)
{
    static const double ONE = 65536;
    double sum = 0;
    for (uint32_t c = 0; c < classes; c++) {
        sum += exp(logits[c] - logits[label]);
    }
    return (uint32_t)lround(ONE / sum);
}

static void test_part(void *context, unsigned worker, size_t task)
{
    const struct test *test = context;
    const struct dataset *dataset = test->dataset;
    struct reference_pass *pass = &test->pass[worker];
    const uint32_t classes = pass->network->layer[pass->network->layer_count - 1].outputs;
    const uint32_t first = (uint32_t)task * TEST_PART;
    for (uint32_t i = first; i < dataset->count && i < first + TEST_PART; i++) {
        const double *logits =
            reference_forward(pass, test->parameters, dataset->images + (size_t)i * DATASET_PIXELS);
        const uint32_t label = reference_label(logits, classes);
        test->part[task].correct += label == dataset->labels[i];
        test->part[task].loss +=
            reference_loss(pass->network)->of(logits, classes, dataset->labels[i]);
        if (test->result != NULL) {
            test->result[i].label = label;
            test->result[i].confidence = confidence_of(logits, classes, label);
            test->result[i].done = 1;
        }
    }
}

enum status reference_test(const struct network *network, const double *parameters,
                           const struct dataset *dataset, unsigned threads,
                           struct reference_score *score, struct nn_result *result,
                           struct diagnostic *diagnostic)
{
    const uint32_t classes = network->layer[network->layer_count - 1].outputs;
    const unsigned workers = parallel_workers(threads);
    const size_t parts = (dataset->count + TEST_PART - 1) / TEST_PART;
    *score = (struct reference_score){.count = dataset->count};
    TRY(dataset_fit(dataset, network_values(network->input), classes, diagnostic));
    struct test test = {.parameters = parameters,
                        .dataset = dataset,
                        .result = result,
                        .pass = calloc(workers, sizeof *test.pass),
                        .part = calloc(parts, sizeof *test.part)};
    enum status status = test.pass == NULL || test.part == NULL ? no_memory(diagnostic) : STATUS_OK;
    for (unsigned i = 0; i < workers && status == STATUS_OK; i++) {
        status = reference_pass_init(&test.pass[i], network, diagnostic);
    }
    if (status == STATUS_OK) {
        parallel_run(threads, parts, test_part, &test);
        for (size_t i = 0; i < parts; i++) {
            score->correct += test.part[i].correct;
            score->loss += test.part[i].loss;
        }
        score->loss /= dataset->count;
    }
    for (unsigned i = 0; test.pass != NULL && i < workers; i++) {
        reference_pass_deinit(&test.pass[i]);
    }
    free(test.pass);
    free(test.part);
    return status;
}
