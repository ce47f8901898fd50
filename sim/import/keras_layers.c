/* keras_layers.c - the classes of layers that can be read, and those without windows.  A class more
 * is a row of KINDS and a function. */
#include "sim/config/config_arena.h"
#include "sim/import/keras_build.h"
#include "sim/steps.h"

#include <string.h>

/* ---- shapes ---- */

static int64_t values(const struct keras_builder *builder)
{
    int64_t count = 1;
    for (unsigned i = 0; i < builder->rank; i++) {
        count *= builder->shape[i];
    }
    return count;
}

static enum status add_input(struct keras_builder *builder)
{
    /* keras_build() has read its shape; a second one would be in mid-chain. */
    return builder->model->node_count == 0
               ? STATUS_OK
               : keras_deny(builder, NULL, "stands behind other layers");
}

/* To a vector in Keras' order (row, column, channel). */
static void flatten(struct keras_builder *builder)
{
    static const double TO_LAST[] = {0, 2, 3, 1};
    const int64_t *shape = builder->shape;
    if (builder->rank == 1) {
        return;
    }
    if (builder->rank == 3 && shape[2] > 1 && shape[0] * shape[1] > 1) {
        keras_add_numbers(builder, keras_add_node(builder, "Transpose", 0, NULL), "perm", 4,
                          TO_LAST);
    }
    keras_add_number(builder, keras_add_node(builder, "Flatten", 0, NULL), "axis", 1);
    builder->shape[0] = values(builder);
    builder->rank = 1;
}

static enum status add_flatten(struct keras_builder *builder)
{
    TRY(keras_check_format(builder));
    flatten(builder);
    return STATUS_OK;
}

/* target_shape; one side may be -1. */
static enum status read_target(struct keras_builder *builder, unsigned *rank, int64_t *shape)
{
    const json_t *target = json_object_get(builder->layer->config, "target_shape");
    const size_t sides = json_array_size(target);
    int64_t known = 1;
    int open = -1;
    bool good = sides >= 1 && sides <= 3;
    for (size_t i = 0; good && i < sides; i++) {
        shape[i] = json_integer_value(json_array_get(target, i));
        if (shape[i] == -1 && open < 0) {
            open = (int)i;
            continue;
        }
        good =
            shape[i] >= 1 && shape[i] <= MODEL_MOST_VALUES && known <= MODEL_MOST_VALUES / shape[i];
        known *= good ? shape[i] : 1;
    }
    if (good && open >= 0) {
        shape[open] = values(builder) / known;
        known *= shape[open];
    }
    *rank = (unsigned)sides;
    return good && known == values(builder)
               ? STATUS_OK
               : keras_deny(builder, NULL, "target_shape does not fit its %lld inputs",
                            (long long)values(builder));
}

/* A vector becomes an image of one channel. */
static void add_image(struct keras_builder *builder, const int64_t *shape)
{
    const double to[] = {-1, 1, (double)shape[0], (double)shape[1]};
    double *value = config_arena_take(builder->model->arena, sizeof to);
    memcpy(value, to, sizeof to);
    const char *name = keras_add_tensor(builder, "shape", 1, (const int64_t[]){4}, value, true);
    (void)keras_add_node(builder, "Reshape", 1, &name);
}

static enum status add_reshape(struct keras_builder *builder)
{
    unsigned rank;
    int64_t shape[3];
    TRY(read_target(builder, &rank, shape));
    const bool is_plane = rank == 2 || (rank == 3 && shape[2] == 1);
    const bool was_plane = builder->rank == 2 || (builder->rank == 3 && builder->shape[2] == 1);
    const bool same_sides = rank > 1 && builder->rank > 1 && shape[0] == builder->shape[0] &&
                            shape[1] == builder->shape[1];
    if (rank == 1) {
        flatten(builder);
    } else if (builder->rank == 1 && is_plane) {
        add_image(builder, shape);
    } else if (!same_sides || (rank != builder->rank && !(is_plane && was_plane))) {
        return keras_deny(builder, "let the Input have the shape of the images",
                          "only a vector to an image of one channel, a channel axis more or less, "
                          "and an image to a vector can be read");
    }
    builder->rank = rank;
    memcpy(builder->shape, shape, rank * sizeof *shape);
    return STATUS_OK;
}

/* ---- layers of values ---- */

static enum status add_dense(struct keras_builder *builder)
{
    const json_t *units = json_object_get(builder->layer->config, "units");
    const int64_t outputs = json_integer_value(units);
    const int64_t shape[] = {builder->shape[0], outputs};
    const char *names[2];
    const double *kernel, *bias;
    bool has_bias;
    if (builder->rank != 1) {
        return keras_deny(builder, "put a Flatten layer before it", "its input is an image");
    }
    if (outputs < 1 || outputs > MODEL_MOST_VALUES) {
        return keras_deny(builder, NULL, "units is no number of outputs");
    }
    TRY(keras_flag(builder, "use_bias", true, &has_bias));
    TRY(keras_take_weight(builder, "kernel", 2, shape, &kernel));
    names[0] = keras_add_tensor(builder, "kernel", 2, shape, kernel, false);
    if (has_bias) {
        TRY(keras_take_weight(builder, "bias", 1, &outputs, &bias));
        names[1] = keras_add_tensor(builder, "bias", 1, &outputs, bias, false);
    }
    TRY(keras_no_more_weights(builder));
    (void)keras_add_node(builder, "Gemm", has_bias ? 2 : 1, names);
    builder->shape[0] = outputs;
    return keras_add_activation(builder, "activation");
}

static enum status add_activation(struct keras_builder *builder)
{
    return keras_add_activation(builder, "activation");
}

/* A key that must have the value of a plain ReLU. */
static enum status check_zero(const struct keras_builder *builder, const char *key)
{
    const json_t *value = json_object_get(builder->layer->config, key);
    return keras_lacks(builder->layer->config, key) || json_number_value(value) == 0
               ? STATUS_OK
               : keras_deny(builder, "use a plain ReLU", "%s is not 0", key);
}

static enum status add_relu(struct keras_builder *builder)
{
    TRY(check_zero(builder, "negative_slope"));
    TRY(check_zero(builder, "threshold"));
    if (!keras_lacks(builder->layer->config, "max_value")) {
        return keras_deny(builder, "use a plain ReLU", "has a max_value");
    }
    (void)keras_add_node(builder, "Relu", 0, NULL);
    return STATUS_OK;
}

/* The last axis as a number or a list of one, as Keras counts (the batch is 0), or -1. */
static enum status check_last_axis(const struct keras_builder *builder)
{
    const json_t *axis = json_object_get(builder->layer->config, "axis");
    axis = json_is_array(axis) && json_array_size(axis) == 1 ? json_array_get(axis, 0) : axis;
    const bool last = json_is_integer(axis) &&
                      (json_integer_value(axis) == -1 || json_integer_value(axis) == builder->rank);
    return axis == NULL || last
               ? STATUS_OK
               : keras_deny(builder, "use axis=-1", "its axis is not the last one");
}

static enum status add_softmax(struct keras_builder *builder)
{
    TRY(check_last_axis(builder));
    keras_add_number(builder, keras_add_node(builder, "Softmax", 0, NULL), "axis", 1);
    return STATUS_OK;
}

static enum status add_dropout(struct keras_builder *builder)
{
    const double rate = json_number_value(json_object_get(builder->layer->config, "rate"));
    if (!(rate >= 0 && rate < 1)) {
        return keras_deny(builder, NULL, "rate is not from 0 to 1");
    }
    const char *ratio = keras_add_scalar(builder, "ratio", rate);
    (void)keras_add_node(builder, "Dropout", 1, &ratio);
    return STATUS_OK;
}

/* scale * x + offset, by one number each. */
static enum status add_rescaling(struct keras_builder *builder)
{
    const json_t *scale = json_object_get(builder->layer->config, "scale");
    const json_t *offset = json_object_get(builder->layer->config, "offset");
    if (!json_is_number(scale) || !(offset == NULL || json_is_number(offset))) {
        return keras_deny(builder, "give one number", "scale or offset is not a number");
    }
    const char *factor = keras_add_scalar(builder, "scale", json_number_value(scale));
    (void)keras_add_node(builder, "Mul", 1, &factor);
    if (json_number_value(offset) != 0) {
        const char *summand = keras_add_scalar(builder, "offset", json_number_value(offset));
        (void)keras_add_node(builder, "Add", 1, &summand);
    }
    return STATUS_OK;
}

/* Of each channel; 1 or 0 where the layer has none. */
static enum status take_normal(struct keras_builder *builder, const char *part, bool is_there,
                               double missing, const char **name)
{
    const int64_t channels = builder->shape[builder->rank - 1];
    const double *value;
    if (is_there) {
        TRY(keras_take_weight(builder, part, 1, &channels, &value));
    } else {
        double *filled =
            config_arena_take(builder->model->arena, (size_t)channels * sizeof *filled);
        for (int64_t i = 0; i < channels; i++) {
            filled[i] = missing;
        }
        value = filled;
    }
    *name = keras_add_tensor(builder, part, 1, &channels, value, false);
    return STATUS_OK;
}

static enum status add_batch_normalization(struct keras_builder *builder)
{
    const json_t *epsilon = json_object_get(builder->layer->config, "epsilon");
    const char *names[4];
    bool scale, center;
    if (builder->rank == 2) {
        return keras_deny(builder, "give the Input a channel axis",
                          "normalises the columns of an image without channels");
    }
    TRY(check_last_axis(builder));
    TRY(keras_flag(builder, "scale", true, &scale));
    TRY(keras_flag(builder, "center", true, &center));
    if (!json_is_number(epsilon) || json_number_value(epsilon) < 0) {
        return keras_deny(builder, NULL, "epsilon is no positive number");
    }
    TRY(take_normal(builder, "gamma", scale, 1, &names[0]));
    TRY(take_normal(builder, "beta", center, 0, &names[1]));
    TRY(take_normal(builder, "moving_mean", true, 0, &names[2]));
    TRY(take_normal(builder, "moving_variance", true, 1, &names[3]));
    TRY(keras_no_more_weights(builder));
    keras_add_number(builder, keras_add_node(builder, "BatchNormalization", 4, names), "epsilon",
                     json_number_value(epsilon));
    return STATUS_OK;
}

/* ---- the tables ---- */

static const struct keras_kind KINDS[] = {
    {"InputLayer", add_input},
    {"Dense", add_dense},
    {"Conv2D", keras_add_conv2d},
    {"MaxPooling2D", keras_add_max_pooling2d},
    {"AveragePooling2D", keras_add_average_pooling2d},
    {"GlobalAveragePooling2D", keras_add_global_average_pooling2d},
    {"ZeroPadding2D", keras_add_zero_padding2d},
    {"Flatten", add_flatten},
    {"Reshape", add_reshape},
    {"Activation", add_activation},
    {"ReLU", add_relu},
    {"Softmax", add_softmax},
    {"Dropout", add_dropout},
    {"BatchNormalization", add_batch_normalization},
    {"Rescaling", add_rescaling},
};

static const char QUANTISED_HINT[] =
    "the model was prepared for another quantisation: save it as it was before, importing "
    "quantises it for this machine";
static const char NESTED_HINT[] =
    "a model inside a model: build one model of all its layers, and save that";
static const char JOIN_HINT[] = "networks are chains here: layers that join several are not run";
static const char ORDER_HINT[] = "recurrent and one-dimensional layers are not run";

/* What to do about classes that are met often. */
static const struct {
    const char *class_name, *hint;
} REFUSED[] = {
    {"KerasActivationQuantizationHolder", QUANTISED_HINT},
    {"KerasQuantizationWrapper", QUANTISED_HINT},
    {"QuantizeLayer", QUANTISED_HINT},
    {"QuantizeWrapper", QUANTISED_HINT},
    {"QuantizeWrapperV2", QUANTISED_HINT},
    {"PruneLowMagnitude", "strip the pruning (tfmot.sparsity.keras.strip_pruning) and save again"},
    {"Sequential", NESTED_HINT},
    {"Functional", NESTED_HINT},
    {"Model", NESTED_HINT},
    {"Add", JOIN_HINT},
    {"Concatenate", JOIN_HINT},
    {"Multiply", JOIN_HINT},
    {"Conv1D", ORDER_HINT},
    {"LSTM", ORDER_HINT},
    {"GRU", ORDER_HINT},
    {"SimpleRNN", ORDER_HINT},
    {"LeakyReLU", "train with ReLU in its place"},
    {"DepthwiseConv2D", "train with Conv2D in its place"},
    {"SeparableConv2D", "train with Conv2D in its place"},
    {"GlobalMaxPooling2D", "train with MaxPooling2D or GlobalAveragePooling2D in its place"},
    {"Normalization", "train with Rescaling in its place"},
};

static const char CLASSES_HINT[] =
    "classes that can be read: Dense, Conv2D, MaxPooling2D, AveragePooling2D, "
    "GlobalAveragePooling2D, ZeroPadding2D, Flatten, Reshape, Activation, ReLU, Softmax, Dropout, "
    "BatchNormalization, Rescaling";

const struct keras_kind *keras_find_kind(const char *class_name, const char **hint)
{
    *hint = CLASSES_HINT;
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        if (strcmp(class_name, REFUSED[i].class_name) == 0) {
            *hint = REFUSED[i].hint;
        }
    }
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (strcmp(class_name, KINDS[i].class_name) == 0) {
            return &KINDS[i];
        }
    }
    return NULL;
}
