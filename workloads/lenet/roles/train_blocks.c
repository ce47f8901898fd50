/* train_blocks.c - role: trains a network of two dense layers whose hidden units are spread over
 * chips, a block each, while the cores of a chip share the images of a batch (block_plan.h).
 *
 * A batch goes in three steps.  Every core makes its chip's units' values of its images and sends
 * them to the images' owners; an owner makes logits and errors of what has come and sends the
 * errors to all chips; every core makes the gradients of its chip's weights.  These are added
 * within the chip, and no weight of the first layer ever leaves it. */
#include "marks.h"
#include "train_core.h"

#include <backward.h>
#include <block_plan.h>
#include <chip_sync.h>
#include <kernels.h>
#include <placed_words.h>
#include <words.h>

enum { HIDDEN, OUTPUT, STAGES, WORD = TRAIN_WORD, VALUES_PER_WORD = WORD / sizeof(nn_value) };

static struct {
    struct nn_block_plan plan;
    uint32_t stride;  /* values of an image's units, whole words */
    uint32_t inputs;  /* values of an image */
    nn_value *input;  /* of all images of a batch */
    nn_value *hidden; /* units' values, stride by stride */
    nn_value *delta;  /* their errors */
    uint8_t *label;
    uint32_t *buffer;                /* words that come */
    struct nn_layer last;            /* the last layer over the words of all chips */
    uint32_t images;                 /* of this batch */
    uint32_t errors, weights;        /* words that have to have come, by now */
    uint32_t values[NN_BLOCK_OWNED]; /* of each image that is owned */
    uint32_t counter, count;         /* awaited */
    uint32_t slot;                   /* of the image that is on its way */
} role;

/* ---- waiting for words ---- */

static uint words_are_here(void)
{
    return (int32_t)(placed_count[role.counter] - role.count) >= 0;
}

static void await_words(uint32_t counter, uint32_t count)
{
    role.counter = counter;
    role.count = count;
    if (!words_are_here()) {
        mark_packets();
        chip_wait(words_are_here);
    }
}

/* ---- places ---- */

static bool owns(uint32_t image)
{
    return image % role.plan.owners == role.plan.owner;
}

static uint32_t values_place(uint32_t image)
{
    return nn_block_values_at(&role.plan, train.table->classes) +
           image / role.plan.owners * role.plan.words;
}

static nn_value *errors_of(uint32_t image)
{
    return (nn_value *)(void *)(role.buffer + image * nn_block_error_words(train.table->classes));
}

static nn_value *owner_weights(void)
{
    return (nn_value *)(void *)(role.buffer +
                                nn_block_weights_at(&role.plan, train.table->classes));
}

/* ---- forward ---- */

static void send_words(uint32_t key, uint32_t counter, uint32_t place, const uint32_t *words,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        placed_send(key | counter << PLACED_COUNTER_SHIFT | (place + i), words[i],
                    role.plan.gap_cycles);
    }
}

static void give_values(uint32_t image)
{
    const uint32_t *words = (const uint32_t *)(const void *)(role.hidden + image * role.stride);
    const uint32_t place = values_place(image) + role.plan.first;
    if (owns(image)) {
        for (uint32_t i = 0; i < role.plan.count; i++) {
            role.buffer[place + i] = words[i];
        }
    } else {
        send_words(role.plan.key[image % role.plan.owners],
                   NN_BLOCK_VALUES + image / role.plan.owners, place, words, role.plan.count);
    }
}

static void make_units(const uint8_t *pixels, uint32_t image)
{
    const struct nn_train_stage *stage = &train.at.stage[HIDDEN];
    nn_value *input = role.input + image * role.inputs;
    const struct nn_arguments arguments = {.layer = stage->layer,
                                           .weights = train_parameters(stage->layer->weights),
                                           .biases = train_parameters(stage->layer->biases),
                                           .input = input,
                                           .output = role.hidden + image * role.stride,
                                           .numerics = &train.numerics};
    train_begin_layer(stage->row);
    nn_load_image(train.table, pixels, input);
    role.label[image] = pixels[train.core.pixels];
    nn_dense(&arguments);
    train_end_layer();
    give_values(image);
}

/* ---- the owner ---- */

static void make_logits(uint32_t image)
{
    const uint32_t t = image / role.plan.owners;
    role.values[t] += role.plan.others;
    await_words(NN_BLOCK_VALUES + t, role.values[t]);
    const struct nn_train_stage *stage = &train.at.stage[OUTPUT];
    const struct nn_arguments arguments = {
        .layer = &role.last,
        .weights = owner_weights(),
        .biases = train_parameters(stage->layer->biases),
        .input = (const nn_value *)(const void *)(role.buffer + values_place(image)),
        .output = train_words(train.at.logits),
        .numerics = &train.numerics};
    train_begin_layer(stage->row);
    nn_dense(&arguments);
    train_end_layer();
}

static void give_errors(uint32_t image)
{
    const uint32_t words = nn_block_error_words(train.table->classes);
    const uint32_t *errors = (const uint32_t *)(const void *)errors_of(image);
    if (role.plan.errors_key != 0) {
        send_words(role.plan.errors_key, NN_BLOCK_ERRORS, image * words, errors, words);
    }
}

/* The images that this core owns, in the order in which this chip begins. */
static void judge(void (*take)(uint32_t image))
{
    if (role.plan.owner == NN_BLOCK_NO_OWNER || role.images == 0) {
        return;
    }
    await_words(NN_BLOCK_WEIGHTS, role.weights);
    for (uint32_t image = role.plan.owner; image < role.images; image += role.plan.owners) {
        make_logits(image);
        take(image);
        give_errors(image);
    }
}

static void take_errors(uint32_t image)
{
    mark_layer_backward(train.at.stage[OUTPUT].row);
    train_count_loss(train_words(train.at.logits), role.label[image], errors_of(image), true);
}

/* ---- backward ---- */

/* The errors of all images of the batch. */
static void await_errors(void)
{
    const uint32_t words = nn_block_error_words(train.table->classes);
    for (uint32_t image = 0; image < role.images; image++) {
        role.errors += owns(image) ? 0 : words;
    }
    await_words(NN_BLOCK_ERRORS, role.errors);
}

static void make_gradients(void)
{
    const struct nn_train_stage *hidden = &train.at.stage[HIDDEN];
    const struct nn_layer *last = train.at.stage[OUTPUT].layer;
    int32_t *sums = train_words(train.at.sums);
    nn_sum_begin(&train.numerics);
    mark_layer_backward(train.at.stage[OUTPUT].row);
    for (uint32_t image = 0; image < role.images; image++) {
        const nn_value *values = role.hidden + image * role.stride;
        nn_value *delta = role.delta + image * role.stride;
        nn_dense_gradient(last, values, errors_of(image), train_gradients(last->weights),
                          train_gradients(last->biases));
        nn_dense_input_sums(last, train_parameters(last->weights), errors_of(image), sums);
        nn_round_errors(sums, delta, role.plan.units, last->weight_fraction, &train.numerics);
        nn_relu_back(values, delta, role.plan.units);
    }
    mark_layer_backward(hidden->row);
    nn_dense_gradient_of(hidden->layer, role.input, role.inputs, role.delta, role.stride,
                         role.images, train_gradients(hidden->layer->weights),
                         train_gradients(hidden->layer->biases));
    train_end_layer();
}

/* ---- new weights of the last layer ---- */

/* This chip's, of one class, in whole words. */
static void weights_of(uint32_t class, uint32_t *words)
{
    const nn_value *from =
        train_parameters(train.at.stage[OUTPUT].layer->weights) + class * role.plan.units;
    nn_value *to = (nn_value *)(void *)words;
    for (uint32_t i = 0; i < role.stride; i++) {
        to[i] = i < role.plan.units ? from[i] : 0;
    }
}

static void give_weights(void)
{
    const uint32_t place = nn_block_weights_at(&role.plan, train.table->classes);
    uint32_t *words = (uint32_t *)(void *)role.delta; /* free now, and large enough */
    mark_exchange_weights();
    for (uint32_t class = 0; class < train.table->classes; class ++) {
        const uint32_t at = place + class * role.plan.words + role.plan.first;
        weights_of(class, words);
        if (role.plan.weights_key != 0) {
            send_words(role.plan.weights_key, NN_BLOCK_WEIGHTS, at, words, role.plan.count);
        }
        for (uint32_t i = 0; role.plan.owner != NN_BLOCK_NO_OWNER && i < role.plan.count; i++) {
            role.buffer[at + i] = words[i];
        }
    }
    role.weights += role.plan.weights_come;
}

/* ---- batches ---- */

/* Makes the units' values of a batch; address(n) is where its image n lies, n below role.images. */
static void make_batch(uint32_t (*address)(uint32_t image),
                       void (*use)(const uint8_t *pixels, uint32_t image))
{
    const uint32_t images = role.images;
    uint32_t image = images == 0 ? 0 : role.plan.turn % images;
    if (images > 0) {
        train_read(address(image), train.memory + train.at.image[role.slot],
                   train.core.image_bytes);
    }
    for (uint32_t n = 0; n < images; n++) {
        const uint8_t *pixels = train.memory + train.at.image[role.slot];
        const uint32_t next = image + 1 == images ? 0 : image + 1;
        train_finish_transfers();
        role.slot ^= 1;
        if (n + 1 < images) {
            train_read(address(next), train.memory + train.at.image[role.slot],
                       train.core.image_bytes);
        }
        use(pixels, image);
        image = next;
    }
}

static struct train_cursor batch; /* its first image of this core */

static uint32_t position_of(uint32_t image)
{
    return batch.position + image * train.core.groups;
}

static uint32_t address_of(uint32_t image)
{
    return train_image_address(position_of(image));
}

static void train_on_image(const uint8_t *pixels, uint32_t image)
{
    mark_layer(train.at.stage[HIDDEN].row);
    train_log_image(pixels, position_of(image));
    make_units(pixels, image);
}

static void train_epoch(void)
{
    train_begin_epoch();
    for (uint32_t update = 0; update < train.command.updates; update++) {
        struct train_cursor cursor = train_first_image(update);
        batch = cursor;
        role.images = 0;
        for (; cursor.position != TRAIN_NO_IMAGE && cursor.update == update;
             cursor = train_next_image(cursor)) {
            role.images++;
        }
        make_batch(address_of, train_on_image);
        judge(take_errors);
        await_errors();
        make_gradients();
        train_update(update);
        give_weights();
    }
    train_end_epoch();
}

/* ---- test ---- */

static uint32_t test_base; /* of the batch */

static uint32_t test_image(uint32_t image)
{
    return test_base + train.core.group + image * train.core.groups;
}

static uint32_t test_address(uint32_t image)
{
    return train.core.test_images + test_image(image) * train.core.image_bytes;
}

static void store_result(uint32_t image)
{
    train_store_result(train_words(train.at.logits), test_image(image));
}

static void test_all(void)
{
    for (test_base = 0; test_base < train.core.test_count; test_base += train.core.batch) {
        role.images = 0;
        while (role.images < role.plan.images &&
               test_image(role.images) < test_base + train.core.batch &&
               test_image(role.images) < train.core.test_count) {
            role.images++;
        }
        train.numerics = (struct nn_numerics){0};
        make_batch(test_address, make_units);
        judge(store_result);
        await_errors(); /* of no meaning but that the owners have used up the values */
    }
}

/* ---- the whole ---- */

static void listen(void)
{
    placed_begin(role.buffer);
    chip_barrier();
}

static uint32_t words_of(uint32_t values)
{
    return (values * (uint32_t)sizeof(nn_value) + WORD - 1) / WORD;
}

/* Where the role's own arrays lie, behind those of every program that trains. */
static void take_memory(void)
{
    const uint32_t images = role.plan.images;
    uint32_t *next = (uint32_t *)(void *)(train.memory + train.at.total);
    role.buffer = next;
    next += nn_block_buffer_words(&role.plan, train.table->classes);
    role.input = (nn_value *)(void *)next;
    next += images * words_of(role.inputs);
    role.hidden = (nn_value *)(void *)next;
    next += images * role.plan.count;
    role.delta = (nn_value *)(void *)next;
    next += (images + 1) * role.plan.count;
    role.label = (uint8_t *)next;
}

static void set_up(const struct train_role *as)
{
    const struct nn_train_core *core = (const struct nn_train_core *)sark.vcpu->user0;
    sark_word_cpy(&role.plan, (const void *)core->blocks, sizeof role.plan);
    train_set_up(as,
                 nn_block_role_bytes(&role.plan, core->pixels, core->classes, sizeof(nn_value)));
    role.inputs = train.at.stage[HIDDEN].inputs;
    role.stride = role.plan.count * VALUES_PER_WORD;
    take_memory();
    nn_clear_words((int32_t *)role.hidden, role.plan.images * role.plan.count);
    nn_clear_words((int32_t *)role.delta, (role.plan.images + 1) * role.plan.count);
    role.last = *train.at.stage[OUTPUT].layer;
    role.last.input = (struct nn_shape){
        .channels = (uint16_t)(role.plan.words * VALUES_PER_WORD), .height = 1, .width = 1};
    sark_word_cpy(owner_weights(), (const void *)role.plan.weights,
                  train.table->classes * role.plan.words * WORD);
}

void c_main(void)
{
    static const struct train_role ROLE = {.listen = listen,
                                           .epoch = train_epoch,
                                           .test = test_all,
                                           .signal = placed_signal,
                                           .signal_count = placed_signal_count};
    set_up(&ROLE);
    train_run();
}
