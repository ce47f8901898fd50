/* filter.c - see filter.h. */
#include "sim/stages/filter.h"

#include "sim/grow.h"
#include "sim/steps.h"

#include <stdio.h>
#include <string.h>

static bool is_full(const struct filter *filter)
{
    return filter->kept.count >= filter->keep;
}

static bool is_wrong(const struct filter *filter, const struct vote_networks *of, size_t image,
                     uint8_t label)
{
    if (filter->kind == CONFIG_FILTER_ERRORS) {
        return vote_sum(of, image).label != label;
    }
    size_t n = 1;
    while (n < of->networks && of->result[n][image].label == of->result[0][image].label) {
        n++;
    }
    return n < of->networks;
}

bool filter_keeps(struct filter *filter, const struct vote_networks *of, size_t image,
                  uint8_t label)
{
    const bool wrong = is_wrong(filter, of, image, label);
    const bool halves = filter->kind == CONFIG_FILTER_ERRORS;
    const bool keeps = wrong ? filter->wrong < (halves ? filter->keep / 2 : filter->keep)
                             : halves && filter->right < filter->wrong;
    filter->looked_at++;
    filter->found += wrong;
    filter->wrong += wrong && keeps;
    filter->right += !wrong && keeps;
    return keeps;
}

static enum status keep(struct filter *filter, const struct dataset *part, uint32_t image,
                        struct diagnostic *diagnostic)
{
    struct dataset *kept = &filter->kept;
    const size_t pixels = dataset_pixels(part);
    uint8_t *images = grow(kept->images, &filter->image_room, kept->count, pixels);
    kept->images = images == NULL ? kept->images : images;
    uint8_t *labels = grow(kept->labels, &filter->label_room, kept->count, 1);
    kept->labels = labels == NULL ? kept->labels : labels;
    if (images == NULL || labels == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(images + kept->count * pixels, part->images + image * pixels, pixels);
    labels[kept->count++] = part->labels[image];
    return STATUS_OK;
}

enum status filter_look(struct filter *filter, const struct vote_networks *of,
                        const struct dataset *part, struct diagnostic *diagnostic)
{
    filter->kept.split = DATASET_TRAIN;
    filter->kept.original = part->original;
    filter->kept.channels = part->channels;
    filter->kept.height = part->height;
    filter->kept.width = part->width;
    filter->kept.classes = part->classes;
    for (uint32_t i = 0; i < part->count; i++) {
        if (filter_keeps(filter, of, i, part->labels[i])) {
            TRY(keep(filter, part, i, diagnostic));
        }
    }
    return STATUS_OK;
}

/* After the last part, of stage i: signs the images kept. */
static enum status end(struct filter *filter, const struct sim_config *config, size_t i,
                       struct diagnostic *diagnostic)
{
    if (filter->kept.count > 0) {
        dataset_sign(&filter->kept);
        return STATUS_OK;
    }
    char key[DIAGNOSTIC_KEY_CHARS];
    (void)snprintf(key, sizeof key, "stages[%zu].filter", i);
    return config_refuse(config, key, "a longer or more deformed stream", diagnostic,
                         "none of %llu images of the stream was to be kept",
                         (unsigned long long)filter->looked_at);
}

enum status filter_gather(struct filter *filter, const struct filter_source *from,
                          struct diagnostic *diagnostic)
{
    const struct config_stage *stage = &from->config->stage[from->stage];
    *filter = (struct filter){.kind = stage->filter, .keep = stage->keep};
    if (stage->filter == CONFIG_FILTER_NONE) {
        filter->looked_at = filter->found = stage->images;
        return from->make(from->context, from->stage, 0, (uint32_t)stage->images, &filter->kept,
                          diagnostic);
    }
    for (uint64_t at = 0; at < stage->images && !is_full(filter); at += stage->part) {
        RELEASED(dataset_deinit) struct dataset part = {.images = NULL};
        const uint64_t left = stage->images - at;
        const uint64_t count = left < stage->part ? left : stage->part;
        TRY(from->make(from->context, from->stage, (uint32_t)at, (uint32_t)count, &part,
                       diagnostic));
        TRY(from->look(from->context, from->stage, &part, filter, diagnostic));
    }
    return end(filter, from->config, from->stage, diagnostic);
}
