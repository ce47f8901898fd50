/* link.h - one direction of a link between two chips: a transmitter with one packet being sent, one
 * waiting, and credits; and a receiver with a buffer of a few packets.
 *
 * The transmitter sends a packet when it has a credit.  A credit stands for a place in the
 * receiver's buffer and returns some time after the packet has left that place.  So a link loses
 * nothing, and a receiver that does not empty its buffer blocks the sender.  A link that leads
 * nowhere has no credits: its first packet stays forever.  Plain state: copying a struct saves it;
 * times are picoseconds.  Owner: the chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/units.h"
#include "models/network/packet.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { LINK_BUFFER_MAX = 8 };

struct link_counters {
#define COUNTER COUNTER_FIELD
#include "models/network/link_counters.def"
#undef COUNTER
};

const struct counter_info *link_counter_info(size_t *count);

/* The duration of packets on a link. */
struct link_rate {
    uint64_t short_ps, long_ps; /* of a packet of 40 and of 72 bits, back to back */
    uint64_t latency_ps;        /* additional to that */
};

struct link_tx {
    struct packet packet; /* the waiting packet, or the last one that waited */
    bool full;            /* a packet waits: no other may enter */
    bool off;             /* starts no packet */
    uint8_t credits;
    uint8_t first;     /* index of the earliest credit */
    uint8_t gap[4];    /* named, so that saved states are the same bytes with every compiler */
    uint64_t done_ps;  /* when the last packet started has left */
    uint64_t since_ps; /* when the waiting packet entered */
    uint64_t on_ps;    /* when the transmitter was last switched on */
    struct link_counters counters;
    uint64_t credit_ps[LINK_BUFFER_MAX]; /* when each credit becomes usable: a ring */
};

struct link_place {
    struct packet packet;
    uint64_t arrival_ps;
};

struct link_rx {
    uint32_t count;
    bool off; /* passes no packet on */
    uint8_t gap[3];
    uint64_t on_ps;                           /* when the receiver was last switched on */
    struct link_place place[LINK_BUFFER_MAX]; /* in the order of arrival */
};

/* buffer: packets that the receiver holds, 1 to LINK_BUFFER_MAX; 0: the link leads nowhere. */
void link_tx_init(struct link_tx *tx, unsigned buffer);

/* Puts a packet into the transmitter, which must not be full. */
void link_tx_put(struct link_tx *tx, const struct packet *packet, uint64_t now_ps);

/* Switches the transmitter off or on.  A packet already started arrives; a waiting one goes on
 * waiting. */
void link_tx_switch(struct link_tx *tx, bool off, uint64_t now_ps);

/* Discards the waiting packet. */
void link_tx_reset(struct link_tx *tx);

/* Earliest start of a waiting packet, as far as the packet before it is concerned. */
static inline uint64_t link_tx_ready_ps(const struct link_tx *tx)
{
    return tx->done_ps > tx->since_ps ? tx->done_ps : tx->since_ps;
}

/* When the transmitter can start the waiting packet; TIME_NEVER: no packet waits, there is no
 * credit, or the transmitter is off. */
static inline uint64_t link_tx_next_ps(const struct link_tx *tx)
{
    if (!tx->full || tx->credits == 0 || tx->off) {
        return TIME_NEVER;
    }
    const uint64_t can_ps = tx->on_ps > link_tx_ready_ps(tx) ? tx->on_ps : link_tx_ready_ps(tx);
    const uint64_t credit_ps = tx->credit_ps[tx->first];
    return credit_ps > can_ps ? credit_ps : can_ps;
}

/* Starts the waiting packet at now_ps; returns its arrival time. */
uint64_t link_tx_begin(struct link_tx *tx, const struct link_rate *rate, uint64_t now_ps);

/* A place in the receiver's buffer is free again; the transmitter learns of it at time_ps. */
void link_tx_credit(struct link_tx *tx, uint64_t time_ps);

/* A packet will arrive at arrival_ps, which is not before the arrival of those before it. */
void link_rx_put(struct link_rx *rx, const struct packet *packet, uint64_t arrival_ps);

/* Switches the receiver off or on.  While it is off, packets still arrive as long as there are
 * places, and stay there. */
void link_rx_switch(struct link_rx *rx, bool off, uint64_t now_ps);

/* Discards the packets that have arrived by now_ps; returns the number of places freed. */
unsigned link_rx_reset(struct link_rx *rx, uint64_t now_ps);

/* When the first packet can be taken; TIME_NEVER: there is none, or the receiver is off. */
static inline uint64_t link_rx_next_ps(const struct link_rx *rx)
{
    if (rx->count == 0 || rx->off) {
        return TIME_NEVER;
    }
    return rx->place[0].arrival_ps > rx->on_ps ? rx->place[0].arrival_ps : rx->on_ps;
}

/* Removes the first packet. */
struct packet link_rx_take(struct link_rx *rx);

C_LINKAGE_END
