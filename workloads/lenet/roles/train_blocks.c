/* train_blocks.c - role: trains a network of two dense layers whose hidden units are spread over
 * chips, a block each, while the cores of a chip share the images of a batch (block_plan.h).
 *
 * A batch takes three steps.  First, every core computes the values of its chip's units for its
 * images.  Second, the rings distribute these values, so that each chip has the values of all
 * units.  Third, every core computes logits and errors of its images (the same core of all other
 * chips computes the same ones), and from them the gradients of its chip's units and of the last
 * layer.  Gradients are added within the chip only: each chip has all images of the batch, and no
 * weight ever leaves it. */
#include "marks.h"
#include "train_core.h"

#include <backward.h>
#include <block_plan.h>
#include <exchange.h>
#include <kernels.h>
#include <operators.h>
#include <words.h>

enum { HIDDEN, OUTPUT };

static struct {
    struct nn_block_plan plan;
    struct nn_block_memory at;
    uint8_t *memory;
    uint32_t inputs, hidden, classes; /* values of an image, units, all of them */
    uint32_t stride;                  /* distance between two images' errors, in values */
    uint32_t own;                     /* where this chip's values begin in the ring's array */
    uint32_t images;                  /* of this batch */
    struct train_cursor first;        /* this core's first image of the batch */
    uint32_t test_base;               /* of a test's batch */
} role;

/* True in a test, which applies no dropout. */
static bool is_test;

/* ---- places ---- */

static nn_value *values_at(uint32_t offset)
{
    return (nn_value *)(void *)(role.memory + offset);
}

static uint8_t *pixels_of(uint32_t image)
{
    return role.memory + role.at.pixels + image * train.core.image_bytes;
}

static nn_value *hidden_of(uint32_t image)
{
    return values_at(role.at.hidden) + image * role.hidden;
}

static nn_value *errors_of(uint32_t image)
{
    return values_at(role.at.errors) + image * role.stride;
}

static nn_value *delta_of(uint32_t image)
{
    return values_at(role.at.delta) + image * nn_block_delta_stride(&role.plan);
}

/* Images whose pixels are converted to values at a time. */
enum { CHUNK = NN_WIDE ? 1 : NN_BLOCK_CHUNK };

static nn_value *chunk_values(void)
{
    return NN_WIDE ? train_values(train.at.stage[HIDDEN].input) : values_at(role.at.values);
}

static uint32_t position_of(uint32_t image);

/* Applies dropout to an image's values of this chip's units, or to their errors. */
static void drop_out(uint32_t image, nn_value *values, uint32_t *cuts)
{
    if (!is_test) {
        train_drop_out(&train.at.stage[HIDDEN], train_image_number(position_of(image)),
                       role.plan.first_unit, role.plan.units, values, cuts);
    }
}

/* ---- forward ---- */

static void make_units(uint32_t image)
{
    const struct nn_train_stage *stage = &train.at.stage[HIDDEN];
    nn_value *input = chunk_values();
    const struct nn_arguments arguments = {.layer = train_layer(stage),
                                           .weights = train_parameters(train_layer(stage)->weights),
                                           .biases = train_parameters(train_layer(stage)->biases),
                                           .input = input,
                                           .output = values_at(role.at.ring) + role.own +
                                                     image * role.plan.slot,
                                           .numerics = &train.numerics};
    train_begin_layer(stage->row);
    nn_load_image(train.table, pixels_of(image), input);
    nn_dense(&arguments);
    train_end_layer();
    if (NN_HAS_DROPOUT) {
        drop_out(image, arguments.output, &train.numerics.saturations);
    }
}

/* Copies the values of all units of each image out of the ring's array. */
static void spread(void)
{
    const struct nn_block_slice *slice = (const struct nn_block_slice *)values_at(role.at.slices);
    const uint32_t values = nn_block_slice_values(&role.plan);
    for (uint32_t s = 0; s < role.plan.chips; s++, slice++) {
        const nn_value *from = values_at(role.at.ring) + s * values;
        for (uint32_t image = 0; image < role.plan.images; image++, from += role.plan.slot) {
            nn_value *to = hidden_of(image) + slice->first_unit;
            for (uint32_t u = 0; u < slice->units; u++) {
                to[u] = from[u];
            }
        }
    }
}

static void make_logits(uint32_t image)
{
    const struct nn_train_stage *stage = &train.at.stage[OUTPUT];
    const struct nn_arguments arguments = {.layer = train_layer(stage),
                                           .weights = train_parameters(train_layer(stage)->weights),
                                           .biases = train_parameters(train_layer(stage)->biases),
                                           .input = hidden_of(image),
                                           .output = train_totals(train.at.logits),
                                           .numerics = &train.numerics};
    train_begin_layer(stage->row);
    nn_dense(&arguments);
    train_end_layer();
}

/* Computes the values of all units for all images; their pixels have arrived or are being
 * fetched. */
static void forward(void)
{
    for (uint32_t image = 0; image < role.images; image++) {
        make_units(image);
    }
    mark_exchange_values();
    exchange_all_gather(&train.core.exchange, values_at(role.at.ring));
    mark_layer(train.at.stage[OUTPUT].row);
    spread();
}

/* ---- backward ---- */

/* Computes the errors of this chip's units, from their columns of the last layer's weights. */
static void make_delta(uint32_t image)
{
    const struct nn_layer *last = train_layer(&train.at.stage[OUTPUT]);
    const nn_value *weights = train_parameters(last->weights) + role.plan.first_unit;
    const nn_value *errors = errors_of(image);
    nn_total *sums = train_totals(train.at.sums);
    for (uint32_t u = 0; u < role.plan.units; u++) {
        struct nn_sum sum = nn_sum_from(0);
        for (uint32_t c = 0; c < role.classes; c++) {
            sum = nn_mac(sum, weights[c * role.hidden + u], errors[c]);
        }
        sums[u] = nn_sum_end(sum, &train.numerics);
    }
    nn_round_errors(sums, delta_of(image), role.plan.units, last->weight_fraction, &train.numerics);
    if (NN_HAS_DROPOUT) {
        drop_out(image, delta_of(image), &train.numerics.error_saturations);
    }
    nn_relu_back(hidden_of(image) + role.plan.first_unit, delta_of(image), role.plan.units);
}

static void hidden_gradients(void)
{
    const struct nn_train_stage *stage = &train.at.stage[HIDDEN];
    nn_value *values = chunk_values();
    mark_layer_backward(stage->row);
    for (uint32_t first = 0; first < role.images; first += CHUNK) {
        uint32_t count = 0;
        for (; count < CHUNK && first + count < role.images; count++) {
            nn_load_image(train.table, pixels_of(first + count), values + count * role.inputs);
        }
        nn_dense_gradient_of(train_layer(stage), values, role.inputs, delta_of(first),
                             nn_block_delta_stride(&role.plan), count,
                             train_gradients(train_layer(stage)->weights),
                             train_gradients(train_layer(stage)->biases));
    }
}

static void backward(void)
{
    const struct nn_layer *last = train_layer(&train.at.stage[OUTPUT]);
    nn_sum_begin(&train.numerics);
    for (uint32_t image = 0; image < role.images; image++) {
        make_logits(image);
        mark_layer_backward(train.at.stage[OUTPUT].row);
        train_count_loss(train_totals(train.at.logits), pixels_of(image)[train.core.pixels],
                         errors_of(image), role.plan.chip == 0);
        make_delta(image);
    }
    nn_dense_gradient_of(last, hidden_of(0), role.hidden, errors_of(0), role.stride, role.images,
                         train_gradients(last->weights), train_gradients(last->biases));
    hidden_gradients();
    train_end_layer();
}

/* ---- training ---- */

static uint32_t position_of(uint32_t image)
{
    return role.first.position + image * train.core.groups;
}

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
    mark_layer(train.at.stage[HIDDEN].row);
    for (uint32_t image = 0; image < role.images; image++) {
        train_log_image(pixels_of(image), position_of(image));
    }
}

static void train_epoch(void)
{
    is_test = false;
    train_begin_epoch();
    for (uint32_t update = 0; update < train.command.updates; update++) {
        mark_layer(train.at.stage[HIDDEN].row);
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
            make_logits(image);
            train_store_result(train_totals(train.at.logits), test_image(image));
        }
    }
}

/* ---- the whole ---- */

static void listen(void)
{
    exchange_packets_begin();
    exchange_slots_begin(&train.core.exchange);
}

static void set_up(const struct train_role *as)
{
    const volatile struct nn_train_core *core =
        (const volatile struct nn_train_core *)sark.vcpu->user0;
    sark_word_cpy(&role.plan, (const void *)core->blocks, sizeof role.plan);
    role.at = nn_block_place(&role.plan, core->hidden, core->classes, core->pixels,
                             core->image_bytes, sizeof(nn_value));
    train_set_up(as, role.at.total);
    role.memory = train.memory + train.at.total;
    role.inputs = train.at.stage[HIDDEN].inputs;
    role.hidden = train.core.hidden;
    role.classes = train.core.classes;
    role.stride = (role.classes + 1) & ~1u;
    uint32_t count;
    exchange_owned(&train.core.exchange, &role.own, &count);
    nn_clear_words((int32_t *)(void *)role.memory, role.at.total / TRAIN_WORD);
    sark_word_cpy(values_at(role.at.slices), (const void *)role.plan.slices,
                  role.plan.chips * sizeof(struct nn_block_slice));
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
