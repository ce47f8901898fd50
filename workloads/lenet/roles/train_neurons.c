/* train_neurons.c - role: one neuron per core, in a network of two dense layers (neuron_plan.h).  A
 * baseline that follows a published attempt to train on SpiNNaker.
 *
 * One image is in flight at a time.  Each hidden neuron reads it from its chip's SDRAM and sends
 * its value to all output neurons.  The output neurons send each other their logits, so that each
 * has all of them and computes its own error.  Then they send the products of error and weight
 * back, one for each hidden neuron.  The products also tell a hidden neuron that the image is
 * done.  In a test the first output neuron tells all hidden neurons with one packet.
 *
 * A hidden neuron may be one image ahead of an output neuron that still computes its gradients,
 * never two: before the value after the next one it waits for products that this output neuron has
 * not sent yet. */
#include "marks.h"
#include "train_core.h"

#include <backward.h>
#include <kernels.h>
#include <neuron_plan.h>
#include <word_inbox.h>
#include <words.h>

enum { LAYER, LABEL_BYTES = 8 };

static struct {
    struct nn_neuron_plan plan;
    uint32_t *buffer;
    nn_value *values;                   /* values of all hidden neurons for the image */
    _Alignas(4) nn_value value;         /* a hidden neuron's */
    _Alignas(4) nn_value error;         /* the neuron's */
    uint32_t images;                    /* processed so far, over all commands */
    bool in_step;                       /* with the other hidden neurons: each waits for its turn */
    uint32_t expected[NN_NEURON_KINDS]; /* words expected so far, over all commands */
} role;

/* ---- packets ---- */

static void expect(enum nn_neuron_words kind, uint32_t words)
{
    role.expected[kind] += words;
    word_inbox_expect(kind, role.expected[kind]);
}

static void await(enum nn_neuron_words kind)
{
    train_await(kind * WORD_INBOX_STRIDE, role.expected[kind]);
}

/* All neurons of the layer are ready at the same time: waits while the `before` neurons ahead of
 * this one send. */
static void take_turn(uint32_t before)
{
    word_pause(before * role.plan.slot_cycles);
}

/* ---- images ---- */

/* An output neuron needs only the label, in the last bytes of an image. */
static uint32_t skipped_bytes(void)
{
    return role.plan.is_output ? train.core.image_bytes - LABEL_BYTES : 0;
}

static void fetch(uint32_t address, uint32_t slot)
{
    const uint32_t skipped = skipped_bytes();
    train_read(address + skipped, train.memory + train.at.image[slot] + skipped,
               train.core.image_bytes - skipped);
}

/* ---- a hidden neuron ---- */

static void make_value(const uint8_t *pixels)
{
    const struct nn_layer *layer = train_layer(&train.at.stage[LAYER]);
    nn_value *input = train_values(train.at.stage[LAYER].input);
    const struct nn_arguments arguments = {.layer = layer,
                                           .weights = train_parameters(layer->weights),
                                           .biases = train_parameters(layer->biases),
                                           .input = input,
                                           .output = &role.value,
                                           .numerics = &train.numerics};
    train_begin_layer(role.plan.row);
    nn_load_image(train.table, pixels, input);
    nn_dense(&arguments);
    train_end_layer();
    take_turn(role.in_step ? role.plan.number : 0);
    word_send(nn_neuron_key(NN_NEURON_VALUES, nn_neuron_value_place(role.plan.number, role.images),
                            NN_NEURON_FOR_ALL),
              (uint32_t)(int32_t)role.value);
}

static void learn_from_products(void)
{
    const struct nn_layer *layer = train_layer(&train.at.stage[LAYER]);
    int32_t sum = 0;
    mark_layer_backward(role.plan.row);
    for (uint32_t k = 0; k < role.plan.classes; k++) {
        sum = nn_wrapping_add(sum, (int32_t)role.buffer[k]);
    }
    nn_round_errors(&sum, &role.error, 1, role.plan.error_shift, &train.numerics);
    nn_relu_back(&role.value, &role.error, 1);
    nn_dense_gradient(layer, train_values(train.at.stage[LAYER].input), &role.error,
                      train_gradients(layer->weights), train_gradients(layer->biases));
}

static void train_hidden(const uint8_t *image, uint32_t position)
{
    expect(NN_NEURON_PRODUCTS, role.plan.classes);
    make_value(image);
    if (role.plan.logs) {
        train_log_image(image, position);
    }
    await(NN_NEURON_PRODUCTS);
    learn_from_products();
}

/* ---- an output neuron ---- */

static void take_values(void)
{
    for (uint32_t n = 0; n < role.plan.hidden; n++) {
        role.values[n] = (nn_value)role.buffer[nn_neuron_value_place(n, role.images)];
    }
}

/* Computes this neuron's logit from all hidden neurons' values, and sends it to the other output
 * neurons. */
static void make_logit(void)
{
    const struct nn_layer *layer = train_layer(&train.at.stage[LAYER]);
    const uint32_t place = nn_neuron_logit_place(role.plan.hidden, role.plan.number);
    const struct nn_arguments arguments = {.layer = layer,
                                           .weights = train_parameters(layer->weights),
                                           .biases = train_parameters(layer->biases),
                                           .input = role.values,
                                           .output = &role.buffer[place],
                                           .numerics = &train.numerics};
    expect(NN_NEURON_VALUES, role.plan.hidden);
    expect(NN_NEURON_LOGITS, role.plan.classes - 1);
    await(NN_NEURON_VALUES);
    train_begin_layer(role.plan.row);
    take_values();
    nn_dense(&arguments);
    train_end_layer();
    take_turn(role.plan.number);
    word_send(nn_neuron_key(NN_NEURON_LOGITS, place, NN_NEURON_FOR_ALL), role.buffer[place]);
}

static const int32_t *all_logits(void)
{
    const uint32_t *from = role.buffer + nn_neuron_logit_place(role.plan.hidden, 0);
    int32_t *logits = train_words(train.at.logits);
    await(NN_NEURON_LOGITS);
    for (uint32_t k = 0; k < role.plan.classes; k++) {
        logits[k] = (int32_t)from[k];
    }
    return logits;
}

static void send_products(void)
{
    const nn_value *weights = train_parameters(train_layer(&train.at.stage[LAYER])->weights);
    const uint32_t key = nn_neuron_key(NN_NEURON_PRODUCTS, role.plan.number, 1);
    take_turn(role.plan.number);
    for (uint32_t n = 0; n < role.plan.hidden; n++) {
        take_turn(n > 0 ? role.plan.classes : 0);
        word_send(key + n, (uint32_t)nn_product(weights[n], role.error));
    }
}

static void train_output(const uint8_t *image)
{
    const struct nn_layer *layer = train_layer(&train.at.stage[LAYER]);
    nn_value *errors = train_values(train.at.stage[LAYER].errors);
    make_logit();
    const int32_t *logits = all_logits();
    mark_layer_backward(role.plan.row);
    train_count_loss(logits, image[train.core.pixels], errors, role.plan.number == 0);
    role.error = errors[role.plan.number];
    send_products();
    nn_dense_gradient(layer, role.values, &role.error, train_gradients(layer->weights),
                      train_gradients(layer->biases));
}

/* ---- training ---- */

static void train_image(const uint8_t *image, uint32_t position)
{
    if (role.plan.is_output) {
        train_output(image);
    } else {
        train_hidden(image, position);
    }
    role.images++;
}

/* Fetches the next image while it computes one.  From the second image on the hidden neurons start
 * at different times, as the products that they wait for do, and need no turns. */
static void train_epoch(void)
{
    struct train_cursor cursor = train_first_image(0);
    uint32_t slot = 0;
    role.in_step = true;
    train_begin_epoch();
    if (cursor.position != TRAIN_NO_IMAGE) {
        fetch(train_image_address(cursor.position), slot);
    }
    while (cursor.position != TRAIN_NO_IMAGE) {
        const struct train_cursor next = train_next_image(cursor);
        train_finish_transfers();
        if (next.position != TRAIN_NO_IMAGE) {
            fetch(train_image_address(next.position), slot ^ 1);
        }
        train_image(train.memory + train.at.image[slot], cursor.position);
        role.in_step = false;
        if (next.update != cursor.update) {
            train_update(cursor.update);
        }
        cursor = next;
        slot ^= 1;
    }
    train_end_epoch();
}

/* ---- test ---- */

static void test_hidden(uint32_t number)
{
    fetch(train.core.test_images + number * train.core.image_bytes, 0);
    train_finish_transfers();
    expect(NN_NEURON_PRODUCTS, 1);
    make_value(train.memory + train.at.image[0]);
    await(NN_NEURON_PRODUCTS);
}

static void test_output(uint32_t number)
{
    make_logit();
    if (role.plan.number == 0) {
        const int32_t *logits = all_logits();
        word_send(nn_neuron_key(NN_NEURON_PRODUCTS, 0, NN_NEURON_FOR_ALL), 0);
        train_store_result(logits, number);
    }
}

static void test_all(void)
{
    role.in_step = true;
    for (uint32_t i = 0; i < train.core.test_count; i++, role.images++) {
        train.numerics = (struct nn_numerics){0};
        (role.plan.is_output ? test_output : test_hidden)(i);
    }
}

/* ---- the whole ---- */

static void listen(void)
{
    word_inbox_begin(role.buffer, role.plan.is_output ? NN_NEURON_FOR_ALL : role.plan.number + 1);
}

static void set_up(struct train_role *as)
{
    const volatile struct nn_train_core *core =
        (const volatile struct nn_train_core *)sark.vcpu->user0;
    sark_word_cpy(&role.plan, (const void *)core->blocks, sizeof role.plan);
    const uint32_t bytes = nn_neuron_bytes(role.plan.hidden, role.plan.classes, sizeof(nn_value));
    as->signal_count = word_inbox_arrived();
    train_set_up(as, bytes);
    role.buffer = (uint32_t *)(void *)(train.memory + train.at.total);
    role.values = (nn_value *)(void *)(role.buffer +
                                       nn_neuron_buffer_words(role.plan.hidden, role.plan.classes));
    nn_clear_words((int32_t *)role.buffer, bytes / TRAIN_WORD);
}

void c_main(void)
{
    static struct train_role as = {.listen = listen, .epoch = train_epoch, .test = test_all};
    set_up(&as);
    train_run();
}
