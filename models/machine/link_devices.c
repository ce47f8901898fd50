/* link_devices.c - see link_devices.h. */
#include "models/machine/link_devices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- life cycle ---- */

struct devices *devices_create(void)
{
    return calloc(1, sizeof(struct devices));
}

void devices_destroy(struct devices *devices)
{
    if (devices != NULL) {
        for (unsigned i = 0; i < devices->count; i++) {
            free(devices->end[i]);
        }
        free(devices->end);
        free(devices);
    }
}

/* Whether an end comes before the link of a chip. */
static bool before(const struct machine_link *end, const struct chip *chip, unsigned link)
{
    return end->chip < chip || (end->chip == chip && end->link < link);
}

struct machine_link *devices_add(struct devices *devices, const struct machine_link *end)
{
    struct machine_link *made = malloc(sizeof *made);
    struct machine_link **list = realloc(devices->end, (devices->count + 1) * sizeof(void *));
    devices->end = list == NULL ? devices->end : list;
    if (made == NULL || list == NULL) {
        free(made);
        return NULL;
    }
    *made = *end;
    unsigned at = devices->count++;
    for (; at > 0 && !before(list[at - 1], end->chip, end->link); at--) {
        list[at] = list[at - 1];
    }
    list[at] = made;
    return made;
}

struct machine_link *devices_find(const struct devices *devices, const struct chip *chip,
                                  unsigned link)
{
    for (unsigned i = 0; devices != NULL && i < devices->count; i++) {
        struct machine_link *end = devices->end[i];
        if (end->chip == chip && end->link == link) {
            return end;
        }
    }
    return NULL;
}

uint64_t devices_shortest_ps(const struct devices *devices)
{
    uint64_t shortest_ps = TIME_NEVER;
    for (unsigned i = 0; devices != NULL && i < devices->count; i++) {
        shortest_ps = earlier_of(shortest_ps, devices->end[i]->rate.short_ps);
    }
    return shortest_ps;
}

void devices_fail(struct devices *devices, const char *format, ...)
{
    va_list arguments;
    if (!devices->failed) { /* the first error tells most */
        devices->failed = true;
        va_start(arguments, format);
        (void)diagnose_list(&devices->error, STATUS_CONFIGURATION, format, arguments);
        va_end(arguments);
    }
}

/* ---- events ---- */

static uint64_t leave_ps(const struct machine_link *end)
{
    return link_tx_next_ps(&end->d.tx);
}

/* The packet in the device's transmitter starts. */
static void leave(struct machine_link *end, uint64_t now_ps)
{
    struct link_place begun = {.arrival_ps = link_tx_begin(&end->d.tx, &end->rate, now_ps)};
    begun.packet = end->d.tx.packet;
    fabric_packet_comes(end->chip, end->link, &begun);
    if (end->d.wants_room) {
        end->d.wants_room = false;
        if (end->device.ready != NULL) {
            end->device.ready(end->device.context, now_ps);
        }
    }
}

static uint64_t take_ps(const struct machine_link *end)
{
    const uint64_t there_ps = end->d.refused ? TIME_NEVER : link_rx_next_ps(&end->d.rx);
    return later_of(there_ps, end->d.free_ps);
}

static struct machine_link_packet packet_of(const struct packet *packet)
{
    const bool long_one = packet_has_payload(packet);
    return (struct machine_link_packet){.key = packet_word(packet),
                                        .payload = long_one ? packet->payload : 0,
                                        .type = (uint8_t)packet_type(packet),
                                        .code = packet->control >> 2 & 15,
                                        .has_payload = long_one};
}

/* The device is offered the first packet that has arrived. */
static void take(struct machine_link *end, uint64_t now_ps)
{
    const struct machine_link_packet packet = packet_of(&end->d.rx.place[0].packet);
    const uint64_t done_ps = end->device.take(end->device.context, &packet, now_ps);
    if (done_ps == MACHINE_LINK_REFUSED) {
        end->d.refused = true;
    } else if (done_ps < now_ps) {
        devices_fail(end->devices,
                     "the device at link %u of chip %u,%u has taken at %" PRIu64
                     " ps the packet 0x%08" PRIx32 ", which arrived at %" PRIu64
                     " ps\vwhat it returns is the present or later",
                     end->link, end->chip->x, end->chip->y, done_ps, packet.key, now_ps);
    } else {
        (void)link_rx_take(&end->d.rx);
        end->d.free_ps = done_ps;
        fabric_credit_comes(end->chip, end->link,
                            done_ps + end->chip->parameters.link_credit_latency_ps);
    }
}

static uint64_t due_ps(const struct machine_link *end)
{
    return end->d.due_ps;
}

static void come_due(struct machine_link *end, uint64_t now_ps)
{
    end->d.due_ps = TIME_NEVER;
    end->device.due(end->device.context, now_ps);
}

/* What can happen at an end, in the order of equal times. */
static const struct {
    uint64_t (*next_ps)(const struct machine_link *end);
    void (*perform)(struct machine_link *end, uint64_t now_ps);
} KINDS[] = {{leave_ps, leave}, {take_ps, take}, {due_ps, come_due}};

enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

/* The next event of the ends. */
struct due_event {
    uint64_t time_ps; /* TIME_NEVER: none */
    struct machine_link *end;
    unsigned kind;
};

static struct due_event next_of_ends(const struct devices *devices)
{
    struct due_event first = {.time_ps = TIME_NEVER};
    for (unsigned i = 0; i < devices->count; i++) {
        for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
            const uint64_t next_ps = KINDS[kind].next_ps(devices->end[i]);
            if (next_ps < first.time_ps) {
                first = (struct due_event){next_ps, devices->end[i], kind};
            }
        }
    }
    return first;
}

static uint64_t next_of_companion(const struct devices *devices)
{
    const struct machine_companion *companion = &devices->companion;
    return companion->next_ps == NULL ? TIME_NEVER : companion->next_ps(companion->context);
}

uint64_t devices_next_ps(const struct devices *devices)
{
    return devices->failed
               ? TIME_NEVER
               : earlier_of(next_of_ends(devices).time_ps, next_of_companion(devices));
}

static void run_companion(struct devices *devices, uint64_t time_ps)
{
    if (devices->companion.run_until != NULL) {
        devices->companion.run_until(devices->companion.context, time_ps);
    }
}

void devices_run(struct devices *devices, uint64_t window_ps)
{
    while (!devices->failed) {
        const struct due_event event = next_of_ends(devices);
        const uint64_t other_ps = next_of_companion(devices);
        const uint64_t time_ps = earlier_of(event.time_ps, other_ps);
        if (time_ps >= window_ps) {
            break;
        }
        devices->now_ps = later_of(devices->now_ps, time_ps);
        devices->last_event_ps = later_of(devices->last_event_ps, time_ps);
        run_companion(devices, time_ps);
        if (other_ps > event.time_ps) {
            KINDS[event.kind].perform(event.end, time_ps);
        }
    }
}

/* ---- what chips have sent ---- */

static void collect(struct machine_link *end)
{
    struct fabric_outbox *outbox = &end->chip->outbox;
    const uint32_t bit = 1u << end->link;
    if ((outbox->begun & bit) != 0) {
        const struct link_place *begun = &outbox->link[end->link].begun;
        link_rx_put(&end->d.rx, &begun->packet, begun->arrival_ps);
    }
    for (unsigned i = 0; i < outbox->link[end->link].credits; i++) {
        link_tx_credit(&end->d.tx, outbox->link[end->link].credit_ps[i]);
    }
    outbox->link[end->link].credits = 0;
    outbox->begun &= ~bit;
    outbox->credited &= ~bit;
}

void devices_collect(struct devices *devices)
{
    for (unsigned i = 0; i < devices->count; i++) {
        collect(devices->end[i]);
    }
}
