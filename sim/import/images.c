/* images.c - see images.h. */
#include "sim/import/images.h"

#include "sim/data/npz.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 28 };

static enum status take(struct images *images, size_t count, size_t values,
                        struct diagnostic *diagnostic)
{
    *images = (struct images){.pixel = malloc(count * values + 1),
                              .label = calloc(count + 1, sizeof *images->label),
                              .count = count,
                              .values = values};
    return images->pixel == NULL || images->label == NULL ? no_memory(diagnostic) : STATUS_OK;
}

/* ---- MNIST ---- */

static enum status load_split(struct images *images, const char *folder, enum dataset_split split,
                              uint32_t limit, struct diagnostic *diagnostic)
{
    const struct dataset_request request = {
        .set = "mnist", .data_dir = folder, .split = split, .limit = limit};
    RELEASED(dataset_deinit) struct dataset dataset = {0};
    TRY(dataset_load(&dataset, &request, diagnostic));
    TRY(take(images, dataset.count, DATASET_PIXELS, diagnostic));
    memcpy(images->pixel, dataset.images, images->count * images->values);
    for (size_t i = 0; i < images->count; i++) {
        images->label[i] = dataset.labels[i];
    }
    return STATUS_OK;
}

static enum status load_mnist(struct images_of_import *images, const char *folder, size_t values,
                              struct diagnostic *diagnostic)
{
    if (values != DATASET_PIXELS) {
        return file_refuse(folder == NULL ? "--data" : folder,
                           "--data FILE.npz: arrays x, uint8, [n][channels][height][width], and y",
                           diagnostic, "images of %zu values are needed; those of MNIST have %d",
                           values, DATASET_PIXELS);
    }
    images->is_mnist = true;
    TRY(load_split(&images->calibration, folder, DATASET_TRAIN, IMAGES_CALIBRATION, diagnostic));
    return load_split(&images->test, folder, DATASET_TEST, 0, diagnostic);
}

/* ---- .npz ---- */

static uint32_t label_of(const struct npz_array *y, size_t i)
{
    return y->type == NPZ_UINT8   ? ((const uint8_t *)y->data)[i]
           : y->type == NPZ_INT32 ? (uint32_t)((const int32_t *)y->data)[i]
                                  : (uint32_t)((const int64_t *)y->data)[i];
}

static enum status read_arrays(struct images_of_import *images, const struct npz *npz,
                               size_t values, struct diagnostic *diagnostic)
{
    const struct npz_array *x = npz_find(npz, "x");
    const struct npz_array *y = npz_find(npz, "y");
    if (x == NULL || x->type != NPZ_UINT8 || x->rank < 2 || x->shape[0] == 0 ||
        x->count != x->shape[0] * values) {
        return npz_refuse(npz, "x", "uint8, [n][channels][height][width]", diagnostic,
                          "no array of images of %zu values", values);
    }
    if (y == NULL || y->rank != 1 || y->count != x->shape[0] ||
        (y->type != NPZ_UINT8 && y->type != NPZ_INT32 && y->type != NPZ_INT64)) {
        return npz_refuse(npz, "y", "uint8, int32 or int64, [n]", diagnostic,
                          "no array of labels of %zu images", x->shape[0]);
    }
    const size_t count = x->shape[0];
    const size_t first = count < IMAGES_CALIBRATION ? count : IMAGES_CALIBRATION;
    TRY(take(&images->test, count, values, diagnostic));
    TRY(take(&images->calibration, first, values, diagnostic));
    memcpy(images->test.pixel, x->data, count * values);
    memcpy(images->calibration.pixel, x->data, first * values);
    for (size_t i = 0; i < count; i++) {
        images->test.label[i] = label_of(y, i);
        images->calibration.label[i < first ? i : first] = images->test.label[i];
    }
    return STATUS_OK;
}

static enum status load_npz(struct images_of_import *images, const char *path, size_t values,
                            struct diagnostic *diagnostic)
{
    RELEASED(npz_close) struct npz npz = {0};
    images->file = strdup(path);
    if (images->file == NULL) {
        return no_memory(diagnostic);
    }
    TRY(npz_open(&npz, path, MOST_BYTES, diagnostic));
    return read_arrays(images, &npz, values, diagnostic);
}

enum status images_load(struct images_of_import *images, const char *data,
                        struct network_shape input, struct diagnostic *diagnostic)
{
    const size_t values = network_values(input);
    *images = (struct images_of_import){0};
    const enum status status = data != NULL && file_ends_in(data, ".npz")
                                   ? load_npz(images, data, values, diagnostic)
                                   : load_mnist(images, data, values, diagnostic);
    if (status != STATUS_OK) {
        images_deinit(images);
    }
    return status;
}

void images_deinit(struct images_of_import *images)
{
    free(images->calibration.pixel);
    free(images->calibration.label);
    free(images->test.pixel);
    free(images->test.label);
    free(images->file);
    *images = (struct images_of_import){0};
}
