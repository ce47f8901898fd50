/* layer.h - types of layers: keys in the network's file, shapes, parameters, row of the layer
 * table, and values and gradients in double precision.
 *
 * A type is a file layer_<name>.c with its descriptor, LAYER_<NAME>, which the build reads
 * (scripts/cmake/Kinds.cmake).  No other code depends on types: the machine's kernels are chosen by
 * the `kind` of the layer table's row (workloads/nn/layer_table.h), and by its `kernels`.
 *
 * Doubles: one image at a time; every sum has a fixed order, so the bits do not depend on compiler
 * or processor (IEEE 754 doubles; no fused multiply-add: -ffp-contract=off). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_read.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

/* A layer as read from the network's file, before its shape is known: the keys are read into these
 * fields. */
struct layer_entry {
    struct network_layer layer;
    const char *from;               /* name of the feeding layer; NULL: the previous layer */
    const struct config_node *node; /* the layer's map */
    const struct config_node *padding, *links; /* values that a type parses itself; NULL: absent */
};

/* Forward or backward pass of one image through a layer; weights as in a weights file (weights.h),
 * biases [output]. */
struct layer_pass {
    const struct network_layer *layer;
    const double *weights, *biases, *input;
    double *output;
    const double *output_gradient; /* of the loss with respect to the output; the gradients below
                                      are *added* to */
    double *weight_gradients, *bias_gradients;
    double *input_gradient; /* NULL: not needed */
    double *room;           /* of layer_room() doubles, in which a forward pass works */
};

struct layer_kind {
    const char *name;              /* `type` in the file */
    const struct config_key *keys; /* LAYER_KEYS and its own, read into a layer_entry */
    /* Checks and completes the keys after all have been read; NULL: nothing to do. */
    enum status (*finish)(struct layer_entry *entry, struct config_arena *arena,
                          struct diagnostic *diagnostic);
    /* Called when the input shape is known: sets outputs, output, link_weights, link_products.
     * STATUS_CONFIGURATION with the layer's place when the layer does not fit its input. */
    enum status (*shape)(struct network *network, struct network_layer *layer,
                         struct diagnostic *diagnostic);
    uint8_t row;       /* enum nn_layer_kind of its row in the layer table: selects the kernels */
    uint8_t kernels;   /* of a row NN_CONV2D: NN_KERNELS_<NAME>, if it has kernels of its own
                          (workloads/nn/layers/layer_kernels.h); 0: those of convolutions */
    bool one_weight;   /* that row's one_weight */
    uint8_t operators; /* enum operators: which programs have it (workloads/nn/operators.h) */
    /* Weights that are not trained (layer_rbf.c): weight j of [output][input].  NULL: trained. */
    double (*given)(const struct network_layer *layer, size_t weight);
    size_t (*room)(const struct network_layer *layer); /* layer_pass.room; NULL: none */
    /* In doubles: forward sets the output; backward adds the gradients with respect to weights,
     * biases and input. */
    void (*forward)(const struct layer_pass *pass);
    void (*backward)(const struct layer_pass *pass);
};

const struct layer_kind *layer_kind_of(enum network_layer_type type);

/* Doubles of layer_pass.room. */
size_t layer_room(const struct network_layer *layer);

/* Reports STATUS_CONFIGURATION for a layer: message "layer NAME: ..." (printf format) with the
 * layer's place, its name as key, and a hint (NULL: none). */
enum status layer_refuse(const struct network *network, const struct network_layer *layer,
                         const char *hint, struct diagnostic *diagnostic, const char *format, ...)
    PRINTF_LIKE(5, 6);

/* ---- for descriptors ---- */

enum { LAYER_MOST_MAPS = 4096, LAYER_LARGEST_WINDOW = 64 };

#define LAYER_KEY(name_, kind_, member)                                                            \
    .name = (name_), .kind = (kind_), CONFIG_FIELD(struct layer_entry, member)
#define LAYER_COUNT(name_, member, least, most)                                                    \
    {                                                                                              \
        LAYER_KEY(name_, KIND_COUNT, member), .need = NEED_REQUIRED, .whole = { 0, least, most }   \
    }
#define LAYER_NODE(name_, member)                                                                  \
    {                                                                                              \
        .name = (name_), .kind = KIND_NODE, CONFIG_FIELD(struct layer_entry, member)               \
    }

/* Keys of every layer.  A name's length is limited by the layer table. */
#define LAYER_NAME(name_, member)                                                                  \
    LAYER_KEY(name_, KIND_NAME, member), .whole = {0, 1, NETWORK_NAME_CHARS - 1}
#define LAYER_TYPE                                                                                 \
    {                                                                                              \
        LAYER_KEY("type", KIND_CHOICE, layer.type), .need = NEED_REQUIRED, .choices = LAYER_TYPES  \
    }
#define LAYER_KEYS                                                                                 \
    {LAYER_NAME("name", layer.name), .need = NEED_REQUIRED}, LAYER_TYPE,                           \
    {                                                                                              \
        LAYER_NAME("from", from)                                                                   \
    }
#define LAYER_ACTIVATION                                                                           \
    {                                                                                              \
        LAYER_KEY("activation", KIND_CHOICE, layer.activation), .text = "identity",                \
                                                                .choices = LAYER_ACTIVATIONS       \
    }
#define LAYER_WINDOW(name_) LAYER_COUNT(name_, layer.kernel, 1, LAYER_LARGEST_WINDOW)
/* A default of 0, for pooling layers, stands for the window's side. */
#define LAYER_STRIDE(standard)                                                                     \
    {                                                                                              \
        LAYER_KEY("stride", KIND_COUNT, layer.stride), .whole = {                                  \
            standard,                                                                              \
            1,                                                                                     \
            LAYER_LARGEST_WINDOW                                                                   \
        }                                                                                          \
    }
#define LAYER_KEYS_END                                                                             \
    {                                                                                              \
        .name = NULL                                                                               \
    }

extern const char *const LAYER_TYPES[], *const LAYER_ACTIVATIONS[]; /* NULL-ended */

/* finish() of pooling layers: without a stride, windows lie side by side. */
enum status layer_finish_pool(struct layer_entry *entry, struct config_arena *arena,
                              struct diagnostic *diagnostic);

/* Sets the output shape of a window that moves over the input, with `outputs` maps; link_weights
 * and link_products stay 0. */
enum status layer_shape_window(struct network *network, struct network_layer *layer,
                               uint32_t outputs, struct diagnostic *diagnostic);

/* shape() of a layer without parameters. */
enum status layer_shape_pool(struct network *network, struct network_layer *layer,
                             struct diagnostic *diagnostic);

/* The input map of an output map, where each output map has one: outputs are a multiple of the
 * input's maps. */
static inline size_t layer_map_of(const struct network_layer *layer, size_t output)
{
    return output * layer->input.channels / layer->outputs;
}

/* Iterates over the windows of a layer without padding, in the order of its outputs, starting from
 * {0}; at: index of the window's first input value. */
struct layer_window {
    size_t map, y, x, at;
};

static inline void layer_window_next(const struct network_layer *layer, struct layer_window *window)
{
    if (++window->x == layer->output.width) {
        window->x = 0;
        if (++window->y == layer->output.height) {
            window->y = 0;
            window->map++;
        }
    }
    window->at =
        (layer_map_of(layer, window->map) * layer->input.height + window->y * layer->stride) *
            layer->input.width +
        window->x * layer->stride;
}

double layer_window_sum(const struct network_layer *layer, const double *window);
void layer_window_add(const struct network_layer *layer, double value, double *window);

/* output[i] += w input[i * stride] */
static inline void layer_add_row(double *__restrict output, const double *__restrict input,
                                 double w, size_t count, size_t stride)
{
    for (size_t i = 0; i < count && stride == 1; i++) {
        output[i] += w * input[i];
    }
    for (size_t i = 0; i < count && stride != 1; i++) {
        output[i] += w * input[i * stride];
    }
}

C_LINKAGE_END
