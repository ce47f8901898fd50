/* event_log.c - see event_log.h. */
#include "models/machine/event_log.h"

#include "models/common/memory.h"
#include "models/machine/machine_state.h"

#include <stdlib.h>

enum { FIRST_EVENTS = 256 };

_Static_assert((int)MACHINE_WAIT_PACKET == (int)CORE_WAIT_PACKET &&
                   (int)MACHINE_WAIT_DMA == (int)CORE_WAIT_DMA,
               "one list in two places");

void event_log_deinit(struct event_log *log)
{
    free(log->event);
    *log = (struct event_log){0};
}

/* ---- what a chip notes ---- */

static void note(struct chip *chip, const struct machine_event *event)
{
    struct event_log *log = &chip->log;
    if (log->count == log->room) {
        const size_t room = log->room == 0 ? FIRST_EVENTS : 2 * log->room;
        struct machine_event *larger = realloc(log->event, room * sizeof *larger);
        memory_need(larger);
        log->event = larger;
        log->room = room;
    }
    struct machine_event *kept = &log->event[log->count++];
    *kept = *event;
    kept->x = chip->x;
    kept->y = chip->y;
}

static uint32_t packet_number(const struct packet *packet)
{
    const uint8_t *byte = packet->number;
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16;
}

static void set_number(struct packet *packet, uint32_t number)
{
    packet->number[0] = (uint8_t)number;
    packet->number[1] = (uint8_t)(number >> 8);
    packet->number[2] = (uint8_t)(number >> 16);
}

static struct machine_event of_packet(enum machine_event_kind kind, const struct packet *packet)
{
    return (struct machine_event){.kind = (uint8_t)kind,
                                  .packet = packet_number(packet),
                                  .word = packet_word(packet),
                                  .type = (uint8_t)packet_type(packet),
                                  .purpose = packet->purpose};
}

/* The chip's next number: its own in the upper bits, and never 0. */
static uint32_t next_number(struct chip *chip)
{
    struct event_log *log = &chip->log;
    const uint32_t mask = (1u << log->serial_bits) - 1;
    log->serial = (log->serial & mask) == mask ? 1 : log->serial + 1;
    return (uint32_t)(chip - chip->chips) << log->serial_bits | log->serial;
}

void event_log_sent(struct chip *chip, unsigned core, struct packet *packet, uint64_t now_ps)
{
    set_number(packet, next_number(chip));
    struct machine_event event = of_packet(MACHINE_EVENT_SENT, packet);
    event.time_ps = chip->d.fabric.input_ps[TOPOLOGY_LINKS + core];
    event.length_ps = now_ps - event.time_ps;
    event.p = (uint8_t)core;
    note(chip, &event);
}

void event_log_received(struct chip *chip, unsigned core, uint64_t now_ps)
{
    struct machine_event event =
        of_packet(MACHINE_EVENT_RECEIVED, &chip->d.fabric.core[core].packet[0]);
    event.time_ps = now_ps;
    event.p = (uint8_t)core;
    note(chip, &event);
}

void event_log_link(struct chip *chip, unsigned link, uint64_t now_ps)
{
    const struct link_tx *tx = &chip->d.fabric.tx[link];
    struct machine_event event = of_packet(MACHINE_EVENT_LINK, &tx->packet);
    event.time_ps = now_ps;
    event.length_ps = tx->done_ps - now_ps;
    event.p = MACHINE_EVENT_ROUTER;
    event.output = (uint8_t)link;
    note(chip, &event);
}

void event_log_dropped(struct chip *chip, const struct packet *packet,
                       const struct machine_drop *drop)
{
    struct machine_event event = of_packet(MACHINE_EVENT_DROPPED, packet);
    event.time_ps = drop->time_ps;
    event.length_ps = drop->time_ps - drop->tried_ps;
    event.p = MACHINE_EVENT_ROUTER;
    event.other = drop->holder_key;
    event.output = drop->output;
    event.detail = drop->holder;
    note(chip, &event);
}

void event_log_moved(struct chip *chip, const struct core *core, uint64_t now_ps)
{
    const struct machine_event event = {.kind = MACHINE_EVENT_BURST,
                                        .time_ps = core->d.dma_begin_ps,
                                        .length_ps = now_ps - core->d.dma_begin_ps,
                                        .p = (uint8_t)core->on.index,
                                        .word = core->d.burst.system_address,
                                        .other = core->d.burst.bytes,
                                        .detail = core->d.burst.to_system};
    note(chip, &event);
}

void event_log_slept(struct chip *chip, const struct core *core, struct core_sleep sleep)
{
    const struct machine_event event = {.kind = MACHINE_EVENT_SLEPT,
                                        .time_ps = sleep.from_ps,
                                        .length_ps = sleep.to_ps - sleep.from_ps,
                                        .p = (uint8_t)core->on.index,
                                        .detail = sleep.waits_for};
    note(chip, &event);
}

static void forget_places(struct link_place *place, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        set_number(&place[i].packet, 0);
    }
}

void event_log_forget(struct chip *chip)
{
    struct fabric *fabric = &chip->d.fabric;
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        set_number(&fabric->tx[link].packet, 0);
        forget_places(fabric->rx[link].place, fabric->rx[link].count);
    }
    for (unsigned p = 0; p < FABRIC_CORES; p++) {
        for (uint32_t i = 0; i < fabric->core[p].count; i++) {
            set_number(&fabric->core[p].packet[i], 0);
        }
    }
    for (uint64_t i = 0; i < fabric->replies; i++) {
        set_number(&fabric->reply[i], 0);
    }
    for (unsigned i = 0; i < ROUTER_STAGES_MAX; i++) {
        set_number(&fabric->router.pipeline[i], 0);
    }
    chip->log.count = 0;
}

/* ---- for the machine's owner ---- */

void machine_record(struct machine *machine, uint32_t kinds)
{
    uint32_t chip_bits = 0;
    while ((machine->chip_count - 1) >> chip_bits != 0) {
        chip_bits++;
    }
    for (unsigned i = 0; i < machine->chip_count; i++) {
        struct chip *chip = &machine->chip[i];
        chip->log.kinds = kinds;
        chip->log.serial_bits = PACKET_NUMBER_BITS - chip_bits;
        for (unsigned p = 0; p < chip->core_count; p++) {
            chip->core[p].tells_bursts = event_log_wants(&chip->log, MACHINE_EVENT_BURST);
            chip->core[p].tells_sleep = event_log_wants(&chip->log, MACHINE_EVENT_SLEPT);
        }
    }
}

void machine_take_events(struct machine *machine,
                         void (*each)(void *context, const struct machine_event *event),
                         void *context)
{
    for (unsigned i = 0; i < machine->chip_count; i++) {
        struct event_log *log = &machine->chip[i].log;
        for (uint32_t e = 0; e < log->count; e++) {
            each(context, &log->event[e]);
        }
        log->count = 0;
    }
}
