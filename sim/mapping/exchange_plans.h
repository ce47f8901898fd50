/* exchange_plans.h - for sums over chips by rings or trees: each core's exchange plan
 * (workloads/nn/exchange_plan.h) and the edges of its packets.
 *
 * The cores on each chip are numbered from 0; chip: index in the topology.  On rings, core k serves
 * ring k modulo the number of rings.  Its stream of words uses 131,072 keys from 0x80000000 | chip
 * << 22 | k << 17 on; its signal to the predecessor uses the key chip << 22 | k << 17 | 0x8000 |
 * counter.
 *
 * On trees, words from core k to the neighbour at a link use 65,536 keys from 0x80000000 | chip <<
 * 23 | k << 19 | link << 16 on; the signal to that neighbour uses the key chip << 22 | k << 17 |
 * 0x4000 | link << 8 | counter.  Counters: EXCHANGE_TREE_COUNTER and the next five. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/mapping/chip_orders.h"
#include "sim/routing/routing.h"
C_LINKAGE_BEGIN

enum { EXCHANGE_TREE_COUNTER = EXCHANGE_COUNTERS - EXCHANGE_LINKS };

struct exchange_request {
    const struct topology *topology;
    const struct rings *rings; /* not used for trees */
    size_t cores;              /* on each chip */
    const uint8_t *physical;   /* [chip of the topology][cores]: physical core numbers */
    const uint32_t *words;     /* [cores]: lengths of their arrays, up to EXCHANGE_WORDS_MAX */
    uint32_t counter;          /* of signals on rings, below EXCHANGE_COUNTERS */
    double pace;               /* share of a link's packet rate at which cores send; above 0 */
    uint64_t link_packet_ps;   /* machine_parameters: a packet of 40 bits */
    uint64_t link_packet_between_boards_ps;
    uint64_t clock_hz; /* of the cores */
};

/* Must be all zero at first, or hold only edges that the caller has added. */
struct exchange_plans {
    struct exchange_plan *plan; /* [chip of the topology][cores]; all zero for chips on no ring */
    struct routing_edges edges; /* words, signals to predecessors */
    struct trees trees;         /* made by exchange_plans_make() if trees were requested */
};

/* Both return STATUS_CONFIGURATION when an array is too long, or when there are more chips or cores
 * than keys.  `nodes`: SDRAM address of each chip's tree nodes. */
enum status exchange_plans_on_rings(struct exchange_plans *plans,
                                    const struct exchange_request *request,
                                    struct diagnostic *diagnostic);
enum status exchange_plans_on_trees(struct exchange_plans *plans,
                                    const struct exchange_request *request,
                                    const struct trees *trees, uint32_t nodes,
                                    struct diagnostic *diagnostic);

/* Makes the rings or trees of these chips (indices in the topology) as well as the plans. */
struct exchange_chips {
    const uint32_t *chip;
    size_t count;
    size_t rings_most; /* upper bound on the rings used */
    bool trees;
    uint32_t nodes;
};
enum status exchange_plans_make(struct exchange_plans *plans,
                                const struct exchange_request *request,
                                const struct exchange_chips *chips, struct diagnostic *diagnostic);

/* On the rings of these chips: their number `count`, and the seconds between two packets of a core
 * on each of them.  `words` of the request are not used. */
enum status exchange_slots(const struct exchange_request *request,
                           const struct exchange_chips *chips, double slot_s[RINGS_MAX],
                           size_t *count, struct diagnostic *diagnostic);

void exchange_plans_deinit(struct exchange_plans *plans);

/* ---- a chip's nodes in the trees ---- */

/* Copies the nodes of the chip at index `place`, in the order of slices; `node` has room for one
 * for each chip. */
void exchange_nodes(const struct trees *trees, size_t place, struct exchange_tree_node *node);

/* exchange_nodes_write() writes these nodes to `address`, through the view of a core of that chip;
 * exchange_node_bytes() is their size. */
enum status exchange_nodes_write(const struct trees *trees, size_t place, struct machine *machine,
                                 struct machine_core core, uint32_t address);
uint32_t exchange_node_bytes(size_t chips);

/* DTCM bytes that a program allocates for a core's trees, given the number of chips and of words.
 */
uint32_t exchange_tree_dtcm_bytes(size_t chips, uint32_t words);

C_LINKAGE_END
