/* chip_orders.h - orders in which chips pass data on. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/network/topology.h"
#include "workloads/nn/exchange_plan.h"
C_LINKAGE_BEGIN

/* ---- rings: each chip has a successor, and comes once (rings.c) ----
 *
 * Rings of an intact SpiNN-5 and of a torus go over links only, and no two over the same link in
 * the same direction.  Of any other chips there is one ring, up and down the columns; packets
 * between neighbours on it may take several links. */

enum { RINGS_MAX = 3 };

struct rings {
    size_t count;              /* of rings, at least 1 */
    size_t chips;              /* on each, at least 1 */
    uint32_t *chip[RINGS_MAX]; /* indices in the topology, each followed by its successor; the same
                                  chips on all rings */
};

/* Rings of these chips: indices in the topology, each once, at least one. */
enum status rings_make(struct rings *rings, const struct topology *topology, const uint32_t *chip,
                       size_t count, struct diagnostic *diagnostic);
void rings_deinit(struct rings *rings);

/* Whether each ring has every chip of the topology once, every step is one link, and no two steps
 * are the same. */
bool rings_over_links(const struct rings *rings, const struct topology *topology);

/* ---- trees: one of all chips for each of them (trees.c) ----
 *
 * They go over links, with no way longer than it must be, and so that links carry about equally
 * many of them. */

struct trees {
    size_t chips;
    uint32_t *chip;                  /* indices in the topology, ascending */
    struct exchange_tree_node *node; /* [root][chip], by their places in `chip` */
    unsigned most;                   /* trees on one link, in one direction */
};

/* Trees of these chips: indices in the topology, each once.  STATUS_CONFIGURATION when links do not
 * join them. */
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
