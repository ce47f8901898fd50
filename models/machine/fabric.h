/* fabric.h - transport of a chip's packets: its router, the links from and to its neighbours, and
 * the path between router and cores.  Private to models/machine.
 *
 * The router's inputs are the six links and the cores' transmitters; the input served longest ago
 * has priority.  A packet reaches a core router.core_transit after it has left the router.  The
 * core sees its transmitter free router.core_injection after the router has taken its packet. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/core/ports.h"
#include "models/machine/parameters.h"
#include "models/machine/traffic.h"
#include "models/network/link.h"
#include "models/network/router.h"
#include "models/network/topology.h"
C_LINKAGE_BEGIN

struct chip;

enum {
    FABRIC_CORES = 18,
    FABRIC_INPUTS = TOPOLOGY_LINKS + FABRIC_CORES, /* links first */
    FABRIC_REPLIES = ROUTER_STAGES_MAX             /* the most peeks that fit into the pipeline */
};

/* State that may be saved by copying.  What every packet uses stands together: a host has more
 * chips to simulate than its caches hold. */
struct fabric {
    uint64_t next_ps;   /* time of the next event; TIME_NEVER: none of its own accord */
    uint64_t links_ps;  /* time at which the next waiting packet can start on a link */
    uint64_t cores_ps;  /* time at which the next packet reaches a core */
    uint64_t inputs_ps; /* the earliest of input_ps */
    uint64_t serial;    /* of the last packet */
    uint64_t replies;
    /* Bit masks that summarise the rest of the struct. */
    uint32_t full;      /* outputs of the router without room */
    uint32_t due_cores; /* cores that have packets on their way to them */
    uint32_t waiting;   /* inputs that hold a packet, or will hold one */
    uint32_t gap;       /* named, so that saved states are the same bytes with every compiler */
    uint64_t
        input_ps[FABRIC_INPUTS];    /* arrival time of the packet at each input; TIME_NEVER: none */
    uint64_t served[FABRIC_INPUTS]; /* serial number of each input's last packet */
    struct link_rx rx[TOPOLOGY_LINKS];
    struct link_tx tx[TOPOLOGY_LINKS];
    struct traffic traffic;
    struct core_way core[FABRIC_CORES];
    struct packet reply[FABRIC_REPLIES]; /* to neighbours' peeks and pokes; they have priority */
    struct router router;
};

/* Effects of a chip's fabric on its neighbours within a synchronisation window, kept until they are
 * handed over.  In one window a link begins at most one packet, and returns at most as many credits
 * as there are places. */
struct fabric_outbox {
    uint32_t begun, credited; /* bit masks of links that have begun a packet, and of links that have
                                 credits to return */
    struct {
        struct link_place begun; /* the packet, and when it arrives */
        uint32_t credits;
        uint64_t credit_ps[LINK_BUFFER_MAX];
    } link[TOPOLOGY_LINKS];
};

/* The fabric is zeros. */
void fabric_init(struct fabric *fabric, const struct machine_parameters *parameters,
                 const struct topology_chip *place);

/* The duration of packets that a chip sends on a link: its own, where equal links differ. */
struct link_rate fabric_rate(const struct machine_parameters *parameters,
                             const struct topology_chip *place, unsigned link);

/* The time of a packet with payload, where one without takes short_ps. */
uint64_t fabric_long_ps(uint64_t short_ps);

/* The least time from an event of a core to the earliest effect that leaves the router: the
 * router's pipeline delay, as long as nothing in the router could be waiting for the core. */
uint64_t fabric_way_ps(const struct chip *chip);

/* A core has made room for the first packet on its way, before that packet arrives. */
void fabric_core_expects(struct chip *chip, unsigned core);

/* A core has been rolled back: a packet that it had made room for may have none. */
void fabric_core_rolled_back(struct chip *chip);

/* Executes the events from next_ps on, up to the next event of another part of the chip or the end
 * of the window. */
void fabric_event(struct chip *chip);

/* Hands the chip's outbox over to its neighbours and lowers their next event times.  For use
 * between windows. */
void fabric_hand_over(struct chip *chip);

/* A packet is on its way to a chip by one of its links, or a credit comes back to the chip's
 * transmitter at time_ps; lowers the chip's next event times.  For use between windows. */
void fabric_packet_comes(struct chip *to, unsigned input, const struct link_place *begun);
void fabric_credit_comes(struct chip *from, unsigned link, uint64_t time_ps);

/* A core has sent a packet, or has read one, at now_ps. */
void fabric_core_sent(struct chip *chip, unsigned core, uint64_t now_ps);
void fabric_core_read(struct chip *chip, unsigned core, uint64_t now_ps);

/* A core's communications controller has been reset: its transmitter is empty. */
void fabric_core_reset(struct chip *chip, unsigned core, uint64_t now_ps);

/* Resets parts (bits of enum sysctl_part), and switches off parts that are held in reset or whose
 * bit in links_off is set (receivers 5:0, transmitters 13:8).  Packets waiting in a part that is
 * reset are lost. */
void fabric_set_parts(struct chip *chip, uint32_t reset, uint32_t held, uint32_t links_off,
                      uint64_t now_ps);

void fabric_set_clock(struct chip *chip, struct clock clock, uint64_t now_ps);

/* The router's registers. */
enum register_reply fabric_read32(struct chip *chip, uint32_t offset, uint64_t now_ps,
                                  uint32_t *value);
enum register_reply fabric_write32(struct chip *chip, uint32_t offset, uint32_t value,
                                   uint64_t now_ps);

C_LINKAGE_END
