/* link.h - one direction of a link between two chips: a transmitter with one packet on its way, one
 * that waits, and credits; a receiver with a few packets.
 *
 * The transmitter sends a packet when it has a credit; a credit stands for a place in the
 * receiver's buffer and comes back some time after the packet has left it.  So nothing is lost on a
 * link, and a receiver that does not empty its buffer holds the sender up.  A link that leads
 * nowhere has no credits: its first packet stays for ever.  Plain state: copying a struct saves it;
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

/* How long packets take on it. */
struct link_rate {
    uint64_t short_ps, long_ps; /* a packet of 40 and of 72 bits, one after another */
    uint64_t latency_ps;        /* beyond that */
};

struct link_tx {
    struct packet packet; /* that waits; or the last that did */
    bool full;            /* one waits: nobody else may come */
    uint8_t credits;
    bool off;          /* begins with no packet */
    uint8_t gap[5];    /* named, so that saved states are the same bytes with every compiler */
    uint64_t done_ps;  /* when the last packet begun is gone */
    uint64_t since_ps; /* when the packet came */
    uint64_t on_ps;    /* when it was last switched on */
    uint64_t credit_ps[LINK_BUFFER_MAX]; /* when each credit can be used, earliest first */
    struct link_counters counters;
};

struct link_rx {
    struct packet packet[LINK_BUFFER_MAX]; /* in the order in which they came */
    uint64_t arrival_ps[LINK_BUFFER_MAX];
    uint32_t count;
    bool off; /* keeps what comes to itself */
    uint8_t gap[3];
    uint64_t on_ps; /* when it was last switched on */
};

/* buffer: packets that the receiver holds, 1 to LINK_BUFFER_MAX; 0: the link leads nowhere. */
void link_tx_init(struct link_tx *tx, unsigned buffer);

/* Takes a packet; the transmitter must not be full. */
void link_tx_put(struct link_tx *tx, const struct packet *packet, uint64_t now_ps);

/* Switches it off or on.  What has been begun arrives; what waits goes on waiting. */
void link_tx_switch(struct link_tx *tx, bool off, uint64_t now_ps);

/* The packet that waits is lost. */
void link_tx_reset(struct link_tx *tx);

/* When a packet that waits could first begin: the one before it is gone. */
static inline uint64_t link_tx_ready_ps(const struct link_tx *tx)
{
    return tx->done_ps > tx->since_ps ? tx->done_ps : tx->since_ps;
}

/* When the transmitter can begin the packet that waits; TIME_NEVER: none does, or it has no
 * credit or is off. */
static inline uint64_t link_tx_next_ps(const struct link_tx *tx)
{
    if (!tx->full || tx->credits == 0 || tx->off) {
        return TIME_NEVER;
    }
    const uint64_t can_ps = tx->on_ps > link_tx_ready_ps(tx) ? tx->on_ps : link_tx_ready_ps(tx);
    return tx->credit_ps[0] > can_ps ? tx->credit_ps[0] : can_ps;
}

/* Begins it at that time; returns when it arrives. */
uint64_t link_tx_begin(struct link_tx *tx, const struct link_rate *rate, uint64_t now_ps);

/* A place in the receiver's buffer is free again, and is known to be at time_ps. */
void link_tx_credit(struct link_tx *tx, uint64_t time_ps);

/* A packet will have arrived at arrival_ps; no earlier than those before it. */
void link_rx_put(struct link_rx *rx, const struct packet *packet, uint64_t arrival_ps);

/* Switches it off or on.  Packets go on coming as far as there are places, and stay there. */
void link_rx_switch(struct link_rx *rx, bool off, uint64_t now_ps);

/* The packets that have arrived by now are lost: so many places are free again. */
unsigned link_rx_reset(struct link_rx *rx, uint64_t now_ps);

/* When the first packet can be taken; TIME_NEVER: there is none, or it is off. */
static inline uint64_t link_rx_next_ps(const struct link_rx *rx)
{
    if (rx->count == 0 || rx->off) {
        return TIME_NEVER;
    }
    return rx->arrival_ps[0] > rx->on_ps ? rx->arrival_ps[0] : rx->on_ps;
}

/* Takes the first packet out. */
struct packet link_rx_take(struct link_rx *rx);

C_LINKAGE_END
