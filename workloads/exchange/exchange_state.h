/* exchange_state.h - what exchange.c and exchange_packets.S know of each other; not for programs.
 */
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

/* exchange_plan.h's bits of keys, as the assembler takes them. */
#define KEY_DATA      0x80000000
#define KEY_GATHER    0x00008000
#define COUNTERS_MASK 63

#ifndef __ASSEMBLER__
#include <stdint.h>

/* Both interrupts go down an array, word by word, and on from its end. */

/* A stream that comes. */
struct exchange_inbound {
    volatile uint32_t last; /* key of the last word that has come, before it of the header */
    uint32_t *top, *base;   /* the array's last word and its first */
    uint32_t *first;        /* place of the first word that comes */
    uint32_t end;           /* `last` when all have come */
    uint32_t header_key, header;
    volatile uint32_t came;        /* the header has */
    struct exchange_inbound *next; /* the stream behind it */
};

/* A stream that leaves. */
struct exchange_outbound {
    uint32_t *next;                    /* word to send */
    volatile uint32_t key;             /* of it */
    const struct exchange_inbound *in; /* what is passed on */
    uint32_t none_left;                /* `key` less in->last, when all that may be sent has been */
    uint32_t end;                      /* `key` when all is sent */
    uint32_t *top, *base;
};
extern struct exchange_outbound exchange_outbound;
extern struct exchange_inbound exchange_idle; /* while nothing is expected */

/* Words that come on trees: of sums, and of values. */
struct exchange_tree {
    uint32_t *array[2];
    uint8_t *arrived[2];           /* of each word: how often it has come */
    volatile uint32_t received[2]; /* words */
    uint32_t words;                /* of the arrays; 0: there are no trees */
};
extern struct exchange_tree exchange_tree;

/* exchange_packets.S */
void exchange_slot(void); /* interrupt: a slot begins */
void exchange_fast_begin(uint32_t last, struct exchange_inbound *inbound);

extern volatile uint32_t exchange_failed;

/* Called by it: a packet that should not be here, once. */
void exchange_out_of_order(uint32_t last, uint32_t key, uint32_t payload) __attribute__((noreturn));
#endif
