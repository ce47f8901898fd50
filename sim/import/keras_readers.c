/* keras_readers.c - the readers of Keras' files as rows for model_read() (readers.h). */
#include "sim/file.h"
#include "sim/import/keras_files.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

static bool begins_with(const struct model_file *file, const void *bytes, size_t size)
{
    return file->first_bytes >= size && memcmp(file->first, bytes, size) == 0;
}

/* A zip; .npz and PyTorch's files are zips, too. */
static bool is_archive(const struct model_file *file)
{
    return begins_with(file, "PK\3\4", 4) && file_ends_in(file->path, ".keras");
}

static bool is_h5(const struct model_file *file)
{
    return begins_with(file, "\211HDF\r\n\032\n", 8);
}

static bool is_json(const struct model_file *file)
{
    size_t at = 0;
    while (at < file->first_bytes && strchr(" \t\r\n", file->first[at]) != NULL) {
        at++;
    }
    return at < file->first_bytes && file->first[at] == '{';
}

typedef enum status parse(struct model *model, const uint8_t *bytes, size_t size,
                          struct diagnostic *diagnostic);

static enum status read_with(parse *parse_bytes, struct model *model, struct diagnostic *diagnostic)
{
    FREED uint8_t *bytes = NULL;
    size_t size = 0;
    TRY(file_read(model->path, MODEL_MOST_FILE_BYTES, &bytes, &size, diagnostic));
    return parse_bytes(model, bytes, size, diagnostic);
}

static enum status read_archive(struct model *model, struct diagnostic *diagnostic)
{
    return read_with(keras_archive_read, model, diagnostic);
}

static enum status read_h5(struct model *model, struct diagnostic *diagnostic)
{
    return read_with(keras_h5_read, model, diagnostic);
}

static enum status read_json(struct model *model, struct diagnostic *diagnostic)
{
    return read_with(tfjs_read, model, diagnostic);
}

const struct model_reader KERAS_READER = {"Keras (.keras)", is_archive, read_archive};
const struct model_reader KERAS_H5_READER = {"Keras (.h5)", is_h5, read_h5};
const struct model_reader TFJS_READER = {"TensorFlow.js (model.json)", is_json, read_json};
