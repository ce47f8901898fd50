/* exchange_parts.h - what exchange_tree.c uses of exchange.c, and what a program may define itself.
 */
#pragma once
#include "exchange.h"
#include "exchange_state.h"

/* Words `begin` to `end` - 1 of a phase's array. */
struct exchange_span {
    uint32_t begin, end;
};

/* The array of a phase: `words` words.  Bounds of its slices are multiples of `scale` words. */
struct exchange_phase {
    uint32_t *array;
    uint32_t words, scale;
    uint32_t own; /* slice that this core sends first */
    uint32_t key; /* set in its packets' keys */
};

/* The words of a slice.  Slice numbers wrap: number plan->chips is slice 0.  A program may define
 * slices of other lengths. */
struct exchange_span exchange_slice_of(const struct exchange_plan *plan,
                                       const struct exchange_phase *phase, uint32_t slice);

/* Masks IRQ (FIQ stays enabled) and sleeps until a slot begins and the transmitter is free; the
 * caller may then send one packet.  Returns the old CPSR for cpu_int_restore(). */
uint exchange_begin_slot(void);

/* Sleeps until is_so() returns nonzero.  Calls it after each interrupt, with interrupts masked. */
void exchange_sleep_until(uint32_t (*is_so)(void));

/* Set the wait note: number of words that are expected with these keys; number received so far. */
void exchange_note_await(uint32_t key, uint32_t mask, uint32_t words);
void exchange_note_arrived(uint32_t words);

/* What another exchange than rings defines, as exchange_tree.c does, whose names these are: both
 * phases of a core whose plan has a `tree`.  Weak: programs that are linked without it have rings
 * only.  Its words arrive in exchange_tree_word (exchange_packets.S). */
void exchange_tree_reduce(const struct exchange_plan *plan, const struct exchange_phase *reduce,
                          const struct exchange_phase *gather) __attribute__((weak));
void exchange_tree_gather(const struct exchange_plan *plan, const struct exchange_phase *gather)
    __attribute__((weak));
