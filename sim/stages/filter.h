/* filter.h - which images of a stream a stage keeps. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/data/dataset.h"
#include "sim/stages/vote.h"
C_LINKAGE_BEGIN

struct filter {
    enum config_filter kind;
    uint64_t keep; /* at most so many */
    uint64_t looked_at, found;
    uint64_t right, wrong; /* kept of each; without agreement counts as wrong */
    struct dataset kept;   /* owned */
    size_t image_room, label_room;
};

/* Whether the filter keeps an image about which the networks say this.  errors: half of the images
 * kept are those that the networks' sum gets wrong; after each of them the next right one is kept,
 * so that the halves are equal however many there are.  disagreement: those for which the networks
 * do not all have the same label. */
bool filter_keeps(struct filter *filter, const struct vote_networks *of, size_t image,
                  uint8_t label);

/* Looks at the images of a part of a stream, on which `of` has been run.  STATUS_INTERNAL when out
 * of memory. */
enum status filter_look(struct filter *filter, const struct vote_networks *of,
                        const struct dataset *part, struct diagnostic *diagnostic);

/* Where the images of a stage come from. */
struct filter_source {
    const struct sim_config *config;
    size_t stage;
    /* Makes a part of the stage's stream, which is the caller's also after an error. */
    enum status (*make)(void *context, size_t stage, uint32_t first, uint32_t count,
                        struct dataset *images, struct diagnostic *diagnostic);
    /* Gives a part to filter_look(), with what the networks say of it. */
    enum status (*look)(void *context, size_t stage, const struct dataset *part,
                        struct filter *filter, struct diagnostic *diagnostic);
    void *context;
};

/* Fills filter->kept, which is the caller's also after an error: the whole stream or, signed, what
 * the stage's filter keeps of it.  STATUS_CONFIGURATION when it keeps nothing. */
enum status filter_gather(struct filter *filter, const struct filter_source *from,
                          struct diagnostic *diagnostic);

C_LINKAGE_END
