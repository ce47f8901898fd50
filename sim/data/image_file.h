/* image_file.h - one split of a user's own images: an .npz with two arrays (npz.h),
 *     x   uint8, [images][height][width], or [images][channels][height][width]
 *     y   uint8, int32 or int64, [images]: the label of each, from 0 */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum { IMAGE_FILE_LABELS_MOST = 256 };

struct image_file {
    uint32_t count, channels, height, width; /* channels 1: x has three dimensions, or this one */
    uint8_t *images;                         /* [count][channels][height][width], owned */
    uint8_t *labels;                         /* [count], owned */
};

/* Reads a file whose labels must be below `classes` (2 to IMAGE_FILE_LABELS_MOST).
 * STATUS_CONFIGURATION with file and array when it is damaged, when an array is missing or has
 * another type or shape, when there are no images, and for a wrong label, with its place; *file is
 * empty then. */
enum status image_file_read(struct image_file *file, const char *path, uint32_t classes,
                            struct diagnostic *diagnostic);

void image_file_deinit(struct image_file *file);

C_LINKAGE_END
