/* packet.h - a packet as passed between links, routers and communications controllers (SpiNNaker
 * datasheet v2.02, 8).  Plain state: copying the struct saves it; it is passed by value. */
#pragma once
#include "models/common/bits.h"
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum packet_type { PACKET_MC, PACKET_P2P, PACKET_NN, PACKET_FR };

/* Bits 5:4 of the control byte of a multicast or fixed-route packet. */
enum packet_emergency {
    PACKET_NORMAL,
    PACKET_DIVERTED_SHARED, /* 01: represents both a normal copy and a diverted one */
    PACKET_DIVERTED,        /* 10: on its way round a blocked link */
    PACKET_REVERTING        /* 11: second leg of the way round */
};

enum {
    PACKET_TYPES = 4,
    PACKET_LINKS = 6,
    PACKET_LOCAL = 7,        /* arrival of packets from this chip's cores */
    PACKET_NN_ALL_LINKS = 6, /* route of a nearest-neighbour packet, in addition to the links */
    PACKET_NN_MONITOR = 7,
    PACKET_BITS_SHORT = 40,
    PACKET_BITS_LONG = 72,

    PACKET_CONTROL_PARITY = 0x01,
    PACKET_CONTROL_PAYLOAD = 0x02,
    PACKET_CONTROL_PEEK_POKE = 0x20, /* nearest neighbour only */
    PACKET_CONTROL_P2P = PACKET_P2P << 6,
    PACKET_CONTROL_NN = PACKET_NN << 6,
    PACKET_CONTROL_FR = PACKET_FR << 6
};

struct packet {
    uint32_t key; /* point-to-point: destination in 15:0 */
    uint32_t payload;
    uint16_t p2p_source;
    uint8_t control; /* 7:6 type, 5:4 emergency or sequence, 3:2 time phase, 1 payload, 0 parity */
    uint8_t arrival; /* link of arrival, 0-5, or PACKET_LOCAL */
    uint8_t purpose; /* for the owner's use, as the next; not interpreted here, copies keep both */
    uint8_t number[3];
};

static inline enum packet_type packet_type(const struct packet *packet)
{
    return (enum packet_type)(packet->control >> 6);
}

static inline bool packet_has_payload(const struct packet *packet)
{
    return (packet->control & PACKET_CONTROL_PAYLOAD) != 0;
}

static inline bool packet_is_local(const struct packet *packet)
{
    return packet->arrival >= PACKET_LINKS;
}

/* Multicast and fixed-route packets carry emergency bits; the other types use these bits
 * otherwise. */
static inline bool packet_has_emergency(const struct packet *packet)
{
    const enum packet_type type = packet_type(packet);
    return type == PACKET_MC || type == PACKET_FR;
}

static inline enum packet_emergency packet_emergency(const struct packet *packet)
{
    return packet_has_emergency(packet) ? (enum packet_emergency)(packet->control >> 4 & 3)
                                        : PACKET_NORMAL;
}

/* All packets except nearest-neighbour ones carry a time phase. */
static inline bool packet_has_time_phase(const struct packet *packet)
{
    return packet_type(packet) != PACKET_NN;
}

static inline unsigned packet_time_phase(const struct packet *packet)
{
    return packet->control >> 2 & 3;
}

/* Route of a nearest-neighbour packet: a link, all links or the monitor. */
static inline unsigned packet_nn_route(const struct packet *packet)
{
    return packet->control >> 2 & 7;
}

/* The word that follows the header on a link. */
static inline uint32_t packet_word(const struct packet *packet)
{
    return packet_type(packet) == PACKET_P2P
               ? (uint32_t)packet->p2p_source << 16 | (packet->key & 0xffff)
               : packet->key;
}

static inline unsigned packet_bits(const struct packet *packet)
{
    return packet_has_payload(packet) ? PACKET_BITS_LONG : PACKET_BITS_SHORT;
}

/* Sets the parity bit so that the number of ones in the whole packet is odd. */
static inline void packet_seal(struct packet *packet)
{
    const unsigned header = packet->control & ~(unsigned)PACKET_CONTROL_PARITY;
    const bool odd = bits_parity(header ^ packet_word(packet) ^
                                 (packet_has_payload(packet) ? packet->payload : 0));
    packet->control = (uint8_t)(header | (odd ? 0 : PACKET_CONTROL_PARITY));
}

C_LINKAGE_END
