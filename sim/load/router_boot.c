/* router_boot.c - see router_boot.h.  Values are those that SC&MP writes when it starts
 * (spinnaker_tools, scamp and sark/sark_hw.c). */
#include "sim/load/router_boot.h"

#include "models/common/bits.h"

#include <stdlib.h>

/* Registers of the router (SpiNNaker datasheet v2.02, 10.11). */
enum {
    RTR_CONTROL = 0x000,
    RTR_DIAGNOSTICS = 0x02c,
    RTR_FILTER = 0x200,
    DIAGNOSTICS_CLEAR = (int)0xffff0000,
    DIAGNOSTICS_ON = 0x0000ffff,
    CONTROL_ON = 1,
    CONTROL_MONITOR = 8, /* lowest bit of each field */
    CONTROL_WAIT1 = 16,
    CONTROL_WAIT2 = 24,
    ROUTE_MONITOR = 7 /* entry of a point-to-point table */
};

/* Filters count local and other packets of each type, and dropped packets; the last four count
 * nothing. */
static const uint32_t FILTER[] = {0x01fe7cf1, 0x01febcf1, 0x01fe7cf2, 0x01febcf2,
                                  0x01fe7cf4, 0x01febcf4, 0x01fe7cf8, 0x01febcf8,
                                  0x0001fcf1, 0x0001fcf2, 0x0001fcf4, 0x0001fcf8};

static void boot_registers(struct machine *machine, const struct machine_parameters *parameters,
                           const struct topology_chip *chip)
{
    const uint32_t monitor = chip->cores == 0 ? 0 : bits_lowest(chip->cores);
    (void)machine_write_router(machine, chip->x, chip->y, RTR_CONTROL,
                               (uint32_t)parameters->router_wait2 << CONTROL_WAIT2 |
                                   (uint32_t)parameters->router_wait1 << CONTROL_WAIT1 |
                                   monitor << CONTROL_MONITOR | CONTROL_ON);
    for (uint32_t i = 0; i < sizeof FILTER / sizeof *FILTER; i++) {
        (void)machine_write_router(machine, chip->x, chip->y, RTR_FILTER + 4 * i, FILTER[i]);
    }
    (void)machine_write_router(machine, chip->x, chip->y, RTR_DIAGNOSTICS,
                               (uint32_t)DIAGNOSTICS_CLEAR);
    (void)machine_write_router(machine, chip->x, chip->y, RTR_DIAGNOSTICS, DIAGNOSTICS_ON);
}

/* Distances in links to a chip, breadth first; `queue` has room for all chips. */
static void measure(const struct topology *topology, size_t to, uint32_t *distance, size_t *queue)
{
    for (size_t i = 0; i < topology->count; i++) {
        distance[i] = UINT32_MAX;
    }
    size_t first = 0;
    size_t end = 0;
    distance[to] = 0;
    queue[end++] = to;
    while (first < end) {
        const size_t at = queue[first++];
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            const int32_t next = topology->chip[at].neighbour[link];
            if (next != TOPOLOGY_NO_CHIP && distance[next] == UINT32_MAX) {
                distance[next] = distance[at] + 1;
                queue[end++] = (size_t)next;
            }
        }
    }
}

/* The lowest link that leads nearer to the destination. */
static unsigned nearer(const struct topology_chip *chip, uint32_t here, const uint32_t *distance)
{
    unsigned link = 0;
    while (chip->neighbour[link] == TOPOLOGY_NO_CHIP ||
           distance[chip->neighbour[link]] + 1 != here) {
        link++;
    }
    return link;
}

/* Writes every chip's point-to-point route to chip `to`. */
static void boot_p2p(struct machine *machine, size_t to, const uint32_t *distance)
{
    const struct topology *topology = machine_topology(machine);
    const struct topology_chip *goal = &topology->chip[to];
    for (size_t i = 0; i < topology->count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        const unsigned route = i == to ? ROUTE_MONITOR : nearer(chip, distance[i], distance);
        (void)machine_set_p2p_route(machine, chip->x, chip->y,
                                    (uint16_t)((unsigned)goal->x << 8 | goal->y), route);
    }
}

enum status router_boot(struct machine *machine, const struct machine_parameters *parameters)
{
    const struct topology *topology = machine_topology(machine);
    uint32_t *distance = calloc(topology->count, sizeof *distance);
    size_t *queue = calloc(topology->count, sizeof *queue);
    const bool room = distance != NULL && queue != NULL;
    for (size_t i = 0; room && i < topology->count; i++) {
        boot_registers(machine, parameters, &topology->chip[i]);
        measure(topology, i, distance, queue);
        boot_p2p(machine, i, distance);
    }
    free(distance);
    free(queue);
    return room ? STATUS_OK : STATUS_INTERNAL;
}
