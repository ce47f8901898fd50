/* drops.c - see drops.h: why a packet was lost, and what blocked it. */
#include "models/machine/drops.h"

#include "models/common/bits.h"
#include "models/machine/chip.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_RECORDS = 16 };

void drops_deinit(struct drops *drops)
{
    free(drops->record);
    *drops = (struct drops){0};
}

bool drops_reserve(struct drops *drops, uint32_t count)
{
    if (count <= drops->room) {
        return true;
    }
    const uint32_t doubled = drops->room == 0 ? FIRST_RECORDS : 2 * drops->room;
    const uint32_t room = count > doubled ? count : doubled;
    struct machine_drop *record = realloc(drops->record, room * sizeof *record);
    if (record == NULL) {
        return false;
    }
    drops->record = record;
    drops->room = room;
    return true;
}

static void keep(struct chip *chip, const struct packet *packet, const struct machine_drop *drop)
{
    struct drops *drops = &chip->drops;
    if (event_log_wants(&chip->log, MACHINE_EVENT_DROPPED)) {
        event_log_dropped(chip, packet, drop);
    }
    const bool wanted = drops->count < chip->config->drop_records;
    if (wanted && drops_reserve(drops, drops->count + 1)) {
        drops->record[drops->count++] = *drop;
    } else {
        drops->unrecorded++;
    }
}

static struct machine_drop drop_of(const struct chip *chip, const struct packet *packet)
{
    struct machine_drop drop;
    memset(&drop, 0, sizeof drop);
    drop.x = chip->x;
    drop.y = chip->y;
    drop.key = packet_word(packet);
    drop.payload = packet->payload;
    drop.has_payload = packet_has_payload(packet);
    drop.type = (uint8_t)packet_type(packet);
    drop.arrival = packet->arrival;
    drop.output = MACHINE_DROP_NO_OUTPUT;
    return drop;
}

static void hold(struct machine_drop *drop, enum machine_drop_holder holder,
                 const struct packet *packet, uint64_t since_ps)
{
    drop->holder = (uint8_t)holder;
    drop->holder_key = packet_word(packet);
    drop->held_since_ps = since_ps;
}

static void find_holder_of_link(const struct chip *chip, unsigned link, struct machine_drop *drop)
{
    const struct link_tx *tx = &chip->d.fabric.tx[link];
    enum machine_drop_holder holder = MACHINE_DROP_HELD_BY_CREDIT;
    if (!chip_link_leads(chip, link)) {
        holder = MACHINE_DROP_HELD_BY_NOBODY_THERE;
    } else if (tx->done_ps > drop->time_ps) {
        holder = MACHINE_DROP_HELD_BY_SENDING;
    } else if (tx->off) {
        holder = MACHINE_DROP_HELD_BY_LINK_OFF;
    }
    hold(drop, holder, &tx->packet, tx->since_ps);
}

/* The output was blocked by the packet in the core's controller, or by the first packet on its way
 * there. */
static void find_holder_of_core(const struct chip *chip, unsigned core, struct machine_drop *drop)
{
    const struct core_way *to = &chip->d.fabric.core[core];
    const struct comms_ctrl *comms = &chip->core[core].d.comms;
    const bool read = chip->core[core].d.read_ps <= drop->time_ps; /* or it has not arrived yet */
    if (comms_ctrl_can_receive(comms) && read) {
        hold(drop, MACHINE_DROP_HELD_BY_SENDING, &to->packet[0],
             to->ready_ps[0] - chip->parameters.router_core_transit_ps);
        return;
    }
    const struct packet unread = {.key = comms->receive.key,
                                  .p2p_source = comms->receive.source,
                                  .control = comms->receive.control};
    hold(drop, MACHINE_DROP_HELD_BY_UNREAD, &unread, to->received_ps);
}

void drops_note(struct chip *chip, const struct router_event *event)
{
    struct machine_drop drop = drop_of(chip, &event->packet);
    drop.time_ps = event->at_ps;
    drop.tried_ps = event->tried_ps;
    if (event->dumped == 0) {
        drop.reason = MACHINE_DROP_NO_ROUTE;
        keep(chip, &event->packet, &drop);
    }
    for (uint32_t left = event->dumped; left != 0; left &= left - 1) {
        const unsigned output = bits_lowest(left);
        drop.output = (uint8_t)output;
        if (output < ROUTER_FIRST_CORE) {
            find_holder_of_link(chip, output, &drop);
        } else if (output - ROUTER_FIRST_CORE < chip->core_count) {
            find_holder_of_core(chip, output - ROUTER_FIRST_CORE, &drop);
        } else {
            drop.holder = MACHINE_DROP_HELD_BY_NOBODY_THERE;
        }
        keep(chip, &event->packet, &drop);
    }
}

void drops_note_error(struct chip *chip, const struct packet *packet, uint64_t now_ps)
{
    struct machine_drop drop = drop_of(chip, packet);
    drop.time_ps = drop.tried_ps = now_ps;
    drop.reason = MACHINE_DROP_ERROR;
    keep(chip, packet, &drop);
}
