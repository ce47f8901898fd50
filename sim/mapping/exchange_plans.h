/* exchange_plans.h - what each core of a chip has to do with the rings or trees over which chips
 * add up words: its plan (workloads/nn/exchange_plan.h), and the edges of its packets.
 *
 * The cores of each chip are numbered from 0; chip: index in the topology.  On rings core number k
 * serves ring k modulo the rings.  Its stream of words has keys 0x80000000 | chip << 21 | k << 16
 * and the next 65,535, its signal to the predecessor the key chip << 21 | k << 16 | 0x8000 |
 * counter.
 *
 * On trees words of core k to the neighbour at a link have keys 0x80000000 | chip << 23 | k << 19 |
 * link << 16 and the next 65,535; the signal to it has chip << 21 | k << 16 | 0x4000 | link << 8 |
 * counter.  Counters: EXCHANGE_TREE_COUNTER and the next five. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/mapping/chip_orders.h"
#include "sim/routing/routing.h"
C_LINKAGE_BEGIN

enum { EXCHANGE_TREE_COUNTER = EXCHANGE_COUNTERS - EXCHANGE_LINKS };

struct exchange_request {
    const struct topology *topology;
    const struct rings *rings; /* not looked at for trees */
    size_t cores;              /* of each chip */
    const uint8_t *physical;   /* [chip of the topology][cores]: their numbers there */
    const uint32_t *words;     /* [cores]: lengths of their arrays, up to EXCHANGE_WORDS_MAX */
    uint32_t counter;          /* of signals on rings, below EXCHANGE_COUNTERS */
    double pace;               /* packets sent, of those that a link carries; above 0 */
    uint64_t link_packet_ps;   /* machine_parameters: a packet of 40 bits */
    uint64_t link_packet_between_boards_ps;
    uint64_t clock_hz; /* of the cores */
};

/* Begins all zero, or with edges that others have added. */
struct exchange_plans {
    struct exchange_plan *plan; /* [chip of the topology][cores]; of chips on no ring: all zero */
    struct routing_edges edges; /* words, signals to predecessors */
    struct trees trees;         /* of exchange_plans_make(), where it was asked for trees */
};

/* Both: STATUS_CONFIGURATION when an array is too long, or there are more chips or cores than keys.
 * `nodes` is where each chip has its nodes of the trees. */
enum status exchange_plans_on_rings(struct exchange_plans *plans,
                                    const struct exchange_request *request,
                                    struct diagnostic *diagnostic);
enum status exchange_plans_on_trees(struct exchange_plans *plans,
                                    const struct exchange_request *request,
                                    const struct trees *trees, uint32_t nodes,
                                    struct diagnostic *diagnostic);

/* Makes the rings or trees, too: of these chips, by their indices in the topology. */
struct exchange_chips {
    const uint32_t *chip;
    size_t count;
    size_t rings_most; /* of the rings that there are, so many are used */
    bool trees;
    uint32_t nodes;
};
enum status exchange_plans_make(struct exchange_plans *plans,
                                const struct exchange_request *request,
                                const struct exchange_chips *chips, struct diagnostic *diagnostic);
void exchange_plans_deinit(struct exchange_plans *plans);

/* ---- a chip's nodes in the trees ---- */

/* Nodes of the chip at a place, in the order of slices: `node` has room for one for each chip. */
void exchange_nodes(const struct trees *trees, size_t place, struct exchange_tree_node *node);

/* Writes them for a core of that chip; the bytes that they take. */
enum status exchange_nodes_write(const struct trees *trees, size_t place, struct machine *machine,
                                 struct machine_core core, uint32_t address);
uint32_t exchange_node_bytes(size_t chips);

/* What a program allocates for a core's trees, of so many chips and words. */
uint32_t exchange_tree_dtcm_bytes(size_t chips, uint32_t words);

C_LINKAGE_END
