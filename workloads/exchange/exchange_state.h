/* exchange_state.h - data that exchange.c and exchange_packets.S share; not for programs. */
#pragma once

/* Offsets in struct exchange_inbound and struct exchange_outbound. */
#define INBOUND_LEFT    0
#define INBOUND_CHECK   4
#define INBOUND_TOP     8
#define INBOUND_BASE    12
#define INBOUND_FIRST   16
#define INBOUND_STREAM  20
#define INBOUND_CONTROL 24
#define INBOUND_CAME    28
#define INBOUND_NEXT    32
#define OUTBOUND_CHECK  16
#define OUTBOUND_STREAM 20
#define OUTBOUND_TOP    24
#define OUTBOUND_BASE   28
#define TREE_ARRAY      0  /* two words: sums, values */
#define TREE_ARRIVED    8  /* the same */
#define TREE_RECEIVED   16 /* the same */
#define TREE_WORDS      24

/* Bits of keys as in exchange_plan.h, for the assembler. */
#define KEY_DATA      0x80000000
#define KEY_CONTROL   0x00010000
#define KEY_GATHER    0x00008000
#define KEY_TRAILER   0x00000001
#define COUNTERS_MASK 63
#define PACKET_BYTES  6
#define IDLE          0xffffffff /* no stream: such keys are never assigned */

/* A stream's check begins with its header.  For each packet it is rotated to the right and
 * increased by the payload, then by the key's data in the same way: so it depends on the order of
 * the packets. */
#define CHECK_PAYLOAD 3
#define CHECK_KEY     8

#ifndef __ASSEMBLER__
#include <stdint.h>

/* Both interrupts walk an array downwards, packet by packet, and continue at its end.  Two packets
 * have three words: of the later one the last word and the low half of the middle one, of the
 * earlier one the middle one's high half and the first word.  So the low half, and what it carries,
 * is complete when the high half is sent on.  Places of packets are 6 bytes apart. */

/* A stream that is received. */
struct exchange_inbound {
    volatile uint32_t left;        /* packets with words that have not been received */
    uint32_t check;                /* next control packet's payload */
    uint8_t *top, *base;           /* bytes of the array's last packet and of its first */
    uint8_t *first;                /* where the first packet goes */
    uint32_t stream;               /* key of packets whose data are 0 */
    uint32_t control;              /* next control packet's key */
    volatile uint32_t came;        /* control packets received */
    struct exchange_inbound *next; /* the stream that follows */
    uint32_t packets;              /* with words */
};

/* A stream that is sent. */
struct exchange_outbound {
    uint8_t *next;                     /* bytes to send */
    volatile uint32_t left;            /* packets with words that have not been sent */
    const struct exchange_inbound *in; /* its words are forwarded */
    uint32_t none_left;                /* in->left - `left` while no word is ready to be sent */
    uint32_t check;
    uint32_t stream;
    uint8_t *top, *base;
};
extern struct exchange_outbound exchange_outbound;
extern struct exchange_inbound exchange_idle; /* expects nothing */

/* Words received on trees; index 0: sums, 1: values. */
struct exchange_tree {
    uint32_t *array[2];
    uint8_t *arrived[2];           /* of each word: times received */
    volatile uint32_t received[2]; /* words */
    uint32_t words;                /* of the arrays; 0: there are no trees */
};
extern struct exchange_tree exchange_tree;

/* exchange_packets.S */
void exchange_slot(void); /* interrupt: a slot begins */
void exchange_fast_begin(struct exchange_inbound *inbound);

extern volatile uint32_t exchange_failed;

/* Called by exchange_packets.S for an unexpected packet, once. */
void exchange_out_of_order(const struct exchange_inbound *in, uint32_t key, uint32_t payload)
    __attribute__((noreturn));
#endif
