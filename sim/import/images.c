/* images.c - see images.h. */
#include "sim/import/images.h"

#include "sim/data/image_file.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

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
    TRY(take(images, dataset.count, dataset_pixels(&dataset), diagnostic));
    memcpy(images->pixel, dataset.images, images->count * images->values);
    for (size_t i = 0; i < images->count; i++) {
        images->label[i] = dataset.labels[i];
    }
    return STATUS_OK;
}

static enum status load_mnist(struct images_of_import *images, const char *folder, size_t values,
                              struct diagnostic *diagnostic)
{
    struct dataset mnist = {0};
    (void)dataset_shape("mnist", &mnist);
    if (values != dataset_pixels(&mnist)) {
        return file_refuse(folder == NULL ? "--data" : folder,
                           "--data FILE.npz: arrays x, uint8, [n][channels][height][width], and y",
                           diagnostic, "images of %zu values are needed; those of MNIST have %zu",
                           values, dataset_pixels(&mnist));
    }
    images->is_mnist = true;
    TRY(load_split(&images->calibration, folder, DATASET_TRAIN, IMAGES_CALIBRATION, diagnostic));
    return load_split(&images->test, folder, DATASET_TEST, 0, diagnostic);
}

/* ---- .npz ---- */

/* All images are for the comparison, the first of them for ranges. */
static enum status copy_images(struct images_of_import *images, const struct image_file *file,
                               const char *path, size_t values, struct diagnostic *diagnostic)
{
    const size_t found = (size_t)file->channels * file->height * file->width;
    const size_t first = file->count < IMAGES_CALIBRATION ? file->count : IMAGES_CALIBRATION;
    if (found != values) {
        return file_refuse(path, NULL, diagnostic,
                           "x has images of %zu values, the model takes %zu", found, values);
    }
    TRY(take(&images->test, file->count, values, diagnostic));
    TRY(take(&images->calibration, first, values, diagnostic));
    memcpy(images->test.pixel, file->images, file->count * values);
    memcpy(images->calibration.pixel, file->images, first * values);
    for (size_t i = 0; i < file->count; i++) {
        images->test.label[i] = file->labels[i];
    }
    memcpy(images->calibration.label, images->test.label, first * sizeof *images->test.label);
    return STATUS_OK;
}

static enum status load_npz(struct images_of_import *images, const char *path, size_t values,
                            struct diagnostic *diagnostic)
{
    RELEASED(image_file_deinit) struct image_file file = {0};
    images->file = strdup(path);
    if (images->file == NULL) {
        return no_memory(diagnostic);
    }
    TRY(image_file_read(&file, path, IMAGE_FILE_LABELS_MOST, diagnostic));
    return copy_images(images, &file, path, values, diagnostic);
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
