/* image_file.c - see image_file.h. */
#include "sim/data/image_file.h"

#include "sim/data/npz.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MOST = 1 << 30, IMAGES_MOST = 10000000, SIDE_MOST = UINT16_MAX };

static const char FORM[] = "save them by numpy.savez(file, x=images, y=labels)";

/* Reports an array that is not as the arrays `name` of image files are. */
static enum status refuse_form(const struct npz *npz, const struct npz_array *array,
                               const char *expected, const char *hint,
                               struct diagnostic *diagnostic)
{
    return npz_refuse(npz, array->name, hint, diagnostic, "%s of %u dimensions, expected %s",
                      npz_type_name(array->type), array->rank, expected);
}

static enum status find(const struct npz *npz, const char *name, const struct npz_array **array,
                        struct diagnostic *diagnostic)
{
    *array = npz_find(npz, name);
    return *array != NULL ? STATUS_OK
                          : npz_refuse(npz, name, FORM, diagnostic, "there is no array %s", name);
}

static enum status read_shape(struct image_file *file, const struct npz *npz,
                              const struct npz_array *x, struct diagnostic *diagnostic)
{
    if (x->type != NPZ_UINT8) {
        return refuse_form(npz, x, "uint8 of 3 or 4",
                           "pixels are bytes, 0 to 255: of 0.0 to 1.0 make them by "
                           "(255 * x).round().astype('uint8')",
                           diagnostic);
    }
    if (x->rank != 3 && x->rank != 4) {
        return refuse_form(npz, x, "uint8 of 3 or 4",
                           "[images][height][width] or [images][channels][height][width]",
                           diagnostic);
    }
    if (x->count == 0) {
        return npz_refuse(npz, x->name, "one image at least, of one pixel at least", diagnostic,
                          "the file has no pixels");
    }
    const size_t *side = x->shape + x->rank - 2;
    const size_t channels = x->rank == 4 ? x->shape[1] : 1;
    if (x->shape[0] > IMAGES_MOST || channels > SIDE_MOST || side[0] > SIDE_MOST ||
        side[1] > SIDE_MOST) {
        return npz_refuse(npz, x->name, NULL, diagnostic,
                          "more than %d images, or more than %d channels, rows or columns",
                          IMAGES_MOST, SIDE_MOST);
    }
    file->count = (uint32_t)x->shape[0];
    file->channels = (uint32_t)channels;
    file->height = (uint32_t)side[0];
    file->width = (uint32_t)side[1];
    return STATUS_OK;
}

/* Element i of an array of whole numbers. */
static int64_t label_of(const struct npz_array *y, size_t i)
{
    return y->type == NPZ_UINT8   ? ((const uint8_t *)y->data)[i]
           : y->type == NPZ_INT32 ? ((const int32_t *)y->data)[i]
                                  : ((const int64_t *)y->data)[i];
}

static enum status check_labels(const struct image_file *file, const struct npz *npz,
                                const struct npz_array *y, uint32_t classes,
                                struct diagnostic *diagnostic)
{
    if (y->type != NPZ_UINT8 && y->type != NPZ_INT32 && y->type != NPZ_INT64) {
        return refuse_form(npz, y, "uint8, int32 or int64 of 1",
                           "labels are whole numbers from 0: y.astype('uint8')", diagnostic);
    }
    if (y->rank != 1) {
        return refuse_form(npz, y, "uint8, int32 or int64 of 1",
                           "one label for each image: of one column for each class make them by "
                           "y.argmax(1).astype('uint8')",
                           diagnostic);
    }
    if (y->shape[0] != file->count) {
        return npz_refuse(npz, y->name, FORM, diagnostic, "%zu labels, but %u images in x",
                          y->shape[0], file->count);
    }
    for (size_t i = 0; i < y->count; i++) {
        const int64_t label = label_of(y, i);
        if (label < 0 || label >= classes) {
            (void)npz_refuse(npz, y->name, NULL, diagnostic,
                             "label %" PRId64 " of image %zu: the network has %u classes", label, i,
                             classes);
            diagnostic_hint(diagnostic,
                            "labels are 0 to %u; the network's last layer has an output for each",
                            classes - 1);
            return STATUS_CONFIGURATION;
        }
    }
    return STATUS_OK;
}

static enum status read_arrays(struct image_file *file, const struct npz *npz, uint32_t classes,
                               struct diagnostic *diagnostic)
{
    const struct npz_array *x;
    const struct npz_array *y;
    TRY(find(npz, "x", &x, diagnostic));
    TRY(find(npz, "y", &y, diagnostic));
    TRY(read_shape(file, npz, x, diagnostic));
    TRY(check_labels(file, npz, y, classes, diagnostic));
    file->images = malloc(x->count);
    file->labels = malloc(y->count);
    if (file->images == NULL || file->labels == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(file->images, x->data, x->count);
    for (size_t i = 0; i < y->count; i++) {
        file->labels[i] = (uint8_t)label_of(y, i);
    }
    return STATUS_OK;
}

enum status image_file_read(struct image_file *file, const char *path, uint32_t classes,
                            struct diagnostic *diagnostic)
{
    RELEASED(npz_close) struct npz npz = {0};
    *file = (struct image_file){0};
    TRY(npz_open(&npz, path, BYTES_MOST, diagnostic));
    const enum status status = read_arrays(file, &npz, classes, diagnostic);
    if (status != STATUS_OK) {
        image_file_deinit(file);
    }
    return status;
}

void image_file_deinit(struct image_file *file)
{
    free(file->images);
    free(file->labels);
    *file = (struct image_file){0};
}
