/* places.c - see places.h. */
#include "sim/sampling/places.h"

#include "workloads/nn/hash.h"

#include <stdlib.h>

enum { LEAST_UPDATES = 3 }; /* of a part: its first, and two whose difference can be measured */

static uint32_t whole_batches(const struct learning *learning)
{
    return learning->order.images / learning->batch;
}

/* Where a part of so many updates can begin in stretch i: places in one epoch, with whole batches
 * only.  Returns their number; `place`, if it is not NULL, is given the n-th. */
static uint32_t room(const struct places_request *request, uint32_t i, uint32_t updates, uint32_t n,
                     uint32_t *place)
{
    const struct learning *learning = request->learning;
    const uint32_t epoch = learning->updates_per_epoch;
    const uint64_t all = (uint64_t)epoch * learning->epochs;
    const uint32_t begin = (uint32_t)(all * i / request->at);
    const uint32_t end = (uint32_t)(all * (i + 1) / request->at);
    uint32_t found = 0;
    for (uint32_t at = begin == 0 ? 1 : begin; at + updates <= end; at++) {
        const bool whole = at % epoch + updates <= whole_batches(learning);
        if (whole && found == n && place != NULL) {
            *place = at;
        }
        found += whole;
    }
    return found;
}

static bool add_stretch(const struct places_request *request, uint32_t i, struct places *places)
{
    const uint64_t updates = request->updates;
    const uint32_t share = (uint32_t)(updates * (i + 1) / request->at - updates * i / request->at);
    const uint32_t found = share < LEAST_UPDATES ? 0 : room(request, i, share, 0, NULL);
    if (found == 0) {
        return false;
    }
    struct plan_train_part *part = &places->part[places->count++];
    (void)room(request, i, share, nn_hash_with(nn_hash(request->seed), i) % found, &part->first);
    part->updates = share;
    places->updates += share;
    return true;
}

/* Inserts the first epoch's last batch. */
static void add_small(const struct places_request *request, struct places *places)
{
    const uint32_t update = whole_batches(request->learning);
    size_t i = places->count++;
    for (; i > 0 && places->part[i - 1].first > update; i--) {
        places->part[i] = places->part[i - 1];
    }
    places->part[i] = (struct plan_train_part){update, 1};
    places->small = i;
    places->updates++;
}

bool places_draw(const struct places_request *request, struct places *places)
{
    *places = (struct places){.part = calloc(request->at + 1, sizeof *places->part)};
    bool good = places->part != NULL;
    for (uint32_t i = 0; i < request->at && good; i++) {
        good = add_stretch(request, i, places);
    }
    if (!good) {
        places_deinit(places);
        return false;
    }
    places->small = places->count;
    if (request->learning->order.images % request->learning->batch != 0) {
        add_small(request, places);
    }
    return true;
}

void places_deinit(struct places *places)
{
    free(places->part);
    *places = (struct places){.part = NULL};
}
