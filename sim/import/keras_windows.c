/* keras_windows.c - Keras' layers whose windows move over an image: convolutions and pools, and the
 * zeros around them. */
#include "sim/config/config_arena.h"
#include "sim/import/keras_build.h"
#include "sim/steps.h"

#include <string.h>

struct window {
    int64_t kernel[2], stride[2]; /* rows, columns */
    int64_t pads[4];              /* top, left, bottom, right */
    int64_t output[2];
};

static const char SAME_HINT[] = "the machine pads evenly: train with padding=\"valid\", with an "
                                "odd window, or with an image of which the strides leave no rest";

static enum status check_image(const struct keras_builder *builder)
{
    if (builder->rank != 3) {
        return keras_deny(builder, "give the Input a channel axis, or put a Reshape before it",
                          "its input is no image with channels");
    }
    return keras_check_format(builder);
}

/* Zeros of padding "same": as many as give ceil(side / stride) outputs, the odd one behind. */
static enum status pad_same(const struct keras_builder *builder, struct window *window)
{
    for (size_t i = 0; i < 2; i++) {
        const int64_t side = builder->shape[i];
        const int64_t outputs = (side + window->stride[i] - 1) / window->stride[i];
        const int64_t wanted = (outputs - 1) * window->stride[i] + window->kernel[i] - side;
        const int64_t zeros = wanted > 0 ? wanted : 0;
        if (zeros % 2 != 0) {
            return keras_deny(builder, SAME_HINT,
                              "padding \"same\" with this window, stride and image of %lld x %lld "
                              "pads unevenly: %lld before, %lld behind",
                              (long long)builder->shape[0], (long long)builder->shape[1],
                              (long long)(zeros / 2), (long long)(zeros - zeros / 2));
        }
        window->pads[i] = window->pads[i + 2] = zeros / 2;
    }
    return STATUS_OK;
}

static enum status read_padding(const struct keras_builder *builder, struct window *window)
{
    const char *padding = keras_text(builder->layer->config, "padding");
    if (padding != NULL && strcmp(padding, "same") == 0) {
        return pad_same(builder, window);
    }
    return padding == NULL || strcmp(padding, "valid") == 0
               ? STATUS_OK
               : keras_deny(builder, "padding: valid, same", "its padding cannot be read");
}

/* The window with the side of `key`; strides are missing_stride, or the side, where there are none.
 */
static enum status read_window(const struct keras_builder *builder, const char *key,
                               int64_t missing_stride, struct window *window)
{
    const json_t *config = builder->layer->config;
    *window = (struct window){.pads = {0}};
    if (!keras_pair(config, key, 0, KERAS_MOST_SIDE, window->kernel) || window->kernel[0] == 0 ||
        !keras_pair(config, "strides", missing_stride, KERAS_MOST_SIDE, window->stride)) {
        return keras_deny(builder, NULL, "%s or strides are no numbers of rows and columns", key);
    }
    for (size_t i = 0; i < 2 && window->stride[i] == 0; i++) {
        window->stride[i] = window->kernel[i];
    }
    return read_padding(builder, window);
}

static enum status finish_window(struct keras_builder *builder, struct window *window)
{
    for (size_t i = 0; i < 2; i++) {
        const int64_t room =
            builder->shape[i] + window->pads[i] + window->pads[i + 2] - window->kernel[i];
        if (room < 0) {
            return keras_deny(builder, NULL, "its window is larger than its input of %lld x %lld",
                              (long long)builder->shape[0], (long long)builder->shape[1]);
        }
        window->output[i] = room / window->stride[i] + 1;
    }
    return STATUS_OK;
}

static void add_integers(struct keras_builder *builder, struct model_node *node, const char *name,
                         size_t count, const int64_t *number)
{
    double real[4];
    for (size_t i = 0; i < count; i++) {
        real[i] = (double)number[i];
    }
    keras_add_numbers(builder, node, name, count, real);
}

static struct model_node *add_window(struct keras_builder *builder, const char *op,
                                     const struct window *window, size_t count,
                                     const char *const *others)
{
    struct model_node *node = keras_add_node(builder, op, count, others);
    add_integers(builder, node, "kernel_shape", 2, window->kernel);
    add_integers(builder, node, "strides", 2, window->stride);
    add_integers(builder, node, "pads", 4, window->pads);
    builder->shape[0] = window->output[0];
    builder->shape[1] = window->output[1];
    return node;
}

/* ---- convolutions ---- */

/* Keras' [row][column][input][map] as ONNX's [map][input][row][column]. */
static const double *turn_kernel(const struct keras_builder *builder, const int64_t *shape,
                                 const double *kernel)
{
    const size_t rows = (size_t)shape[0], columns = (size_t)shape[1], inputs = (size_t)shape[2],
                 maps = (size_t)shape[3];
    double *turned =
        config_arena_take(builder->model->arena, rows * columns * inputs * maps * sizeof *turned);
    double *at = turned;
    for (size_t map = 0; map < maps; map++) {
        for (size_t input = 0; input < inputs; input++) {
            for (size_t i = 0; i < rows * columns; i++) {
                *at++ = kernel[(i * inputs + input) * maps + map];
            }
        }
    }
    return turned;
}

static enum status check_plain(const struct keras_builder *builder)
{
    int64_t dilation[2], groups[2];
    const json_t *config = builder->layer->config;
    if (!keras_pair(config, "dilation_rate", 1, KERAS_MOST_SIDE, dilation) || dilation[0] != 1 ||
        dilation[1] != 1) {
        return keras_deny(builder, "train without", "has a dilation_rate");
    }
    return keras_pair(config, "groups", 1, KERAS_MOST_SIDE, groups) && groups[0] == 1
               ? STATUS_OK
               : keras_deny(builder, "train without", "has groups");
}

/* Zeros of a ZeroPadding2D before it become the convolution's own. */
static enum status take_padding(struct keras_builder *builder, struct window *window)
{
    static const int64_t NONE[4];
    if (builder->padding == NULL) {
        return STATUS_OK;
    }
    if (memcmp(window->pads, NONE, sizeof NONE) != 0) {
        return keras_deny(builder, "give the convolution padding=\"valid\"",
                          "pads what a ZeroPadding2D has padded");
    }
    memcpy(window->pads, builder->pads, sizeof window->pads);
    builder->padding = NULL;
    return STATUS_OK;
}

enum status keras_add_conv2d(struct keras_builder *builder)
{
    const int64_t maps = json_integer_value(json_object_get(builder->layer->config, "filters"));
    struct window window;
    const double *kernel, *bias;
    const char *names[2];
    bool has_bias;
    TRY(check_image(builder));
    TRY(check_plain(builder));
    TRY(read_window(builder, "kernel_size", 1, &window));
    TRY(take_padding(builder, &window));
    TRY(finish_window(builder, &window));
    const int64_t shape[] = {window.kernel[0], window.kernel[1], builder->shape[2], maps};
    const int64_t turned[] = {maps, builder->shape[2], window.kernel[0], window.kernel[1]};
    TRY(keras_flag(builder, "use_bias", true, &has_bias));
    TRY(keras_take_weight(builder, "kernel", 4, shape, &kernel));
    names[0] =
        keras_add_tensor(builder, "kernel", 4, turned, turn_kernel(builder, shape, kernel), false);
    if (has_bias) {
        TRY(keras_take_weight(builder, "bias", 1, &maps, &bias));
        names[1] = keras_add_tensor(builder, "bias", 1, &maps, bias, false);
    }
    TRY(keras_no_more_weights(builder));
    (void)add_window(builder, "Conv", &window, has_bias ? 2 : 1, names);
    builder->shape[2] = maps;
    return keras_add_activation(builder, "activation");
}

/* [[top, bottom], [left, right]], [rows, columns] or one number. */
enum status keras_add_zero_padding2d(struct keras_builder *builder)
{
    const json_t *padding = json_object_get(builder->layer->config, "padding");
    TRY(check_image(builder));
    for (size_t i = 0; i < 2; i++) {
        const json_t *side = json_is_array(padding) ? json_array_get(padding, i) : padding;
        for (size_t end = 0; end < 2; end++) {
            const json_t *zeros = json_is_array(side) ? json_array_get(side, end) : side;
            const int64_t count = json_integer_value(zeros);
            if (!json_is_integer(zeros) || count < 0 || count > KERAS_MOST_SIDE) {
                return keras_deny(builder, NULL, "padding is no number of rows and columns");
            }
            builder->pads[2 * end + i] = count;
        }
        if (builder->pads[i] != builder->pads[i + 2]) {
            return keras_deny(builder, "the machine pads evenly: train with equal padding",
                              "pads %lld before and %lld behind", (long long)builder->pads[i],
                              (long long)builder->pads[i + 2]);
        }
    }
    builder->padding = builder->layer;
    return STATUS_OK;
}

/* ---- pools ---- */

static enum status read_pool(struct keras_builder *builder, struct window *window)
{
    TRY(check_image(builder));
    TRY(read_window(builder, "pool_size", 0, window));
    return finish_window(builder, window);
}

enum status keras_add_max_pooling2d(struct keras_builder *builder)
{
    struct window window;
    TRY(read_pool(builder, &window));
    (void)add_window(builder, "MaxPool", &window, 0, NULL);
    return STATUS_OK;
}

enum status keras_add_average_pooling2d(struct keras_builder *builder)
{
    struct window window;
    TRY(read_pool(builder, &window));
    keras_add_number(builder, add_window(builder, "AveragePool", &window, 0, NULL),
                     "count_include_pad", 0);
    return STATUS_OK;
}

enum status keras_add_global_average_pooling2d(struct keras_builder *builder)
{
    bool keeps;
    TRY(check_image(builder));
    TRY(keras_flag(builder, "keepdims", false, &keeps));
    (void)keras_add_node(builder, "GlobalAveragePool", 0, NULL);
    builder->shape[0] = builder->shape[1] = 1;
    if (!keeps) {
        keras_add_number(builder, keras_add_node(builder, "Flatten", 0, NULL), "axis", 1);
        builder->shape[0] = builder->shape[2];
        builder->rank = 1;
    }
    return STATUS_OK;
}
