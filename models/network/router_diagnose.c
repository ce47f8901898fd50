/* router_diagnose.c - diagnostic counters with their filters, timing counters and histogram
 * (SpiNNaker datasheet v2.02, 10.11).  See router.h. */
#include "models/network/router_internal.h"

enum {
    FILTER_TYPE = 0, /* lowest bit of each field of a filter */
    FILTER_EMERGENCY = 4,
    FILTER_OUTGOING = 8,
    FILTER_DEFAULT = 10,
    FILTER_PAYLOAD = 12,
    FILTER_SOURCE = 14,
    FILTER_DESTINATION = 16,

    TO_DUMP = 1 << 0, /* of the destination field */
    TO_CORES = 1 << 1,
    TO_MONITOR = 1 << 2,
    TO_LINKS = 3,

    PRESCALE_MOST = 15
};

static uint32_t destinations(const struct router *router, const struct router_event *event)
{
    const uint32_t cores = event->outputs & ROUTER_CORE_OUTPUTS;
    uint32_t to = (event->outputs & ROUTER_LINK_OUTPUTS) << TO_LINKS;
    if (cores != 0) {
        const uint32_t monitor = router_monitor(router);
        to |= (cores & monitor) != 0 ? TO_MONITOR : 0;
        to |= (cores & ~monitor) != 0 ? TO_CORES : 0;
    }
    return to | (event->dropped ? TO_DUMP : 0);
}

/* One bit for each value of the emergency bits that a copy leaves with. */
static uint32_t outgoing_emergency(const struct router_event *event)
{
    const uint32_t marked =
        (uint32_t)event->emergency | (uint32_t)event->shared | (uint32_t)event->reverting;
    return ((event->outputs & ~marked) != 0 ? 1u << PACKET_NORMAL : 0) |
           (event->shared != 0 ? 1u << PACKET_DIVERTED_SHARED : 0) |
           (event->emergency != 0 ? 1u << PACKET_DIVERTED : 0) |
           (event->reverting != 0 ? 1u << PACKET_REVERTING : 0);
}

static void count_time(struct router *router, const struct router_event *event,
                       uint64_t waited_cycles)
{
    if (bits_test(router->timing_enable, TIMING_BUSY)) {
        router->busy_cycles += (uint32_t)waited_cycles + 1;
        router->no_wait += waited_cycles == 0 && event->outputs != 0;
    }
    if (bits_test(router->timing_enable, TIMING_HISTOGRAM) && event->outputs != 0) {
        const unsigned exponent = bits_get(router->control, CONTROL_WAIT1 + 7, CONTROL_WAIT1 + 4);
        const uint64_t bin = waited_cycles >> exponent;
        router->histogram[bin < ROUTER_HISTOGRAM ? bin : PRESCALE_MOST]++;
    }
}

/* The filters that have any of the given bits of a field set. */
static uint32_t filters_with(const struct router *router, unsigned field, uint32_t bits)
{
    uint32_t filters = 0;
    for (; bits != 0; bits &= bits - 1) {
        filters |= router->filters_with[field + bits_lowest(bits)];
    }
    return filters;
}

/* The counters of a packet that has left: enabled counters whose filter passes the packet in every
 * field. */
static uint32_t counters_of(const struct router *router, const struct router_event *event)
{
    const struct packet *packet = &event->packet;
    const bool from_link = !packet_is_local(packet);
    const bool by_default = router->decision.default_routed != 0;
    const uint16_t *with = router->filters_with;
    const uint32_t counters = router->diagnostic_enable & with[FILTER_TYPE + packet_type(packet)] &
                              with[FILTER_SOURCE + from_link] &
                              with[FILTER_PAYLOAD + !packet_has_payload(packet)] &
                              with[FILTER_DEFAULT + !by_default];
    if (counters == 0) {
        return 0;
    }
    const uint32_t by_outgoing = counters & with[FILTER_OUTGOING];
    uint32_t emergency = ~by_outgoing & with[FILTER_EMERGENCY + packet_emergency(packet)];
    if (by_outgoing != 0) {
        emergency |=
            by_outgoing & filters_with(router, FILTER_EMERGENCY, outgoing_emergency(event));
    }
    return counters & emergency &
           filters_with(router, FILTER_DESTINATION, destinations(router, event));
}

void router_diagnose(struct router *router, const struct router_event *event,
                     uint64_t waited_cycles)
{
    if (router->timing_enable != 0) {
        count_time(router, event, waited_cycles);
    }
    const uint32_t counters = counters_of(router, event);
    router->seen |= counters;
    for (uint32_t left = counters; left != 0; left &= left - 1) {
        router->counter[bits_lowest(left)]++;
    }
}
