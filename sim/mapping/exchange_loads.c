/* exchange_loads.c - how fast streams may be that share links.  See exchange_steps.h. */
#include "models/common/bits.h"
#include "sim/mapping/exchange_steps.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>

/* First pass: adds up, for each link of each chip, the time in ps of one packet of every stream
 * that crosses it.  Second pass: a kind's load is the largest such sum on any link that it uses.
 */
static void add_up(const struct exchange_request *request, const struct routing *routing,
                   struct exchange_streams *streams, size_t kinds, bool sum, uint64_t *taken_ps)
{
    enum { LINK_BITS = (1 << TOPOLOGY_LINKS) - 1 };
    for (size_t e = 0; e < routing->edge_count; e++) {
        struct exchange_streams *of = &streams[e / (routing->edge_count / kinds)];
        for (size_t h = 0; h < routing->tree[e].count; h++) {
            const struct routing_hop *hop = &routing->tree[e].hop[h];
            if ((hop->route & LINK_BITS) == 0) {
                continue;
            }
            const unsigned link = bits_lowest(hop->route & LINK_BITS);
            const bool slow = request->topology->chip[hop->chip].between_boards[link];
            uint64_t *on_link = &taken_ps[hop->chip * TOPOLOGY_LINKS + link];
            if (sum) {
                *on_link += of->cores * (slow ? request->link_packet_between_boards_ps
                                              : request->link_packet_ps);
            } else if (*on_link > of->load_ps) {
                of->load_ps = *on_link;
            }
        }
    }
}

enum status exchange_loads(const struct exchange_request *request,
                           const struct routing_edges *steps, struct exchange_streams *streams,
                           size_t kinds, struct routing *routing, struct diagnostic *diagnostic)
{
    *routing = (struct routing){0};
    uint64_t *taken_ps = calloc(request->topology->count * TOPOLOGY_LINKS, sizeof *taken_ps);
    enum status status = taken_ps == NULL
                             ? no_memory(diagnostic)
                             : routing_of(routing, request->topology, steps, diagnostic);
    if (status == STATUS_OK && steps->count > 0) {
        add_up(request, routing, streams, kinds, true, taken_ps);
        add_up(request, routing, streams, kinds, false, taken_ps);
    }
    free(taken_ps);
    return status;
}

double exchange_slot(const struct exchange_request *request, uint64_t load_ps)
{
    return ceil(exchange_packet_seconds(load_ps) / request->pace * (double)request->clock_hz);
}
