/* block_role.h - what the roles train_blocks and train_columns have in common: a chip has some
 * units of each hidden layer, and its cores share the images of a batch (block_plan.h).  To be
 * included once, by the source of the role.
 *
 * A core has no room for the gradients of all its weights: it sums some of them at a time, over
 * all its images, and writes them to SDRAM, where the chip's cores meet. */
#pragma once
#include "marks.h"
#include "train_core.h"

#include <backward.h>
#include <block_plan.h>
#include <dropout.h>
#include <exchange_parts.h>
#include <kernels.h>
#include <operators.h>
#include <words.h>

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

enum { VALUES_PER_WORD = sizeof(uint32_t) / sizeof(nn_value) };

static struct {
    struct nn_block_plan plan;
    struct exchange_plan ring; /* with the words of one layer */
    const uint32_t *bounds;    /* of this layer's slices on it, in words */
    uint32_t last;             /* layer */
    uint32_t images;           /* of this batch */
    uint32_t sent[2];          /* transfers until a buffer of gradients is free */
    uint32_t buffer;           /* the next one */
    struct train_cursor first; /* this core's first image of the batch */
    uint32_t test_base;        /* of a test's batch */
} role;

/* True in a test, which applies no dropout. */
static bool is_test;

/* ---- places ---- */

static uint8_t *pixels_of(uint32_t image)
{
    return train.memory + role.plan.at.pixels + image * train.core.image_bytes;
}

static uint32_t delta_stride(void)
{
    return nn_block_even(role.plan.layer[0].most);
}

static uint32_t position_of(uint32_t image)
{
    return role.first.position + image * train.core.groups;
}

/* Applies dropout to an image's values of this chip's units, or to their errors. */
static void drop_out(uint32_t k, uint32_t image, nn_value *values, uint32_t *cuts)
{
    if (NN_HAS_DROPOUT && !is_test) {
        train_drop_out(&train.at.stage[k], train_image_number(position_of(image)),
                       role.plan.layer[k].first, role.plan.layer[k].count, values, cuts);
    }
}

/* A matrix as a dense layer without rounding. */
static struct nn_layer matrix(uint32_t rows, uint32_t columns)
{
    return (struct nn_layer){.kind = NN_DENSE,
                             .is_last = 1,
                             .input = {(uint16_t)columns, 1, 1, 0},
                             .output = {(uint16_t)rows, 1, 1, 0}};
}

/* ---- gradients ---- */

/* Gradients of a matrix of weights: sums over the images of coefficient [row] x value [column]. */
struct gradients {
    uint32_t row;   /* of the layer in the table */
    uint32_t first; /* in the piece */
    uint32_t rows, columns;
    const nn_value *coefficients, *values; /* of the first image; values NULL: pixels */
    uint32_t coefficient_stride, value_stride;
    int32_t *biases; /* sums of the coefficients; NULL: not wanted */
};

/* A part of the matrix. */
struct part {
    uint32_t row, column, rows, columns;
};

/* Address of a core's gradient of a parameter of the piece. */
static uint32_t address_of(uint32_t group, uint32_t parameter)
{
    const uint32_t at = group * train.core.parameter_count + parameter;
    return train.core.gradients + at * TRAIN_WORD;
}

/* Starts writing this core's gradients from a parameter on. */
static void write_from(uint32_t parameter, int32_t *sums, uint32_t count)
{
    train_write(address_of(train.core.group, parameter), sums, count * TRAIN_WORD);
}

/* Starts writing a part's sums to SDRAM. */
static void send(const struct gradients *of, const struct part *part, int32_t *sums)
{
    const uint32_t at = of->first + part->row * of->columns + part->column;
    if (part->columns == of->columns) {
        write_from(at, sums, part->rows * part->columns);
    } else {
        for (uint32_t r = 0; r < part->rows; r++, sums += part->columns) {
            write_from(at + r * of->columns, sums, part->columns);
        }
    }
    role.sent[role.buffer] = train_transfers();
    role.buffer ^= 1;
}

/* Values of some columns, image after image. */
struct values {
    const nn_value *first;
    uint32_t stride;
};

/* Converts a part of the pixels of each image. */
static struct values load_pixels(const struct part *part)
{
    const struct values values = {train_values(role.plan.at.values), nn_block_even(part->columns)};
    for (uint32_t image = 0; image < role.images; image++) {
        nn_load_pixels(pixels_of(image) + part->column, part->columns, train.table->input_shift,
                       train_values(role.plan.at.values) + image * values.stride);
    }
    return values;
}

static void make_part(const struct gradients *of, const struct part *part,
                      const struct values *values)
{
    const struct nn_layer layer = matrix(part->rows, part->columns);
    int32_t *sums = train_words(role.plan.at.buffer[role.buffer]);
    int32_t *biases = of->biases == NULL || part->column > 0 ? NULL : of->biases + part->row;
    train_await_transfers(role.sent[role.buffer]);
    mark_layer_backward(of->row);
    nn_clear_words(sums, part->rows * part->columns);
    nn_dense_gradient_of(&layer, values->first, values->stride, of->coefficients + part->row,
                         of->coefficient_stride, role.images, sums, biases);
    send(of, part, sums);
}

/* Computes gradients and starts writing them to SDRAM, part by part. */
static void make_gradients(const struct gradients *of)
{
    struct part part = {0, 0, smaller(of->rows, NN_BLOCK_ROWS), 0};
    const uint32_t columns = of->values == NULL
                                 ? nn_block_pixel_columns(&role.plan, of->columns)
                                 : nn_block_columns(NN_BLOCK_SUMS / part.rows, of->columns);
    for (part.column = 0; part.column < of->columns; part.column += columns) {
        part.columns = smaller(columns, of->columns - part.column);
        const struct values values =
            of->values == NULL ? load_pixels(&part)
                               : (struct values){of->values + part.column, of->value_stride};
        for (part.row = 0; part.row < of->rows; part.row += NN_BLOCK_ROWS) {
            part.rows = smaller(of->rows - part.row, NN_BLOCK_ROWS);
            make_part(of, &part, &values);
        }
    }
}

static int32_t *biases_of(const struct nn_layer *layer)
{
    return train_words(role.plan.at.biases) + layer->biases / sizeof(nn_value) -
           train.core.weights_end;
}

/* ---- batches ---- */

/* Starts fetching this core's images of an update into DTCM. */
static void start_batch(uint32_t update)
{
    struct train_cursor cursor = train_first_image(update);
    role.first = cursor;
    role.images = 0;
    while (cursor.position != TRAIN_NO_IMAGE && cursor.update == update) {
        train_read(train_image_address(cursor.position), pixels_of(role.images++),
                   train.core.image_bytes);
        cursor = train_next_image(cursor);
    }
}

static void log_batch(void)
{
    mark_layer(train.at.stage[0].row);
    for (uint32_t image = 0; image < role.images; image++) {
        train_log_image(pixels_of(image), position_of(image));
    }
}

static uint32_t test_image(uint32_t image)
{
    return role.test_base + train.core.group + image * train.core.groups;
}

static void fetch_test_batch(void)
{
    const uint32_t end = role.test_base + train.core.batch;
    role.images = 0;
    while (test_image(role.images) < end && test_image(role.images) < train.core.test_count) {
        train_read(train.core.test_images + test_image(role.images) * train.core.image_bytes,
                   pixels_of(role.images), train.core.image_bytes);
        role.images++;
    }
    train_finish_transfers();
}

/* Clears the gradients in SDRAM: those of padding are never written. */
static void clear_gradients(void)
{
    int32_t *none = train_words(role.plan.at.buffer[0]);
    nn_clear_words(none, NN_BLOCK_SUMS);
    for (uint32_t i = 0; i < train.core.parameter_count; i += NN_BLOCK_SUMS) {
        const uint32_t count = smaller(train.core.parameter_count - i, NN_BLOCK_SUMS);
        write_from(i, none, count);
    }
    train_finish_transfers();
}

static void listen(void)
{
    clear_gradients();
    exchange_packets_begin();
    exchange_slots_begin(&train.core.exchange);
}
