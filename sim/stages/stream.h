/* stream.h - a stream of training images: the images of a data set again and again, each time
 * deformed anew.  An image of the stream depends on the data set, the seed and its number alone. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/stages/stage_run.h"
C_LINKAGE_BEGIN

/* Whether a stage's stream is more than the training images again and again. */
bool stream_is_deformed(const struct config_stage *stage);

/* Copies the originals of the images first .. first + count - 1 of a stage's stream, with their
 * labels.  STATUS_INTERNAL when out of memory, STATUS_CONFIGURATION when images of several channels
 * are to be deformed; *images is empty then. */
enum status stream_take(const struct config_stage *stage, const struct dataset *source,
                        uint32_t first, uint32_t count, struct dataset *images,
                        struct diagnostic *diagnostic);

/* Deforms these images, which have one channel.  False: out of memory. */
bool stream_deform(const struct config_stage *stage, uint32_t first, struct dataset *images);

/* Lets the modelled machine deform these images: all cores of all chips, each chip an equal share.
 * `run` is prepared and executed; the caller frees it. */
enum status stream_deform_on_machine(const struct job *whole, const struct config_stage *stage,
                                     uint32_t first, struct dataset *images, struct stage_run *run,
                                     struct diagnostic *diagnostic);

C_LINKAGE_END
