/* kernel_cases_int8.c - see kernel_cases.h: the kernels of inference on values of 8 bits. */
#include "kernel_cases_parts.h"
#include "kernels.h"

#include <stddef.h>

/* ---- numbers ---- */

enum { VALUES = 16384, SCRATCH = 4096 };

static struct {
    _Alignas(8) int8_t weights[VALUES], input[4096];
    _Alignas(8) int8_t output[4096];
    _Alignas(8) int16_t biases[64], scratch[SCRATCH], wide[4096];
    _Alignas(8) int32_t sums[64];
    _Alignas(8) uint8_t image[1024];
    struct nn_numerics numerics;
} memory;

static void fill_values(int8_t *values, uint32_t count, uint32_t *state)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = (int8_t)(next(state) >> 24);
    }
}

static void fill(void)
{
    uint32_t state = 20;
    fill_values(memory.weights, VALUES, &state);
    fill_values(memory.input, 4096, &state);
    fill_values(memory.output, 4096, &state);
    for (uint32_t i = 0; i < 64; i++) {
        memory.biases[i] = (int16_t)(next(&state) >> 16);
        memory.sums[i] = 0;
    }
    for (uint32_t i = 0; i < 1024; i++) {
        memory.image[i] = (uint8_t)(next(&state) >> 24);
    }
    memory.numerics = (struct nn_numerics){0};
}

static uint32_t check(void)
{
    const uint32_t met[] = {memory.numerics.saturations, memory.numerics.overflows};
    uint32_t made = add_check(0x811c9dc5u, memory.sums, sizeof memory.sums);
    made = add_check(made, met, sizeof met);
    made = add_check(made, memory.wide, sizeof memory.wide);
    return add_check(made, memory.output, sizeof memory.output);
}

/* ---- layers ---- */

#define FRACTIONS .weight_fraction = 15, .input_fraction = 7, .output_fraction = 4

static const struct nn_layer DENSE_LARGE = {.kind = NN_DENSE,
                                            .activation = NN_RELU,
                                            FRACTIONS,
                                            .input = {1, 28, 28, 0},
                                            .output = {16, 1, 1, 0}};
static const struct nn_layer DENSE_LAST = {
    .kind = NN_DENSE, .is_last = 1, FRACTIONS, .input = {12, 4, 4, 0}, .output = {10, 1, 1, 0}};
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
static const struct nn_layer CONV3 = {.kind = NN_CONV2D,
                                      .activation = NN_RELU,
                                      .kernel = 3,
                                      .stride = 1,
                                      FRACTIONS,
                                      .input = {4, 12, 12, 0},
                                      .output = {8, 10, 10, 0}};

/* Whether a sum has wrapped is part of what is checked. */
static void forward(void (*kernel)(const struct nn_arguments *), const struct nn_layer *layer)
{
    const struct nn_arguments arguments = {.layer = layer,
                                           .weights = memory.weights,
                                           .biases = memory.biases,
                                           .input = memory.input,
                                           .output = layer->is_last ? (void *)memory.sums
                                                                    : (void *)memory.output,
                                           .numerics = &memory.numerics,
                                           .scratch = memory.scratch};
    nn_sum_begin(&memory.numerics);
    kernel(&arguments);
    memory.numerics.overflows += nn_sum_overflow(&memory.numerics);
}

CASE(dense, (void)0, forward(nn_dense, &DENSE_LARGE))
CASE(dense_last, (void)0, forward(nn_dense, &DENSE_LAST))
CASE(conv1, (void)0, forward(nn_conv2d, &CONV1))
CASE(conv2, (void)0, forward(nn_conv2d, &CONV2))
CASE(conv3x3, (void)0, forward(nn_conv2d, &CONV3))
CASE(pool, (void)0, forward(nn_max_pool2d, &POOL1))

/* ---- many small shapes ---- */

static uint32_t between(uint32_t *state, uint32_t least, uint32_t most)
{
    return least + (next(state) >> 8) % (most - least + 1);
}

static void all_shapes(void)
{
    enum { SHAPES = 60 };
    static const struct nn_table TABLE = {.image_pixels = 1021};
    uint32_t state = 7;
    for (uint32_t i = 0; i < SHAPES; i++) {
        struct nn_layer dense = i % 2 == 0 ? DENSE_LARGE : DENSE_LAST;
        struct nn_layer conv = CONV1;
        dense.input = (struct nn_shape){(uint16_t)between(&state, 1, 40), 1, 1, 0};
        dense.output.channels = (uint16_t)between(&state, 1, 40);
        forward(nn_dense, &dense);
        conv.kernel = (uint8_t)between(&state, 1, 5);
        conv.padding = (uint8_t)between(&state, 0, 1);
        conv.output =
            (struct nn_shape){(uint16_t)between(&state, 1, 4), (uint16_t)between(&state, 1, 6),
                              (uint16_t)between(&state, 1, 6), 0};
        conv.input.channels = (uint16_t)between(&state, 1, 3);
        conv.input.height = (uint16_t)(conv.output.height + conv.kernel - 1 - 2 * conv.padding);
        conv.input.width = (uint16_t)(conv.output.width + conv.kernel - 1 - 2 * conv.padding);
        if (conv.input.height < 6 && conv.input.height > 0 && conv.input.width > 0) {
            forward(nn_conv2d, &conv);
        }
    }
    nn_load_image(&TABLE, memory.image, memory.output + 2048);
    nn_int8_widen(memory.input, memory.wide, 4093);
}

CASE(shapes, (void)0, all_shapes())

/* ---- all of them ---- */

const struct kernel_case kernel_cases[] = {
    ROW(dense, 784 * 16, 0, "784 inputs, 16 outputs"),
    ROW(dense_last, 192 * 10, 0, "192 inputs, 10 outputs, sums"),
    ROW(conv1, 576 * 4 * 25, 0, "28 x 28 to 4 x 24 x 24, window 5"),
    ROW(conv2, 64 * 12 * 100, 0, "4 x 12 x 12 to 12 x 8 x 8, window 5"),
    ROW(conv3x3, 100 * 8 * 36, 0, "4 x 12 x 12 to 8 x 10 x 10, window 3"),
    ROW(pool, 576, 0, "4 x 24 x 24, window 2"),
    ROW(shapes, 0, 0, "many small ones, for their bits"),
};
const uint32_t kernel_case_count = sizeof kernel_cases / sizeof *kernel_cases;
