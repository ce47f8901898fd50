/* stream.h - a stream of training images: the images of a data set again and again, each time
 * deformed anew.  An image of the stream depends on the data set, the seed and its number alone. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/data/dataset.h"
C_LINKAGE_BEGIN

/* Makes the images first .. first + count - 1 of a stage's stream.  STATUS_INTERNAL when out of
 * memory; *images is empty then. */
enum status stream_make(const struct config_stage *stage, const struct dataset *source,
                        uint32_t first, uint32_t count, struct dataset *images,
                        struct diagnostic *diagnostic);

C_LINKAGE_END
