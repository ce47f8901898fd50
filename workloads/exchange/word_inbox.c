/* word_inbox.c - see word_inbox.h. */
#include "word_inbox.h"

#include <spin1_api.h>
#include <stddef.h>
#include <wait_note.h>

enum { TCR_NOT_FULL = 1 << 28, COUNTER_SHIFT = 24, TIMER_ONCE = 0xa3 };
#define COUNTER_KEY  0x80000000u
#define COUNTER_MASK 0x8f000000u

/* word_packets.S counts received words in `arrived`. */
struct word_inbox_note {
    struct nn_wait_note head;
    struct nn_wait wait[WORD_INBOX_COUNTERS];
};
extern struct word_inbox_note word_inbox_note;
struct word_inbox_note word_inbox_note;

enum { WORD = 4 };
_Static_assert(offsetof(struct word_inbox_note, wait[0].arrived) == WORD_INBOX_ARRIVED &&
                   sizeof(struct nn_wait) == WORD_INBOX_STRIDE * WORD,
               "the interrupt knows where it counts");

/* word_packets.S */
void word_fast_begin(uint32_t *buffer, uint32_t receiver);

const volatile uint32_t *word_inbox_arrived(void)
{
    return &word_inbox_note.wait[0].arrived;
}

void word_inbox_begin(uint32_t *buffer, uint32_t receiver)
{
    word_inbox_note.head =
        (struct nn_wait_note){.magic = NN_WAIT_MAGIC, .count = WORD_INBOX_COUNTERS};
    for (uint32_t i = 0; i < WORD_INBOX_COUNTERS; i++) {
        word_inbox_note.wait[i] =
            (struct nn_wait){COUNTER_KEY | i << COUNTER_SHIFT, COUNTER_MASK, 0, 0};
    }
    sark.vcpu->user1 = (uint)&word_inbox_note;
    word_fast_begin(buffer, receiver);
    vic[VIC_SELECT] = 1u << CC_MC_INT;
    vic[VIC_ENABLE] = 1u << CC_MC_INT;
}

void word_inbox_expect(uint32_t counter, uint32_t count)
{
    word_inbox_note.wait[counter].expected = count;
}

/* IRQ is masked meanwhile, FIQ is not. */
void word_send(uint32_t key, uint32_t word)
{
    const uint cpsr = cpu_irq_disable();
    while ((cc[CC_TCR] & TCR_NOT_FULL) == 0) {
        vic[VIC_ENABLE] = 1u << CC_TNF_INT;
        cpu_wfi();
        vic[VIC_DISABLE] = 1u << CC_TNF_INT;
    }
    cc[CC_TXDATA] = word;
    cc[CC_TXKEY] = key;
    cpu_int_restore(cpsr);
}

void word_pause(uint32_t cycles)
{
    if (cycles == 0) {
        return;
    }
    const uint cpsr = cpu_irq_disable();
    tc[T2_CONTROL] = 0;
    tc[T2_LOAD] = cycles;
    tc[T2_CONTROL] = TIMER_ONCE;
    vic[VIC_ENABLE] = 1u << TIMER2_INT;
    while (tc[T2_RAW_INT] == 0) {
        cpu_wfi();
    }
    vic[VIC_DISABLE] = 1u << TIMER2_INT;
    tc[T2_INT_CLR] = 1;
    cpu_int_restore(cpsr);
}
