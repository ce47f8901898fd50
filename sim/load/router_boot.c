/* router_boot.c - see router_boot.h.  Values are those that SC&MP writes when it starts
 * (spinnaker_tools, scamp and sark/sark_hw.c). */
#include "sim/load/router_boot.h"

#include "models/common/bits.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

/* Shortest paths from one chip to all others. */
struct paths {
    uint32_t *distance; /* in links */
    uint8_t *route;     /* the lowest link that begins a shortest path */
    uint16_t *queue;
};

static_assert(TOPOLOGY_SIDE_MAX * TOPOLOGY_SIDE_MAX <= UINT16_MAX + 1, "numbers of chips");

/* Breadth first.  A link works in both directions or in none, so that the paths are those of
 * packets on their way back, too. */
static void find_paths(const struct topology *topology, size_t from, struct paths *paths)
{
    memset(paths->distance, 0xff, topology->count * sizeof *paths->distance);
    size_t first = 0;
    size_t end = 0;
    paths->distance[from] = 0;
    paths->queue[end++] = (uint16_t)from;
    while (first < end) {
        const size_t at = paths->queue[first++];
        const uint32_t distance = paths->distance[at] + 1;
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            const int32_t next = topology->chip[at].neighbour[link];
            const uint8_t route = at == from ? (uint8_t)link : paths->route[at];
            if (next == TOPOLOGY_NO_CHIP) {
                continue;
            }
            if (paths->distance[next] == UINT32_MAX) {
                paths->distance[next] = distance;
                paths->route[next] = route;
                paths->queue[end++] = (uint16_t)next;
            } else if (paths->distance[next] == distance && route < paths->route[next]) {
                paths->route[next] = route;
            }
        }
    }
    paths->route[from] = ROUTE_MONITOR;
}

/* Writes a chip's point-to-point routes to all chips. */
static void boot_p2p(struct machine *machine, const struct topology_chip *chip,
                     const struct paths *paths)
{
    const struct topology *topology = machine_topology(machine);
    for (size_t i = 0; i < topology->count; i++) {
        const struct topology_chip *goal = &topology->chip[i];
        (void)machine_set_p2p_route(machine, chip->x, chip->y,
                                    (uint16_t)((unsigned)goal->x << 8 | goal->y), paths->route[i]);
    }
}

enum status router_boot(struct machine *machine, const struct machine_parameters *parameters)
{
    const struct topology *topology = machine_topology(machine);
    struct paths paths = {.distance = calloc(topology->count, sizeof *paths.distance),
                          .route = calloc(topology->count, sizeof *paths.route),
                          .queue = calloc(topology->count, sizeof *paths.queue)};
    const bool room = paths.distance != NULL && paths.route != NULL && paths.queue != NULL;
    for (size_t i = 0; room && i < topology->count; i++) {
        boot_registers(machine, parameters, &topology->chip[i]);
        find_paths(topology, i, &paths);
        boot_p2p(machine, &topology->chip[i], &paths);
    }
    free(paths.distance);
    free(paths.route);
    free(paths.queue);
    return room ? STATUS_OK : STATUS_INTERNAL;
}
