/* model.h - a model as its framework saved it, before anything is known about the machine: a graph
 * of nodes in ONNX's terms, whichever format it was read from.
 *
 * Readers (onnx_*.c, keras_*.c, tfjs_*.c) make it; lowering makes layers of it (lower.h).  Nodes
 * are in an order in which every value is made before it is used.  Names of operators, attributes,
 * inputs and layouts are ONNX's (opset 13): images are [n][channel][height][width], Conv's weights
 * [map][channel][row][column], Gemm's B [input][output] or, with transB, [output][input].  Readers
 * of other formats convert to these: a Keras convolution's kernel is transposed, and Keras'
 * Flatten, which runs over (row, column, channel), is a Transpose to [n][row][column][channel]
 * before a Flatten.
 *
 * Everything is owned by the model's arena and ends with model_deinit(). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* Bounds of what a file may ask for; with all of them used, importing takes less than 1 GiB. */
enum {
    MODEL_MOST_RANK = 8,
    MODEL_MOST_NODES = 1024,
    MODEL_MOST_TENSORS = 4096,
    MODEL_MOST_NAMES = 64,          /* inputs, outputs or attributes of a node */
    MODEL_MOST_VALUES = 1 << 25,    /* of all constants together */
    MODEL_MOST_FILE_BYTES = 1 << 28 /* of the file, and of one beside it */
};

/* A constant, in C order.  float32, float16 and integers of up to 53 bits are exact in doubles. */
struct model_tensor {
    const char *name;
    unsigned rank;
    int64_t shape[MODEL_MOST_RANK]; /* the first `rank` are used; each at least 0 */
    size_t count;                   /* product of the shape, 1 for rank 0 */
    const double *value;            /* [count] */
    bool whole;                     /* of an integer type */
};

/* An attribute of a node: numbers, or a text. */
struct model_attribute {
    const char *name;
    const char *text; /* NULL: numbers */
    size_t count;
    const double *number;              /* [count]: f, i, floats, ints */
    const struct model_tensor *tensor; /* t; NULL: none */
};

struct model_node {
    const char *op;   /* "Conv" */
    const char *name; /* as the file has it; where it has none "Conv of VALUE" for the messages */
    size_t input_count, output_count, attribute_count;
    const char *const *input; /* names of values; "" for an optional one that is left out */
    const char *const *output;
    const struct model_attribute *attribute;
};

struct model {
    const char *path;
    const char *format; /* "ONNX, opset 12, pytorch 2.9", for messages and the weights' recipe */
    int opset;          /* what the operators mean; 13 for other formats */
    double input_scale; /* of pixels, where the file says it (as exported by spinnsim); 0: it does
                           not */
    const char *input;  /* the one value that is neither made nor constant */
    unsigned input_rank;
    int64_t input_shape[MODEL_MOST_RANK]; /* [0] is the batch; -1: any */
    const char *output;
    size_t node_count, tensor_count;
    struct model_node *node;
    struct model_tensor *tensor;
    struct config_arena *arena;
};

/* Reads a model of any format, by its content and its name's ending.  STATUS_CONFIGURATION with
 * file, offset or place, node, operator and a hint; *model is then empty. */
enum status model_read(struct model *model, const char *path, struct diagnostic *diagnostic);

void model_deinit(struct model *model);

/* NULL when there is none of this name. */
const struct model_tensor *model_find_tensor(const struct model *model, const char *name);
const struct model_attribute *model_find_attribute(const struct model_node *node, const char *name);

C_LINKAGE_END
