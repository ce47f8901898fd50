/* npz.h - reads and writes .npz files: a zip archive with one .npy array per entry, the format of
 * numpy.savez.  Weights, Q formats and reference results are exchanged in it.
 *
 * Supported: the types below, C order, little-endian, up to four dimensions (rank 0: one value).  A
 * file is read and checked as a whole when it is opened; unsupported features (object arrays,
 * Fortran order, big-endian, zip64, encryption) are rejected with the reason.
 * Written files have no time stamps: the same arrays in the same order give the same bytes. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/file.h"
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { NPZ_MAX_RANK = 4, NPZ_MAX_ARRAYS = 4096, NPZ_MAX_NAME_CHARS = 120 };

enum npz_type {
    NPZ_INT8,
    NPZ_UINT8,
    NPZ_INT16,
    NPZ_INT32,
    NPZ_INT64,
    NPZ_FLOAT32,
    NPZ_FLOAT64,
    NPZ_TEXT /* numpy's S: item_bytes bytes each, padded with zeros at the end */
};

struct npz_array {
    const char *name; /* without ".npy" */
    enum npz_type type;
    unsigned rank;
    size_t shape[NPZ_MAX_RANK]; /* the first `rank` are used */
    size_t item_bytes;
    size_t count;     /* product of the shape, 1 for rank 0 */
    const void *data; /* count * item_bytes, aligned for the type; a zero byte follows */
};

/* ---- reading ---- */

struct npz {
    char *path;
    size_t count;
    struct npz_array *array; /* in the archive's order; names are distinct */
};

/* Opens and reads a file whose unpacked arrays have at most `most` bytes in total.
 * STATUS_CONFIGURATION with file, offset, array (as the key) and reason; *npz is empty then. */
enum status npz_open(struct npz *npz, const char *path, size_t most, struct diagnostic *diagnostic);

/* The same for a file in memory, which may be freed afterwards; `path` names it in messages. */
enum status npz_parse(struct npz *npz, const uint8_t *file, size_t file_size, const char *path,
                      size_t most, struct diagnostic *diagnostic);

void npz_close(struct npz *npz);

/* NULL when there is no array of this name. */
const struct npz_array *npz_find(const struct npz *npz, const char *name);

/* Finds the array of this name.  STATUS_CONFIGURATION if it is missing or has another type or
 * rank. */
enum status npz_require(const struct npz *npz, const char *name, enum npz_type type, unsigned rank,
                        const struct npz_array **array, struct diagnostic *diagnostic);

/* Rejects an array of a readable file: fills the diagnostic with the text (printf format), the
 * file, the array as key (NULL: the whole file) and the hint (NULL: none), and returns
 * STATUS_CONFIGURATION. */
#define npz_refuse(npz, array, hint, to, ...) /* NOLINT(readability-identifier-naming) */          \
    ((void)file_refuse((npz)->path, hint, to, __VA_ARGS__), diagnostic_key(to, array),             \
     STATUS_CONFIGURATION)

/* "int8" ... "float64", "text". */
const char *npz_type_name(enum npz_type type);

/* ---- writing ---- */

struct npz_writer {
    struct file_writer file;
    uint64_t size_bytes; /* written so far */
    unsigned entry_count;
    uint8_t *directory; /* the central directory as far as it is built */
    size_t directory_bytes;
};

/* Call npz_create, npz_add..., npz_commit in this order.  The file appears under its name only at
 * npz_commit.  After an error call npz_discard, except after npz_commit, which always closes the
 * writer. */
enum status npz_create(struct npz_writer *writer, const char *path, struct diagnostic *diagnostic);

/* Adds an array with its name, type, rank, shape and data.  item_bytes is used for NPZ_TEXT only,
 * count never.  Names must be distinct within a file. */
enum status npz_add(struct npz_writer *writer, const struct npz_array *array,
                    struct diagnostic *diagnostic);

/* Adds a single string (rank 0); an empty one is written as one zero byte. */
enum status npz_add_text(struct npz_writer *writer, const char *name, const char *text,
                         struct diagnostic *diagnostic);

enum status npz_commit(struct npz_writer *writer, struct diagnostic *diagnostic);
void npz_discard(struct npz_writer *writer);

C_LINKAGE_END
