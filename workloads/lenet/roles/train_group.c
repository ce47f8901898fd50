/* train_group.c - role: trains a network in data parallel.
 *
 * The cores of a chip form groups that compute different images; the members of a group share an
 * image, each with its piece of every layer (train_memory.h).  They exchange values and sums
 * through SDRAM by DMA, and signal each other by packets.  At the end of a batch, cores with the
 * same piece add their gradients: on the chip through SDRAM, each of them its slice; between chips
 * by the collectives of workloads/exchange.  The owner of a word updates its parameter, and the new
 * parameters return the same way.  All gradient sums are integers: the bits do not depend on the
 * order of additions, nor on the number of cores. */
#include "marks.h"
#include "train_core.h"

#include <activation.h>
#include <average_pool.h>
#include <backward.h>
#include <exchange.h>
#include <kernels.h>
#include <operators.h>
#include <words.h>

enum { WORD = TRAIN_WORD };

static struct {
    struct train_cursor next;    /* the image being fetched */
    uint32_t slot;               /* slot for it */
    uint32_t shares, awaited[2]; /* rounds within the group; signals due so far, by parity */
} role;

/* Number of the image in training; TRAIN_NO_IMAGE in a test, which applies no dropout. */
static uint32_t trained_image;

/* ---- within a group ---- */

static uint32_t share_of(uint32_t member, uint32_t odd)
{
    return train.core.share + (odd * train.core.members + member) * train.core.share_bytes;
}

/* Writes a block for the other members to SDRAM, and returns when theirs are there, too.  Returns
 * the round.  No member is ever two rounds ahead, so two buffers are enough. */
static uint32_t share(void *block, uint32_t bytes)
{
    const uint32_t odd = role.shares++ & 1;
    train_write(share_of(train.core.member, odd), block, bytes);
    train_finish_transfers();
    role.awaited[odd] += train.core.members - 1;
    exchange_signal(train.core.group_key + odd);
    train_await(NN_SIGNAL_GROUP + odd, role.awaited[odd]);
    return odd;
}

static const uint32_t *bounds_of(uint32_t stage)
{
    return train.bounds + stage * (train.core.members + 1);
}

/* Values first .. end of a stage, and the words that contain them: transfers are of words. */
struct span {
    uint32_t first, end;
    uint32_t begin; /* the first value of the first word */
    uint32_t bytes; /* of the words */
};

static struct span span_of(uint32_t k, uint32_t member)
{
    enum { PER_WORD = WORD / sizeof(nn_value) };
    const uint32_t first = bounds_of(k)[member];
    const uint32_t end = bounds_of(k)[member + 1];
    const uint32_t begin = first / PER_WORD * PER_WORD;
    const uint32_t words = (end - begin + PER_WORD - 1) / PER_WORD;
    return (struct span){first, end, begin, first == end ? 0 : words * WORD};
}

/* Whether transfers of a part touch no value of another part. */
static bool is_whole(const struct span *span)
{
    return span->bytes == (span->end - span->first) * sizeof(nn_value);
}

/* Copies the values of the parts that do not fill their words. */
static void put_parts(uint32_t k, nn_value *values)
{
    const nn_value *from = train_values(train.at.taken);
    for (uint32_t m = 0; m < train.core.members; m++) {
        const struct span span = span_of(k, m);
        if (m != train.core.member && !is_whole(&span)) {
            for (uint32_t i = span.first; i < span.end; i++) {
                values[i] = from[i - span.begin];
            }
            from += span.bytes / sizeof *from;
        }
    }
}

/* Collects all values of a stage from the parts that the members have computed. */
static void gather(uint32_t k)
{
    nn_value *values = train_values(train.at.stage[k + 1].input);
    uint8_t *to = train.memory + train.at.taken;
    const struct span mine = span_of(k, train.core.member);
    const uint32_t odd = share(values + mine.begin, mine.bytes);
    for (uint32_t m = 0; m < train.core.members; m++) {
        const struct span span = span_of(k, m);
        if (m == train.core.member) {
            continue;
        }
        if (is_whole(&span)) {
            train_read(share_of(m, odd), values + span.first, span.bytes);
        } else {
            train_read(share_of(m, odd), to, span.bytes);
            to += span.bytes;
        }
    }
    train_finish_transfers();
    put_parts(k, values);
}

/* The members whose blocks are added up. */
struct members {
    uint32_t first, end;
};

static struct members all_members(void)
{
    return (struct members){0, train.core.members};
}

/* Adds the same words of other members' blocks to `count` words of a block, from word `first` on.
 * All members share in the round.  `mark` is the phase marker of this work. */
static void add_up(int32_t *block, uint32_t words, uint32_t first, uint32_t count,
                   struct members of, void (*mark)(uint32_t row), uint32_t row)
{
    int32_t *taken = train_words(train.at.taken);
    const uint32_t odd = share(block, words * WORD);
    uint32_t blocks = 0;
    for (uint32_t m = of.first; m < of.end; m++) {
        if (m != train.core.member) {
            train_read(share_of(m, odd) + first * WORD, taken + blocks++ * count, count * WORD);
        }
    }
    train_finish_transfers();
    mark(row);
    nn_add_words(block + first, taken, count, blocks);
}

/* Applies dropout to the values of stage k, or to their errors. */
static void drop_out(uint32_t k, uint32_t values, uint32_t *cuts)
{
    if (NN_HAS_DROPOUT && trained_image != TRAIN_NO_IMAGE) {
        const struct nn_train_stage *stage = &train.at.stage[k];
        train_drop_out(stage, trained_image, bounds_of(k)[train.core.member], stage->outputs,
                       train_values(values), cuts);
    }
}

/* ---- forward ---- */

static struct nn_arguments arguments_of(const struct nn_train_stage *stage)
{
    return (struct nn_arguments){.layer = train_layer(stage),
                                 .weights = train_parameters(train_layer(stage)->weights),
                                 .biases = train_parameters(train_layer(stage)->biases),
                                 .input = train_values(stage->input) + stage->part.skipped,
                                 .output = train_values(stage->output),
                                 .numerics = &train.numerics};
}

/* Applies tanh or sigmoid to the rounded values. */
static void activate(const struct nn_train_stage *stage)
{
    if (nn_has_table_activation(train_layer(stage))) {
        nn_activate((enum nn_activation)train_layer(stage)->activation,
                    train_layer(stage)->output_fraction,
                    (int16_t *)(void *)train_values(stage->output), stage->places);
    }
}

static void make_maps(const struct nn_train_stage *stage)
{
    const struct nn_arguments arguments = arguments_of(stage);
    train_begin_layer(stage->row);
    if (train_layer(stage)->kind == NN_CONV2D) {
        nn_conv2d(&arguments);
    } else {
        nn_dense(&arguments);
    }
    activate(stage);
    train_end_layer();
    if (stage->pool != 0) {
        const struct nn_arguments pool = {.layer = train_pool(stage),
                                          .input = train_values(stage->output),
                                          .output = train_values(stage->result)};
        mark_layer(stage->row + 1);
        if (nn_averages(train_pool(stage))) {
            nn_average_pool2d(&pool);
        } else {
            nn_max_pool2d_choose(&pool, train.memory + stage->choice);
        }
    }
}

static void make_logits(const struct nn_train_stage *stage)
{
    int32_t *logits = train_words(train.at.logits);
    struct nn_arguments arguments = arguments_of(stage);
    arguments.output = logits;
    if (train.core.member != 0) {
        arguments.biases = NULL;
    }
    train_begin_layer(stage->row);
    nn_dense(&arguments);
    train_end_layer();
    if (train.core.members > 1) {
        const uint32_t words = (train.table->classes + 1u) & ~1u;
        add_up(logits, words, 0, words, all_members(), mark_layer, stage->row);
    }
}

static void forward(const uint8_t *pixels)
{
    const uint32_t last = train.at.stages - 1;
    mark_layer(0);
    nn_load_image(train.table, pixels, train_values(train.at.stage[0].input));
    for (uint32_t k = 0; k < last; k++) {
        make_maps(&train.at.stage[k]);
        drop_out(k, train.at.stage[k].result, &train.numerics.saturations);
        if (train.core.members > 1 && k + 1 < last) {
            gather(k);
        }
    }
    make_logits(&train.at.stage[last]);
}

/* ---- backward ---- */

/* Computes the errors of the logits; the group's first member counts the loss. */
static void begin_backward(uint32_t label)
{
    const struct nn_train_stage *stage = &train.at.stage[train.at.stages - 1];
    mark_layer_backward(stage->row);
    train_count_loss(train_words(train.at.logits), label, train_values(stage->errors),
                     train.core.member == 0);
}

static void round_errors(const int32_t *sums, const struct nn_train_stage *before, uint32_t shift)
{
    nn_round_errors(sums, train_values(before->errors), before->outputs, shift, &train.numerics);
}

static void last_backward(const struct nn_train_stage *stage, const struct nn_train_stage *before)
{
    const nn_value *errors = train_values(stage->errors);
    int32_t *sums = train_words(train.at.sums);
    nn_dense_gradient(train_layer(stage), train_values(stage->input), errors,
                      train_gradients(train_layer(stage)->weights),
                      train_gradients(train_layer(stage)->biases));
    if (before != NULL) {
        nn_dense_input_sums(train_layer(stage), train_parameters(train_layer(stage)->weights),
                            errors, sums);
        round_errors(sums, before, train_layer(stage)->weight_fraction);
    }
}

/* Backward pass of tanh or sigmoid: from the errors of their outputs to the errors of their
 * inputs. */
static void activation_back(const struct nn_train_stage *stage)
{
    if (nn_has_table_activation(train_layer(stage))) {
        nn_activation_back((enum nn_activation)train_layer(stage)->activation,
                           train_layer(stage)->output_fraction,
                           (const int16_t *)(const void *)train_values(stage->result),
                           (int16_t *)(void *)train_values(stage->errors), stage->outputs);
    }
}

static void convolution_backward(const struct nn_train_stage *stage, bool to_input)
{
    struct nn_event *events = (struct nn_event *)(void *)(train.memory + train.at.events);
    uint16_t *counts = (uint16_t *)(void *)(train.memory + train.at.counts);
    const struct nn_layer *layer = train_layer(stage);
    if (stage->pool != 0 && nn_averages(train_pool(stage))) {
        mark_layer_backward(stage->row + 1);
        nn_average_pool_events(layer, train_pool(stage), train_values(stage->output),
                               train_values(stage->errors), events, counts);
    } else if (stage->pool != 0) {
        mark_layer_backward(stage->row + 1);
        activation_back(stage);
        nn_pool_events(layer, train_pool(stage), train_values(stage->result),
                       train.memory + stage->choice, train_values(stage->errors), events, counts);
    } else {
        activation_back(stage);
        nn_relu_events(layer, train_values(stage->result), train_values(stage->errors), events,
                       counts);
    }
    mark_layer_backward(stage->row);
    nn_conv2d_gradient(layer, train_values(stage->input) + stage->part.skipped, events, counts,
                       train_gradients(layer->weights), train_gradients(layer->biases));
    if (to_input) {
        int32_t *sums = train_words(train.at.sums);
        nn_clear_words(sums, stage->inputs);
        nn_conv2d_input_sums(layer, train_parameters(layer->weights), events, counts,
                             sums + stage->part.skipped);
    }
}

static void dense_backward(uint32_t k)
{
    const struct nn_train_stage *stage = &train.at.stage[k];
    const struct nn_layer *layer = train_layer(stage);
    nn_value *errors = train_values(stage->errors);
    mark_layer_backward(stage->row);
    drop_out(k, stage->errors, &train.numerics.error_saturations);
    activation_back(stage);
    if (layer->activation == NN_RELU) {
        nn_relu_back(train_values(stage->result), errors, stage->outputs);
    }
    nn_dense_gradient(layer, train_values(stage->input), errors, train_gradients(layer->weights),
                      train_gradients(layer->biases));
    if (k > 0) {
        nn_dense_input_sums(layer, train_parameters(layer->weights), errors,
                            train_words(train.at.sums));
    }
}

static void stage_backward(uint32_t k)
{
    const struct nn_train_stage *stage = &train.at.stage[k];
    if (train_layer(stage)->kind == NN_CONV2D) {
        convolution_backward(stage, k > 0);
    } else {
        dense_backward(k);
    }
    if (k > 0) {
        const struct nn_train_stage *before = &train.at.stage[k - 1];
        int32_t *sums = train_words(train.at.sums);
        const uint32_t first = bounds_of(k - 1)[train.core.member];
        if (train.core.members > 1) {
            add_up(sums, stage->inputs, first, before->outputs, all_members(), mark_layer_backward,
                   stage->row);
        }
        round_errors(sums + first, before, train_layer(stage)->weight_fraction);
    }
}

static void backward(uint32_t label)
{
    const uint32_t last = train.at.stages - 1;
    nn_sum_begin(&train.numerics);
    begin_backward(label);
    last_backward(&train.at.stage[last], last > 0 ? &train.at.stage[last - 1] : NULL);
    for (uint32_t k = last; k > 0; k--) {
        stage_backward(k - 1);
    }
    train_end_layer();
}

/* Adds up the gradients of the weights and the bias that twins have in common.  All members share
 * in these rounds, also those without a part of the stage. */
static void add_twins(void)
{
    enum { BIAS_WORDS = 2 /* one, and padding */ };
    for (uint32_t k = 0; k < train.at.stages; k++) {
        const struct nn_train_stage *stage = &train.at.stage[k];
        const struct nn_layer *layer = train_layer(stage);
        const struct members twins = {stage->part.twins, stage->part.twins_end};
        if (stage->part.banded) {
            const uint32_t words = stage->part.twin_words;
            const uint32_t biases = words == 0 ? 0 : BIAS_WORDS;
            add_up(train_gradients(layer->weights), words, 0, words, twins, mark_layer_backward,
                   stage->row);
            add_up(train_gradients(layer->biases), biases, 0, biases, twins, mark_layer_backward,
                   stage->row);
        }
    }
}

/* ---- training ---- */

/* Starts fetching the next image into the free slot. */
static void fetch_next(void)
{
    if (role.next.position != TRAIN_NO_IMAGE) {
        train_read(train_image_address(role.next.position),
                   train.memory + train.at.image[role.slot], train.core.image_bytes);
    }
}

static void train_on_image(void)
{
    const uint8_t *image = train.memory + train.at.image[role.slot];
    const uint32_t position = role.next.position;
    train_finish_transfers();
    role.slot ^= 1;
    role.next = train_next_image(role.next);
    fetch_next();
    mark_layer(0);
    if (NN_HAS_DROPOUT) {
        trained_image = train_image_number(position);
    }
    if (train.core.member == 0) {
        train_log_image(image, position);
    }
    forward(image);
    backward(image[train.core.pixels]);
}

static void train_epoch(void)
{
    train_begin_epoch();
    role.next = train_first_image(0);
    fetch_next();
    for (uint32_t update = 0; update < train.command.updates; update++) {
        while (role.next.position != TRAIN_NO_IMAGE && role.next.update == update) {
            train_on_image();
        }
        add_twins();
        train_update(update);
    }
    train_end_epoch();
}

/* ---- test ---- */

static void fetch_test_image(uint32_t image)
{
    if (image < train.core.test_count) {
        train_read(train.core.test_images + image * train.core.image_bytes,
                   train.memory + train.at.image[role.slot], train.core.image_bytes);
    }
}

static void test_all(void)
{
    trained_image = TRAIN_NO_IMAGE;
    fetch_test_image(train.core.group);
    for (uint32_t i = train.core.group; i < train.core.test_count; i += train.core.groups) {
        const uint8_t *image = train.memory + train.at.image[role.slot];
        train_finish_transfers();
        role.slot ^= 1;
        fetch_test_image(i + train.core.groups);
        train.numerics = (struct nn_numerics){0};
        forward(image);
        if (train.core.member == 0) {
            train_store_result(train_words(train.at.logits), i);
        }
    }
    train_finish_transfers();
}

/* ---- the whole ---- */

static void reduce(int32_t *sums, nn_value *parameters)
{
    exchange_reduce_scatter(&train.core.exchange, sums, parameters);
}

static void give(nn_value *parameters)
{
    exchange_all_gather(&train.core.exchange, parameters);
}

static void owned(uint32_t *first, uint32_t *count)
{
    exchange_owned(&train.core.exchange, first, count);
}

static void listen(void)
{
    exchange_packets_begin();
    exchange_slots_begin(&train.core.exchange);
}

void c_main(void)
{
    static const struct train_role ROLE = {.listen = listen,
                                           .epoch = train_epoch,
                                           .test = test_all,
                                           .signal = exchange_signal,
                                           .signal_count = exchange_count,
                                           .reduce = reduce,
                                           .give = give,
                                           .owned = owned};
    train_set_up(&ROLE, 0);
    train_run();
}
