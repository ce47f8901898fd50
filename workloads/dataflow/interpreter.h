/* interpreter.h - executes a core's part of a dataflow graph (dataflow_table.h).  The same code
 * runs on the ARM, and in tests on the host, where packets may come in any order.
 *
 * A packet is a word of an output, or, without payload, a control word.  A node fires when all its
 * lists are complete; it runs whole, and then its words go out.  A list that is complete waits for
 * the next step at once: its next word comes after the sink has fired, and the sink fires last. */
#pragma once
#include "actions.h"
#include "dataflow_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sends a packet, with or without payload. */
typedef void dataflow_sender(void *context, uint32_t key, int32_t word, bool payload);

struct dataflow_core {
    const struct dataflow_head *head;
    /* the table's arrays, or copies of them */
    const struct dataflow_entry *entry;
    const struct dataflow_list *list;
    const struct dataflow_slots *run;
    const uint32_t *waiter, *slot_list, *list_of_slot;
    const struct dataflow_send *send;
    const struct dataflow_arrival *arrival;
    const int32_t *parameter;
    int32_t *state;
    const int32_t *input;
    int32_t *answer;
    /* what changes; dataflow_core_bytes() says how large */
    int32_t *value;    /* [slots] */
    uint32_t *missing; /* [lists]: words */
    uint32_t *waits;   /* [entries]: for lists */
    uint32_t *ready;   /* [entries], a ring */
    int32_t *in, *out; /* [in_words], [out_words] of the head */
    uint32_t *exp_table;
    uint32_t first_ready, ready_count;
    uint32_t step, answered, fired; /* steps that the source, the sink has fired in; firings */
    uint32_t random;
    uint32_t strange; /* packets that nobody waits for */
    dataflow_sender *sender;
    void *context;
};

/* Memory that a part needs. */
enum dataflow_part {
    DATAFLOW_PART_VALUE,
    DATAFLOW_PART_MISSING,
    DATAFLOW_PART_WAITS,
    DATAFLOW_PART_READY,
    DATAFLOW_PART_IN,
    DATAFLOW_PART_OUT,
    DATAFLOW_PART_EXP,
    DATAFLOW_PARTS
};
uint32_t dataflow_part_bytes(const struct dataflow_head *head, enum dataflow_part part);

/* Gives the core a table, whose arrays are used in place, and memory for each part that has bytes.
 */
void dataflow_core_init(struct dataflow_core *core, const struct dataflow_head *head,
                        void *const part[DATAFLOW_PARTS], dataflow_sender *sender, void *context);

/* The core receives from now on: says so to the one that collects this, and lets the first node be
 * ready. */
void dataflow_core_begin(struct dataflow_core *core);

/* A packet has come. */
void dataflow_core_take(struct dataflow_core *core, uint32_t key, int32_t word);

/* Fires one node; false: none is ready. */
bool dataflow_core_fire(struct dataflow_core *core);

/* Whether all nodes have fired in all steps. */
static inline bool dataflow_core_ended(const struct dataflow_core *core)
{
    return core->fired == core->head->entries * core->head->steps;
}

#ifdef __cplusplus
}
#endif
