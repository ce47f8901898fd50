/* topology.h - the chips of a machine and the ends of their links.
 *
 * Links are numbered as on the chip (SpiNNaker datasheet v2.02, 10): 0 E (x+1, y), 1 NE (x+1, y+1),
 * 2 N (x, y+1), 3 W (x-1, y), 4 SW (x-1, y-1), 5 S (x, y-1); the opposite of n is (n + 3) mod 6.
 * Ownership: topology_make() allocates, topology_deinit() frees. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
API_BEGIN

enum { TOPOLOGY_LINKS = 6, TOPOLOGY_SIDE_MAX = 256, TOPOLOGY_CORES = 18, TOPOLOGY_NO_CHIP = -1 };

static inline unsigned topology_opposite(unsigned link)
{
    return (link + 3) % TOPOLOGY_LINKS;
}

enum topology_shape {
    TOPOLOGY_RECTANGLE, /* width x height chips, links at the edges lead nowhere */
    TOPOLOGY_TORUS,     /* width x height chips, edges joined */
    TOPOLOGY_SPIN3,     /* 2 x 2 chips, joined in y only (its datasheet: the x wrap is open) */
    TOPOLOGY_SPIN5,     /* one board of 48 chips, a hexagon in 8 x 8; edges lead nowhere */
    TOPOLOGY_BOARDS /* SpiNN-5 boards in threes, width and height multiples of 12, edges joined */
};

/* A broken part of a chip; number is p, link or routing key, depending on the list. */
struct topology_fault {
    uint8_t x, y;
    uint32_t number;
};

struct topology_request {
    enum topology_shape shape;
    uint32_t width, height; /* for RECTANGLE, TORUS and BOARDS; ignored otherwise */
    const struct topology_fault *down_chip, *down_core, *down_link;
    size_t down_chips, down_cores, down_links;
};

struct topology_chip {
    uint8_t x, y;
    uint8_t ethernet_x, ethernet_y;      /* the first chip of its board */
    int32_t neighbour[TOPOLOGY_LINKS];   /* index, or TOPOLOGY_NO_CHIP */
    bool between_boards[TOPOLOGY_LINKS]; /* the link crosses from board to board: slower */
    uint32_t cores;                      /* one bit for each working core */
};

/* Chips ordered by x, then y.  A link is down in both directions or in none. */
struct topology {
    struct topology_chip *chip;
    size_t count;
    uint32_t width, height; /* of the bounding box of coordinates */
    unsigned boards;
};

/* STATUS_CONFIGURATION, named in the message: no such board; a fault that names a part that does
 * not exist; or (with the key faults.down_chips or faults.down_links) faults that divide the
 * machine into separate parts. */
enum status topology_make(struct topology *topology, const struct topology_request *request,
                          struct diagnostic *diagnostic);
void topology_deinit(struct topology *topology);

/* Index of a chip; TOPOLOGY_NO_CHIP if it does not exist. */
int32_t topology_find(const struct topology *topology, uint32_t x, uint32_t y);

API_END
