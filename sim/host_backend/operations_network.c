/* operations_network.c - see operations_network.h. */
#include "sim/host_backend/operations_network.h"

#include "sim/networks/layer.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <math.h>

/* ---- what it has ---- */

static bool is_known(const struct network_layer *layer)
{
    const bool window = layer->type == NETWORK_CONV2D && layer->links == NULL;
    const bool pool = layer->type == NETWORK_MAX_POOL2D && layer->stride >= layer->kernel;
    const bool dense = layer->type == NETWORK_DENSE && layer->dropout == 0;
    const enum network_activation activation = layer->activation;
    return (window || pool || dense) &&
           (activation == NETWORK_IDENTITY || activation == NETWORK_RELU ||
            activation == NETWORK_SOFTMAX);
}

enum status operations_network_check(const struct network *network, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < network->layer_count; i++) {
        if (!is_known(&network->layer[i])) {
            return layer_refuse(network, &network->layer[i],
                                "they have convolutions of all maps, max_pool2d whose windows do "
                                "not overlap, dense layers without dropout, and relu",
                                diagnostic, "the operations of backends do not make such a layer");
        }
    }
    if (network->loss != NN_SOFTMAX_CROSS_ENTROPY) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "the operations of backends make the errors of softmax_cross_entropy only\v"
                       "train.loss: softmax_cross_entropy, or no run.without");
        diagnostic_key(diagnostic, "train.loss");
        return STATUS_CONFIGURATION;
    }
    return STATUS_OK;
}

struct operations_place operations_network_place(const struct operations_network *own, size_t i)
{
    if (own->integers) {
        const struct nn_layer *row = &own->table->layer[i];
        return (struct operations_place){row->weights / sizeof(int16_t),
                                         row->biases / sizeof(int16_t)};
    }
    const struct weights_place place = weights_place(own->network, i);
    return (struct operations_place){place.weights, place.biases};
}

/* ---- memory ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* A layer as windows over its input. */
static struct spinnsim_window window_of(const struct operations_network *own, size_t i)
{
    const struct network_layer *layer = &own->network->layer[i];
    const struct operations_place place = operations_network_place(own, i);
    const bool pool = network_is_pool(layer);
    return (struct spinnsim_window){
        .channels = layer->input.channels,
        .height = layer->input.height,
        .width = layer->input.width,
        .maps = layer->output.channels,
        .out_height = layer->output.height,
        .out_width = layer->output.width,
        .kernel = layer->kernel,
        .stride = layer->stride,
        .padding = layer->padding,
        .input = {own->value[i], 0, 1},
        .weights = {pool ? NULL : own->parameters, pool ? 0 : place.weights, 1},
        .errors = {own->error[i + 1], 0, 1}};
}

static struct spinnsim_memory *new_values(struct operations_network *own, size_t count)
{
    return operations_allocate(&own->on, SPINNSIM_VALUE, count);
}

static struct spinnsim_memory *new_totals(struct operations_network *own, size_t count)
{
    return operations_allocate(&own->on, SPINNSIM_TOTAL, count);
}

static void load_one(struct operations_network *own)
{
    const int16_t word = (int16_t)(1 << own->error_fraction);
    const float one_float = 1;
    const double one_double = 1;
    const void *one = own->on.backend->numbers == SPINNSIM_INT16     ? (const void *)&word
                      : own->on.backend->numbers == SPINNSIM_FLOAT32 ? (const void *)&one_float
                                                                     : (const void *)&one_double;
    operations_load(&own->on, own->one, SPINNSIM_VALUE, 1, one);
}

static void make_memories(struct operations_network *own)
{
    const struct network *network = own->network;
    const bool trains = own->state_words > 0;
    size_t most = network_values(network->input);
    size_t row = 1;
    own->parameters = new_values(own, own->places);
    own->gradients = trains ? new_totals(own, own->places) : NULL;
    own->state = trains ? new_totals(own, own->places * own->state_words) : NULL;
    own->value[0] = new_values(own, most);
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const size_t outputs = network_values(layer->output);
        const struct spinnsim_window window = window_of(own, i);
        const bool falls =
            layer->type == NETWORK_CONV2D && !operations_has(&own->on, BACKEND_CAN_CONVOLUTION);
        own->value[i + 1] = new_values(own, outputs);
        own->error[i + 1] = trains ? new_values(own, outputs) : NULL;
        own->patches[i] = falls ? new_values(own, operations_patches(&window)) : NULL;
        most = larger(most, outputs);
        row = larger(row, layer->output.width);
    }
    own->sums = new_totals(own, most);
    own->logits = new_totals(own, own->table->classes);
    own->classes = new_totals(own, own->table->classes + 2);
    own->row = new_values(own, 2 * row);
    own->one = new_values(own, 1);
    load_one(own);
}

/* Values of the longest vector that takes part in a product. */
static size_t longest_of(const struct network *network)
{
    size_t longest = 1;
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct network_layer *layer = &network->layer[i];
        const size_t patch = (size_t)layer->input.channels * layer->kernel * layer->kernel;
        longest = larger(longest, larger(patch, network_values(layer->input)));
        longest = larger(longest, network_values(layer->output));
    }
    return longest;
}

enum status operations_network_open(struct operations_network *own, const struct network *network,
                                    const struct nn_table *table,
                                    const struct spinnsim_backend *backend, uint32_t without,
                                    size_t state_words, uint32_t error_fraction,
                                    struct operations_log *log, struct diagnostic *diagnostic)
{
    const bool integers = backend->numbers == SPINNSIM_INT16;
    *own = (struct operations_network){.network = network,
                                       .table = table,
                                       .integers = integers,
                                       .places = integers ? weights_places(table)
                                                          : network_parameters(network),
                                       .state_words = state_words,
                                       .error_fraction = error_fraction};
    while (network_is_pool(&network->layer[own->first_trained])) {
        own->first_trained++; /* terminates: the last layer is dense */
    }
    own->input = calloc(1, network_values(network->input) * sizeof(double));
    if (own->input == NULL) {
        return no_memory(diagnostic);
    }
    TRY(operations_open(&own->on, backend, without, longest_of(network), log, diagnostic));
    make_memories(own);
    return operations_check(&own->on, diagnostic);
}

void operations_network_close(struct operations_network *own)
{
    struct spinnsim_memory *const others[] = {own->parameters, own->gradients, own->state,
                                              own->sums,       own->logits,    own->classes,
                                              own->row,        own->one};
    if (own->on.backend != NULL) {
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            operations_free(&own->on, others[i]);
        }
        for (size_t i = 0; i <= NETWORK_LAYERS; i++) {
            operations_free(&own->on, own->value[i]);
            operations_free(&own->on, own->error[i]);
            operations_free(&own->on, i < NETWORK_LAYERS ? own->patches[i] : NULL);
        }
    }
    operations_close(&own->on);
    free(own->input);
    own->input = NULL;
}

/* ---- forward ---- */

/* Pixels as values: p x 2^input_shift, or p / 256 and the like. */
static void load_image(struct operations_network *own, const uint8_t *image)
{
    const struct network *network = own->network;
    const size_t pixels = network_values(network->input);
    const double unit = ldexp(1, (int)network->input_shift - (int)network->activation_fraction);
    for (size_t i = 0; i < pixels; i++) {
        switch (own->on.backend->numbers) {
        case SPINNSIM_INT16:
            ((int16_t *)own->input)[i] = (int16_t)(image[i] << own->table->input_shift);
            break;
        case SPINNSIM_FLOAT32:
            ((float *)own->input)[i] = (float)(unit * image[i]);
            break;
        case SPINNSIM_FLOAT64:
        default:
            ((double *)own->input)[i] = unit * image[i];
            break;
        }
    }
    operations_load(&own->on, own->value[0], SPINNSIM_VALUE, pixels, own->input);
}

/* The biases, each for all outputs of its map, as the sums begin. */
static void begin_sums(struct operations_network *own, size_t i, struct spinnsim_memory *sums)
{
    const struct network_layer *layer = &own->network->layer[i];
    const size_t area = (size_t)layer->output.height * layer->output.width;
    const size_t biases = operations_network_place(own, i).biases;
    struct spinnsim_elementwise widen = {.operation = SPINNSIM_WIDEN,
                                         .to = {sums, 0, 1},
                                         .a = {own->parameters, biases, 1},
                                         .count = layer->output.channels,
                                         .shift = own->table->layer[i].input_fraction};
    if (area == 1) {
        operations_elementwise(&own->on, &widen);
        return;
    }
    widen.a.step = 0;
    widen.count = area;
    for (size_t m = 0; m < layer->output.channels; m++, widen.a.first++, widen.to.first += area) {
        operations_elementwise(&own->on, &widen);
    }
}

static void add_products(struct operations_network *own, size_t i, struct spinnsim_memory *sums)
{
    const struct network_layer *layer = &own->network->layer[i];
    if (layer->type == NETWORK_CONV2D) {
        struct spinnsim_window window = window_of(own, i);
        window.output = operations_at(sums, 0, 1);
        operations_convolve(&own->on, &window, own->patches[i]);
        return;
    }
    const size_t inputs = network_values(layer->input);
    const struct spinnsim_gemv gemv = {.to = {sums, 0, 1},
                                       .matrix = own->parameters,
                                       .first = operations_network_place(own, i).weights,
                                       .row_step = inputs,
                                       .column_step = 1,
                                       .by = {own->value[i], 0, 1},
                                       .rows = layer->outputs,
                                       .columns = inputs};
    operations_gemv(&own->on, &gemv);
}

static void round_to(struct operations_network *own, struct spinnsim_memory *values, size_t count,
                     uint32_t shift)
{
    const struct spinnsim_elementwise round = {.operation = SPINNSIM_ROUND,
                                               .to = {values, 0, 1},
                                               .a = {own->sums, 0, 1},
                                               .count = count,
                                               .shift = shift};
    operations_elementwise(&own->on, &round);
}

static void weighted_layer(struct operations_network *own, size_t i)
{
    const struct network_layer *layer = &own->network->layer[i];
    const struct nn_layer *row = &own->table->layer[i];
    const bool last = i + 1 == own->network->layer_count;
    struct spinnsim_memory *const sums = last ? own->logits : own->sums;
    const size_t outputs = network_values(layer->output);
    const uint64_t wrapped = own->on.events.wrapped;
    begin_sums(own, i, sums);
    add_products(own, i, sums);
    own->overflows += own->on.events.wrapped > wrapped;
    if (last) {
        return;
    }
    if (layer->activation == NETWORK_RELU) {
        const struct spinnsim_elementwise relu = {.operation = SPINNSIM_MAXIMUM,
                                                  .to = {sums, 0, 1},
                                                  .a = {sums, 0, 1},
                                                  .b = {own->on.zero, 0, 0},
                                                  .count = outputs};
        operations_elementwise(&own->on, &relu);
    }
    round_to(own, own->value[i + 1], outputs,
             (uint32_t)row->weight_fraction + row->input_fraction - row->output_fraction);
}

void operations_network_forward(struct operations_network *own, const uint8_t *image, void *logits)
{
    const uint64_t cut = own->on.events.cut;
    load_image(own, image);
    for (size_t i = 0; i < own->network->layer_count; i++) {
        if (network_is_pool(&own->network->layer[i])) {
            struct spinnsim_window window = window_of(own, i);
            window.output = operations_at(own->value[i + 1], 0, 1);
            operations_pool(&own->on, &window);
        } else {
            weighted_layer(own, i);
        }
    }
    own->saturations += own->on.events.cut - cut;
    operations_sync(&own->on);
    operations_dump(&own->on, own->logits, SPINNSIM_TOTAL, own->table->classes, logits);
}

/* ---- backward ---- */

static void pool_back(struct operations_network *own, size_t i)
{
    struct spinnsim_window window = window_of(own, i);
    window.output = operations_at(own->value[i + 1], 0, 1);
    window.result = operations_at(own->error[i], 0, 1);
    operations_pool_back(&own->on, &window, own->row);
}

/* Gradients of the biases: sums of the errors of a map. */
static void bias_gradients(struct operations_network *own, size_t i)
{
    const struct network_layer *layer = &own->network->layer[i];
    const size_t area = (size_t)layer->output.height * layer->output.width;
    const struct spinnsim_gemv gemv = {
        .to = {own->gradients, operations_network_place(own, i).biases, 1},
        .matrix = own->error[i + 1],
        .row_step = area,
        .column_step = 1,
        .by = {own->on.ones, 0, 1},
        .rows = layer->output.channels,
        .columns = area};
    operations_gemv(&own->on, &gemv);
}

/* Each error times the inputs. */
static void dense_gradients(struct operations_network *own, size_t i)
{
    const struct network_layer *layer = &own->network->layer[i];
    const size_t inputs = network_values(layer->input);
    struct spinnsim_gemv gemv = {
        .to = {own->gradients, operations_network_place(own, i).weights, 1},
        .matrix = own->value[i],
        .row_step = 1,
        .column_step = 1,
        .by = {own->error[i + 1], 0, 1},
        .rows = inputs,
        .columns = 1};
    for (size_t o = 0; o < layer->outputs; o++, gemv.to.first += inputs, gemv.by.first++) {
        operations_gemv(&own->on, &gemv);
    }
}

/* The errors of the input, as sums. */
static void dense_back(struct operations_network *own, size_t i)
{
    const struct network_layer *layer = &own->network->layer[i];
    const size_t inputs = network_values(layer->input);
    const struct spinnsim_gemv gemv = {.to = {own->sums, 0, 1},
                                       .matrix = own->parameters,
                                       .first = operations_network_place(own, i).weights,
                                       .row_step = 1,
                                       .column_step = inputs,
                                       .by = {own->error[i + 1], 0, 1},
                                       .rows = inputs,
                                       .columns = layer->outputs};
    operations_gemv(&own->on, &gemv);
}

static void weighted_back(struct operations_network *own, size_t i)
{
    const struct network_layer *layer = &own->network->layer[i];
    struct spinnsim_window window = window_of(own, i);
    if (layer->activation == NETWORK_RELU) {
        const struct spinnsim_elementwise close = {.operation = SPINNSIM_SELECT,
                                                   .to = {own->error[i + 1], 0, 1},
                                                   .a = {own->error[i + 1], 0, 1},
                                                   .b = {own->value[i + 1], 0, 1},
                                                   .count = network_values(layer->output)};
        operations_elementwise(&own->on, &close);
    }
    bias_gradients(own, i);
    window.result = operations_at(own->gradients, operations_network_place(own, i).weights, 1);
    if (layer->type == NETWORK_CONV2D) {
        operations_convolve_gradient(&own->on, &window, own->patches[i]);
    } else {
        dense_gradients(own, i);
    }
    if (i == own->first_trained) {
        return;
    }
    operations_clear(&own->on, operations_at(own->sums, 0, 1), network_values(layer->input));
    window.result = operations_at(own->sums, 0, 1);
    if (layer->type == NETWORK_CONV2D) {
        operations_convolve_back(&own->on, &window);
    } else {
        dense_back(own, i);
    }
    round_to(own, own->error[i], network_values(layer->input),
             own->table->layer[i].weight_fraction);
}

void operations_network_backward(struct operations_network *own, uint32_t label)
{
    const size_t layers = own->network->layer_count;
    const struct nn_layer *last = &own->table->layer[layers - 1];
    const uint64_t cut = own->on.events.cut;
    const struct spinnsim_softmax softmax = {.logits = {own->logits, 0, 1},
                                             .errors = {own->error[layers], 0, 1},
                                             .classes = own->table->classes,
                                             .label = label,
                                             .fraction = (uint32_t)last->weight_fraction +
                                                         last->input_fraction,
                                             .error_fraction = own->error_fraction};
    operations_softmax(&own->on, &softmax, own->classes, own->one);
    for (size_t i = layers; i-- > own->first_trained;) {
        if (network_is_pool(&own->network->layer[i])) {
            pool_back(own, i);
        } else {
            weighted_back(own, i);
        }
    }
    own->error_saturations += own->on.events.cut - cut;
}
