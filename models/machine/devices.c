/* devices.c - see devices.h: attaches devices, and what they ask of their links. */
#include "models/machine/devices.h"

#include "models/machine/link_devices.h"
#include "models/machine/machine_state.h"
#include "models/machine/noc_devices.h"

#include <inttypes.h>

enum { RATE_LEAST_PS = 1000, RATE_MOST_PS = 1000000000, NOC_PAGE_BYTES = 4096, CODE_SHIFT = 2 };
enum { CODE_MOST = 15 };

/* ---- attaching ---- */

static enum status check_time(const struct machine *machine, struct diagnostic *diagnostic)
{
    return machine->time_ps == 0
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the machine has run for %" PRIu64
                          " ps\vdevices are attached before its first run",
                          machine->time_ps);
}

/* Sets *chip; refuses a place that is not there. */
static enum status find_place(struct machine *machine, struct machine_chip at, struct chip **chip,
                              struct diagnostic *diagnostic)
{
    const int32_t index = topology_find(&machine->topology, at.x, at.y);
    if (index == TOPOLOGY_NO_CHIP) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "the machine has no chip %u,%u", at.x,
                        at.y);
    }
    *chip = &machine->chip[index];
    const enum status status = check_time(machine, diagnostic);
    if (status == STATUS_OK && machine->devices == NULL) {
        machine->devices = devices_create();
    }
    return status == STATUS_OK && machine->devices == NULL
               ? diagnose(diagnostic, STATUS_INTERNAL, "out of memory")
               : status;
}

static bool rate_fits(const struct machine_link_device *device)
{
    return device->packet_ps == 0 ? device->latency_ps == 0
                                  : device->packet_ps >= RATE_LEAST_PS &&
                                        device->packet_ps <= RATE_MOST_PS &&
                                        device->latency_ps <= RATE_MOST_PS;
}

static enum status check_link(const struct machine *machine, const struct chip *chip, unsigned link,
                              const struct machine_link_device *device,
                              struct diagnostic *diagnostic)
{
    if (link >= TOPOLOGY_LINKS) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "chip %u,%u has no link %u: links are 0 (E) to 5 (S)", chip->x, chip->y,
                        link);
    }
    const int32_t neighbour = chip->place->neighbour[link];
    if (neighbour != TOPOLOGY_NO_CHIP) {
        const struct chip *to = &machine->chip[neighbour];
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "link %u of chip %u,%u leads to chip %u,%u\va device stands where a link "
                        "leads nowhere: at a board's edge, or where topology_request.down_link has "
                        "cut it",
                        link, chip->x, chip->y, to->x, to->y);
    }
    if (devices_find(machine->devices, chip, link) != NULL) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "link %u of chip %u,%u has a device already", link, chip->x, chip->y);
    }
    if (!rate_fits(device)) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "a packet of %" PRIu64 " ps and %" PRIu64
                        " ps of latency\v1000 to 10^9 and at most 10^9 ps; both 0: as the chip's "
                        "link",
                        device->packet_ps, device->latency_ps);
    }
    return STATUS_OK;
}

/* The chip's transmitter sends to whoever is there, at the rate of the link. */
static void connect(struct chip *chip, struct machine_link *end)
{
    const unsigned buffer = (unsigned)chip->parameters.link_buffer;
    end->d.due_ps = TIME_NEVER;
    link_tx_init(&end->d.tx, buffer);
    if (end->device.packet_ps != 0) {
        struct link_rate *rate = &chip->rate[end->link];
        rate->short_ps = end->device.packet_ps;
        rate->long_ps = fabric_long_ps(rate->short_ps);
        rate->latency_ps = end->device.latency_ps;
    }
    end->rate = chip->rate[end->link];
    if (end->device.take != NULL) {
        link_tx_init(&chip->d.fabric.tx[end->link], buffer);
        chip->device_links |= 1u << end->link;
    }
}

enum status machine_attach_link(struct machine *machine, struct machine_chip at, unsigned link,
                                const struct machine_link_device *device, struct machine_link **end,
                                struct diagnostic *diagnostic)
{
    struct chip *chip = NULL;
    *end = NULL;
    enum status status = find_place(machine, at, &chip, diagnostic);
    if (status == STATUS_OK) {
        status = check_link(machine, chip, link, device, diagnostic);
    }
    if (status != STATUS_OK) {
        return status;
    }
    const struct machine_link made = {
        .device = *device, .devices = machine->devices, .chip = chip, .link = link};
    *end = devices_add(machine->devices, &made);
    if (*end == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    connect(chip, *end);
    schedule_look(machine);
    return STATUS_OK;
}

enum status machine_attach_noc(struct machine *machine, struct machine_chip at,
                               const struct machine_noc_device *device,
                               struct diagnostic *diagnostic)
{
    struct chip *chip = NULL;
    const enum status status = find_place(machine, at, &chip, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    const uint32_t first = device->first;
    const bool inside = first >= MACHINE_NOC_FIRST && first <= MACHINE_NOC_LAST &&
                        device->bytes > 0 && device->bytes - 1 <= MACHINE_NOC_LAST - first;
    if (!inside || first % NOC_PAGE_BYTES != 0 || device->bytes % NOC_PAGE_BYTES != 0) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "a device of %" PRIu32 " bytes at 0x%08" PRIx32
                        "\vdevices have 0x%08" PRIx32 " to 0x%08" PRIx32
                        ", in multiples of %d bytes",
                        device->bytes, first, MACHINE_NOC_FIRST, MACHINE_NOC_LAST, NOC_PAGE_BYTES);
    }
    if (noc_devices_meet(chip->noc, first, device->bytes)) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "another device of chip %u,%u has addresses from 0x%08" PRIx32
                        " on, of %" PRIu32 " bytes",
                        chip->x, chip->y, first, device->bytes);
    }
    return noc_devices_add(&chip->noc, device) == STATUS_OK
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}

enum status machine_set_companion(struct machine *machine, struct machine_companion companion,
                                  struct diagnostic *diagnostic)
{
    const struct machine_chip first = machine_chip_at(machine, 0);
    struct chip *chip = NULL;
    const enum status status = find_place(machine, first, &chip, diagnostic);
    if (status == STATUS_OK && machine->devices->companion.next_ps != NULL) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "the machine has a companion already");
    }
    if (status == STATUS_OK) {
        machine->devices->companion = companion;
    }
    return status;
}

/* ---- asking and telling ---- */

const struct diagnostic *machine_device_error(const struct machine *machine)
{
    const bool failed = machine->devices != NULL && machine->devices->failed;
    return failed ? &machine->devices->error : NULL;
}

unsigned machine_threads(const struct machine *machine)
{
    return machine->config.threads > 1 && machine->chip_count > 1 ? machine->config.threads : 1;
}

uint64_t machine_link_now_ps(const struct machine_link *end)
{
    return end->devices->now_ps;
}

static enum status refuse_past(const struct machine_link *end, const char *what, uint64_t time_ps,
                               struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_CONFIGURATION,
                    "the device at link %u of chip %u,%u %s at %" PRIu64
                    " ps, in the past: it is %" PRIu64 " ps",
                    end->link, end->chip->x, end->chip->y, what, time_ps, end->devices->now_ps);
}

/* The packet as the chip's router will get it. */
static struct packet packet_of(struct machine_link *end, const struct machine_link_packet *from)
{
    const unsigned payload = from->has_payload ? PACKET_CONTROL_PAYLOAD : 0;
    struct packet packet = {
        .key = from->key,
        .payload = from->has_payload ? from->payload : 0,
        .control = (uint8_t)(from->type << 6 | from->code << CODE_SHIFT | payload),
        .arrival = (uint8_t)end->link};
    if (from->type == PACKET_P2P) {
        packet.key = from->key & 0xffff;
        packet.p2p_source = (uint16_t)(from->key >> 16);
    }
    if (from->type == PACKET_MC) {
        packet.purpose =
            (uint8_t)purposes_find(end->chip->purposes, packet.key, &end->purpose_hint);
    }
    packet_seal(&packet);
    return packet;
}

enum status machine_link_send(struct machine_link *end, const struct machine_link_packet *packet,
                              uint64_t time_ps, struct diagnostic *diagnostic)
{
    if (time_ps < end->devices->now_ps) {
        return refuse_past(end, "sends", time_ps, diagnostic);
    }
    if (packet->type >= PACKET_TYPES || packet->code > CODE_MOST) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "there is no packet of type %u and code %u\vtypes are 0 to 3, codes 0 to "
                        "15",
                        packet->type, packet->code);
    }
    if (end->d.tx.full) {
        end->d.wants_room = true;
        return diagnose(diagnostic, STATUS_LIMIT,
                        "the transmitter at link %u of chip %u,%u holds a packet\vsend again when "
                        "machine_link_device.ready has been called",
                        end->link, end->chip->x, end->chip->y);
    }
    const struct packet sent = packet_of(end, packet);
    link_tx_put(&end->d.tx, &sent, time_ps);
    return STATUS_OK;
}

enum status machine_link_wake(struct machine_link *end, uint64_t time_ps,
                              struct diagnostic *diagnostic)
{
    if (end->device.due == NULL) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "the device at link %u of chip %u,%u has no function `due`", end->link,
                        end->chip->x, end->chip->y);
    }
    if (time_ps < end->devices->now_ps || (time_ps == end->devices->now_ps && time_ps > 0)) {
        return refuse_past(end, "wants to be called", time_ps, diagnostic);
    }
    end->d.due_ps = time_ps;
    return STATUS_OK;
}

enum status machine_link_resume(struct machine_link *end, uint64_t time_ps,
                                struct diagnostic *diagnostic)
{
    if (!end->d.refused) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "the device at link %u of chip %u,%u has refused no packet", end->link,
                        end->chip->x, end->chip->y);
    }
    if (time_ps < end->devices->now_ps) {
        return refuse_past(end, "takes a packet", time_ps, diagnostic);
    }
    end->d.refused = false;
    end->d.free_ps = later_of(end->d.free_ps, time_ps);
    return STATUS_OK;
}
