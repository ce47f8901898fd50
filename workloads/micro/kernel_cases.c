/* kernel_cases.c - see kernel_cases.h; compiled for each number format. */
#include "kernel_cases.h"

#include "activation.h"
#include "average_pool.h"
#include "backward.h"
#include "deform.h"
#include "loss.h"
#include "update.h"

#include <stddef.h>

/* begin_NAME() and end_NAME() delimit the counted part of a case. */
#define CASE(name, prepare, call)                                                                  \
    __attribute__((noinline, used)) static void begin_##name(void)                                 \
    {                                                                                              \
        __asm__ volatile("" ::: "memory");                                                         \
    }                                                                                              \
    __attribute__((noinline, used)) static void end_##name(void)                                   \
    {                                                                                              \
        __asm__ volatile("" ::: "memory");                                                         \
    }                                                                                              \
    static uint32_t run_##name(void)                                                               \
    {                                                                                              \
        fill();                                                                                    \
        prepare;                                                                                   \
        begin_##name();                                                                            \
        call;                                                                                      \
        end_##name();                                                                              \
        return check();                                                                            \
    }

/* A row of the table; `there` 0: the number format has no such kernel. */
#define ROW(there, name, macs, dense_macs, what)                                                   \
    {                                                                                              \
#name, what, (there) ? run_##name : NULL, macs, dense_macs                                 \
    }

enum {
    CONVOLVES = NN_CONVOLVES,
    TRAINS = NN_TRAINS,
    BOTH = CONVOLVES && TRAINS,
    OPERATES = NN_OF_FORMAT(NN_OPERATORS)
};

/* ---- numbers ---- */

enum { VALUES = 16384, SUMS = 16384, ANSWERS = 12288, FOR_BACK = 512 /* of the totals */ };

/* Outputs and inputs of the kernels. */
static struct {
    _Alignas(8) nn_value weights[VALUES], input[VALUES], errors[1024], output[4096];
    _Alignas(8) nn_bias biases[512];
    _Alignas(8) nn_total totals[2048];
    _Alignas(8) int32_t sums[SUMS], bias_sums[512], state[1024];
    uint32_t answer[ANSWERS];
    uint8_t choice[1024];
    struct nn_numerics numerics;
} memory;
static _Alignas(8) int16_t scratch[4096];
static _Alignas(4) struct nn_event events[2048];
static uint16_t counts[64];
static uint32_t exp_table[NN_EXP_STEPS + 1];

/* xorshift */
static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* FNV-1a */
static uint32_t add_check(uint32_t check, const void *data, uint32_t bytes)
{
    const uint8_t *at = data;
    for (uint32_t i = 0; i < bytes; i++) {
        check = (check ^ at[i]) * 0x01000193u;
    }
    return check;
}

/* A number of so many bits; a single is below 2^(bits - 1), all of its bits in use. */
static nn_total drawn(uint32_t *state, int32_t bits)
{
    const int32_t word = (int32_t)next(state);
    return NN_FLOATS ? (nn_total)((float)word / (float)(UINT64_C(1) << (32 - bits)))
                     : (nn_total)(word >> (32 - bits));
}

#define FILL(array, bits)                                                                          \
    for (uint32_t i = 0; i < sizeof memory.array / sizeof *memory.array; i++) {                    \
        memory.array[i] = (__typeof__(*memory.array))drawn(&state, bits);                          \
    }

static void fill(void)
{
    uint32_t state = 20;
    FILL(weights, NN_FLOATS ? -1 : NN_NARROW ? 8 : 12)
    FILL(biases, NN_FLOATS ? -1 : NN_NARROW ? 16 : 12)
    FILL(input, NN_FLOATS ? 1 : NN_NARROW ? 8 : 11)
    FILL(errors, NN_FLOATS ? 1 : NN_NARROW ? 8 : 9)
    FILL(output, NN_FLOATS ? 1 : NN_NARROW ? 8 : 11)
    FILL(totals, NN_FLOATS ? 3 : 20)
    for (uint32_t i = 0; i < SUMS; i++) {
        memory.sums[i] = (int32_t)next(&state) >> 12;
    }
    for (uint32_t i = 0; i < 512; i++) {
        memory.bias_sums[i] = (int32_t)i;
    }
    for (uint32_t i = 0; i < 1024; i++) {
        memory.state[i] = 0;
        memory.choice[i] = 0;
    }
    for (uint32_t i = 0; i < ANSWERS; i++) {
        memory.answer[i] = 0;
    }
    memory.numerics = (struct nn_numerics){0};
    nn_sum_begin(&memory.numerics);
}

/* Check of all buffers.  Includes whether a sum has wrapped, except in number formats that train:
 * gradients may wrap. */
static uint32_t check(void)
{
    memory.numerics.overflows += TRAINS ? 0 : nn_sum_overflow(&memory.numerics);
    memory.numerics.wrapped = 0;
    return add_check(0x811c9dc5u, &memory, sizeof memory);
}

/* ---- layers ---- */

#define FRACTIONS                                                                                  \
    .weight_fraction = NN_NARROW ? 15 : 13, .input_fraction = NN_NARROW ? 7 : 11,                  \
    .output_fraction = NN_NARROW ? 4 : 11
#define DENSE(...)                                                                                 \
    {                                                                                              \
        .kind = NN_DENSE, FRACTIONS, __VA_ARGS__                                                   \
    }
#define WINDOWS(side, step, ...)                                                                   \
    {                                                                                              \
        .kernel = (side), .stride = (step), FRACTIONS, __VA_ARGS__                                 \
    }
#define CONV(side, ...) WINDOWS(side, 1, .kind = NN_CONV2D, .activation = NN_RELU, __VA_ARGS__)
#define POOL(...)       WINDOWS(2, 2, .kind = NN_MAX_POOL2D, __VA_ARGS__)

static const struct nn_layer DENSE_LARGE =
    DENSE(.activation = NN_RELU, .input = {1, 28, 28, 0}, .output = {16, 1, 1, 0});
static const struct nn_layer DENSE_THREE =
    DENSE(.activation = NN_RELU, .input = {1, 28, 28, 0}, .output = {3, 1, 1, 0});
static const struct nn_layer DENSE_LAST =
    DENSE(.is_last = 1, .input = {12, 4, 4, 0}, .output = {10, 1, 1, 0});
static const struct nn_layer DENSE_BACK = DENSE(.input = {120, 1, 1, 0}, .output = {84, 1, 1, 0});
static const struct nn_layer CONV1 = CONV(5, .input = {1, 28, 28, 0}, .output = {4, 24, 24, 0});
static const struct nn_layer POOL1 = POOL(.input = {4, 24, 24, 0}, .output = {4, 12, 12, 0});
static const struct nn_layer CONV2 = CONV(5, .input = {4, 12, 12, 0}, .output = {12, 8, 8, 0});
static const struct nn_layer POOL2 = POOL(.input = {12, 8, 8, 0}, .output = {12, 4, 4, 0});
static const struct nn_layer CONV3 = CONV(3, .input = {4, 12, 12, 0}, .output = {8, 10, 10, 0});

/* ---- forward ---- */

static struct nn_arguments arguments_of(const struct nn_layer *layer)
{
    (void)scratch;
    return (struct nn_arguments){.layer = layer,
                                 .weights = memory.weights,
                                 .biases = memory.biases,
                                 .input = memory.input,
                                 .output =
                                     layer->is_last ? (void *)memory.totals : (void *)memory.output,
                                 NN_SCRATCH(scratch).numerics = &memory.numerics};
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
     nn_dense_input_sums(&DENSE_BACK, memory.weights, memory.errors, memory.totals))
CASE(dense_last_sums, (void)0,
     nn_dense_input_sums(&DENSE_LAST, memory.weights, memory.errors, memory.totals))
CASE(round_errors, (void)0,
     nn_round_errors(memory.totals, memory.errors, 576, 13, &memory.numerics))

/* ---- convolution, backward ---- */

/* Behind a pool, in each of whose windows a value is open. */
static void open_all(void)
{
    for (uint32_t i = 0; i < 4096; i++) {
        memory.output[i] = (nn_value)(((int32_t)memory.output[i] & 1023) + 1);
        memory.input[i] = memory.output[i];
    }
    for (uint32_t i = 0; i < 1024; i++) {
        memory.errors[i] = (nn_value)((int32_t)memory.errors[i] | 1);
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

static void pool_events(const struct nn_layer *conv, const struct nn_layer *pool)
{
    nn_pool_events(conv, pool, memory.output, memory.choice, memory.errors, events, counts);
}

static void make_events(const struct nn_layer *conv, const struct nn_layer *pool)
{
    choose_open(pool);
    pool_events(conv, pool);
}

static void conv_gradient(const struct nn_layer *layer)
{
    nn_conv2d_gradient(layer, memory.input, events, counts, memory.sums, memory.bias_sums);
}

static void conv_sums(const struct nn_layer *layer, nn_total *sums)
{
    nn_conv2d_input_sums(layer, memory.weights, events, counts, sums);
}

CASE(choose, (void)0, choose(&POOL1))
CASE(events1, choose_open(&POOL1), pool_events(&CONV1, &POOL1))
CASE(gradient1, make_events(&CONV1, &POOL1), conv_gradient(&CONV1))
CASE(gradient2, make_events(&CONV2, &POOL2), conv_gradient(&CONV2))
CASE(input_sums2, make_events(&CONV2, &POOL2), conv_sums(&CONV2, memory.totals))

/* ---- many small shapes: all paths of the tiles ---- */

static uint32_t between(uint32_t *state, uint32_t least, uint32_t most)
{
    return least + (next(state) >> 8) % (most - least + 1);
}

static void dense_shape(uint32_t *state)
{
    struct nn_layer layer = between(state, 0, 1) == 0 ? DENSE_LARGE : DENSE_LAST;
    const uint32_t inputs = between(state, 1, 40);
    const uint32_t stride = inputs + inputs % 2 + 2 * between(state, 0, 1);
    layer.input = (struct nn_shape){(uint16_t)inputs, 1, 1, 0};
    layer.output.channels = (uint16_t)between(state, 1, 40);
    forward(nn_dense, &layer);
    if (TRAINS) {
        nn_dense_gradient_of(&layer, memory.input, stride, memory.errors, 40,
                             between(state, 1, 2 * 16 + 1), memory.sums, memory.bias_sums);
        nn_dense_input_sums(&layer, memory.weights, memory.errors, memory.totals + FOR_BACK);
    }
}

/* Draws a shape, mostly with windows of 5 x 5 and rows of whole words. */
static void conv_shape(uint32_t *state)
{
    const bool any = between(state, 0, 3) == 0;
    struct nn_layer layer = CONV1;
    layer.kernel = (uint8_t)(any ? between(state, 1, 5) : 5);
    layer.padding = (uint8_t)(any && layer.kernel > 2 ? between(state, 0, NN_PADS) : 0);
    layer.output = (struct nn_shape){(uint16_t)between(state, 1, 4), (uint16_t)between(state, 1, 5),
                                     (uint16_t)(2 * between(state, 0, 3) + (any ? 1 : 2)), 0};
    layer.input.channels = (uint16_t)between(state, 1, 3);
    layer.input.height = (uint16_t)(layer.output.height + layer.kernel - 1);
    layer.input.width = (uint16_t)(layer.output.width + layer.kernel - 1);
    layer.output.height = (uint16_t)(layer.output.height + 2 * layer.padding);
    layer.output.width = (uint16_t)(layer.output.width + 2 * layer.padding);
    const uint32_t closed = between(state, 0, 7);
    for (uint32_t i = 0; i < 1024; i++) {
        if (between(state, 0, 7) < closed) {
            memory.errors[i] = 0;
        }
    }
    forward(nn_conv2d, &layer);
    if (TRAINS) {
        nn_relu_events(&layer, memory.output, memory.errors, events, counts);
        conv_gradient(&layer);
        conv_sums(&layer, memory.totals + FOR_BACK);
    }
}

static void all_shapes(void)
{
    enum { SHAPES = 80 };
    static const struct nn_table TABLE = {.image_pixels = 1021, .input_shift = 3};
    uint32_t state = 7;
    for (uint32_t i = 0; i < SHAPES; i++) {
        dense_shape(&state);
        if (CONVOLVES) {
            conv_shape(&state);
        }
    }
    nn_load_image(&TABLE, (const uint8_t *)memory.sums, memory.output + 2048);
}

CASE(shapes, (void)0, all_shapes())

/* ---- what has no products, or no row of the table of costs ---- */

static void learn(void)
{
    struct nn_rule rule = {.optimizer = NN_MOMENTUM,
                           .weight_fraction = 13,
                           .error_fraction = 9,
                           .activation_fraction = 11,
                           .rate_shift = 11,
                           .rate_scale = 3,
                           .one_less_momentum = 3277};
    struct nn_update_note note = {0};
    uint32_t probability[NN_MAX_CLASSES];
    if (!NN_FLOATS) {
        nn_exp_table(exp_table);
    }
    for (uint32_t update = 0; update < 3; update++) {
        nn_update(&rule, update, 200, 0, 1024, 1000, memory.sums, memory.state, memory.weights,
                  &note);
    }
    for (uint32_t i = 0; i < 50; i++) {
        const nn_total *logits = memory.totals + 10 * (size_t)i;
        nn_value *errors = memory.errors + 10 * (size_t)i;
        uint32_t loss;
        const uint32_t best = nn_softmax_error(logits, 10, 18, exp_table, i % 10, 9, errors, &loss);
        memory.answer[2 * i] = loss;
        memory.answer[2 * i + 1] = best + nn_softmax(logits, 10, 18, exp_table, probability);
        for (uint32_t c = 0; c < 10; c++) {
            memory.answer[100 + 10 * i + c] = probability[c];
        }
    }
}

CASE(learn, (void)0, learn())

static void operators(void)
{
    static const struct nn_layer AVERAGE =
        WINDOWS(3, 2, .input = {4, 12, 12, 0}, .output = {4, 5, 5, 0});
    struct nn_arguments arguments = arguments_of(&AVERAGE);
    struct nn_layer padded = CONV3;
    int16_t *const outputs = (int16_t *)(void *)memory.output;
    int16_t *const errors = (int16_t *)(void *)memory.errors;
    padded.padding = 1;
    padded.output.height = padded.output.width = 12;
    forward(nn_conv2d, &padded);
    nn_relu_events(&padded, memory.output, memory.output, events, counts);
    conv_gradient(&padded);
    conv_sums(&padded, memory.totals + FOR_BACK);
    (void)nn_square_error(memory.totals, 10, 24, NULL, 3, 8, memory.errors, NULL);
    nn_activate(NN_TANH, 11, outputs, 512);
    nn_activate(NN_SIGMOID, 11, outputs + 512, 512);
    nn_activation_back(NN_TANH, 11, outputs, errors, 512);
    nn_activation_back(NN_SIGMOID, 11, outputs + 512, errors + 512, 512);
    arguments.output = memory.output + 1024;
    nn_average_pool2d(&arguments);
    nn_average_pool2d_back(&AVERAGE, memory.errors, memory.sums, memory.output + 2048);
}

CASE(operators, (void)0, operators())

/* ---- images ---- */

static void deform(void)
{
    static const struct nn_deformation LIMITS = {3 * NN_DEFORM_ONE, NN_DEFORM_ONE / 4,
                                                 NN_DEFORM_ONE / 4, NN_DEFORM_ONE / 2};
    uint32_t answer = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const struct nn_affine affine = nn_affine_draw(&LIMITS, 7, i);
        nn_deform(&affine, 28, 28, (const uint8_t *)memory.input, memory.choice);
        answer = add_check(answer, memory.choice, 28 * 28);
        memory.answer[i] = add_check(answer, &affine, sizeof affine);
    }
}

CASE(deform, (void)0, deform())

/* ---- the arithmetic of singles ---- */

/* Around zero, the subnormal numbers, one, halves of a last place, the largest, and none. */
static const uint32_t HARD[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00000003, 0x007fffff, 0x00800000,
    0x00800001, 0x00ffffff, 0x01000000, 0x33000000, 0x33800000, 0x33800001, 0x34000000,
    0x34800001, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001,
    0x3f800003, 0x3fffffff, 0x40000000, 0x4b000001, 0x4b7fffff, 0x4b800000, 0x4effffff,
    0x4f000000, 0x7e800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000};

static float single_of(uint32_t bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of a result; every NaN counts as the same one. */
static uint32_t bits_of(float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return value == value ? bits : 0x7fc00000;
}

static uint32_t compared(float a, float b)
{
    enum { MORE = 1, LESS = 2, SAME = 4, NOT_LESS = 8 };
    return (a > b ? MORE : 0u) | (a < b ? LESS : 0u) | (a == b ? SAME : 0u) |
           (a >= b ? NOT_LESS : 0u);
}

static void ask(uint32_t *answer, uint32_t a_bits, uint32_t b_bits)
{
    const float a = single_of(a_bits);
    const float b = single_of(b_bits);
    const uint32_t results[] = {bits_of(a + b),
                                bits_of(a - b),
                                bits_of(a * b),
                                bits_of(a / b),
                                bits_of((float)(int32_t)a_bits),
                                bits_of((float)b_bits),
                                (uint32_t)nn_logit_word((nn_total)a),
                                compared(a, b)};
    *answer = add_check(add_check(0x811c9dc5u, &a_bits, sizeof a_bits), results, sizeof results);
}

static void arithmetic(void)
{
    enum { COUNT = sizeof HARD / sizeof *HARD };
    uint32_t state = 33;
    uint32_t at = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t j = 0; j < COUNT; j++) {
            ask(&memory.answer[at++], HARD[i], HARD[j]);
            ask(&memory.answer[at++], HARD[i], next(&state));
        }
    }
    while (at < ANSWERS - 1) { /* of any size, and of sizes that meet in a sum */
        const uint32_t a = next(&state);
        const uint32_t near = (next(&state) & 0x80ffffffu) ^ (a & 0x7f000000u);
        ask(&memory.answer[at++], a, next(&state));
        ask(&memory.answer[at++], a, near);
    }
}

CASE(arithmetic, (void)0, arithmetic())

/* ---- all of them ---- */

const struct kernel_case kernel_cases[] = {
    ROW(1, dense, 784 * 16, 0, "784 inputs, 16 outputs"),
    ROW(1, dense_last, 192 * 10, 0, "192 inputs, 10 outputs, sums"),
    ROW(CONVOLVES, conv1, 576 * 4 * 25, 0, "28 x 28 to 4 x 24 x 24, window 5"),
    ROW(CONVOLVES, conv2, 64 * 12 * 100, 0, "4 x 12 x 12 to 12 x 8 x 8, window 5"),
    ROW(CONVOLVES, conv3x3, 100 * 8 * 36, 0, "4 x 12 x 12 to 8 x 10 x 10, window 3"),
    ROW(CONVOLVES, pool, 576, 0, "4 x 24 x 24, window 2"),
    ROW(TRAINS, dense_gradient_of, 784 * 16 * IMAGES, 0, "784 inputs, 16 outputs, 12 images"),
    ROW(TRAINS, dense_gradient_three, 784 * 3 * IMAGES, 0, "784 inputs, 3 outputs, 12 images"),
    ROW(TRAINS, dense_gradient, 784 * 16, 0, "784 inputs, 16 outputs, 1 image"),
    ROW(TRAINS, dense_input_sums, 120 * 84, 0, "120 inputs, 84 outputs"),
    ROW(TRAINS, dense_last_sums, 192 * 10, 0, "192 inputs, 10 outputs"),
    ROW(BOTH, round_errors, 576, 0, "576 errors"),
    ROW(BOTH, choose, 576, 0, "4 x 24 x 24, window 2"),
    ROW(BOTH, events1, 576, 0, "4 x 12 x 12 errors"),
    ROW(BOTH, gradient1, 144 * 4 * 25, 576 * 4 * 25, "behind a pool: 28 x 28 to 4 x 24 x 24"),
    ROW(BOTH, gradient2, 16 * 12 * 100, 64 * 12 * 100, "behind a pool: 4 x 12 x 12 to 12 x 8 x 8"),
    ROW(BOTH, input_sums2, 16 * 12 * 100, 64 * 12 * 100,
        "behind a pool: 4 x 12 x 12 to 12 x 8 x 8"),
    ROW(TRAINS, learn, 0, 0, "an update, softmax, the loss"),
    ROW(OPERATES, operators, 0, 0, "activations, average pool, padding"),
    ROW(1, deform, 0, 0, "8 images of 28 x 28"),
    ROW(NN_FLOATS, arithmetic, 0, 0, "sums, products, quotients, conversions"),
    ROW(1, shapes, 0, 0, "many small ones, and an image, for their bits"),
};
const uint32_t kernel_case_count = sizeof kernel_cases / sizeof *kernel_cases;
