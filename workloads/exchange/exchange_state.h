/* exchange_state.h - data that exchange.c and exchange_packets.S share; not for programs. */
#pragma once

/* Offsets in struct exchange_inbound and struct exchange_outbound. */
#define INBOUND_LAST       0
#define INBOUND_TOP        4
#define INBOUND_BASE       8
#define INBOUND_FIRST      12
#define INBOUND_END        16
#define INBOUND_HEADER_KEY 20
#define INBOUND_HEADER     24
#define INBOUND_CAME       28
#define INBOUND_NEXT       32
#define OUTBOUND_TOP       20
#define OUTBOUND_BASE      24
#define TREE_ARRAY         0  /* two words: sums, values */
#define TREE_ARRIVED       8  /* the same */
#define TREE_RECEIVED      16 /* the same */
#define TREE_WORDS         24

/* Bits of keys as in exchange_plan.h, for the assembler. */
#define KEY_DATA      0x80000000
#define KEY_GATHER    0x00008000
#define COUNTERS_MASK 63

#ifndef __ASSEMBLER__
#include <stdint.h>

/* Both interrupts walk an array downwards, word by word, and continue at its end. */

/* A stream that is received. */
struct exchange_inbound {
    volatile uint32_t last; /* key of the last word received; the header's before it */
    uint32_t *top, *base;   /* the array's last word and its first */
    uint32_t *first;        /* where the first word goes */
    uint32_t end;           /* `last` after the final word */
    uint32_t header_key, header;
    volatile uint32_t came;        /* nonzero: header received */
    struct exchange_inbound *next; /* the stream that follows */
};

/* A stream that is sent. */
struct exchange_outbound {
    uint32_t *next;                    /* word to send */
    volatile uint32_t key;             /* its key */
    const struct exchange_inbound *in; /* its words are forwarded */
    uint32_t none_left;                /* `key` - in->last while no word is ready to be sent */
    uint32_t end;                      /* `key` when all is sent */
    uint32_t *top, *base;
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
void exchange_fast_begin(uint32_t last, struct exchange_inbound *inbound);

extern volatile uint32_t exchange_failed;

/* Called by exchange_packets.S for an unexpected packet, once. */
void exchange_out_of_order(uint32_t last, uint32_t key, uint32_t payload) __attribute__((noreturn));
#endif
