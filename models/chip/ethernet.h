/* ethernet.h - the Ethernet controller of a chip with the PHY behind it (SpiNNaker datasheet v2.02,
 * 16), and the wires from and to the host.
 *
 * A frame is its bytes from the destination address on, without FCS.  It takes ethernet_wire_ps()
 * on the wire, in each direction; all times are in ps.  The link is up whenever the PHY is out of
 * reset.  Frames of the host wait for the wire in a queue here, which is no part of the hardware.
 * Not modelled: frames with errors, tags of VLANs, half duplex.  Plain state: copying the struct
 * saves it.  Owner: the chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/register_reply.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum {
#define WIRE(identifier, value, help, source) ETHERNET_##identifier = value,
#include "models/chip/ethernet_wire.def"
#undef WIRE
    ETHERNET_PHY_REGISTERS = 32,
    ETHERNET_QUEUE = 16,         /* frames of the host on the wire, or waiting for it */
    ETHERNET_FRAME_ROOM = 0x5ec, /* of a frame, a multiple of four */
};

struct ethernet_counters {
#define COUNTER COUNTER_FIELD
#include "models/chip/ethernet_counters.def"
#undef COUNTER
};

/* A frame on the wire. */
struct ethernet_frame {
    uint64_t end_ps; /* when its last bit is through */
    uint32_t bytes;
    uint8_t data[ETHERNET_FRAME_ROOM];
};

struct ethernet {
    uint32_t control, tx_length, mac_low, mac_high, phy_control;
    uint32_t interrupts; /* pending: the bits of ETH_INT_CLR */
    uint32_t dropped, unread;
    uint32_t rx_read, rx_write;                 /* places in the receive RAM, ... */
    uint32_t descriptor_read, descriptor_write; /* ... descriptors; as their registers show them */
    /* The PHY's management interface. */
    uint32_t smi_ones;  /* ones in a row, before a message */
    uint32_t smi_bits;  /* bits of the current message; 0: none */
    uint32_t smi_word;  /* these bits */
    uint32_t smi_reply; /* value of the register that is read */
    uint16_t phy[ETHERNET_PHY_REGISTERS];
    uint64_t sent_ps; /* when the transmitter becomes free; TIME_NEVER: it is */
    uint32_t descriptor[ETHERNET_DESCRIPTORS];
    uint8_t tx[ETHERNET_TX_BYTES];
    uint8_t rx[ETHERNET_RX_BYTES];
    struct ethernet_frame out;                /* the frame that is sent, or was sent last */
    uint32_t queue_first, queued;             /* frames from the host ... */
    struct ethernet_frame in[ETHERNET_QUEUE]; /* ... in the order of their arrival */
    struct ethernet_counters counters;
};

/* Resets controller and PHY.  A frame that is being sent is lost; those of the host stay on their
 * way. */
void ethernet_reset(struct ethernet *ethernet);

/* Time of a frame on the wire. */
uint64_t ethernet_wire_ps(uint32_t bytes);

/* Number of frames that the queue takes. */
unsigned ethernet_room(const struct ethernet *ethernet);

/* Sends a frame of 1 to ETHERNET_BYTES_MAX bytes to the controller, when the wire is free, at
 * time_ps or later; there must be room.  Shorter frames than ETHERNET_BYTES_MIN are filled up with
 * zeros. */
void ethernet_send(struct ethernet *ethernet, const uint8_t *data, uint32_t bytes,
                   uint64_t time_ps);

/* Registers and RAMs.  `size`: 1, 2 or 4 bytes. */
enum register_reply ethernet_read(const struct ethernet *ethernet, uint32_t offset, unsigned size,
                                  uint32_t *value);
enum register_reply ethernet_write(struct ethernet *ethernet, uint32_t offset, unsigned size,
                                   uint32_t value, uint64_t now_ps);

/* Time of the next end of a frame, in either direction; TIME_NEVER: none is on the wire. */
uint64_t ethernet_next_ps(const struct ethernet *ethernet);

/* Ends one frame, at ethernet_next_ps().  True: ethernet->out has left for the host. */
bool ethernet_event(struct ethernet *ethernet);

/* Levels of the interrupts, each at its VIC source's bit. */
uint32_t ethernet_lines(const struct ethernet *ethernet);

const struct counter_info *ethernet_counter_info(size_t *count);

C_LINKAGE_END
