/* exchange_plans.h - for sums over chips by rings or trees: each core's exchange plan
 * (workloads/nn/exchange_plan.h) and the edges of its packets.
 *
 * The cores on each chip are numbered from 0; chip: index in the topology.  On rings, core k serves
 * ring k modulo the number of rings.  Its stream of words uses 131,072 keys from 0x80000000 | chip
 * << 22 | k << 17 on; its signal to the predecessor uses the key chip << 22 | k << 17 | 0x8000 |
 * counter.
 *
 * On several whole boards the rings are those of each board, and the slice that a core owns of its
 * board's sums goes on a ring of counterparts, once around the boards: forwards for even cores,
 * backwards for odd ones.  Instead of the chip, keys then have its position on the board's ring; on
 * rings of counterparts this plus BOARD_CHIPS times a colour of the board, from 1, such that
 * streams with the same keys never meet.
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

struct sim_config;

struct exchange_request {
    const struct topology *topology;
    const struct rings *rings; /* not used for trees */
    size_t cores;              /* on each chip */
    const uint8_t *physical;   /* [chip of the topology][cores]: physical core numbers */
    const uint32_t *words;     /* [cores]: lengths of their arrays, up to EXCHANGE_WORDS_MAX */
    uint32_t counter;          /* of signals on rings, below EXCHANGE_COUNTERS - 1; those between
                                  boards have the next */
    double pace;               /* share of a link's packet rate at which cores send; above 0 */
    uint64_t link_packet_ps;   /* machine_parameters: a packet of 40 bits */
    uint64_t link_packet_between_boards_ps;
    uint64_t clock_hz;               /* of the cores */
    const struct sim_config *config; /* of a training; NULL: of programs */
    bool by_board; /* on several whole boards: rings of each board, and of counterparts */
};

/* What an exchange needs in each chip's SDRAM. */
struct exchange_data {
    uint8_t *bytes; /* [chip][of_chip], in the order of struct exchange_chips; NULL: nothing */
    uint32_t of_chip;
};

/* Writes what the chip at index `place` needs, through the view of a core of that chip. */
enum status exchange_data_write(const struct exchange_data *data, size_t place,
                                struct machine *machine, struct machine_core core,
                                uint32_t address);
void exchange_data_deinit(struct exchange_data *data);

/* Must be all zero at first, or hold only edges that the caller has added. */
struct exchange_plans {
    struct exchange_plan *plan; /* [chip of the topology][cores]; all zero for other chips */
    struct exchange_plan *between_boards; /* the same; NULL: all chips are on the rings of `plan` */
    struct routing_edges edges;           /* words, signals */
    struct exchange_data data;
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

/* The chips that exchange (indices in the topology). */
struct exchange_chips {
    const uint32_t *chip;
    size_t count;
    size_t rings_most; /* upper bound on the rings used */
    uint32_t data;     /* SDRAM address of struct exchange_data, the same on all chips */
};

/* How fast cores send. */
struct exchange_pace {
    size_t rings;             /* their number */
    size_t chips;             /* on each of them */
    double slot_s[RINGS_MAX]; /* seconds between two packets of a core on a ring */
    size_t boards;            /* 1: all chips are on the rings */
    double between_boards_s;  /* seconds between two packets of a core that go between boards */
};

/* On the rings of these chips.  `words` of the request are not used. */
enum status exchange_slots(const struct exchange_request *request,
                           const struct exchange_chips *chips, struct exchange_pace *pace,
                           struct diagnostic *diagnostic);

void exchange_plans_deinit(struct exchange_plans *plans);

/* ---- a chip's nodes in the trees ---- */

/* Copies the nodes of the chip at index `place`, in the order of slices; `node` has room for one
 * for each chip. */
void exchange_nodes(const struct trees *trees, size_t place, struct exchange_tree_node *node);

/* Size of these nodes. */
uint32_t exchange_node_bytes(size_t chips);

C_LINKAGE_END
