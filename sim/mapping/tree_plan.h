/* tree_plan.h - what each core of a chip has to do with trees, in place of rings (ring_plan.h).
 *
 * Words of core k to the neighbour at a link have keys 0x80000000 | chip << 23 | k << 19 | link <<
 * 16 and the next 65,535; the signal to it has chip << 21 | k << 16 | 0x4000 | link << 8 | counter.
 * Counters: TREE_PLAN_COUNTER and the next five. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/ring_plan.h"
#include "sim/mapping/trees.h"
C_LINKAGE_BEGIN

enum { TREE_PLAN_COUNTER = EXCHANGE_COUNTERS - EXCHANGE_LINKS };

/* Of the request, rings and counter are not looked at.  `address` is where each chip has its nodes.
 * STATUS_CONFIGURATION when an array is too long, or there are more chips or cores than keys. */
enum status tree_plan_make(struct ring_plan *plan, const struct ring_plan_request *request,
                           const struct trees *trees, uint32_t address,
                           struct diagnostic *diagnostic);

/* Nodes of the chip at a place, in the order of slices: `node` has room for one for each chip. */
void tree_plan_nodes(const struct trees *trees, size_t place, struct exchange_tree_node *node);

/* Writes them for a core of that chip; the bytes that they take. */
enum status tree_plan_write(const struct trees *trees, size_t place, struct machine *machine,
                            struct machine_core core, uint32_t address);
uint32_t tree_plan_node_bytes(size_t chips);

/* What a program allocates for a core's trees, of so many chips and words. */
uint32_t tree_plan_dtcm_bytes(size_t chips, uint32_t words);

C_LINKAGE_END
