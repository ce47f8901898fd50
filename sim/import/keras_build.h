/* keras_build.h - what keras_layers.c and keras_windows.c make nodes with. */
#pragma once
#include "sim/import/keras.h"
C_LINKAGE_BEGIN

enum { KERAS_MOST_SIDE = 4096 }; /* of an image or a window, in pixels */

struct keras_builder {
    const struct keras_file *file;
    struct model *model;
    const struct keras_layer *layer; /* at work */
    size_t weights_used;             /* of this layer */
    /* The value so far: its name, and its shape in Keras' order, without the batch.  In the model
     * rank 1 is [n][unit], rank 2 [n][1][row][column], rank 3 [n][channel][row][column]. */
    const char *value;
    unsigned rank;
    int64_t shape[3];
    /* ZeroPadding2D that the next convolution takes over: top, left, bottom, right. */
    const struct keras_layer *padding;
    int64_t pads[4];
};

/* Refuses the layer at work. */
#define keras_deny(builder, hint, ...) /* NOLINT(readability-identifier-naming) */                 \
    keras_refuse((builder)->file, (builder)->layer, hint, __VA_ARGS__)

/* Adds a node that takes the value so far and `others` (names of constants), and makes the next. */
struct model_node *keras_add_node(struct keras_builder *builder, const char *op, size_t count,
                                  const char *const *others);
void keras_add_numbers(const struct keras_builder *builder, struct model_node *node,
                       const char *name, size_t count, const double *number);
static inline void keras_add_number(const struct keras_builder *builder, struct model_node *node,
                                    const char *name, double number)
{
    keras_add_numbers(builder, node, name, 1, &number);
}

/* Adds a constant LAYER/part; `value` belongs to the model.  Returns its name. */
const char *keras_add_tensor(struct keras_builder *builder, const char *part, unsigned rank,
                             const int64_t *shape, const double *value, bool whole);
const char *keras_add_scalar(struct keras_builder *builder, const char *part, double value);

/* The next weight of the layer at work, which must have this shape and finite values. */
enum status keras_take_weight(struct keras_builder *builder, const char *name, unsigned rank,
                              const int64_t *shape, const double **value);
/* After the last one: refuses a layer of which the file has more. */
enum status keras_no_more_weights(const struct keras_builder *builder);

/* A flag of the config. */
enum status keras_flag(const struct keras_builder *builder, const char *key, bool missing,
                       bool *flag);

/* data_format: channels_first is refused. */
enum status keras_check_format(const struct keras_builder *builder);

/* Adds the activation of a key of the config: a name, null, or a function object. */
enum status keras_add_activation(struct keras_builder *builder, const char *key);

/* ---- kinds of layers ---- */

struct keras_kind {
    const char *class_name;
    enum status (*add)(struct keras_builder *builder);
};

/* keras_windows.c */
enum status keras_add_conv2d(struct keras_builder *builder);
enum status keras_add_max_pooling2d(struct keras_builder *builder);
enum status keras_add_average_pooling2d(struct keras_builder *builder);
enum status keras_add_global_average_pooling2d(struct keras_builder *builder);
enum status keras_add_zero_padding2d(struct keras_builder *builder);

/* keras_layers.c: NULL for a class that cannot be read, with a hint. */
const struct keras_kind *keras_find_kind(const char *class_name, const char **hint);

C_LINKAGE_END
