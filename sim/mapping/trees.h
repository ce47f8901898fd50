/* trees.h - a tree of all chips for each of them, over links, with no way longer than it must be,
 * and so that links carry about equally many of them. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/network/topology.h"
#include "workloads/nn/exchange_plan.h"
C_LINKAGE_BEGIN

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

C_LINKAGE_END
