/* dataset_fit.h - whether a network can take the images of a data set. */
#pragma once
#include "sim/data/dataset.h"

/* STATUS_CONFIGURATION unless there are images, an image has `pixels` values, and each label has an
 * output. */
enum status dataset_fit(const struct dataset *dataset, uint32_t pixels, uint32_t classes,
                        struct diagnostic *diagnostic);
