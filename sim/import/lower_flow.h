/* lower_flow.h - what the files of lowering share: the value on its way through the graph.
 *
 * The value is that of one image: a batch's axis, the first, has size 1.  `place` says for each of
 * its items, in the order of the model's shape, where the layers' output has it; so reshaping is
 * free, a transposition moves places, and the dense layer that follows takes its weights along.
 * Scales and shifts that no layer has taken yet wait in `scale` and `shift`. */
#pragma once
#include "sim/import/lower.h"
#include "sim/import/readers.h"
C_LINKAGE_BEGIN

enum { FLOW_MOST_MADE = 2 * MODEL_MOST_NODES };

struct flow {
    const struct model *model;
    const struct model_node *node; /* that is lowered; NULL: the end */
    const struct lower_pixels *pixels;
    struct lowered *to;
    struct diagnostic *diagnostic;
    const char *value; /* its name */
    unsigned rank;
    int64_t shape[MODEL_MOST_RANK]; /* [0] is 1 */
    size_t count;
    uint32_t *place;                          /* [count] */
    struct network_shape at;                  /* the last layer's output, or the input */
    double *scale, *shift;                    /* [count], by place; NULL: 1 and 0 */
    uint32_t frame;                           /* zeros around maps that wait for a convolution */
    bool has_softmax;                         /* nothing may follow */
    struct model_tensor made[FLOW_MOST_MADE]; /* constants that have been computed */
    size_t made_count;
    size_t values_left;
};

#define flow_refuse(flow, hint, ...) /* NOLINT(readability-identifier-naming) */                   \
    model_refuse((flow)->model, (flow)->node, hint, (flow)->diagnostic, __VA_ARGS__)

/* Zeroed memory of the model's arena for so many values or places; refused beyond
 * MODEL_MOST_VALUES. */
enum status flow_take(struct flow *flow, size_t values, double **taken);
enum status flow_take_places(struct flow *flow, size_t places, uint32_t **taken);

/* ---- constants ---- */

const struct model_tensor *flow_constant(const struct flow *flow, const char *name);
/* The constant that is input i; NULL: left out.  An input that is no constant is refused. */
enum status flow_input(const struct flow *flow, size_t i, const struct model_tensor **constant);
/* Computes a node all of whose inputs are constants (fold.c). */
enum status fold_node(struct flow *flow);

/* ---- attributes, shapes (shapes.c) ---- */

double flow_number(const struct flow *flow, const char *attribute, double standard);
/* An attribute that must have this value where it is given. */
enum status flow_expect(const struct flow *flow, const char *attribute, double wanted,
                        const char *hint);
/* An axis of 0 .. rank - 1 from one that may be negative. */
enum status flow_axis(const struct flow *flow, double axis, unsigned rank, unsigned *found);
/* Whole numbers of an attribute, or of input i where an opset moved them there; count 0: none. */
struct flow_list {
    size_t count;
    const double *value;
};
enum status flow_axes(const struct flow *flow, const char *attribute, size_t i,
                      struct flow_list *list);

/* A shape on its way: of the value or of a constant. */
struct flow_shape {
    unsigned rank;
    int64_t size[MODEL_MOST_RANK];
};
/* What the node, which only gives a new shape (Reshape, Flatten, Squeeze, Unsqueeze, Identity, ...)
 * makes of a shape with `count` values. */
enum status flow_reshape(const struct flow *flow, const struct flow_shape *from, size_t count,
                         struct flow_shape *to);
/* Where a transposition takes items from: source[i] for each item i of the new shape. */
enum status flow_transpose(const struct flow *flow, const struct flow_shape *from, size_t count,
                           struct flow_shape *to, uint32_t *source);
/* source[i] for each item i of a value: the item of a constant that is broadcast to it. */
enum status flow_broadcast(const struct flow *flow, const struct model_tensor *constant,
                           const struct flow_shape *to, size_t count, uint32_t *source);

/* ---- operators: rows of lower.c ---- */

enum status lower_shape(struct flow *flow);         /* shapes.c */
enum status lower_transpose(struct flow *flow);     /* shapes.c */
enum status lower_conv(struct flow *flow);          /* lower_windows.c */
enum status lower_pool(struct flow *flow);          /* lower_windows.c */
enum status lower_pad(struct flow *flow);           /* lower_pad.c */
enum status lower_gemm(struct flow *flow);          /* lower_dense.c */
enum status lower_matmul(struct flow *flow);        /* lower_dense.c */
enum status lower_arithmetic(struct flow *flow);    /* lower_affine.c */
enum status lower_normalization(struct flow *flow); /* lower_affine.c */
enum status lower_activation(struct flow *flow);    /* lower_affine.c */
enum status lower_dropout(struct flow *flow);       /* lower_affine.c */
enum status lower_softmax(struct flow *flow);       /* lower_dense.c */

/* Adds a layer; its input is the value.  The caller sets what the type needs. */
enum status flow_add_layer(struct flow *flow, enum network_layer_type type,
                           struct lower_layer **layer);
/* The value behind a layer: its output, as [1][channels][height][width], or [1][channels]. */
enum status flow_follow(struct flow *flow, const struct lower_layer *layer, unsigned rank);
/* The value has the order of the layers' output. */
enum status flow_put_in_order(struct flow *flow);
/* The value has to be an image whose order is ours. */
enum status flow_need_image(struct flow *flow);
/* Makes the pixels' scale and mean wait, if there is no layer yet. */
enum status flow_begin(struct flow *flow);
/* Whether a number for each value is one for each channel. */
bool flow_by_channel(const struct flow *flow, const double *values);

/* The last layer, if it is a dense layer of `units` from the value: makes its weights of the
 * model's [unit][item]. */
enum status lower_dense(struct flow *flow, size_t units, const double *weights,
                        const double *biases);
/* After the last node: the chain ends in a dense layer with a sum for each class. */
enum status lower_end(struct flow *flow);

C_LINKAGE_END
