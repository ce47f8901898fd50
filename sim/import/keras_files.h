/* keras_files.h - the files of Keras' models: a reader for each (readers.h), and the writer of
 * their weights.
 *
 *     .keras       of Keras 2.13 and later, and of 3: a zip of metadata.json, config.json and
 *                  model.weights.h5 (keras_archive.c); needs jansson and HDF5
 *     .h5          of Keras 2 and 3, with the attribute model_config (keras_h5.c); needs both
 *     model.json   of TensorFlow.js, a "layers-model", with its shards beside it (tfjs.c); needs
 *                  jansson
 *
 * A build without one of these packages refuses such files with the package's name. */
#pragma once
#include "sim/import/model.h"
C_LINKAGE_BEGIN

/* Fill a model whose arena and path are set, from the file's bytes.  STATUS_CONFIGURATION with
 * file, layer and hint; the caller frees the model then, too. */
enum status keras_archive_read(struct model *model, const uint8_t *bytes, size_t size,
                               struct diagnostic *diagnostic);
enum status keras_h5_read(struct model *model, const uint8_t *bytes, size_t size,
                          struct diagnostic *diagnostic);
enum status tfjs_read(struct model *model, const uint8_t *bytes, size_t size,
                      struct diagnostic *diagnostic);

C_LINKAGE_END
