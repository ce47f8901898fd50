/* dataset.h - the labelled images that an experiment trains and tests on: MNIST from its four IDX
 * files, the generated digits (digits.h), or a user's own files, one for each split (image_file.h).
 * If a named set is missing, that is an error; no other set is used instead.
 *
 * MNIST is searched for in these folders; the first that has images and labels of the split wins:
 *     the folder given with --data DIR, and no other; otherwise
 *     $SPINNSIM_DATA
 *     data/mnist below the working directory, and below the checkout that it lies in
 *     ${XDG_CACHE_HOME:-$HOME/.cache}/spinnsim/mnist
 * File names are the published ones, or these with a dot for the last dash, with or without .gz:
 * train-images-idx3-ubyte, train-images.idx3-ubyte, train-images-idx3-ubyte.gz, ... */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/data/sha256.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* Images for validation are the last ones of the training set. */
enum dataset_split { DATASET_TRAIN, DATASET_TEST, DATASET_VALIDATION };

struct dataset_request {
    const char *set;      /* "mnist", "synthetic" or "files" */
    const char *data_dir; /* --data, NULL when not given; mnist */
    enum dataset_split split;
    uint32_t limit;   /* only so many images: the first, for validation the last; 0 = all */
    const char *file; /* files: the path of the split's file */
    uint32_t classes; /* files: labels must be below */
};

struct dataset {
    enum dataset_split split;
    uint32_t count;
    uint32_t available;               /* images of the set from which these are */
    uint32_t channels, height, width; /* of an image; 0 without images */
    uint32_t classes;                 /* labels are below */
    uint8_t *images; /* [count][channels][height][width], 0 background .. 255 ink; owned */
    uint8_t *labels; /* [count]; owned */
    /* SHA-256 of the images in use (all their pixels, then all labels), without headers and
     * compression. */
    uint8_t digest[SHA256_BYTES];
    char digest_hex[SHA256_HEX_CHARS];
    char *folder; /* where the files were found; NULL for other sets than mnist; owned */
    /* The CRC-32 of the whole split is that of the published set (other sets use the same file
     * names and format).  True for other sets than mnist. */
    bool original;
    bool borrowed; /* images, labels and folder belong to another data set */
};

/* Bytes of an image. */
static inline size_t dataset_pixels(const struct dataset *dataset)
{
    return (size_t)dataset->channels * dataset->height * dataset->width;
}

/* What the images of a set are, whatever its files hold: sets only those members of *dataset.
 * False for "files", which the files say. */
bool dataset_shape(const char *set, struct dataset *dataset);

/* STATUS_CONFIGURATION when the set is missing (with every folder searched), or when a file is
 * invalid or holds fewer images than `limit`; *dataset is empty then. */
enum status dataset_load(struct dataset *dataset, const struct dataset_request *request,
                         struct diagnostic *diagnostic);

void dataset_deinit(struct dataset *dataset);

/* Fills *joined with copies of the images and labels of `first`, then of `second`, whose images are
 * as large; without digest.  STATUS_INTERNAL when out of memory. */
enum status dataset_join(struct dataset *joined, const struct dataset *first,
                         const struct dataset *second, struct diagnostic *diagnostic);

/* The same data set without memory of its own; `dataset` must outlive it. */
struct dataset dataset_borrow(const struct dataset *dataset);

/* A copy, with its digest.  STATUS_INTERNAL when out of memory; *copy is empty then. */
enum status dataset_copy(struct dataset *copy, const struct dataset *dataset,
                         struct diagnostic *diagnostic);

/* Sets the digest of a data set made in memory. */
void dataset_sign(struct dataset *dataset);

/* Whether the images are not those of the published set of that name.  This is not an error;
 * *diagnostic gets a warning for the user. */
bool dataset_warning(const struct dataset *dataset, struct diagnostic *diagnostic);

/* Whether the files of both splits of a named set exist; does not read their content. */
bool dataset_available(const char *set, const char *data_dir);

C_LINKAGE_END
