/* stream.c - see stream.h. */
#include "sim/stages/stream.h"

#include "sim/steps.h"
#include "workloads/nn/deform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t fixed(double value)
{
    return (uint32_t)floor(value * NN_DEFORM_ONE + 0.5);
}

enum status stream_make(const struct config_stage *stage, const struct dataset *source,
                        uint32_t first, uint32_t count, struct dataset *images,
                        struct diagnostic *diagnostic)
{
    const struct nn_deformation limits = {.shift = fixed(stage->shift),
                                          .scale = fixed(stage->scale),
                                          .squeeze = fixed(stage->squeeze),
                                          .shear = fixed(stage->shear)};
    const bool deforms = (limits.shift | limits.scale | limits.squeeze | limits.shear) != 0;
    *images = (struct dataset){
        .split = DATASET_TRAIN, .count = count, .original = source->original && !deforms};
    images->images = malloc((size_t)count * DATASET_PIXELS);
    images->labels = malloc(count);
    if (images->images == NULL || images->labels == NULL) {
        dataset_deinit(images);
        return no_memory(diagnostic);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = first + i;
        const uint8_t *from = source->images + (size_t)(number % source->count) * DATASET_PIXELS;
        uint8_t *to = images->images + (size_t)i * DATASET_PIXELS;
        const struct nn_affine affine =
            nn_affine_draw(&limits, (uint32_t)stage->stream_seed, number);
        images->labels[i] = source->labels[number % source->count];
        if (deforms) {
            nn_deform(&affine, DATASET_SIDE, DATASET_SIDE, from, to);
        } else {
            memcpy(to, from, DATASET_PIXELS);
        }
    }
    dataset_sign(images);
    return STATUS_OK;
}
