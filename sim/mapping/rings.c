/* rings.c - see chip_orders.h. */
#include "sim/mapping/chip_orders.h"

#include "models/common/check.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- whether rings are what they should be ---- */

/* Link from a chip to another, TOPOLOGY_LINKS when there is none. */
static unsigned link_to(const struct topology_chip *from, uint32_t to)
{
    unsigned link = 0;
    while (link < TOPOLOGY_LINKS && from->neighbour[link] != (int32_t)to) {
        link++;
    }
    return link;
}

/* Marks the links that a ring uses in `used`: one byte for each chip, a bit for each link, and bit
 * 6 when the ring visits the chip. */
static bool take_steps(const struct rings *rings, size_t ring, const struct topology *topology,
                       uint8_t *used)
{
    enum { COMES = TOPOLOGY_LINKS };
    for (size_t i = 0; i < topology->count; i++) {
        used[i] &= (uint8_t) ~(1u << COMES);
    }
    for (size_t i = 0; i < rings->chips; i++) {
        const uint32_t from = rings->chip[ring][i];
        const uint32_t to = rings->chip[ring][(i + 1) % rings->chips];
        const unsigned link = link_to(&topology->chip[from], to);
        if (link == TOPOLOGY_LINKS || (used[from] & (1u << link | 1u << COMES)) != 0) {
            return false;
        }
        used[from] |= (uint8_t)(1u << link | 1u << COMES);
    }
    return true;
}

bool rings_over_links(const struct rings *rings, const struct topology *topology)
{
    uint8_t *used = calloc(topology->count, 1);
    bool good = used != NULL && rings->chips == topology->count;
    for (size_t r = 0; good && r < rings->count; r++) {
        good = take_steps(rings, r, topology, used);
    }
    free(used);
    return good;
}

/* ---- a SpiNN-5 ---- */

enum { SPIN5_CHIPS = 48, SPIN5_SIDE = 8 };

/* More than three rings are impossible, as the corner chips have three links.  Found by a SAT
 * solver (a variable for each link and ring); x and y of each chip. */
static const char *const SPIN5[RINGS_MAX] = {
    "00 11 21 10 20 30 31 41 40 51 52 62 73 63 74 64 75 76 77 66 65 54 53 42 "
    "32 43 33 22 23 24 34 44 55 45 56 67 57 47 46 36 35 25 14 13 03 02 12 01",
    "00 10 21 20 31 30 40 41 42 53 52 51 62 63 73 74 75 64 54 43 32 22 12 23 "
    "34 33 44 45 55 65 76 66 77 67 56 57 46 47 36 25 35 24 14 03 13 02 01 11",
    "00 01 12 02 03 14 25 36 47 57 67 77 76 75 74 73 62 51 40 30 20 21 32 31 "
    "42 41 52 63 64 53 43 54 65 66 55 56 46 35 45 44 33 34 24 13 23 22 11 10",
};

static bool place_spin5(struct rings *rings, const struct topology *topology)
{
    if (topology->count != SPIN5_CHIPS || topology->width != SPIN5_SIDE ||
        topology->height != SPIN5_SIDE) {
        return false;
    }
    rings->count = RINGS_MAX;
    for (size_t r = 0; r < RINGS_MAX; r++) {
        const char *at = SPIN5[r];
        for (size_t i = 0; i < SPIN5_CHIPS; i++, at += 3) {
            const int32_t chip =
                topology_find(topology, (uint32_t)(at[0] - '0'), (uint32_t)(at[1] - '0'));
            if (chip == TOPOLOGY_NO_CHIP) {
                return false;
            }
            rings->chip[r][i] = (uint32_t)chip;
        }
    }
    return rings_over_links(rings, topology);
}

/* ---- a torus ---- */

enum { EAST, NORTH_EAST, NORTH, WEST, SOUTH_WEST, SOUTH };

/* The link by which a ring leaves a chip: `turn` at the end of each `period` steps, or where (x -
 * y) modulo `period` is below `turns`; else `straight`. */
struct torus_ring {
    unsigned straight, turn;
    uint32_t period, turns; /* turns = 0: turn by the number of steps */
};

static bool turns(const struct torus_ring *ring, const struct topology_chip *chip, size_t step)
{
    if (ring->turns == 0) {
        return (step + 1) % ring->period == 0;
    }
    return (chip->x + TOPOLOGY_SIDE_MAX * ring->period - chip->y) % ring->period < ring->turns;
}

/* Adds a ring.  A walk that reaches a missing link stays on that chip; take_steps() then rejects
 * the ring. */
static void add_torus_ring(struct rings *rings, const struct topology *topology,
                           const struct torus_ring *ring)
{
    uint32_t *chip = rings->chip[rings->count++];
    int32_t at = 0;
    for (size_t i = 0; i < rings->chips; i++) {
        chip[i] = (uint32_t)at;
        const struct topology_chip *here = &topology->chip[at];
        const int32_t next = here->neighbour[turns(ring, here, i) ? ring->turn : ring->straight];
        at = next == TOPOLOGY_NO_CHIP ? at : next;
    }
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Rings along rows, along columns, and one that goes west or north depending on x - y.  The last
 * one exists for some sizes only (W.  T.  Trotter and P.  Erdos, 1978: when the Cartesian product
 * of directed cycles is Hamiltonian). */
static bool place_torus(struct rings *rings, const struct topology *topology)
{
    const uint32_t width = topology->width;
    const uint32_t height = topology->height;
    if (topology->count != (size_t)width * height || width < 3 || height < 3) {
        return false;
    }
    rings->count = 0;
    add_torus_ring(rings, topology, &(struct torus_ring){EAST, NORTH_EAST, width, 0});
    add_torus_ring(rings, topology, &(struct torus_ring){SOUTH, SOUTH_WEST, height, 0});
    if (!rings_over_links(rings, topology)) {
        return false;
    }
    const uint32_t classes = common_divisor(width, height);
    for (uint32_t west = 1; west < classes; west++) {
        add_torus_ring(rings, topology, &(struct torus_ring){NORTH, WEST, classes, west});
        if (rings_over_links(rings, topology)) {
            break;
        }
        rings->count--;
    }
    return true;
}

/* ---- any chips ---- */

int chip_orders_compare(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a;
    const uint32_t second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

static void reverse(uint32_t *chip, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const uint32_t first = chip[i];
        chip[i] = chip[count - 1 - i];
        chip[count - 1 - i] = first;
    }
}

/* A ring up one column and down the next: the topology orders chips by x, then y. */
static void place_columns(struct rings *rings, const struct topology *topology,
                          const uint32_t *chip)
{
    uint32_t *order = rings->chip[0];
    memcpy(order, chip, rings->chips * sizeof *order);
    qsort(order, rings->chips, sizeof *order, chip_orders_compare);
    bool down = false;
    for (size_t first = 0, end = 0; first < rings->chips; first = end) {
        const uint8_t x = topology->chip[order[first]].x;
        while (end < rings->chips && topology->chip[order[end]].x == x) {
            end++;
        }
        if (down) {
            reverse(&order[first], end - first);
        }
        down = !down;
    }
    rings->count = 1;
}

/* ---- the whole ---- */

enum status rings_make(struct rings *rings, const struct topology *topology, const uint32_t *chip,
                       size_t count, struct diagnostic *diagnostic)
{
    CHECK(count >= 1 && count <= topology->count, "chips of the topology");
    *rings = (struct rings){.chips = count};
    for (size_t r = 0; r < RINGS_MAX; r++) {
        rings->chip[r] = calloc(count, sizeof *rings->chip[r]);
        if (rings->chip[r] == NULL) {
            rings_deinit(rings);
            return no_memory(diagnostic);
        }
    }
    const bool whole = count == topology->count;
    if (!(whole && (place_spin5(rings, topology) || place_torus(rings, topology)))) {
        place_columns(rings, topology, chip);
    }
    return STATUS_OK;
}

void rings_deinit(struct rings *rings)
{
    for (size_t r = 0; r < RINGS_MAX; r++) {
        free(rings->chip[r]);
    }
    *rings = (struct rings){0};
}
