/* train_group.c - role: trains a network in data parallel.
 *
 * The cores of a chip form groups that compute different images.  The members of a group have each
 * a piece of every layer (train_memory.h).  A group computes one image at a time or several: then a
 * team of its members computes the convolutions of each, and all members compute the dense layers
 * of all of them.  They exchange values and sums through SDRAM (circle.h).  At the end of a batch,
 * cores with the same weights add their gradients: on the chip through SDRAM; between chips by the
 * collectives of workloads/exchange.  The owner of a word updates its parameter, and the new
 * parameters return the same way.  All gradient sums are integers: the bits do not depend on the
 * order of additions, nor on the number of cores. */
#include "boards.h"
#include "circle.h"
#include "marks.h"

#include <activation.h>
#include <average_pool.h>
#include <backward.h>
#include <dropout.h>
#include <exchange.h>
#include <kernels.h>
#include <operators.h>
#include <rbf.h>
#include <words.h>

static struct {
    struct train_cursor next;  /* the image of this core's team that is being fetched */
    uint32_t slot;             /* slot for it */
    struct circle group, team; /* the team's only where a group has several */
    uint32_t first_dense;      /* stage */
    uint32_t images;           /* in this round: for the first teams of the group */
    uint32_t position;         /* in the epoch's order, of the first of them; TRAIN_NO_IMAGE in a
                                  test, which applies no dropout */
} role;

static bool is_active(void)
{
    return train.team < role.images;
}

static struct circle *convolvers(void)
{
    return train.core.at_once > 1 ? &role.team : &role.group;
}

static const uint32_t *bounds_of(uint32_t stage)
{
    return train.bounds + stage * (train.core.members + 1);
}

/* Whether stage k takes nothing but what this core has made of the stage before. */
static bool has_own_inputs(uint32_t k)
{
    return k + 1 == train.at.stages ||
           (NN_HAS(NN_TAKES_FEW) && train.at.stage[k].part.own_input != 0);
}

/* ---- an image's values of a stage ---- */

static nn_value *input_of(const struct nn_train_stage *stage, uint32_t image)
{
    return train_values(stage->input) + image * stage->input_stride;
}

/* Of a dense stage that is not the last: this core's units. */
static nn_value *result_of(uint32_t k, uint32_t image)
{
    return train_values(train.at.stage[k].result) + image * train.at.stage[k + 1].input_stride;
}

static nn_value *errors_of(const struct nn_train_stage *stage, uint32_t image)
{
    return train_values(stage->errors) + image * stage->error_stride;
}

static uint32_t logit_words(void)
{
    return (train.table->classes + 1u) & ~1u;
}

static nn_total *logits_of(uint32_t image)
{
    return train_totals(train.at.logits) + image * logit_words();
}

/* ---- within a group ---- */

/* Completes the input of stage k + 1, of which each member has made the values of some units. */
static void gather_units(uint32_t k)
{
    const uint32_t *bound = bounds_of(k);
    const uint32_t mine = bound[train.core.member];
    nn_value *taken = train_values(train.at.taken);
    if (train.core.members == 1) {
        return;
    }
    nn_value *to = taken;
    for (uint32_t i = 0; i < role.images; i++) {
        const nn_value *values = input_of(&train.at.stage[k + 1], i);
        for (uint32_t u = mine; u < bound[train.core.member + 1]; u++) {
            *to++ = values[u];
        }
    }
    enum { PER_WORD = TRAIN_WORD / sizeof(nn_value) };
    const uint32_t words = ((uint32_t)(to - taken) + PER_WORD - 1) / PER_WORD;
    const uint32_t odd = circle_share(&role.group, taken, words * TRAIN_WORD);
    circle_unpack(&role.group, odd, bound, role.images, input_of(&train.at.stage[k + 1], 0),
                  train.at.stage[k + 1].input_stride);
}

/* Completes the input of stage k + 1 from the parts of stage k, a convolution, that this core's
 * team has made or, if stage k + 1 is dense, those of all teams. */
static void gather_maps(uint32_t k)
{
    const uint32_t *bound = bounds_of(k);
    const uint32_t mates = nn_team_members(&train.core);
    const bool dense = k + 1 == role.first_dense;
    struct circle *circle = dense ? &role.group : convolvers();
    const struct circle_span mine = circle_span_of(bound, train.mate);
    if (circle->count == 1 || (NN_HAS(NN_TAKES_FEW) && has_own_inputs(k + 1))) {
        return;
    }
    nn_value *own = input_of(&train.at.stage[k + 1], dense ? train.team : 0);
    const uint32_t odd = circle_share(circle, own + mine.begin, is_active() ? mine.bytes : 0);
    for (uint32_t i = 0; i < (dense ? role.images : 1); i++) {
        circle_take(circle, odd, i * mates, mates, bound, input_of(&train.at.stage[k + 1], i));
    }
}

/* Applies dropout to an image's values of stage k, or to their errors. */
static void drop_out(uint32_t k, uint32_t image, nn_value *values, uint32_t *cuts)
{
    if (NN_HAS_DROPOUT && role.position != TRAIN_NO_IMAGE) {
        const struct nn_train_stage *stage = &train.at.stage[k];
        const uint32_t part = k < role.first_dense ? train.mate : train.core.member;
        train_drop_out(stage, train_image_number(role.position + image * train.core.chips),
                       bounds_of(k)[part], stage->outputs, values, cuts);
    }
}

/* ---- forward ---- */

static struct nn_arguments arguments_of(const struct nn_train_stage *stage, uint32_t image,
                                        void *output)
{
    const struct nn_layer *layer = train_layer(stage);
    return (struct nn_arguments){.layer = layer,
                                 .weights = train_parameters(layer->weights),
                                 .biases = train_parameters(layer->biases),
                                 .input = input_of(stage, image) + stage->part.skipped,
                                 .output = output,
                                 .numerics = &train.numerics};
}

/* Applies tanh or sigmoid to rounded values. */
static void activate(const struct nn_layer *layer, nn_value *values, uint32_t count)
{
    if (nn_has_table_activation(layer)) {
        nn_activate((enum nn_activation)layer->activation, layer->output_fraction,
                    (int16_t *)(void *)values, count);
    }
}

static void make_maps(const struct nn_train_stage *stage)
{
    const struct nn_arguments arguments = arguments_of(stage, 0, train_values(stage->output));
    train_begin_layer(stage->row);
    nn_conv2d(&arguments);
    activate(arguments.layer, arguments.output, stage->places);
    train_end_layer();
    if (stage->pool != 0) {
        const struct nn_arguments pool = {.layer = train_pool(stage),
                                          .input = train_values(stage->output),
                                          .output = train_values(stage->result)};
        mark_layer(stage->row + 1);
        if (nn_averages(pool.layer)) {
            nn_average_pool2d(&pool);
        } else {
            nn_max_pool2d_choose(&pool, train.memory + stage->choice);
        }
    }
}

static void make_units(uint32_t k)
{
    const struct nn_train_stage *stage = &train.at.stage[k];
    train_begin_layer(stage->row);
    for (uint32_t i = 0; i < role.images; i++) {
        const struct nn_arguments arguments = arguments_of(stage, i, result_of(k, i));
        nn_dense(&arguments);
        activate(arguments.layer, arguments.output, stage->outputs);
        drop_out(k, i, arguments.output, &train.numerics.saturations);
    }
    train_end_layer();
}

/* Only the last layer. */
static bool is_rbf(const struct nn_layer *layer)
{
    return NN_HAS(nn_rbf) && layer->kind == NN_RBF;
}

static void make_logits(const struct nn_train_stage *stage)
{
    train_begin_layer(stage->row);
    for (uint32_t i = 0; i < role.images; i++) {
        struct nn_arguments arguments = arguments_of(stage, i, logits_of(i));
        if (train.core.member != 0) {
            arguments.biases = NULL;
        }
        if (is_rbf(arguments.layer)) {
            nn_rbf(&arguments);
        } else {
            nn_dense(&arguments);
        }
    }
    train_end_layer();
    if (train.core.members > 1) {
        const uint32_t words = role.images * logit_words();
        circle_add(&role.group, train_words(train.at.logits),
                   (struct circle_words){words, 0, words, 0, 1}, mark_layer, stage->row);
    }
}

/* The convolutions of this core's team's image, then the dense layers of all of the group's. */
static void forward(const uint8_t *pixels)
{
    const uint32_t last = train.at.stages - 1;
    mark_layer(0);
    if (is_active()) {
        nn_load_image(train.table, pixels, input_of(&train.at.stage[0], 0));
    }
    for (uint32_t k = 0; k < last; k++) {
        if (k >= role.first_dense) {
            make_units(k);
            if (k + 1 < last) {
                gather_units(k);
            }
            continue;
        }
        if (is_active()) {
            make_maps(&train.at.stage[k]);
            drop_out(k, train.team, train_values(train.at.stage[k].result),
                     &train.numerics.saturations);
        }
        if (k + 1 < last && (is_active() || k + 1 == role.first_dense)) {
            gather_maps(k);
        }
    }
    make_logits(&train.at.stage[last]);
}

/* ---- backward ---- */

static void round_errors(const int32_t *sums, nn_value *errors, uint32_t count,
                         const struct nn_train_stage *of)
{
    nn_round_errors(sums, errors, count, train_layer(of)->weight_fraction, &train.numerics);
}

/* Backward pass of tanh or sigmoid: from the errors of their outputs to the errors of their
 * inputs. */
static void activation_back(const struct nn_layer *layer, const nn_value *values, nn_value *errors,
                            uint32_t count)
{
    if (nn_has_table_activation(layer)) {
        nn_activation_back((enum nn_activation)layer->activation, layer->output_fraction,
                           (const int16_t *)(const void *)values, (int16_t *)(void *)errors, count);
    }
}

static void make_events(const struct nn_train_stage *stage, struct nn_event *events,
                        uint16_t *counts)
{
    const struct nn_layer *layer = train_layer(stage);
    const nn_value *result = train_values(stage->result);
    nn_value *errors = train_values(stage->errors);
    if (stage->pool != 0) {
        mark_layer_backward(stage->row + 1);
    }
    if (stage->pool != 0 && nn_averages(train_pool(stage))) {
        nn_average_pool_events(layer, train_pool(stage), train_values(stage->output), errors,
                               events, counts);
        return;
    }
    activation_back(layer, result, errors, stage->outputs);
    if (stage->pool != 0) {
        nn_pool_events(layer, train_pool(stage), result, train.memory + stage->choice, errors,
                       events, counts);
    } else {
        nn_relu_events(layer, result, errors, events, counts);
    }
}

/* Gradients of a convolution, and the sums of its input's errors unless it is the first stage. */
static void maps_backward(uint32_t k)
{
    struct nn_event *events = (struct nn_event *)(void *)(train.memory + train.at.events);
    uint16_t *counts = (uint16_t *)(void *)(train.memory + train.at.counts);
    const struct nn_train_stage *stage = &train.at.stage[k];
    const struct nn_layer *layer = train_layer(stage);
    make_events(stage, events, counts);
    mark_layer_backward(stage->row);
    nn_conv2d_gradient(layer, train_values(stage->input) + stage->part.skipped, events, counts,
                       train_gradients(layer->weights), train_gradients(layer->biases));
    if (k > 0) {
        int32_t *sums = train_words(train.at.sums);
        nn_clear_words(sums, stage->inputs);
        nn_conv2d_input_sums(layer, train_parameters(layer->weights), events, counts,
                             sums + stage->part.skipped);
    }
}

/* The same of a dense layer; the errors of the last one's outputs are those of the logits. */
static void units_backward(uint32_t k)
{
    const struct nn_train_stage *stage = &train.at.stage[k];
    const struct nn_layer *layer = train_layer(stage);
    mark_layer_backward(stage->row);
    for (uint32_t i = 0; k + 1 < train.at.stages && i < role.images; i++) {
        nn_value *errors = errors_of(stage, i);
        drop_out(k, i, errors, &train.numerics.error_saturations);
        activation_back(layer, result_of(k, i), errors, stage->outputs);
        if (layer->activation == NN_RELU) {
            nn_relu_back(result_of(k, i), errors, stage->outputs);
        }
    }
    for (uint32_t i = 0; is_rbf(layer) && i < role.images; i++) {
        nn_rbf_input_sums(layer, (const int16_t *)(const void *)train_parameters(layer->weights),
                          (const int16_t *)(const void *)input_of(stage, i),
                          (const int16_t *)(const void *)errors_of(stage, i),
                          train_words(train.at.sums) + i * stage->inputs);
    }
    if (is_rbf(layer)) {
        return;
    }
    nn_dense_gradient_of(layer, input_of(stage, 0), stage->input_stride, errors_of(stage, 0),
                         stage->error_stride, role.images, train_gradients(layer->weights),
                         train_gradients(layer->biases));
    for (uint32_t i = 0; k > 0 && i < role.images; i++) {
        nn_dense_input_sums(layer, train_parameters(layer->weights), errors_of(stage, i),
                            train_words(train.at.sums) + i * stage->inputs);
    }
}

/* Adds up the sums of stage k's input that are of this core's values of stage k - 1, and rounds
 * them to errors. */
static void errors_before(uint32_t k)
{
    const struct nn_train_stage *stage = &train.at.stage[k];
    const struct nn_train_stage *before = &train.at.stage[k - 1];
    int32_t *sums = train_words(train.at.sums);
    const bool maps = k <= role.first_dense; /* the stage before is a convolution */
    const bool own_inputs = has_own_inputs(k);
    struct circle *circle = k < role.first_dense ? convolvers() : &role.group;
    uint32_t first = own_inputs ? 0 : bounds_of(k - 1)[maps ? train.mate : train.core.member];
    uint32_t images = role.images;
    if (maps) {
        first += k == role.first_dense && !own_inputs ? train.team * stage->inputs : 0;
        images = is_active() ? 1 : 0;
    }
    if (circle->count > 1 && !own_inputs) {
        const uint32_t words = (k < role.first_dense ? 1 : role.images) * stage->inputs;
        circle_add(circle, sums,
                   (struct circle_words){words, first, before->outputs, stage->inputs, images},
                   mark_layer_backward, stage->row);
    }
    for (uint32_t i = 0; i < images; i++) {
        round_errors(sums + first + i * stage->inputs, errors_of(before, i), before->outputs,
                     stage);
    }
}

/* A byte behind the pixels in SDRAM. */
static uint32_t label_of(uint32_t image)
{
    const uint32_t address = train_image_address(role.position + image * train.core.chips);
    return *(const volatile uint8_t *)(address + train.core.pixels);
}

/* Computes the errors of the logits; the first member of an image's team counts the loss. */
static void logit_errors(uint32_t own_label)
{
    const struct nn_train_stage *stage = &train.at.stage[train.at.stages - 1];
    mark_layer_backward(stage->row);
    for (uint32_t i = 0; i < role.images; i++) {
        const bool own = i == train.team;
        train_count_loss(logits_of(i), own ? own_label : label_of(i), errors_of(stage, i),
                         own && train.mate == 0);
    }
}

static void backward(uint32_t label)
{
    nn_sum_begin(&train.numerics);
    logit_errors(label);
    for (uint32_t k = train.at.stages; k-- > 0;) {
        if (k >= role.first_dense) {
            units_backward(k);
        } else if (is_active()) {
            maps_backward(k);
        }
        if (k > 0 && (k >= role.first_dense || is_active())) {
            errors_before(k);
        }
    }
    train_end_layer();
}

/* ---- blocks of twins ---- */

/* Adds up the gradients of this core's share of a block, a few members' at a time. */
TRAIN_SELDOM static void add_share(const struct nn_train_stage *stage, uint32_t odd)
{
    const struct nn_train_part *part = &stage->part;
    const uint32_t weights = nn_train_share_weights(part);
    const uint32_t from = (part->block + part->first) * TRAIN_WORD;
    int32_t *gradients = train_words(train.at.gradients);
    int32_t *taken = train_words(train.at.taken);
    uint32_t blocks = 0;
    uint32_t left = part->added;
    for (uint32_t m = 0; left != 0; left >>= 1, m++) {
        if ((left & 1) != 0) {
            train_read(circle_block(&role.group, m, odd) + from, taken + blocks++ * part->count,
                       part->count * TRAIN_WORD);
        }
        if (blocks == NN_TRAIN_AT_ONCE || left == 1) {
            train_finish_transfers();
            mark_layer_backward(stage->row);
            for (; blocks > 0; blocks--) {
                const int32_t *block = taken + (blocks - 1) * part->count;
                nn_add_words(gradients + part->own_weights, block, weights, 1);
                nn_add_words(gradients + part->own_biases, block + weights, part->count - weights,
                             1);
            }
        }
    }
}

/* Adds up the gradients that twins have in common, each its share of a block, and moves the shares
 * to where they are updated.  All members of the group take part in the round. */
TRAIN_SELDOM static void add_twins(void)
{
    int32_t *gradients = train_words(train.at.gradients);
    nn_value *parameters = train_values(train.at.parameters);
    nn_value *taken = train_values(train.at.taken);
    if (train.core.shared == 0) {
        return;
    }
    const uint32_t odd = circle_share(&role.group, gradients, train.core.shared * TRAIN_WORD);
    mark_update();
    for (uint32_t move = 0; move < 2; move++) {
        nn_value *next = taken;
        for (uint32_t k = 0; k < train.at.stages; k++) {
            const struct nn_train_part *part = &train.at.stage[k].part;
            const uint32_t weights = nn_train_share_weights(part);
            for (uint32_t w = 0; w < part->count; w++, next++) {
                const uint32_t to =
                    w < weights ? part->own_weights + w : part->own_biases + w - weights;
                if (move == 0) {
                    *next = parameters[part->block + part->first + w];
                } else {
                    parameters[to] = *next;
                    gradients[to] = 0;
                }
            }
        }
    }
    for (uint32_t k = 0; k < train.at.stages; k++) {
        add_share(&train.at.stage[k], odd);
    }
}

/* Where a block's new parameters are passed on: the buffer of the first twin. */
TRAIN_SELDOM static uint32_t block_address(const struct nn_train_part *part, uint32_t odd)
{
    uint32_t first = 0;
    while (first < train.core.member && (part->twins >> first & 1) == 0) {
        first++;
    }
    return circle_block(&role.group, first, odd) + part->block * (uint32_t)sizeof(nn_value);
}

/* Passes the new parameters of this core's shares to its twins, and takes theirs. */
TRAIN_SELDOM static void give_twins(void)
{
    enum { BYTES = sizeof(nn_value) };
    nn_value *parameters = train_values(train.at.parameters);
    if (train.core.shared == 0) {
        return;
    }
    mark_update();
    const uint32_t odd = circle_begin(&role.group);
    for (uint32_t k = 0; k < train.at.stages; k++) {
        const struct nn_train_part *part = &train.at.stage[k].part;
        const uint32_t weights = nn_train_share_weights(part);
        const uint32_t share = block_address(part, odd) + part->first * BYTES;
        train_write(share, parameters + part->own_weights, weights * BYTES);
        train_write(share + weights * BYTES, parameters + part->own_biases,
                    (part->count - weights) * BYTES);
    }
    circle_end(&role.group, odd);
    mark_update();
    for (uint32_t k = 0; k < train.at.stages; k++) {
        const struct nn_train_part *part = &train.at.stage[k].part;
        train_read(block_address(part, odd), parameters + part->block, part->words * BYTES);
    }
    train_finish_transfers();
}

/* ---- training ---- */

/* Images of a round of the groups, the first of which has number `done` of `count`, that this
 * core's group computes. */
static uint32_t images_of_group(uint32_t done, uint32_t count)
{
    const uint32_t before = done + train.core.group * train.core.at_once;
    const uint32_t left = before < count ? count - before : 0;
    return left < train.core.at_once ? left : train.core.at_once;
}

/* Starts fetching the team's next image into the free slot. */
static void fetch_next(void)
{
    if (role.next.position != TRAIN_NO_IMAGE) {
        train_read(train_image_address(role.next.position),
                   train.memory + train.at.image[role.slot], train.core.image_bytes);
    }
}

static void train_on_images(void)
{
    const uint8_t *image = train.memory + train.at.image[role.slot];
    if (is_active()) {
        const uint32_t position = role.next.position;
        train_finish_transfers();
        role.slot ^= 1;
        role.next = train_next_image(role.next);
        fetch_next();
        mark_layer(0);
        if (train.mate == 0) {
            train_log_image(image, position);
        }
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
        const uint32_t count = train_image_count(update);
        for (uint32_t done = 0; (role.images = images_of_group(done, count)) > 0;
             done += train.turns) {
            role.position = train_first_position(update) +
                            (done + train.core.group * train.core.at_once) * train.core.chips;
            train_on_images();
        }
        add_twins();
        train_update(update);
        give_twins();
    }
    train_meet_peers();
    train_write(train.core.parameters, train_values(train.at.parameters),
                train.core.shared * (uint32_t)sizeof(nn_value));
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
    role.position = TRAIN_NO_IMAGE;
    fetch_test_image(train.turn);
    for (uint32_t done = 0; (role.images = images_of_group(done, train.core.test_count)) > 0;
         done += train.turns) {
        const uint8_t *image = train.memory + train.at.image[role.slot];
        train_finish_transfers();
        role.slot ^= 1;
        fetch_test_image(done + train.turns + train.turn);
        train.numerics = (struct nn_numerics){0};
        forward(image);
        if (train.mate == 0 && is_active()) {
            train_store_result(logits_of(train.team), done + train.turn);
        }
    }
    train_finish_transfers();
}

/* ---- the whole ---- */

static void reduce(int32_t *sums, nn_value *parameters)
{
    if (has_boards()) {
        boards_reduce(sums, parameters, &role.group);
    } else {
        exchange_reduce_scatter(&train.core.exchange, sums, parameters);
    }
}

static void give(nn_value *parameters)
{
    if (has_boards()) {
        boards_give(parameters, &role.group);
    } else {
        exchange_all_gather(&train.core.exchange, parameters);
    }
}

static void owned(uint32_t *first, uint32_t *count)
{
    if (has_boards()) {
        boards_owned(first, count);
    } else {
        exchange_owned(&train.core.exchange, first, count);
    }
}

static void listen(void)
{
    exchange_packets_begin();
    exchange_slots_begin(&train.core.exchange);
}

TRAIN_SELDOM static void set_up_circles(void)
{
    const struct nn_train_core *core = &train.core;
    role.group = (struct circle){.count = core->members,
                                 .own = core->member,
                                 .share = core->share,
                                 .share_bytes = core->share_bytes,
                                 .key = core->group_key,
                                 .counter = NN_SIGNAL_GROUP};
    const uint32_t mates = nn_team_members(core);
    role.team =
        (struct circle){.count = mates,
                        .own = train.mate,
                        .share = core->team_share + 2 * train.team * mates * core->share_bytes,
                        .share_bytes = core->share_bytes,
                        .key = core->team_key,
                        .counter = NN_SIGNAL_TEAM};
    while (role.first_dense < train.at.stages &&
           train_layer(&train.at.stage[role.first_dense])->kind == NN_CONV2D) {
        role.first_dense++;
    }
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
    set_up_circles();
    train_run();
}
