/* collectives.c - see collectives.h. */
#include "sim/mapping/collectives.h"

#include "sim/steps.h"

#include <stdlib.h>

_Static_assert((int)COLLECTIVES_LINKS == (int)TOPOLOGY_LINKS, "a chip has six links");

static uint32_t bits_for(size_t count)
{
    uint32_t bits = 0;
    while ((size_t)1 << bits < count) {
        bits++;
    }
    return bits;
}

static enum status check(const struct collectives_request *request, size_t ranks,
                         struct diagnostic *diagnostic)
{
    const size_t most = request->chips * request->cores;
    const uint32_t bits = bits_for(request->chips) + bits_for(request->cores);
    if (ranks > most) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "%zu ranks need as many cores, and the program is on %zu", ranks, most);
    }
    if ((!request->apart && ranks > COLLECTIVES_RANKS_MOST) || bits > COLLECTIVES_ADDRESS_BITS) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "%zu ranks on %zu chips are more than their keys can name: %d, and 2^%d "
                        "places",
                        ranks, request->chips, COLLECTIVES_RANKS_MOST, COLLECTIVES_ADDRESS_BITS);
    }
    return STATUS_OK;
}

/* A core that takes part. */
struct place {
    size_t chip, core; /* numbers in the request */
};

/* The core of the same number behind a link; false: none takes part there. */
static bool neighbour_of(const struct collectives_request *request, const uint32_t *place_of,
                         struct place place, unsigned link, struct place *neighbour)
{
    const struct topology_chip *at = &request->topology->chip[request->chip[place.chip]];
    const int32_t next = at->neighbour[link];
    if (next == TOPOLOGY_NO_CHIP || place_of[next] == COLLECTIVES_NOBODY) {
        return false;
    }
    *neighbour = (struct place){place_of[next], place.core};
    return neighbour->chip != place.chip;
}

static uint32_t rank_of(const struct collectives_request *request, struct place place)
{
    return (uint32_t)(request->apart ? place.chip : place.chip * request->cores + place.core);
}

static struct collectives_plan plan_of(const struct collectives_request *request,
                                       const uint32_t *place_of, struct place place, size_t ranks)
{
    struct collectives_plan plan = {
        .magic = COLLECTIVES_MAGIC,
        .rank = rank_of(request, place),
        .size = (uint32_t)(request->apart ? request->chips : ranks),
        .cores = (uint32_t)(request->apart ? 1 : request->cores),
        .first = (uint32_t)(request->apart ? place.core : 0),
        .core_bits = bits_for(request->cores),
        .timeout_cycles = request->timeout_cycles,
        .tries = request->tries,
    };
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        struct place neighbour;
        const bool there = neighbour_of(request, place_of, place, link, &neighbour) &&
                           rank_of(request, neighbour) < plan.size;
        plan.neighbour[link] = there ? rank_of(request, neighbour) : COLLECTIVES_NOBODY;
    }
    return plan;
}

static enum status make(const struct collectives_request *request, size_t ranks,
                        struct collectives_plan *plan, uint32_t *place_of,
                        struct routing_address *address, struct routing *routing,
                        struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < request->topology->count; i++) {
        place_of[i] = COLLECTIVES_NOBODY;
    }
    for (size_t i = 0; i < request->chips; i++) {
        place_of[request->chip[i]] = (uint32_t)i;
    }
    for (size_t i = 0; i < ranks; i++) {
        const struct place place = {i / request->cores, i % request->cores};
        const uint32_t chip = request->chip[place.chip];
        const struct topology_chip *at = &request->topology->chip[chip];
        plan[i] = plan_of(request, place_of, place, ranks);
        address[i] = (struct routing_address){
            {at->x, at->y, request->physical[chip * request->cores + place.core]},
            collectives_key(&plan[i], 0, plan[i].rank)};
    }
    const uint32_t cores = ((1u << bits_for(request->cores)) - 1) << COLLECTIVES_RECEIVER_SHIFT;
    const struct routing_addresses addresses = {
        .address = address,
        .count = ranks,
        .core_mask = COLLECTIVES_DATA | COLLECTIVES_RECEIVER,
        .chip_mask = COLLECTIVES_DATA | (COLLECTIVES_RECEIVER & ~cores),
        .space = {{COLLECTIVES_DATA, COLLECTIVES_DATA | COLLECTIVES_CONTROL, ROUTING_GRADIENT},
                  {COLLECTIVES_DATA | COLLECTIVES_CONTROL, COLLECTIVES_DATA | COLLECTIVES_CONTROL,
                   ROUTING_CONTROL}}};
    return routing_add_addresses(routing, request->topology, &addresses, diagnostic);
}

enum status collectives_make(const struct collectives_request *request,
                             struct collectives_plan *plan, struct routing *routing,
                             struct diagnostic *diagnostic)
{
    const size_t ranks = request->ranks == 0 ? request->chips * request->cores : request->ranks;
    TRY(check(request, ranks, diagnostic));
    uint32_t *place_of = calloc(request->topology->count, sizeof *place_of);
    struct routing_address *address = calloc(ranks, sizeof *address);
    const enum status status =
        place_of == NULL || address == NULL
            ? no_memory(diagnostic)
            : make(request, ranks, plan, place_of, address, routing, diagnostic);
    free(place_of);
    free(address);
    return status;
}
