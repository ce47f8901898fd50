/* comms_ctrl.h - the communications controller of a core: a transmit register and a receive
 * register, one packet each (SpiNNaker datasheet v2.02, 8).  Its owner carries the packets:
 * comms_ctrl_outgoing() returns the packet to be sent, comms_ctrl_taken() reports that the fabric
 * has taken it, comms_ctrl_receive() delivers one.  No time: all effects are immediate.  Plain
 * state: copying the struct saves it.  Owner: the core. */
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
    uint32_t payload; /* 0 if the packet has none */
    uint16_t source;  /* point-to-point only */
    uint8_t control;  /* type 7:6, by type 5:2, payload present 1, parity 0 */
    uint8_t
        route; /* arrival port at the router, or as set by CC_SAR: a link 0 to 5, or COMMS_LOCAL */
};

enum comms_type comms_packet_type(const struct comms_packet *packet);
bool comms_packet_has_payload(const struct comms_packet *packet);

struct comms_ctrl {
    struct comms_packet transmit, receive;
    uint32_t data;                    /* as written to CC_TXDATA */
    uint32_t source_route;            /* CC_SAR */
    uint8_t control;                  /* of packets to send */
    bool data_written;                /* since the last write of the key */
    bool sending;                     /* the transmit register holds a packet */
    bool full, overrun;               /* sticky */
    bool waiting;                     /* the receive register holds a packet */
    bool bad;                         /* the received packet has an error */
    bool parity_error, framing_error; /* sticky */
    bool test;
    bool held;      /* in reset: accepts no packet */
    uint8_t gap[5]; /* named, so that saved states are the same bytes with every compiler */
    struct comms_counters counters;
};

/* Power-on, hard or soft reset; the counters keep their values. */
void comms_ctrl_reset(struct comms_ctrl *comms);

/* Access to word registers.  A read of CC_RXKEY removes the packet from the receive register. *sent
 * is set to true if the write has sent a packet. */
enum register_reply comms_ctrl_read32(struct comms_ctrl *comms, uint32_t offset, uint32_t *value);
enum register_reply comms_ctrl_write32(struct comms_ctrl *comms, uint32_t offset, uint32_t value,
                                       bool *sent);

/* Whether the register exists and can be accessed without side effects. */
bool comms_ctrl_knows(uint32_t offset, bool write);

/* Whether the register belongs to the transmitter. */
bool comms_ctrl_transmits(uint32_t offset);

/* Whether a read of the register removes the received packet. */
bool comms_ctrl_takes(uint32_t offset);

/* The packet that waits for the fabric; NULL: none. */
const struct comms_packet *comms_ctrl_outgoing(const struct comms_ctrl *comms);

/* The fabric has taken the packet in the transmit register. */
void comms_ctrl_taken(struct comms_ctrl *comms);

/* Errors of an arriving packet, as bits. */
enum comms_error { COMMS_NO_ERROR = 0, COMMS_PARITY_ERROR = 1, COMMS_FRAMING_ERROR = 2 };

/* comms_ctrl_can_receive(): whether there is room for a packet.  Without room comms_ctrl_receive()
 * returns false and changes nothing: the packet must wait outside.  The parity bit is made to agree
 * with `errors`, so that a router may change a packet's control byte without updating its
 * parity. */
bool comms_ctrl_can_receive(const struct comms_ctrl *comms);
bool comms_ctrl_receive(struct comms_ctrl *comms, const struct comms_packet *packet,
                        unsigned errors);

/* Interrupt outputs, each at its VIC source's bit; all other bits are 0. */
uint32_t comms_ctrl_interrupts(const struct comms_ctrl *comms);

C_LINKAGE_END
