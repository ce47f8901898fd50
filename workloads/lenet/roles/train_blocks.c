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
#include "block_role.h"

/* ---- places ---- */

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

/* Where errors of the own units of a layer are computed. */
static nn_value *delta_of(uint32_t k, uint32_t image)
{
    return k == 0 ? train_values(role.plan.at.delta) + image * delta_stride() : slice_of(k, image);
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

static void train_epoch(void)
{
    is_test = false;
    train_begin_epoch();
    for (uint32_t update = 0; update < train.command.updates; update++) {
        mark_layer(train.at.stage[0].row);
        start_batch(update);
        train_finish_transfers();
        log_batch();
        forward();
        backward();
        train_update(update);
    }
    train_end_epoch();
}

/* ---- test ---- */

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
