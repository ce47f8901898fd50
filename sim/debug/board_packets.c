/* board_packets.c - packets under way and their routes, for `monitor`.  See board_state.h. */
#include "sim/debug/board_state.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 100, FROM_HERE = 7 };

/* ---- packets ---- */

static const struct {
    const char *before, *behind; /* of its number */
} PLACES[] = {
    [MACHINE_PACKET_SENDS] = {"core ", " sends it: the router has not taken it"},
    [MACHINE_PACKET_ROUTER] = {"in the router, by link ", ""},
    [MACHINE_PACKET_WAITS] = {"waits for link ", ""},
    [MACHINE_PACKET_LINK] = {"on its way by link ", ""},
    [MACHINE_PACKET_ARRIVED] = {"at the end of link ", ": the router has not taken it"},
    [MACHINE_PACKET_TO_CORE] = {"on its way to core ", ""},
};
static const char *const TYPES[] = {"multicast", "point-to-point", "nearest-neighbour",
                                    "fixed-route"};

struct listing {
    FILE *out;
    uint64_t count;
};

static void show_packet(void *context, const struct machine_packet *packet)
{
    struct listing *listing = context;
    if (++listing->count > SHOWN) {
        return;
    }
    (void)fprintf(listing->out, "%s 0x%08" PRIx32, TYPES[packet->type], packet->key);
    if (packet->has_payload) {
        (void)fprintf(listing->out, " payload 0x%08" PRIx32, packet->payload);
    }
    (void)fprintf(listing->out, ", chip %u,%u: ", packet->x, packet->y);
    if (packet->place == MACHINE_PACKET_ROUTER && packet->number == FROM_HERE) {
        (void)fputs("in the router, from this chip\n", listing->out);
    } else {
        (void)fprintf(listing->out, "%s%u%s\n", PLACES[packet->place].before, packet->number,
                      PLACES[packet->place].behind);
    }
}

void board_show_packets(void *context, unsigned process, const char *arguments, FILE *out)
{
    const struct board_debugger *debugger = context;
    struct listing listing = {.out = out};
    (void)process;
    (void)arguments;
    machine_each_packet(debugger->machine, show_packet, &listing);
    if (listing.count > SHOWN) {
        (void)fprintf(out, "... and %" PRIu64 " more\n", listing.count - SHOWN);
    }
    (void)fprintf(out, "%" PRIu64 " packet%s under way\n", listing.count,
                  listing.count == 1 ? "" : "s");
}

/* ---- routes ---- */

static void show_outputs(uint32_t outputs, FILE *out)
{
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        if ((outputs >> link & 1) != 0) {
            (void)fprintf(out, " link %u", link);
        }
    }
    for (unsigned p = 0; p < TOPOLOGY_CORES; p++) {
        if ((outputs >> (TOPOLOGY_LINKS + p) & 1) != 0) {
            (void)fprintf(out, " core %u", p);
        }
    }
    (void)fputs(outputs == 0 ? " nowhere\n" : "\n", out);
}

/* KEY, and X,Y unless the chip is that of the selected core. */
static bool take_key(const char *arguments, uint32_t *key, struct machine_chip *chip)
{
    char *behind;
    const unsigned long number = strtoul(arguments, &behind, 0);
    const char *end = behind;
    unsigned place[2];
    if (behind == arguments || number > UINT32_MAX) {
        return false;
    }
    *key = (uint32_t)number;
    if (*behind == ' ') {
        if (!board_take_numbers(behind + 1, 2, place, &end)) {
            return false;
        }
        *chip = (struct machine_chip){(uint8_t)place[0], (uint8_t)place[1]};
    }
    return *end == '\0';
}

void board_show_route(void *context, unsigned process, const char *arguments, FILE *out)
{
    const struct board_debugger *debugger = context;
    const struct machine_core core =
        board_core_of(debugger, board_selected(debugger, process))->core;
    struct machine_chip chip = {core.x, core.y};
    struct machine_route route;
    uint32_t key;
    if (!take_key(arguments, &key, &chip)) {
        (void)fputs("name a key, and a chip as X,Y: route 0x1001 0,0\n", out);
    } else if (topology_find(machine_topology(debugger->machine), chip.x, chip.y) < 0) {
        (void)fprintf(out, "there is no chip %u,%u\n", chip.x, chip.y);
    } else if (!machine_find_route(debugger->machine, chip, key, &route)) {
        (void)fprintf(out,
                      "chip %u,%u has no entry for key 0x%08" PRIx32
                      ": such a packet leaves opposite to where it came from\n",
                      chip.x, chip.y, key);
    } else {
        (void)fprintf(out,
                      "chip %u,%u, key 0x%08" PRIx32 ": entry %u, key 0x%08" PRIx32
                      " mask 0x%08" PRIx32 ", to",
                      chip.x, chip.y, key, route.entry, route.key, route.mask);
        show_outputs(route.outputs, out);
    }
}
