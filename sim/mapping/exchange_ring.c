/* exchange_ring.c - a core's plan on a ring, of one board or of several.  See exchange_steps.h. */
#include "sim/mapping/exchange_steps.h"

#include <stdio.h>

size_t exchange_cores_of(const struct exchange_request *request, size_t rings, size_t ring)
{
    return (request->cores + rings - 1 - ring) / rings;
}

/* Cores whose streams share links take turns. */
static void set_slot(const struct exchange_request *request, size_t core,
                     const struct exchange_ring_place *place, struct exchange_plan *plan)
{
    const double slot = exchange_slot(request, place->load_ps);
    const size_t turns_before = core / place->rings;
    const size_t turns = exchange_cores_of(request, place->rings, core % place->rings);
    plan->slot_cycles = slot < 1 ? 1 : (uint32_t)slot;
    plan->phase_cycles = (uint32_t)(slot * ((double)turns_before / (double)turns));
    plan->open_slots = (uint32_t)turns_before;
}

void exchange_plan_on_ring(struct exchange_plans *plans, const struct exchange_request *request,
                           const struct exchange_ring_place *place, size_t core)
{
    const uint32_t open = EXCHANGE_OPEN | request->counter;
    struct exchange_plan *own = &plans->plan[place->here * request->cores + core];
    *own = (struct exchange_plan){
        .chips = (uint32_t)place->chips,
        .position = (uint32_t)place->position,
        .words = request->words[core],
        .send_key = EXCHANGE_DATA | exchange_stream_of(place->stream[0], core),
        .receive_key = EXCHANGE_DATA | exchange_stream_of(place->stream[1], core),
        .open_key = exchange_stream_of(place->stream[0], core) | open,
        .opened_key = exchange_stream_of(place->stream[2], core) | open,
    };
    set_slot(request, core, place, own);
    if (place->chips > 1) {
        char name[32];
        (void)snprintf(name, sizeof name, "ring %zu", core % place->rings);
        exchange_add_edge(plans, request,
                          (struct exchange_step){core, place->here, place->after, TOPOLOGY_NO_CHIP},
                          own->send_key, EXCHANGE_STREAM_MASK, name, "");
        exchange_add_edge(
            plans, request,
            (struct exchange_step){core, place->here, place->before, TOPOLOGY_NO_CHIP},
            own->open_key & EXCHANGE_SIGNAL_MASK, EXCHANGE_SIGNAL_MASK, name, "");
    }
}
