/* chip_orders.h - orders in which chips, and boards, pass data on. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/network/topology.h"
#include "workloads/nn/exchange_plan.h"
C_LINKAGE_BEGIN

/* ---- rings: cycles that visit each chip once (rings.c) ----
 *
 * On an intact SpiNN-5 board and on a torus, successive chips of a ring are linked, and no two
 * rings use the same link in the same direction.  Any other set of chips gets one ring, up and down
 * the columns; packets between its neighbours may cross several links. */

enum { RINGS_MAX = 3 };

struct rings {
    size_t count;              /* number of rings, at least 1 */
    size_t chips;              /* chips on each ring, at least 1 */
    uint32_t *chip[RINGS_MAX]; /* indices in the topology, each followed by its successor; the same
                                  chips on all rings */
};

/* Makes rings through the given chips: indices in the topology, each once, at least one. */
enum status rings_make(struct rings *rings, const struct topology *topology, const uint32_t *chip,
                       size_t count, struct diagnostic *diagnostic);
void rings_deinit(struct rings *rings);

/* Whether each ring visits every chip of the topology once, every step is one link, and no directed
 * link is used twice. */
bool rings_over_links(const struct rings *rings, const struct topology *topology);

/* ---- boards: the rings of each board, and rings of the boards (boards.c) ----
 *
 * The steps of a ring of boards lead to neighbouring boards; with an odd number of rows and of
 * columns of boards, the last step is longer.  The rings of chips are the same on all boards, so
 * the chips at one position of a ring are at the same place of their boards: counterparts. */

enum { BOARD_CHIPS = 48 /* of a SpiNN-5 */, BOARD_WAYS = 3 /* rings of boards */ };

/* A step of a ring of boards, from a board to the next one. */
struct board_step {
    uint32_t board; /* number of the board it leaves */
    bool turns;     /* packets to the counterpart turn once; else they go by any shortest path */
    int x, y;       /* from a chip to where they turn, in chips */
};

struct board_rings {
    size_t boards;                       /* 0: there are no rings */
    uint32_t *chip[RINGS_MAX];           /* [board][position]: index in the topology */
    struct board_step *step[BOARD_WAYS]; /* [boards] */
};

/* Makes the rings of a machine of several whole boards if `chips`, their number in use, are all.
 * Makes none if they are not, or if a chip is missing, or a link that the rings need. */
enum status board_rings_make(struct board_rings *rings, const struct topology *topology,
                             size_t chips, struct diagnostic *diagnostic);
void board_rings_deinit(struct board_rings *rings);

/* The chip where packets from a chip to its counterpart turn; TOPOLOGY_NO_CHIP: anywhere. */
int32_t board_rings_turn(const struct board_step *step, const struct topology *topology,
                         uint32_t chip);

/* ---- trees: for each chip one tree over all chips, with that chip as root (trees.c) ----
 *
 * Edges are links, every path is a shortest one, and links are part of about equally many trees. */

struct trees {
    size_t chips;
    uint32_t *chip;                  /* indices in the topology, ascending */
    struct exchange_tree_node *node; /* [root][chip]: indices in `chip` */
    unsigned most;                   /* largest number of trees on one link in one direction */
};

/* Makes the trees of the given chips: indices in the topology, each once.  STATUS_CONFIGURATION
 * when links do not connect the chips. */
enum status trees_make(struct trees *trees, const struct topology *topology, const uint32_t *chip,
                       size_t count, struct diagnostic *diagnostic);
void trees_deinit(struct trees *trees);

static inline struct exchange_tree_node *trees_node(const struct trees *trees, size_t root,
                                                    size_t place)
{
    return &trees->node[root * trees->chips + place];
}

/* For qsort() of uint32_t. */
int chip_orders_compare(const void *a, const void *b);

C_LINKAGE_END
