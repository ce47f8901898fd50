/* readers.h - the formats that model_read() knows: a row for each in READERS of model_read.c. */
#pragma once
#include "sim/import/model.h"
C_LINKAGE_BEGIN

/* A file of which a reader sees the first bytes, to say whether it is of its format. */
struct model_file {
    const char *path;
    uint8_t first[64];
    size_t first_bytes; /* less if the file is shorter */
    size_t bytes;       /* of the whole */
};

struct model_reader {
    const char *format; /* "ONNX (.onnx)", for the hint when no reader knows the file */
    bool (*knows)(const struct model_file *file);
    /* Fills a model whose arena and path are set; the caller frees it when this fails.  Nodes may
     * come in any order, with some that the output does not need: see model_sort(). */
    enum status (*read)(struct model *model, struct diagnostic *diagnostic);
};

extern const struct model_reader ONNX_READER, KERAS_READER, KERAS_H5_READER, TFJS_READER;

/* Drops the nodes that the output does not need, and puts the others in an order in which every
 * value is made before it is used.  STATUS_CONFIGURATION when a value is made twice or by nobody,
 * or needs itself. */
enum status model_sort(struct model *model, struct diagnostic *diagnostic);

/* Refuses a model: "FILE: key NODE: text", and the hint (NULL: none).  `node` NULL: the file.  The
 * macro shows compilers and analysers that the result is no STATUS_OK. */
#define model_refuse(model, node, hint, to, ...) /* NOLINT(readability-identifier-naming) */       \
    ((void)diagnose(to, STATUS_CONFIGURATION, __VA_ARGS__),                                        \
     model_refuse_at(model, node, hint, to), STATUS_CONFIGURATION)
void model_refuse_at(const struct model *model, const struct model_node *node, const char *hint,
                     struct diagnostic *diagnostic);

/* A name of the file as a text: cut at a zero byte; NULL for one with control characters. */
const char *model_text(struct model *model, const void *bytes, size_t count);

/* ---- ONNX ---- */

/* What is left to read, of all tensors of a file, and where files beside it lie. */
struct onnx_reading {
    struct model *model;
    const uint8_t *file; /* for offsets in messages */
    size_t values_left;
    struct diagnostic *diagnostic;
};

/* onnx_read.c: a ModelProto in memory, for a model whose arena and path are set; the path is for
 * messages, and for weights beside it. */
enum status onnx_model_read(struct model *model, const uint8_t *file, size_t size,
                            struct diagnostic *diagnostic);

struct wire_span;
/* onnx_tensor.c: a TensorProto. */
enum status onnx_tensor_read(struct onnx_reading *reading, struct wire_span message,
                             struct model_tensor *tensor);

/* external_data.c: bytes of a file beside the model, in malloc'ed memory; *bytes SIZE_MAX: all
 * behind `offset`.  The file's name is relative; neither ".." nor links may lead out of the folder.
 */
enum status external_data_read(const struct model *model, const char *location, uint64_t offset,
                               uint64_t bytes, size_t most, uint8_t **data, size_t *size,
                               struct diagnostic *diagnostic);

C_LINKAGE_END
