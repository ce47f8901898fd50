/* kernel_cases.c - see kernel_cases.h. */
#include "kernel_cases_parts.h"

#include "activation.h"
#include "average_pool.h"
#include "backward.h"
#include "square_loss.h"

#include <stddef.h>

/* ---- numbers ---- */

enum { VALUES = 16384, SUMS = 16384 };

static struct {
    _Alignas(8) nn_value weights[VALUES], biases[512], input[VALUES], errors[1024];
    _Alignas(8) int32_t sums[SUMS];
    int32_t bias_sums[512];
    _Alignas(4) nn_value output[4096];
    uint8_t choice[1024];
    _Alignas(4) struct nn_event events[2048];
    uint16_t counts[64];
    struct nn_numerics numerics;
} memory;

static void fill_values(nn_value *values, uint32_t count, uint32_t bits, uint32_t *state)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = (nn_value)((int32_t)next(state) >> (32 - bits));
    }
}

static void fill(void)
{
    uint32_t state = 20;
    fill_values(memory.weights, VALUES, 12, &state);
    fill_values(memory.biases, 512, 12, &state);
    fill_values(memory.input, VALUES, 11, &state);
    fill_values(memory.errors, 1024, 9, &state);
    fill_values(memory.output, 4096, 11, &state);
    for (uint32_t i = 0; i < SUMS; i++) {
        memory.sums[i] = (int32_t)next(&state) >> 12;
    }
    for (uint32_t i = 0; i < 512; i++) {
        memory.bias_sums[i] = (int32_t)i;
    }
    memory.numerics = (struct nn_numerics){0};
}

static uint32_t check(void)
{
    uint32_t made = add_check(0x811c9dc5u, memory.sums, sizeof memory.sums);
    made = add_check(made, memory.bias_sums, sizeof memory.bias_sums);
    made = add_check(made, memory.output, sizeof memory.output);
    made = add_check(made, memory.errors, sizeof memory.errors);
    return add_check(made, memory.choice, sizeof memory.choice);
}

/* ---- layers ---- */

#define FRACTIONS .weight_fraction = 13, .input_fraction = 11, .output_fraction = 11

static const struct nn_layer DENSE_LARGE = {.kind = NN_DENSE,
                                            .activation = NN_RELU,
                                            FRACTIONS,
                                            .input = {1, 28, 28, 0},
                                            .output = {16, 1, 1, 0}};
static const struct nn_layer DENSE_THREE = {.kind = NN_DENSE,
                                            .activation = NN_RELU,
                                            FRACTIONS,
                                            .input = {1, 28, 28, 0},
                                            .output = {3, 1, 1, 0}};
static const struct nn_layer DENSE_LAST = {
    .kind = NN_DENSE, .is_last = 1, FRACTIONS, .input = {12, 4, 4, 0}, .output = {10, 1, 1, 0}};
static const struct nn_layer DENSE_BACK = {
    .kind = NN_DENSE, FRACTIONS, .input = {120, 1, 1, 0}, .output = {84, 1, 1, 0}};
static const struct nn_layer CONV1 = {.kind = NN_CONV2D,
                                      .activation = NN_RELU,
                                      .kernel = 5,
                                      .stride = 1,
                                      FRACTIONS,
                                      .input = {1, 28, 28, 0},
                                      .output = {4, 24, 24, 0}};
static const struct nn_layer POOL1 = {.kind = NN_MAX_POOL2D,
                                      .kernel = 2,
                                      .stride = 2,
                                      FRACTIONS,
                                      .input = {4, 24, 24, 0},
                                      .output = {4, 12, 12, 0}};
static const struct nn_layer CONV2 = {.kind = NN_CONV2D,
                                      .activation = NN_RELU,
                                      .kernel = 5,
                                      .stride = 1,
                                      FRACTIONS,
                                      .input = {4, 12, 12, 0},
                                      .output = {12, 8, 8, 0}};
static const struct nn_layer POOL2 = {.kind = NN_MAX_POOL2D,
                                      .kernel = 2,
                                      .stride = 2,
                                      FRACTIONS,
                                      .input = {12, 8, 8, 0},
                                      .output = {12, 4, 4, 0}};
static const struct nn_layer CONV3 = {.kind = NN_CONV2D,
                                      .activation = NN_RELU,
                                      .kernel = 3,
                                      .stride = 1,
                                      FRACTIONS,
                                      .input = {4, 12, 12, 0},
                                      .output = {8, 10, 10, 0}};

/* ---- forward ---- */

static struct nn_arguments arguments_of(const struct nn_layer *layer)
{
    return (struct nn_arguments){.layer = layer,
                                 .weights = memory.weights,
                                 .biases = memory.biases,
                                 .input = memory.input,
                                 .output =
                                     layer->is_last ? (void *)memory.sums : (void *)memory.output,
                                 .numerics = &memory.numerics};
}

static void forward(void (*kernel)(const struct nn_arguments *), const struct nn_layer *layer)
{
    const struct nn_arguments arguments = arguments_of(layer);
    kernel(&arguments);
}

CASE(dense, (void)0, forward(nn_dense, &DENSE_LARGE))
CASE(dense_last, (void)0, forward(nn_dense, &DENSE_LAST))
CASE(conv1, (void)0, forward(nn_conv2d, &CONV1))
CASE(conv2, (void)0, forward(nn_conv2d, &CONV2))
CASE(conv3x3, (void)0, forward(nn_conv2d, &CONV3))
CASE(pool, (void)0, forward(nn_max_pool2d, &POOL1))

/* ---- dense, backward ---- */

enum { IMAGES = 12, IMAGE_VALUES = 784, ERROR_VALUES = 16 };

static void gradient_of(const struct nn_layer *layer)
{
    nn_dense_gradient_of(layer, memory.input, IMAGE_VALUES, memory.errors, ERROR_VALUES, IMAGES,
                         memory.sums, memory.bias_sums);
}

CASE(dense_gradient_of, (void)0, gradient_of(&DENSE_LARGE))
CASE(dense_gradient_three, (void)0, gradient_of(&DENSE_THREE))
CASE(dense_gradient, (void)0,
     nn_dense_gradient(&DENSE_LARGE, memory.input, memory.errors, memory.sums, memory.bias_sums))
CASE(dense_input_sums, (void)0,
     nn_dense_input_sums(&DENSE_BACK, memory.weights, memory.errors, memory.sums))
CASE(dense_last_sums, (void)0,
     nn_dense_input_sums(&DENSE_LAST, memory.weights, memory.errors, memory.sums))
CASE(round_errors, (void)0, nn_round_errors(memory.sums, memory.errors, 576, 13, &memory.numerics))

/* ---- convolution, backward ---- */

/* Behind a pool, in each of whose windows a value is open. */
static void open_all(void)
{
    for (uint32_t i = 0; i < 4096; i++) {
        memory.output[i] = (nn_value)((memory.output[i] & 1023) + 1);
        memory.input[i] = memory.output[i];
    }
    for (uint32_t i = 0; i < 1024; i++) {
        memory.errors[i] = (nn_value)(memory.errors[i] | 1);
    }
}

static void choose(const struct nn_layer *pool)
{
    struct nn_arguments arguments = arguments_of(pool);
    nn_max_pool2d_choose(&arguments, memory.choice);
}

static void choose_open(const struct nn_layer *pool)
{
    open_all();
    choose(pool);
}

static void make_events(const struct nn_layer *conv, const struct nn_layer *pool)
{
    choose_open(pool);
    nn_pool_events(conv, pool, memory.output, memory.choice, memory.errors, memory.events,
                   memory.counts);
}

CASE(choose, (void)0, choose(&POOL1))
CASE(events1, choose_open(&POOL1),
     nn_pool_events(&CONV1, &POOL1, memory.output, memory.choice, memory.errors, memory.events,
                    memory.counts))
CASE(gradient1, make_events(&CONV1, &POOL1),
     nn_conv2d_gradient(&CONV1, memory.input, memory.events, memory.counts, memory.sums,
                        memory.bias_sums))
CASE(gradient2, make_events(&CONV2, &POOL2),
     nn_conv2d_gradient(&CONV2, memory.input, memory.events, memory.counts, memory.sums,
                        memory.bias_sums))
CASE(input_sums2, make_events(&CONV2, &POOL2),
     nn_conv2d_input_sums(&CONV2, memory.weights, memory.events, memory.counts, memory.sums))

/* ---- many small shapes: all paths of the tiles ---- */

static uint32_t between(uint32_t *state, uint32_t least, uint32_t most)
{
    return least + (next(state) >> 8) % (most - least + 1);
}

static void dense_shape(uint32_t *state)
{
    const uint32_t inputs = between(state, 1, 40);
    const uint32_t stride = inputs + inputs % 2 + 2 * between(state, 0, 1);
    struct nn_layer layer = DENSE_LARGE;
    layer.input = (struct nn_shape){(uint16_t)inputs, 1, 1, 0};
    layer.output.channels = (uint16_t)between(state, 1, 40);
    forward(nn_dense, &layer);
    nn_dense_gradient_of(&layer, memory.input, stride, memory.errors, 40,
                         between(state, 1, 2 * 16 + 1), memory.sums, memory.bias_sums);
    nn_dense_input_sums(&layer, memory.weights, memory.errors, memory.sums + SUMS / 2);
}

static void conv_shape(uint32_t *state)
{
    const uint32_t height = between(state, 1, 5);
    const uint32_t width = 2 * between(state, 0, 3) + 2;
    struct nn_layer layer = CONV1;
    layer.input.channels = (uint16_t)between(state, 1, 3);
    layer.input.height = (uint16_t)(height + 4);
    layer.input.width = (uint16_t)(width + 4);
    layer.output.channels = (uint16_t)between(state, 1, 4);
    layer.output.height = (uint16_t)height;
    layer.output.width = (uint16_t)width;
    const uint32_t closed = between(state, 0, 7);
    for (uint32_t i = 0; i < 1024; i++) {
        if (between(state, 0, 7) < closed) {
            memory.errors[i] = 0;
        }
    }
    forward(nn_conv2d, &layer);
    nn_relu_events(&layer, memory.output, memory.errors, memory.events, memory.counts);
    nn_conv2d_gradient(&layer, memory.input, memory.events, memory.counts, memory.sums,
                       memory.bias_sums);
    nn_conv2d_input_sums(&layer, memory.weights, memory.events, memory.counts,
                         memory.sums + SUMS / 2);
}

static void all_shapes(void)
{
    enum { SHAPES = 60 };
    uint32_t state = 7;
    for (uint32_t i = 0; i < SHAPES; i++) {
        dense_shape(&state);
        conv_shape(&state);
    }
}

CASE(shapes, (void)0, all_shapes())

/* ---- operators of no table row of their own ---- */

static void operators(void)
{
    if (!NN_OF_FORMAT(NN_OPERATES)) {
        return;
    }
    static const struct nn_layer AVERAGE = {
        .kernel = 3, .stride = 2, FRACTIONS, .input = {4, 12, 12, 0}, .output = {4, 5, 5, 0}};
    struct nn_arguments arguments = arguments_of(&AVERAGE);
    struct nn_layer padded = CONV3;
    padded.padding = 1;
    padded.output.height = padded.output.width = 12;
    forward(nn_conv2d, &padded);
    nn_relu_events(&padded, memory.output, memory.output, memory.events, memory.counts);
    nn_conv2d_gradient(&padded, memory.input, memory.events, memory.counts, memory.sums,
                       memory.bias_sums);
    nn_conv2d_input_sums(&padded, memory.weights, memory.events, memory.counts,
                         memory.sums + SUMS / 2);
    (void)nn_square_error(memory.sums, 10, 24, 3, 8, memory.errors, NULL);
    int16_t *const outputs = (int16_t *)(void *)memory.output;
    int16_t *const errors = (int16_t *)(void *)memory.errors;
    nn_activate(NN_TANH, 11, outputs, 512);
    nn_activate(NN_SIGMOID, 11, outputs + 512, 512);
    nn_activation_back(NN_TANH, 11, outputs, errors, 512);
    nn_activation_back(NN_SIGMOID, 11, outputs + 512, errors + 512, 512);
    arguments.output = memory.output + 1024;
    nn_average_pool2d(&arguments);
    nn_average_pool2d_back(&AVERAGE, memory.errors, memory.sums, memory.output + 2048);
}

CASE(operators, (void)0, operators())

/* ---- all of them ---- */

const struct kernel_case kernel_cases[] = {
    ROW(dense, 784 * 16, 0, "784 inputs, 16 outputs"),
    ROW(dense_last, 192 * 10, 0, "192 inputs, 10 outputs, sums"),
    ROW(conv1, 576 * 4 * 25, 0, "28 x 28 to 4 x 24 x 24, window 5"),
    ROW(conv2, 64 * 12 * 100, 0, "4 x 12 x 12 to 12 x 8 x 8, window 5"),
    ROW(conv3x3, 100 * 8 * 36, 0, "4 x 12 x 12 to 8 x 10 x 10, window 3"),
    ROW(pool, 576, 0, "4 x 24 x 24, window 2"),
    ROW(dense_gradient_of, 784 * 16 * IMAGES, 0, "784 inputs, 16 outputs, 12 images"),
    ROW(dense_gradient_three, 784 * 3 * IMAGES, 0, "784 inputs, 3 outputs, 12 images"),
    ROW(dense_gradient, 784 * 16, 0, "784 inputs, 16 outputs, 1 image"),
    ROW(dense_input_sums, 120 * 84, 0, "120 inputs, 84 outputs"),
    ROW(dense_last_sums, 192 * 10, 0, "192 inputs, 10 outputs"),
    ROW(round_errors, 576, 0, "576 errors"),
    ROW(choose, 576, 0, "4 x 24 x 24, window 2"),
    ROW(events1, 576, 0, "4 x 12 x 12 errors"),
    ROW(gradient1, 144 * 4 * 25, 576 * 4 * 25, "behind a pool: 28 x 28 to 4 x 24 x 24"),
    ROW(gradient2, 16 * 12 * 100, 64 * 12 * 100, "behind a pool: 4 x 12 x 12 to 12 x 8 x 8"),
    ROW(input_sums2, 16 * 12 * 100, 64 * 12 * 100, "behind a pool: 4 x 12 x 12 to 12 x 8 x 8"),
    ROW(operators, 0, 0, "activations, average pool, padding"),
    ROW(shapes, 0, 0, "many small ones, for their bits"),
};
const uint32_t kernel_case_count = sizeof kernel_cases / sizeof *kernel_cases;
