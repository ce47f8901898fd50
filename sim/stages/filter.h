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

/* After the last part, of stage i: signs the images kept.  STATUS_CONFIGURATION when there are
 * none.
 */
enum status filter_end(struct filter *filter, const struct sim_config *config, size_t i,
                       struct diagnostic *diagnostic);

bool filter_is_full(const struct filter *filter);

C_LINKAGE_END
