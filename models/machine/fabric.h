/* fabric.h - what carries a chip's packets: its router, the links from and to its neighbours, and
 * the way between router and cores.  Private to models/machine.
 *
 * Inputs of the router are the six links and the cores' transmitters; the one that was served
 * longest ago goes first.  A packet reaches a core router.core_transit after it has left the
 * router; the core sees that its transmitter is free router.core_injection after the router took
 * its packet.
 */
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
    FABRIC_REPLIES = ROUTER_STAGES_MAX             /* no more peeks can be in the pipeline */
};

/* What may be saved by copying. */
struct fabric {
    struct router router;
    struct link_tx tx[TOPOLOGY_LINKS];
    struct link_rx rx[TOPOLOGY_LINKS];
    struct core_way core[FABRIC_CORES];
    struct packet reply[FABRIC_REPLIES]; /* to neighbours' peeks and pokes; they go first */
    uint64_t replies;
    uint64_t input_ps[FABRIC_INPUTS]; /* when the packet at each is there; TIME_NEVER: none */
    uint64_t served[FABRIC_INPUTS];   /* serial number of each input's last packet */
    uint64_t serial;
    uint64_t next_ps;   /* when it will next do something; TIME_NEVER: nothing by itself */
    uint64_t cores_ps;  /* when the next packet comes to a core */
    uint64_t inputs_ps; /* the first of input_ps */
    /* What there is to look at, a bit each; the rest of the struct says the same. */
    uint32_t full;      /* outputs of the router with no room */
    uint32_t due_cores; /* cores with something on the way to them */
    uint32_t waiting;   /* inputs that have a packet, or will have one */
    uint32_t gap;       /* named, so that saved states are the same bytes with every compiler */
    struct traffic traffic;
};

/* What a chip's fabric has done to its neighbours' within a window, until they are told.  A link
 * begins no more than one packet in a window, and no more credits come back than there are places.
 */
struct fabric_outbox {
    struct packet packet[TOPOLOGY_LINKS];
    uint64_t arrival_ps[TOPOLOGY_LINKS];
    uint64_t credit_ps[TOPOLOGY_LINKS][LINK_BUFFER_MAX];
    uint8_t credits[TOPOLOGY_LINKS];
    uint32_t begun,
        credited; /* links that have begun a packet, and that have credits: a bit each */
};

void fabric_init(struct fabric *fabric, const struct machine_parameters *parameters,
                 const struct topology_chip *place);

/* The least time from what a core does to anything that comes of it out of the router: its
 * pipeline, as long as nothing is in the router that could be waiting for the core. */
uint64_t fabric_way_ps(const struct chip *chip);

/* A core has made room for that packet, before it comes. */
void fabric_core_expects(struct chip *chip, unsigned core);

/* A core has been rolled back: what it had made room for may have none. */
void fabric_core_rolled_back(struct chip *chip);

/* Does all that is to be done at next_ps. */
void fabric_event(struct chip *chip);

/* Empties the chip's outbox into its neighbours, and sees that they are woken.  Between windows. */
void fabric_hand_over(struct chip *chip);

/* A core has sent a packet, or has read one, at now_ps. */
void fabric_core_sent(struct chip *chip, unsigned core, uint64_t now_ps);
void fabric_core_read(struct chip *chip, unsigned core, uint64_t now_ps);

/* A core's communications controller has been reset: its transmitter is empty. */
void fabric_core_reset(struct chip *chip, unsigned core, uint64_t now_ps);

/* Resets parts, as bits of enum sysctl_part, and switches off what is held in reset or whose bit is
 * set (receivers 5:0, transmitters 13:8): packets that wait in a part that is reset are lost. */
void fabric_set_parts(struct chip *chip, uint32_t reset, uint32_t held, uint32_t links_off,
                      uint64_t now_ps);

void fabric_set_clock(struct chip *chip, struct clock clock, uint64_t now_ps);

/* The router's registers. */
enum register_reply fabric_read32(struct chip *chip, uint32_t offset, uint64_t now_ps,
                                  uint32_t *value);
enum register_reply fabric_write32(struct chip *chip, uint32_t offset, uint32_t value,
                                   uint64_t now_ps);

C_LINKAGE_END
