/* machine_packets.c - which packets are under way, and where a key leads.  See machine.h. */
#include "models/machine/machine_state.h"

/* The receiver of a chip's packets. */
struct packet_sink {
    void (*each)(void *context, const struct machine_packet *packet);
    void *context;
    const struct chip *chip;
};

static void pass(const struct packet_sink *sink, enum machine_packet_place place, unsigned number,
                 const struct packet *packet)
{
    const struct machine_packet row = {.place = place,
                                       .x = sink->chip->x,
                                       .y = sink->chip->y,
                                       .number = (uint8_t)number,
                                       .type = (uint8_t)packet_type(packet),
                                       .has_payload = packet_has_payload(packet),
                                       .key = packet_word(packet),
                                       .payload = packet->payload};
    sink->each(sink->context, &row);
}

static void pass_sent(const struct packet_sink *sink, unsigned p)
{
    const struct core *core = &sink->chip->core[p];
    if (core_awaits_router(core)) {
        const struct comms_packet *sent = comms_ctrl_outgoing(&core->d.comms);
        const struct packet packet = {.key = sent->key,
                                      .payload = sent->payload,
                                      .p2p_source = sent->source,
                                      .control = sent->control};
        pass(sink, MACHINE_PACKET_SENDS, p, &packet);
    }
}

static void pass_routed(const struct packet_sink *sink)
{
    const struct router *router = &sink->chip->d.fabric.router;
    for (unsigned i = 0; i < router->held; i++) {
        const struct packet *packet = &router->pipeline[(router->first + i) % ROUTER_STAGES_MAX];
        pass(sink, MACHINE_PACKET_ROUTER, packet->arrival, packet);
    }
}

static void pass_on_links(const struct packet_sink *sink, uint64_t now_ps)
{
    const struct fabric *fabric = &sink->chip->d.fabric;
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        const struct link_rx *rx = &fabric->rx[link];
        if (fabric->tx[link].full) {
            pass(sink, MACHINE_PACKET_WAITS, link, &fabric->tx[link].packet);
        }
        for (unsigned i = 0; i < rx->count; i++) {
            const bool there = rx->place[i].arrival_ps <= now_ps;
            pass(sink, there ? MACHINE_PACKET_ARRIVED : MACHINE_PACKET_LINK, link,
                 &rx->place[i].packet);
        }
    }
}

static void pass_to_core(const struct packet_sink *sink, unsigned p)
{
    const struct core_way *way = &sink->chip->d.fabric.core[p];
    for (unsigned i = 0; i < way->count; i++) {
        pass(sink, MACHINE_PACKET_TO_CORE, p, &way->packet[i]);
    }
}

void machine_each_packet(const struct machine *machine,
                         void (*each)(void *context, const struct machine_packet *packet),
                         void *context)
{
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct packet_sink sink = {each, context, &machine->chip[i]};
        for (unsigned p = 0; p < sink.chip->core_count; p++) {
            pass_sent(&sink, p);
        }
        pass_routed(&sink);
        pass_on_links(&sink, machine->time_ps);
        for (unsigned p = 0; p < sink.chip->core_count; p++) {
            pass_to_core(&sink, p);
        }
    }
}

bool machine_find_route(const struct machine *machine, struct machine_chip chip, uint32_t key,
                        struct machine_route *route)
{
    const int32_t index = topology_find(&machine->topology, chip.x, chip.y);
    const struct mc_table *table = index < 0 ? NULL : &machine->chip[index].d.fabric.router.mc;
    const int entry = table == NULL ? MC_TABLE_MISS : mc_table_lookup(table, key);
    if (entry == MC_TABLE_MISS) {
        return false;
    }
    *route = (struct machine_route){.entry = (unsigned)entry,
                                    .key = ~table->inverted_key[entry],
                                    .mask = table->mask[entry],
                                    .outputs = table->route[entry]};
    return true;
}
