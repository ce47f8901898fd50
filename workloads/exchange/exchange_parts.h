/* exchange_parts.h - what exchange.c has for exchange_tree.c; not for programs. */
#pragma once
#include "exchange.h"
#include "exchange_state.h"

/* Part of a phase's array: from word begin to before word end. */
struct exchange_span {
    uint32_t begin, end;
};

/* The array of a phase: so many words; a slice's bounds are multiples of `scale`. */
struct exchange_phase {
    uint32_t *array;
    uint32_t words, scale;
    uint32_t own; /* the slice that this core begins with */
    uint32_t key; /* bit of its packets' keys */
};

/* Slices behind the last come round again. */
struct exchange_span exchange_slice_of(const struct exchange_plan *plan,
                                       const struct exchange_phase *phase, uint32_t slice);

/* Masks interrupts, the fast one excepted, and sleeps until a slot begins; the packet that is to be
 * sent in it may be written.  Returns what cpu_int_restore() is to be given. */
uint exchange_begin_slot(void);

/* Asks after each interrupt, with interrupts masked. */
void exchange_sleep_until(uint32_t (*is_so)(void));

/* What the wait note says: words of these keys. */
void exchange_note_await(uint32_t key, uint32_t mask, uint32_t words);
void exchange_note_arrived(uint32_t words);

/* exchange_tree.c; programs without it have rings only. */
void exchange_tree_reduce(const struct exchange_plan *plan, const struct exchange_phase *reduce,
                          const struct exchange_phase *gather) __attribute__((weak));
void exchange_tree_gather(const struct exchange_plan *plan, const struct exchange_phase *gather)
    __attribute__((weak));
