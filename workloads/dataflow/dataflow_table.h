/* dataflow_table.h - a core's part of a dataflow graph: what the host writes into SDRAM and the
 * program dataflow.c interprets.
 *
 * One block of little-endian words, the same on the host and on the ARM: a head, then arrays, each
 * at an offset in bytes from the head.  A word that arrives, or that a node of the core gives to
 * another, has a slot.  A list is the words that an input takes, in order, or the control words
 * that a node waits for; nodes with the same input share a list.  A node fires when all its lists
 * are complete. */
#pragma once
#include <stdint.h>

#define DATAFLOW_MAGIC 0x314c4644u /* "DFL1" */
#define DATAFLOW_NO    0xffffffffu

enum { DATAFLOW_TABLE_PORTS = 3 };

/* What an entry does beside its action. */
enum dataflow_entry_kind {
    DATAFLOW_ENTRY_SOURCE, /* its output is the input of the step */
    DATAFLOW_ENTRY_SINK,   /* its list is the answer; then the next step begins */
    DATAFLOW_ENTRY_READ,   /* its output is the state */
    DATAFLOW_ENTRY_ACTION
};

/* A node of the core. */
struct dataflow_entry {
    uint32_t kind, action;
    uint32_t list[DATAFLOW_TABLE_PORTS]; /* of its ports; DATAFLOW_NO: none */
    uint32_t waits;                      /* for so many lists */
    uint32_t out_words;
    uint32_t out_slot;     /* where its output has slots; DATAFLOW_NO: nowhere */
    uint32_t control_slot; /* the same of its control word */
    uint32_t send, sends;
    uint32_t parameter, parameters; /* words */
    uint32_t state, state_words;
};

/* `slots` different ones, in runs; the nodes that wait for them. */
struct dataflow_list {
    uint32_t run, runs, words, slots;
    uint32_t waiter, waiters;
};

struct dataflow_slots {
    uint32_t slot, count;
};

/* Packets with the keys key, key + 1, ... are words of an output; count 0: the control word. */
struct dataflow_send {
    uint32_t word, count, key;
};

/* Packets that arrive, sorted by key: for the slots slot, slot + 1, ... */
struct dataflow_arrival {
    uint32_t key, count, slot;
};

struct dataflow_head {
    uint32_t magic, bytes;
    uint32_t steps;
    uint32_t seed;  /* of the order in which nodes that are ready fire; 0: that of arrival */
    uint32_t first; /* entry that fires at the beginning, without waiting; DATAFLOW_NO: none */
    uint32_t
        ready_key; /* sent once the core receives; DATAFLOW_NO: by the core that collects them */
    uint32_t ready_delay_us; /* before that: they come one by one */
    uint32_t inbox;          /* places for packets, one more than can come in a step at least: a
                                power of two */
    uint32_t in_words, out_words; /* the most of an entry: room for a firing */
    uint32_t uses_exp;
    uint32_t input_words, answer_words; /* of a step */
    /* numbers of elements, and offsets */
    uint32_t entries, entry;
    uint32_t lists, list;
    uint32_t runs, run;                 /* struct dataflow_slots */
    uint32_t waiters, waiter;           /* numbers of entries */
    uint32_t slots, slot_list;          /* [slots + 1]: the first of a slot's lists in slot_lists */
    uint32_t slot_lists, lists_of_slot; /* numbers of lists */
    uint32_t sends, send;
    uint32_t arrivals, arrival;
    uint32_t parameters, parameter;
    uint32_t states, state;   /* the program brings them up to date at its end */
    uint32_t inputs, input;   /* [steps][input_words] */
    uint32_t answers, answer; /* [steps][answer_words]: written by the program */
};
