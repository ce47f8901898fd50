/* hdf5_read.h - the texts and arrays of an HDF5 file.
 *
 * The HDF5 library has crashed and hung on damaged files, release after release.  So another
 * process reads the file, from memory, and sends plain texts and numbers back: whatever the file
 * does to that process, here it is a message.  That process cannot open files, and has 1 GiB and
 * some seconds (hdf5_child.c). */
#pragma once
#include "sim/import/model.h"
C_LINKAGE_BEGIN

enum { HDF5_MOST_ARRAYS = 4096, HDF5_MOST_TEXT_BYTES = 1 << 22, HDF5_MOST_PATH_CHARS = 511 };

/* What is read: attributes of the file itself that are texts, and the arrays below some groups. */
struct hdf5_wanted {
    const char *const *attribute; /* NULL-ended */
    const char *const *group;     /* NULL-ended; groups that are absent are left out */
};

struct hdf5_text {
    const char *name, *text;
    size_t bytes;
};

struct hdf5_array {
    const char *path; /* "layers/dense/vars/0" */
    unsigned rank;
    int64_t shape[MODEL_MOST_RANK];
    size_t count;
    const double *value;
};

struct hdf5_content {
    size_t text_count, array_count;
    struct hdf5_text *text;
    struct hdf5_array *array; /* in the order of their paths, part by part */
};

/* Everything belongs to the model's arena; its path is that of messages.  STATUS_CONFIGURATION for
 * a file that cannot be read. */
enum status hdf5_read(struct model *model, const uint8_t *bytes, size_t size,
                      const struct hdf5_wanted *wanted, struct hdf5_content *content,
                      struct diagnostic *diagnostic);

C_LINKAGE_END
