/* data_input.h - how the images reach the machine (data.input), and what that takes.
 *
 * `preload`: they are in SDRAM before the clock starts, and nothing is charged.  `ethernet`: before
 * the clock starts, the host sends them to the boards, each through its Ethernet chip at the stated
 * data.input_rate, boards at the same time.  A chip's own images cross Ethernet once for that chip;
 * if each chip has all images, one copy crosses it for each board.  The Ethernet chip keeps what is
 * its own, and sends the rest on as it comes, in multicast packets with one word of payload each,
 * along the shortest paths of sim/routing: nothing is sent on a link twice.
 *
 * No program does this: time and counts are computed from the stated rate, the time of a packet on
 * a link, and the paths. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/plan.h"
C_LINKAGE_BEGIN

struct data_input {
    uint64_t images;      /* different ones, to train on and to classify */
    uint64_t copies;      /* chips that have each of them */
    uint64_t sdram_bytes; /* of all copies, padded as they lie there */
    /* 0 unless they come over Ethernet */
    uint64_t ethernet_bytes; /* of all boards */
    uint64_t router_bits;    /* of packets, once in each router that they pass */
    uint64_t time_ps;        /* of the board that takes longest */
};

/* Of a plan that is made.  STATUS_CONFIGURATION when a board's Ethernet chip is down. */
enum status data_input_of(const struct load_plan *plan, const struct sim_config *config,
                          const struct topology *topology, struct data_input *input,
                          struct diagnostic *diagnostic);

C_LINKAGE_END
