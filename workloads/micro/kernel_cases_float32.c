/* kernel_cases_float32.c - see kernel_cases.h: the kernels on singles, and the arithmetic under
 * them on numbers that are hard to round. */
#include "backward.h"
#include "kernel_cases_parts.h"
#include "loss.h"
#include "update.h"

#include <stddef.h>

/* ---- numbers ---- */

enum { VALUES = 16384, SUMS = 16384, ANSWERS = 12288 };

static struct {
    float weights[VALUES], biases[512], input[VALUES], errors[1024], totals[1024], output[1024];
    int32_t sums[SUMS], bias_sums[512], state[1024];
    uint32_t answer[ANSWERS];
    struct nn_numerics numerics;
} memory;

/* Up to `most` away from 0, all of a single's bits in use. */
static void fill_values(float *values, uint32_t count, float most, uint32_t *state)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = (float)(int32_t)next(state) * (most * nn_float_power(-31));
    }
}

static void fill(void)
{
    uint32_t state = 20;
    fill_values(memory.weights, VALUES, 0.25F, &state);
    fill_values(memory.biases, 512, 0.25F, &state);
    fill_values(memory.input, VALUES, 1, &state);
    fill_values(memory.errors, 1024, 1, &state);
    for (uint32_t i = 0; i < 1024; i++) {
        memory.output[i] = 0;
        memory.totals[i] = 0;
        memory.state[i] = (int32_t)nn_float_bits(memory.input[i] * 0.0625F);
    }
    for (uint32_t i = 0; i < SUMS; i++) {
        memory.sums[i] = (int32_t)next(&state) >> 8;
    }
    for (uint32_t i = 0; i < 512; i++) {
        memory.bias_sums[i] = (int32_t)i;
    }
}

static uint32_t check(void)
{
    uint32_t made = add_check(0x811c9dc5u, memory.sums, sizeof memory.sums);
    made = add_check(made, memory.bias_sums, sizeof memory.bias_sums);
    made = add_check(made, memory.output, sizeof memory.output);
    made = add_check(made, memory.errors, sizeof memory.errors);
    made = add_check(made, memory.totals, sizeof memory.totals);
    made = add_check(made, memory.state, sizeof memory.state);
    made = add_check(made, memory.weights, sizeof memory.weights);
    return add_check(made, memory.answer, sizeof memory.answer);
}

/* ---- layers ---- */

static const struct nn_layer DENSE_LARGE = {
    .kind = NN_DENSE, .activation = NN_RELU, .input = {1, 28, 28, 0}, .output = {16, 1, 1, 0}};
static const struct nn_layer DENSE_THREE = {
    .kind = NN_DENSE, .activation = NN_RELU, .input = {1, 28, 28, 0}, .output = {3, 1, 1, 0}};
static const struct nn_layer DENSE_LAST = {
    .kind = NN_DENSE, .is_last = 1, .input = {12, 4, 4, 0}, .output = {10, 1, 1, 0}};
static const struct nn_layer DENSE_BACK = {
    .kind = NN_DENSE, .input = {120, 1, 1, 0}, .output = {84, 1, 1, 0}};

static void forward(const struct nn_layer *layer)
{
    const struct nn_arguments arguments = {.layer = layer,
                                           .weights = memory.weights,
                                           .biases = memory.biases,
                                           .input = memory.input,
                                           .output = layer->is_last ? memory.totals : memory.output,
                                           .numerics = &memory.numerics};
    nn_dense(&arguments);
}

CASE(dense, (void)0, forward(&DENSE_LARGE))
CASE(dense_last, (void)0, forward(&DENSE_LAST))

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

/* ---- what has no products ---- */

static void learn(void)
{
    struct nn_rule rule = {
        .optimizer = NN_MOMENTUM, .rate_shift = 11, .rate_scale = 3, .one_less_momentum = 3277};
    struct nn_update_note note = {0};
    uint32_t probability[NN_MAX_CLASSES];
    nn_update(&rule, 3, 200, 0, 1024, 1000, memory.sums, memory.state, memory.weights, &note);
    for (uint32_t i = 0; i < 50; i++) {
        const float *logits = memory.input + 10 * (size_t)i;
        float *errors = memory.errors + 10 * (size_t)i;
        uint32_t loss;
        const uint32_t best = nn_softmax_error(logits, 10, 0, NULL, i % 10, 0, errors, &loss);
        memory.answer[2 * i] = loss;
        memory.answer[2 * i + 1] = best + nn_softmax(logits, 10, 0, NULL, probability);
        for (uint32_t c = 0; c < 10; c++) {
            memory.answer[100 + 10 * i + c] = probability[c];
        }
    }
}

CASE(learn, (void)0, learn())

/* ---- arithmetic ---- */

/* Around zero, the subnormal numbers, one, halves of a last place, the largest, and none. */
static const uint32_t HARD[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00000003, 0x007fffff, 0x00800000,
    0x00800001, 0x00ffffff, 0x01000000, 0x33000000, 0x33800000, 0x33800001, 0x34000000,
    0x34800001, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001,
    0x3f800003, 0x3fffffff, 0x40000000, 0x4b000001, 0x4b7fffff, 0x4b800000, 0x4effffff,
    0x4f000000, 0x7e800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000};

/* All results that are no number count as one. */
static uint32_t bits_of(float value)
{
    return value == value ? nn_float_bits(value) : 0x7fc00000;
}

static uint32_t compared(float a, float b)
{
    enum { MORE = 1, LESS = 2, SAME = 4, NOT_LESS = 8 };
    return (a > b ? MORE : 0u) | (a < b ? LESS : 0u) | (a == b ? SAME : 0u) |
           (a >= b ? NOT_LESS : 0u);
}

static uint32_t ask(uint32_t *answer, uint32_t a_bits, uint32_t b_bits)
{
    const float a = nn_float_of(a_bits);
    const float b = nn_float_of(b_bits);
    uint32_t made = add_check(0x811c9dc5u, &a_bits, sizeof a_bits);
    const uint32_t results[] = {bits_of(a + b),
                                bits_of(a - b),
                                bits_of(a * b),
                                bits_of(a / b),
                                bits_of((float)(int32_t)a_bits),
                                bits_of((float)b_bits),
                                (uint32_t)nn_float_word(a, 20),
                                compared(a, b)};
    made = add_check(made, results, sizeof results);
    *answer = made;
    return made;
}

static void arithmetic(void)
{
    enum { COUNT = sizeof HARD / sizeof *HARD };
    uint32_t state = 33;
    uint32_t at = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t j = 0; j < COUNT; j++) {
            (void)ask(&memory.answer[at++], HARD[i], HARD[j]);
            (void)ask(&memory.answer[at++], HARD[i], next(&state));
        }
    }
    while (at < ANSWERS - 1) { /* of any size, and of sizes that meet in a sum */
        const uint32_t a = next(&state);
        const uint32_t near = (next(&state) & 0x80ffffffu) ^ (a & 0x7f000000u);
        (void)ask(&memory.answer[at++], a, next(&state));
        (void)ask(&memory.answer[at++], a, near);
    }
}

CASE(arithmetic, (void)0, arithmetic())

/* ---- all of them ---- */

const struct kernel_case kernel_cases[] = {
    ROW(dense, 784 * 16, 0, "784 inputs, 16 outputs"),
    ROW(dense_last, 192 * 10, 0, "192 inputs, 10 outputs, sums"),
    ROW(dense_gradient_of, 784 * 16 * IMAGES, 0, "784 inputs, 16 outputs, 12 images"),
    ROW(dense_gradient_three, 784 * 3 * IMAGES, 0, "784 inputs, 3 outputs, 12 images"),
    ROW(dense_gradient, 784 * 16, 0, "784 inputs, 16 outputs, 1 image"),
    ROW(dense_input_sums, 120 * 84, 0, "120 inputs, 84 outputs"),
    ROW(dense_last_sums, 192 * 10, 0, "192 inputs, 10 outputs"),
    ROW(learn, 0, 0, "an update, softmax, the loss"),
    ROW(arithmetic, 0, 0, "sums, products, quotients, conversions"),
};
const uint32_t kernel_case_count = sizeof kernel_cases / sizeof *kernel_cases;
