/* train_blocks.c - role: trains a network of dense layers whose units are spread over chips, a
 * block of each hidden layer each, while the cores of a chip share the images of a batch
 * (block_plan.h).
 *
 * Forward, every core computes the values of its chip's units for its images, layer by layer; the
 * rings distribute these values, so that each chip has the values of all units.  Every core
 * computes logits and errors of its images (the same core of all other chips computes the same
 * ones).  Back, it computes the errors of its chip's units, from all errors of the next layer and
 * its columns of that layer's weights; the rings distribute those of inner layers.  From values and
 * errors follow the gradients of its rows and columns.  Gradients are added within the chip only:
 * each chip has all images of the batch, and no weight ever leaves it.
 *
 * A core has no room for the gradients of all its weights: it sums some of them at a time, over
 * all its images, and writes them to SDRAM, where the chip's cores meet. */
#include "marks.h"
#include "train_core.h"

#include <backward.h>
#include <block_plan.h>
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

/* Values of all units of a hidden layer. */
static nn_value *hidden_of(uint32_t k, uint32_t image)
{
    return train_values(role.plan.at.hidden[k]) + image * role.plan.layer[k].units;
}

/* Errors of all units of an inner layer. */
static nn_value *all_errors_of(uint32_t k, uint32_t image)
{
    return train_values(role.plan.at.all[k]) + image * role.plan.layer[k].units;
}

/* Errors of the logits. */
static nn_value *errors_of(uint32_t image)
{
    return train_values(role.plan.at.errors) + image * nn_block_even(train.core.classes);
}

/* This chip's values or errors of a layer, in the ring's array. */
static nn_value *slice_of(uint32_t k, uint32_t image)
{
    const struct exchange_span own = exchange_slice_of(&role.ring, NULL, role.ring.position + 1);
    return train_values(role.plan.at.ring) + own.begin * VALUES_PER_WORD +
           image * role.plan.layer[k].count;
}

static uint32_t delta_stride(void)
{
    return nn_block_even(role.plan.layer[0].most);
}

/* Where errors of the own units of a layer are computed. */
static nn_value *delta_of(uint32_t k, uint32_t image)
{
    return k == 0 ? train_values(role.plan.at.delta) + image * delta_stride() : slice_of(k, image);
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

/* ---- exchange ---- */

static const struct nn_block_slice *slices_of(uint32_t k)
{
    return (const struct nn_block_slice *)train_values(role.plan.at.slices) + k * role.plan.chips;
}

static uint32_t *bounds_of(uint32_t k)
{
    return (uint32_t *)train_words(role.plan.at.bounds) + k * (role.plan.chips + 1);
}

/* Computes the bounds of the slices of all hidden layers' arrays. */
static void find_bounds(void)
{
    for (uint32_t k = 0; k < role.last; k++) {
        uint32_t *bounds = bounds_of(k);
        bounds[0] = 0;
        for (uint32_t s = 0; s < role.plan.chips; s++) {
            const uint32_t values = role.plan.images * slices_of(k)[s].count;
            const uint32_t packets = (values + EXCHANGE_UNIT - 1) / EXCHANGE_UNIT;
            bounds[s + 1] = bounds[s] + packets * EXCHANGE_UNIT / VALUES_PER_WORD;
        }
    }
}

/* The exchange asks for slices of one array at a time (exchange_parts.h). */
struct exchange_span exchange_slice_of(const struct exchange_plan *plan,
                                       const struct exchange_phase *phase, uint32_t slice)
{
    (void)phase;
    slice = slice >= plan->chips ? slice - plan->chips : slice;
    return (struct exchange_span){role.bounds[slice], role.bounds[slice + 1]};
}

/* Begins to fill the ring's array with a layer's values or errors. */
static void begin_slices(uint32_t k)
{
    role.bounds = bounds_of(k);
    role.ring.words = role.bounds[role.plan.chips] * VALUES_PER_WORD;
}

/* Distributes what is in the own slices; copies each image's values of all units to `to`. */
static void share(uint32_t k, nn_value *to)
{
    const uint32_t units = role.plan.layer[k].units;
    const struct nn_block_slice *slice = slices_of(k);
    mark_exchange_values();
    exchange_all_gather(&role.ring, train_values(role.plan.at.ring));
    mark_layer(train.at.stage[k + 1].row);
    for (uint32_t s = 0; s < role.plan.chips; s++, slice++) {
        const nn_value *from = train_values(role.plan.at.ring) + role.bounds[s] * VALUES_PER_WORD;
        nn_value *image_to = to + slice->first;
        for (uint32_t image = 0; image < role.images; image++, image_to += units) {
            for (uint32_t u = 0; u < slice->count; u++) {
                image_to[u] = *from++;
            }
        }
    }
}

/* ---- forward ---- */

/* Computes a layer of an image: values of own units, or logits. */
static void make_layer(uint32_t k, uint32_t image)
{
    const struct nn_train_stage *stage = &train.at.stage[k];
    const struct nn_layer *layer = train_layer(stage);
    nn_value *input = k == 0 ? train_values(role.plan.at.values) : hidden_of(k - 1, image);
    const struct nn_arguments arguments = {.layer = layer,
                                           .weights = train_parameters(layer->weights),
                                           .biases = train_parameters(layer->biases),
                                           .input = input,
                                           .output = k == role.last
                                                         ? (void *)train_totals(train.at.logits)
                                                         : (void *)slice_of(k, image),
                                           .numerics = &train.numerics};
    train_begin_layer(stage->row);
    if (k == 0) {
        nn_load_image(train.table, pixels_of(image), input);
    }
    nn_dense(&arguments);
    train_end_layer();
    if (k < role.last) {
        drop_out(k, image, arguments.output, &train.numerics.saturations);
    }
}

/* Computes the values of all hidden units for all images. */
static void forward(void)
{
    for (uint32_t k = 0; k < role.last; k++) {
        begin_slices(k);
        for (uint32_t image = 0; image < role.images; image++) {
            make_layer(k, image);
        }
        share(k, hidden_of(k, 0));
    }
}

/* ---- errors ---- */

/* Rounds the sums of the own units of a layer, through the next layer's weights, to their errors.
 */
static void round_errors(uint32_t k, uint32_t image)
{
    const struct nn_block_layer *layer = &role.plan.layer[k];
    nn_value *delta = delta_of(k, image);
    nn_round_errors(train_totals(train.at.sums), delta, layer->count,
                    train_layer(&train.at.stage[k + 1])->weight_fraction, &train.numerics);
    drop_out(k, image, delta, &train.numerics.error_saturations);
    nn_relu_back(hidden_of(k, image) + layer->first, delta, layer->count);
}

/* Sums of the last hidden layer's own units: the last layer's weights are whole. */
static void sum_errors_of_logits(uint32_t image)
{
    const struct nn_block_layer *layer = &role.plan.layer[role.last - 1];
    const uint32_t classes = train.core.classes;
    const nn_value *weights =
        train_parameters(train_layer(&train.at.stage[role.last])->weights) + layer->first;
    const nn_value *errors = errors_of(image);
    nn_total *sums = train_totals(train.at.sums);
    for (uint32_t u = 0; u < layer->count; u++) {
        struct nn_sum sum = nn_sum_from(0);
        for (uint32_t c = 0; c < classes; c++) {
            sum = nn_mac(sum, weights[c * layer->units + u], errors[c]);
        }
        sums[u] = nn_sum_end(sum, &train.numerics);
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

/* Sums of layer k - 1's own units, from the errors of all units of inner layer k. */
static void sum_errors(uint32_t k, uint32_t image)
{
    const struct nn_block_layer *layer = &role.plan.layer[k];
    const struct nn_layer columns = matrix(role.plan.layer[k - 1].count, layer->units);
    const struct nn_arguments arguments = {.layer = &columns,
                                           .weights =
                                               train_values(train.at.parameters) + layer->columns,
                                           .input = all_errors_of(k, image),
                                           .output = train_totals(train.at.sums),
                                           .numerics = &train.numerics};
    nn_dense(&arguments);
}

static void make_errors(void)
{
    begin_slices(role.last - 1);
    for (uint32_t image = 0; image < role.images; image++) {
        make_layer(role.last, image);
        mark_layer_backward(train.at.stage[role.last].row);
        train_count_loss(train_totals(train.at.logits), pixels_of(image)[train.core.pixels],
                         errors_of(image), role.plan.chip == 0);
        sum_errors_of_logits(image);
        round_errors(role.last - 1, image);
    }
    for (uint32_t k = role.last - 1; k > 0; k--) {
        share(k, all_errors_of(k, 0));
        mark_layer_backward(train.at.stage[k].row);
        begin_slices(k - 1);
        for (uint32_t image = 0; image < role.images; image++) {
            sum_errors(k, image);
            round_errors(k - 1, image);
        }
    }
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

static void make_row_gradients(uint32_t k)
{
    const struct nn_block_layer *layer = &role.plan.layer[k];
    const struct nn_layer *table = train_layer(&train.at.stage[k]);
    const bool last = k == role.last;
    const struct gradients rows = {
        .row = train.at.stage[k].row,
        .first = table->weights / sizeof(nn_value),
        .rows = layer->count,
        .columns = train.at.stage[k].inputs,
        .coefficients = last     ? errors_of(0)
                        : k == 0 ? delta_of(0, 0)
                                 : all_errors_of(k, 0) + layer->first,
        .coefficient_stride = last     ? nn_block_even(train.core.classes)
                              : k == 0 ? delta_stride()
                                       : layer->units,
        .values = k == 0 ? NULL : hidden_of(k - 1, 0),
        .value_stride = train.at.stage[k].inputs,
        .biases = biases_of(table),
    };
    make_gradients(&rows);
}

static void make_column_gradients(uint32_t k)
{
    const struct nn_block_layer *layer = &role.plan.layer[k];
    const struct nn_block_layer *before = &role.plan.layer[k - 1];
    const struct gradients columns = {
        .row = train.at.stage[k].row,
        .first = layer->columns,
        .rows = before->count,
        .columns = layer->units,
        .coefficients = hidden_of(k - 1, 0) + before->first,
        .coefficient_stride = before->units,
        .values = all_errors_of(k, 0),
        .value_stride = layer->units,
    };
    make_gradients(&columns);
}

static void backward(void)
{
    const uint32_t biases = train.core.parameter_count - train.core.weights_end;
    nn_sum_begin(&train.numerics);
    make_errors();
    nn_clear_words(train_words(role.plan.at.biases), biases);
    for (uint32_t k = role.last + 1; k-- > 0;) {
        if (k > 0 && k < role.last) {
            make_column_gradients(k);
        }
        make_row_gradients(k);
    }
    write_from(train.core.weights_end, train_words(role.plan.at.biases), biases);
    train_end_layer();
}

/* ---- training ---- */

/* Starts fetching this core's images of an update into DTCM. */
static void fetch_batch(uint32_t update)
{
    struct train_cursor cursor = train_first_image(update);
    role.first = cursor;
    role.images = 0;
    while (cursor.position != TRAIN_NO_IMAGE && cursor.update == update) {
        train_read(train_image_address(cursor.position), pixels_of(role.images++),
                   train.core.image_bytes);
        cursor = train_next_image(cursor);
    }
    train_finish_transfers();
}

static void log_batch(void)
{
    mark_layer(train.at.stage[0].row);
    for (uint32_t image = 0; image < role.images; image++) {
        train_log_image(pixels_of(image), position_of(image));
    }
}

static void train_epoch(void)
{
    is_test = false;
    train_begin_epoch();
    for (uint32_t update = 0; update < train.command.updates; update++) {
        mark_layer(train.at.stage[0].row);
        fetch_batch(update);
        log_batch();
        forward();
        backward();
        train_update(update);
    }
    train_end_epoch();
}

/* ---- test ---- */

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

/* Every chip has the values of all test images, so the chips divide the results between them. */
static void test_all(void)
{
    is_test = true;
    for (role.test_base = 0; role.test_base < train.core.test_count;
         role.test_base += train.core.batch) {
        fetch_test_batch();
        train.numerics = (struct nn_numerics){0};
        forward();
        for (uint32_t image = role.plan.chip; image < role.images; image += role.plan.chips) {
            make_layer(role.last, image);
            train_store_result(train_totals(train.at.logits), test_image(image));
        }
    }
}

/* ---- the whole ---- */

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

/* All gradients of the chip are in SDRAM, or on their way. */
void train_add_peers(void)
{
    const uint32_t count = train.core.slice_count;
    int32_t *sums = train_words(train.at.sums_begin);
    int32_t *taken = train_words(train.at.taken);
    train_meet_peers();
    for (uint32_t n = 0; n < train.core.groups; n += NN_TRAIN_AT_ONCE) {
        const uint32_t blocks = smaller(train.core.groups - n, NN_TRAIN_AT_ONCE);
        for (uint32_t i = 0; i < blocks; i++) {
            const uint32_t peer = (train.core.group + n + i) % train.core.groups;
            train_read(address_of(peer, train.core.slice_first), taken + i * count,
                       count * TRAIN_WORD);
        }
        train_finish_transfers();
        mark_update();
        nn_add_words(sums, taken, count, blocks);
    }
}

static void set_up(const struct train_role *as)
{
    train_set_up(as, 0);
    sark_word_cpy(&role.plan, (const void *)train.core.blocks, sizeof role.plan);
    role.last = role.plan.layers - 1;
    nn_clear_words(train_words(role.plan.at.biases),
                   (train.at.total - role.plan.at.biases) / sizeof(uint32_t));
    sark_word_cpy(train_words(role.plan.at.slices), (const void *)role.plan.slices,
                  role.last * role.plan.chips * sizeof(struct nn_block_slice));
    role.ring = train.core.exchange;
    find_bounds();
    begin_slices(0);
}

void c_main(void)
{
    static const struct train_role ROLE = {.listen = listen,
                                           .epoch = train_epoch,
                                           .test = test_all,
                                           .signal = exchange_signal,
                                           .signal_count = exchange_count};
    set_up(&ROLE);
    train_run();
}
