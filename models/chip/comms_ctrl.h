/* comms_ctrl.h - the communications controller of a core: one packet on its way out, one that waits
 * to be read (SpiNNaker datasheet v2.02, 8).
 *
 * Its owner carries the packets: comms_ctrl_outgoing() shows the one to be sent, comms_ctrl_taken()
 * says that the fabric has it, comms_ctrl_receive() brings one in.  No time: all effects are
 * immediate.  Plain state: copying the struct saves it.  Owner: the core. */
#pragma once
#include "models/chip/vic.h"
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/register_reply.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct comms_counters {
#define COUNTER COUNTER_FIELD
#include "models/chip/comms_counters.def"
#undef COUNTER
};

const struct counter_info *comms_counter_info(size_t *count);

/* Types of packets: bits 7:6 of the control byte. */
enum comms_type {
    COMMS_MULTICAST,
    COMMS_POINT_TO_POINT,
    COMMS_NEAREST_NEIGHBOUR,
    COMMS_FIXED_ROUTE
};
enum { COMMS_TYPES = 4, COMMS_LOCAL = 7 };

struct comms_packet {
    uint32_t key;     /* point-to-point: the destination */
    uint32_t payload; /* 0 when there is none */
    uint16_t source;  /* point-to-point only */
    uint8_t control;  /* type 7:6, by type 5:2, payload present 1, parity 0 */
    uint8_t route;    /* where the router got it, or is told so: a link 0 to 5, or COMMS_LOCAL */
};

enum comms_type comms_packet_type(const struct comms_packet *packet);
bool comms_packet_has_payload(const struct comms_packet *packet);

struct comms_ctrl {
    struct comms_packet transmit, receive;
    uint32_t data;                    /* as written to CC_TXDATA */
    uint32_t source_route;            /* CC_SAR */
    uint8_t control;                  /* of packets to send */
    bool data_written;                /* since the last key was */
    bool sending;                     /* the transmit register holds a packet */
    bool full, overrun;               /* sticky */
    bool waiting;                     /* the receive register holds a packet */
    bool bad;                         /* and it has an error */
    bool parity_error, framing_error; /* sticky */
    bool test;
    bool held;      /* in reset: takes no packet */
    uint8_t gap[5]; /* named, so that saved states are the same bytes with every compiler */
    struct comms_counters counters;
};

/* Power-on, hard or soft reset; counters go on. */
void comms_ctrl_reset(struct comms_ctrl *comms);

/* Word registers.  A read of CC_RXKEY takes the packet away.  *sent becomes true when the write has
 * sent a packet. */
enum register_reply comms_ctrl_read32(struct comms_ctrl *comms, uint32_t offset, uint32_t *value);
enum register_reply comms_ctrl_write32(struct comms_ctrl *comms, uint32_t offset, uint32_t value,
                                       bool *sent);

/* Is there a register, to be read or written with no effect on anything else? */
bool comms_ctrl_knows(uint32_t offset, bool write);

/* Is it one of the transmitter's registers? */
bool comms_ctrl_transmits(uint32_t offset);

/* Does a read there take the packet away that has been received? */
bool comms_ctrl_takes(uint32_t offset);

/* The packet that waits to be taken by the fabric; NULL: none. */
const struct comms_packet *comms_ctrl_outgoing(const struct comms_ctrl *comms);

/* The fabric has taken it. */
void comms_ctrl_taken(struct comms_ctrl *comms);

/* What was wrong with a packet on its way in; bits. */
enum comms_error { COMMS_NO_ERROR = 0, COMMS_PARITY_ERROR = 1, COMMS_FRAMING_ERROR = 2 };

/* Is there room for a packet?  One that comes all the same must wait outside: receive then returns
 * false and changes nothing.  The parity bit is made to agree with `errors`, so that a router may
 * change a packet's control byte without minding it. */
bool comms_ctrl_can_receive(const struct comms_ctrl *comms);
bool comms_ctrl_receive(struct comms_ctrl *comms, const struct comms_packet *packet,
                        unsigned errors);

/* Interrupt outputs, each at the bit of its VIC source; all others are 0. */
uint32_t comms_ctrl_interrupts(const struct comms_ctrl *comms);

C_LINKAGE_END
