/* value_stream.c - see value_stream.h. */
#include "value_stream.h"

enum { SEND_SLOT = 6, SLOT_ENABLE = 0x20, PLACE_SHIFT = 16 };
#define PLACE_MASK 0x7fff0000u

/* value_packets.S */
void value_leaves(void);
void value_fast_send(const short *next, uint key, uint place, uint left);
void value_fast_begin(short *input, uint counts, uint shift);

/* The array that is being sent.  value_packets.S depends on the order of the members. */
struct value_outbox {
    const short *next;
    uint key;
    uint place; /* in bits 30:16 */
    uint left;
};
extern struct value_outbox value_outbox;
struct value_outbox value_outbox;

/* Number of key ranges whose array of this round is complete. */
extern volatile uint value_ranges_complete;
volatile uint value_ranges_complete;

static struct nn_wait_note *awaited;

void value_send(const short *values, uint count, uint key, int place)
{
    value_outbox = (struct value_outbox){
        .next = values,
        .key = key,
        .place = (uint)place << PLACE_SHIFT & PLACE_MASK,
        .left = count,
    };
    if (awaited == NULL) { /* the fast interrupt is free */
        value_fast_send(values, key, value_outbox.place, count);
        vic[VIC_SELECT] = 1u << CC_TNF_INT;
    } else {
        vic[VIC_ADDR0 + SEND_SLOT] = (uint)value_leaves;
        vic[VIC_CNTL0 + SEND_SLOT] = SLOT_ENABLE | CC_TNF_INT;
    }
    __asm__ volatile("" ::: "memory"); /* fill the outbox before the interrupt is enabled */
    if (count > 0) {
        vic[VIC_ENABLE] = 1u << CC_TNF_INT;
    }
}

uint value_send_idle(void)
{
    return *(volatile uint *)&value_outbox.left == 0;
}

void value_receive_begin(short *input, struct nn_wait_note *note, uint shift)
{
    const uint first = (note->wait[0].key >> shift) * sizeof note->wait[0];
    awaited = note;
    value_fast_begin(input, (uint)&note->wait[0].arrived - first, shift);
    vic[VIC_SELECT] = 1u << CC_MC_INT;
    vic[VIC_ENABLE] = 1u << CC_MC_INT;
}

uint value_receive_complete(void)
{
    return value_ranges_complete == awaited->count;
}

void value_receive_next(void)
{
    const uint cpsr = cpu_fiq_disable();
    uint complete = 0;
    for (uint i = 0; i < awaited->count; i++) {
        struct nn_wait *wait = &awaited->wait[i];
        wait->arrived -= wait->expected;
        complete += wait->arrived >= wait->expected;
    }
    value_ranges_complete = complete;
    awaited->round++;
    cpu_int_restore(cpsr);
}
