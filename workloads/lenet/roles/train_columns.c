/* train_columns.c - role: trains a network of dense layers whose units are spread over chips, each
 * unit with the weights by which it enters the next layer, while the cores of a chip share the
 * images of a batch (block_plan.h).
 *
 * Forward, every core computes the values of its chip's units of the first layer for its images.
 * From the values of its chip's units of a layer it computes their parts of the sums of all units
 * of the next layer.  The rings add these parts up, each unit's at the chip that has the unit,
 * which rounds the sums to values; those of the logits are added up at one chip for each image,
 * which computes the errors of the logits.  The rings distribute these errors.  Back, every core
 * computes the errors of its chip's units from its columns and all errors of the next layer; the
 * rings distribute those of inner layers.  From its own values and all errors follow the gradients
 * of its columns.  Each weight is on one chip only, and neither weights nor hidden values leave it.
 */
#include "block_role.h"

static uint32_t this_update; /* of the epoch */

/* ---- places ---- */

static uint32_t value_stride(uint32_t k)
{
    return nn_block_even(role.plan.layer[k].most);
}

static bool keeps_pixels(void)
{
    return nn_column_keeps(&role.plan, train.core.pixels, sizeof(nn_value));
}

/* The values of an image's pixels. */
static nn_value *pixel_values(uint32_t image)
{
    return train_values(role.plan.at.values) +
           (keeps_pixels() ? image * nn_block_even(train.core.pixels) : 0);
}

static uint8_t *label_of(uint32_t image)
{
    return train.memory + role.plan.at.all[0] + image;
}

/* Values of this chip's units of a hidden layer. */
static nn_value *hidden_of(uint32_t k, uint32_t image)
{
    return train_values(role.plan.at.hidden[k]) + image * value_stride(k);
}

/* Errors of all units of an inner or the last layer: values from one image to the next. */
static uint32_t error_stride(uint32_t k)
{
    return k == role.last ? nn_block_even(train.core.classes) : role.plan.layer[k].units;
}

static nn_value *errors_of(uint32_t k, uint32_t image)
{
    const uint32_t at = k == role.last ? role.plan.at.errors : role.plan.at.all[k];
    return train_values(at) + image * error_stride(k);
}

/* The weights [unit of this chip in the layer before][unit of the layer]. */
static const nn_value *columns_of(uint32_t k)
{
    return train_values(train.at.parameters) + role.plan.layer[k].columns;
}

/* ---- slices of the rings' arrays ---- */

/* Of a hidden layer: a chip's units, image after image.  Of the last one: a chip's images, for each
 * the logits, or their errors, in whole packets. */
static const struct nn_block_slice *slices_of(uint32_t k)
{
    return (const struct nn_block_slice *)train_values(role.plan.at.slices) + k * role.plan.chips;
}

static uint32_t *bounds_of(uint32_t k)
{
    return (uint32_t *)train_words(role.plan.at.bounds) + k * (role.plan.chips + 1);
}

static uint32_t own_slice(void)
{
    return role.ring.position + 1 == role.plan.chips ? 0 : role.ring.position + 1;
}

/* Computes the bounds of the slices of all arrays, in values. */
static void find_bounds(void)
{
    for (uint32_t k = 0; k <= role.last; k++) {
        uint32_t *bounds = bounds_of(k);
        bounds[0] = 0;
        for (uint32_t s = 0; s < role.plan.chips; s++) {
            bounds[s + 1] = bounds[s] + nn_column_slice(&role.plan, k, slices_of(k)[s].count);
        }
    }
}

/* The exchange asks for slices of one array at a time (exchange_parts.h): of sums, or of values. */
struct exchange_span exchange_slice_of(const struct exchange_plan *plan,
                                       const struct exchange_phase *phase, uint32_t slice)
{
    const uint32_t values = phase->scale == EXCHANGE_UNIT ? 1 : VALUES_PER_WORD;
    slice = slice >= plan->chips ? slice - plan->chips : slice;
    return (struct exchange_span){role.bounds[slice] / values, role.bounds[slice + 1] / values};
}

/* The rings' arrays have the slices of layer k from now on. */
static void begin_slices(uint32_t k)
{
    role.bounds = bounds_of(k);
    role.ring.words = role.bounds[role.plan.chips];
}

static int32_t *ring_sums(uint32_t slice)
{
    return train_words(role.plan.at.ring) + role.bounds[slice];
}

/* Errors of the logits have a place beside their sums; others take the place of the sums. */
static nn_value *ring_values(uint32_t k, uint32_t slice)
{
    return train_values(k == role.last ? role.plan.at.all[k] : role.plan.at.ring) +
           role.bounds[slice];
}

/* ---- forward ---- */

/* Computes an image's values of this chip's units of the first layer.  Its pixels may be
 * overwritten, but not those of later images. */
static void make_first(uint32_t image)
{
    const struct nn_layer *layer = train_layer(&train.at.stage[0]);
    nn_value *input = pixel_values(image);
    const struct nn_arguments arguments = {.layer = layer,
                                           .weights = train_parameters(layer->weights),
                                           .biases = train_parameters(layer->biases),
                                           .input = input,
                                           .output = hidden_of(0, image),
                                           .numerics = &train.numerics};
    nn_load_image(train.table, pixels_of(image), input);
    nn_dense(&arguments);
    drop_out(0, image, hidden_of(0, image), &train.numerics.saturations);
}

/* Computes an image's parts of the sums of all units of a layer. */
static void make_parts(uint32_t k, uint32_t image, int32_t *sums)
{
    const struct nn_layer columns = matrix(role.plan.layer[k - 1].count, role.plan.layer[k].units);
    nn_dense_input_sums(&columns, columns_of(k), hidden_of(k - 1, image), sums);
}

/* Fills the ring's array with the parts of a hidden layer's sums: slice by slice. */
static void fill_hidden(uint32_t k)
{
    int32_t *sums = train_totals(train.at.sums);
    for (uint32_t image = 0; image < role.images; image++) {
        const struct nn_block_slice *slice = slices_of(k);
        make_parts(k, image, sums);
        for (uint32_t s = 0; s < role.plan.chips; s++, slice++) {
            int32_t *to = ring_sums(s) + image * slice->count;
            const int32_t *from = sums + slice->first;
            for (uint32_t u = slice->count; u > 0; u--) {
                *to++ = *from++;
            }
        }
    }
}

static void fill_logits(void)
{
    const struct nn_block_slice *slice = slices_of(role.last);
    for (uint32_t s = 0; s < role.plan.chips; s++, slice++) {
        int32_t *to = ring_sums(s);
        for (uint32_t i = 0; i < slice->count && slice->first + i < role.images; i++) {
            make_parts(role.last, slice->first + i, to);
            to += nn_column_classes(role.plan.layer[role.last].units);
        }
    }
}

/* Turns the sums of this chip's units of a hidden layer into their values. */
static void finish_hidden(uint32_t k)
{
    const struct nn_layer *layer = train_layer(&train.at.stage[k]);
    const int32_t *sums = ring_sums(own_slice());
    mark_layer(train.at.stage[k].row);
    for (uint32_t image = 0; image < role.images; image++, sums += role.plan.layer[k].count) {
        nn_finish_sums(layer, sums, train_parameters(layer->biases), hidden_of(k, image),
                       &train.numerics);
        drop_out(k, image, hidden_of(k, image), &train.numerics.saturations);
    }
}

/* Computes the values of all own hidden units, and at their chips the sums of the logits; `errors`:
 * the array for those of the logits, NULL in a test. */
static void forward(nn_value *errors)
{
    train_begin_layer(train.at.stage[0].row);
    for (uint32_t image = 0; image < role.images; image++) {
        make_first(image);
    }
    for (uint32_t k = 1; k <= role.last; k++) {
        mark_layer(train.at.stage[k].row);
        begin_slices(k);
        if (k < role.last) {
            fill_hidden(k);
        } else {
            fill_logits();
        }
        mark_exchange_values();
        exchange_reduce_scatter(&role.ring, ring_sums(0), k == role.last ? errors : NULL);
        if (k < role.last) {
            finish_hidden(k);
        }
    }
    mark_layer(train.at.stage[role.last].row);
}

/* Calls back for each image whose logits this chip has, when they are complete. */
static void finish_logits(void (*take)(uint32_t image, uint32_t number))
{
    const struct nn_layer *layer = train_layer(&train.at.stage[role.last]);
    const struct nn_block_slice *own = slices_of(role.last) + own_slice();
    const int32_t *sums = ring_sums(own_slice());
    for (uint32_t i = 0; i < own->count && own->first + i < role.images; i++) {
        nn_finish_sums(layer, sums, train_parameters(layer->biases), train_totals(train.at.logits),
                       &train.numerics);
        take(own->first + i, i);
        sums += nn_column_classes(role.plan.layer[role.last].units);
    }
}

/* ---- errors ---- */

/* Errors of an image's logits, the chip's image `number`. */
static void take_loss(uint32_t image, uint32_t number)
{
    nn_value *errors = ring_values(role.last, own_slice()) +
                       number * nn_column_classes(role.plan.layer[role.last].units);
    train_count_loss(train_totals(train.at.logits), *label_of(image), errors, true);
}

/* Distributes what is in the own slice. */
static void share(uint32_t k)
{
    mark_exchange_values();
    exchange_all_gather(&role.ring, ring_values(k, 0));
    mark_layer_backward(train.at.stage[k].row);
}

static void copy_values(nn_value *to, const nn_value *from, uint32_t count)
{
    for (; count > 0; count--) {
        *to++ = *from++;
    }
}

/* Copies the errors of each image's logits to their place. */
static void take_errors_of_logits(void)
{
    const uint32_t classes = role.plan.layer[role.last].units;
    const struct nn_block_slice *slice = slices_of(role.last);
    for (uint32_t s = 0; s < role.plan.chips; s++, slice++) {
        const nn_value *from = ring_values(role.last, s);
        for (uint32_t i = 0; i < slice->count; i++, from += nn_column_classes(classes)) {
            copy_values(errors_of(role.last, slice->first + i), from, classes);
        }
    }
}

/* Copies the errors of each image's units of an inner layer to their place. */
static void take_errors(uint32_t k)
{
    const struct nn_block_slice *slice = slices_of(k);
    for (uint32_t s = 0; s < role.plan.chips; s++, slice++) {
        const nn_value *from = ring_values(k, s);
        for (uint32_t image = 0; image < role.images; image++, from += slice->count) {
            copy_values(errors_of(k, image) + slice->first, from, slice->count);
        }
    }
}

/* Where errors of the own units of a hidden layer are computed. */
static nn_value *delta_of(uint32_t k, uint32_t image)
{
    return k == 0 ? train_values(role.plan.at.delta) + image * delta_stride()
                  : ring_values(k, own_slice()) + image * role.plan.layer[k].count;
}

/* Errors of the own units of layer k - 1, from all errors of layer k. */
static void make_own_errors(uint32_t k, uint32_t image)
{
    const struct nn_block_layer *before = &role.plan.layer[k - 1];
    const struct nn_layer rows = matrix(before->count, role.plan.layer[k].units);
    const struct nn_arguments arguments = {.layer = &rows,
                                           .weights = columns_of(k),
                                           .input = errors_of(k, image),
                                           .output = train_totals(train.at.sums),
                                           .numerics = &train.numerics};
    nn_value *delta = delta_of(k - 1, image);
    nn_dense(&arguments);
    nn_round_errors(train_totals(train.at.sums), delta, before->count,
                    train_layer(&train.at.stage[k])->weight_fraction, &train.numerics);
    drop_out(k - 1, image, delta, &train.numerics.error_saturations);
    nn_relu_back(hidden_of(k - 1, image), delta, before->count);
}

static void make_errors(void)
{
    mark_layer_backward(train.at.stage[role.last].row);
    finish_logits(take_loss);
    share(role.last);
    take_errors_of_logits();
    for (uint32_t k = role.last; k > 0; k--) {
        begin_slices(k - 1);
        for (uint32_t image = 0; image < role.images; image++) {
            make_own_errors(k, image);
        }
        if (k > 1) {
            share(k - 1);
            take_errors(k - 1);
        }
    }
}

/* ---- gradients ---- */

/* Gradients of the columns of layer k, and of its biases. */
static void make_column_gradients(uint32_t k)
{
    const struct nn_block_layer *layer = &role.plan.layer[k];
    const struct nn_layer biases = matrix(layer->count, 0);
    const struct gradients columns = {
        .row = train.at.stage[k].row,
        .first = layer->columns,
        .rows = role.plan.layer[k - 1].count,
        .columns = layer->units,
        .coefficients = hidden_of(k - 1, 0),
        .coefficient_stride = value_stride(k - 1),
        .values = errors_of(k, 0),
        .value_stride = error_stride(k),
    };
    mark_layer_backward(train.at.stage[k].row);
    nn_dense_gradient_of(&biases, errors_of(k, 0), error_stride(k), errors_of(k, 0) + layer->first,
                         error_stride(k), role.images, NULL,
                         biases_of(train_layer(&train.at.stage[k])));
    make_gradients(&columns);
}

static void make_row_gradients(void)
{
    const struct nn_layer *table = train_layer(&train.at.stage[0]);
    const struct gradients rows = {
        .row = train.at.stage[0].row,
        .first = table->weights / sizeof(nn_value),
        .rows = role.plan.layer[0].count,
        .columns = train.at.stage[0].inputs,
        .coefficients = delta_of(0, 0),
        .coefficient_stride = delta_stride(),
        .values = keeps_pixels() ? pixel_values(0) : NULL,
        .value_stride = nn_block_even(train.core.pixels),
        .biases = biases_of(table),
    };
    make_gradients(&rows);
}

static void backward(void)
{
    const uint32_t biases = train.core.parameter_count - train.core.weights_end;
    nn_clear_words(train_words(role.plan.at.biases), biases);
    make_errors();
    for (uint32_t k = role.last; k > 0; k--) {
        make_column_gradients(k);
    }
    make_row_gradients();
    write_from(train.core.weights_end, train_words(role.plan.at.biases), biases);
    train_end_layer();
}

/* ---- update ---- */

/* Where a few peers' gradients are read to: in turn at one of two places. */
static int32_t *taken_from(uint32_t peer)
{
    return train_words(train.at.taken) + peer % (2 * NN_TRAIN_AT_ONCE) * train.core.slice_count;
}

/* Starts reading the gradients of peer number `n` from this core on and a few behind it. */
static uint32_t start_peers(uint32_t n)
{
    const uint32_t end = smaller(n + NN_TRAIN_AT_ONCE, train.core.groups);
    for (; n < end; n++) {
        const uint32_t peer = train.core.group + n;
        train_read(address_of(peer < train.core.groups ? peer : peer - train.core.groups,
                              train.core.slice_first),
                   taken_from(n), train.core.slice_count * TRAIN_WORD);
    }
    return train_transfers();
}

/* All gradients of the chip are in SDRAM, or on their way.  Reads some peers' while it adds those
 * before, and the images of the next update during this one. */
void train_add_peers(void)
{
    train_meet_peers();
    uint32_t read = start_peers(0);
    for (uint32_t n = 0; n < train.core.groups; n += NN_TRAIN_AT_ONCE) {
        const uint32_t here = read;
        read = start_peers(n + NN_TRAIN_AT_ONCE);
        train_await_transfers(here);
        mark_update();
        nn_add_words(train_words(train.at.sums_begin), taken_from(n), train.core.slice_count,
                     smaller(train.core.groups - n, NN_TRAIN_AT_ONCE));
    }
    start_batch(++this_update);
}

/* ---- training and test ---- */

static void take_labels(void)
{
    for (uint32_t image = 0; image < role.images; image++) {
        *label_of(image) = pixels_of(image)[train.core.pixels];
    }
}

static void train_epoch(void)
{
    is_test = false;
    train_begin_epoch();
    this_update = 0;
    start_batch(0);
    for (uint32_t update = 0; update < train.command.updates; update++) {
        mark_layer(train.at.stage[0].row);
        train_finish_transfers();
        log_batch();
        take_labels();
        forward(train_values(role.plan.at.all[role.last]));
        backward();
        train_update(update);
    }
    train_end_epoch();
}

static void take_result(uint32_t image, uint32_t number)
{
    (void)number;
    train_store_result(train_totals(train.at.logits), test_image(image));
}

static void test_all(void)
{
    is_test = true;
    for (role.test_base = 0; role.test_base < train.core.test_count;
         role.test_base += train.core.batch) {
        fetch_test_batch();
        train.numerics = (struct nn_numerics){0};
        forward(NULL);
        finish_logits(take_result);
        train_end_layer();
    }
}

/* ---- the whole ---- */

static void set_up(const struct train_role *as)
{
    train_set_up(as, 0);
    sark_word_cpy(&role.plan, (const void *)train.core.blocks, sizeof role.plan);
    role.last = role.plan.layers - 1;
    nn_clear_words(train_words(role.plan.at.biases),
                   (train.at.total - role.plan.at.biases) / sizeof(uint32_t));
    sark_word_cpy(train_words(role.plan.at.slices), (const void *)role.plan.slices,
                  role.plan.layers * role.plan.chips * sizeof(struct nn_block_slice));
    role.ring = train.core.exchange;
    find_bounds();
    begin_slices(role.last);
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
