/* code_state.h - the layout of a code cache.  Private to code.c and code_*.c. */
#pragma once
#include "models/arm968/code.h"
#include "models/common/bits.h"

#include <pthread.h>

enum {
    PAGE_BYTES = 4096,
    PAGE_HALVES = PAGE_BYTES / 2,
    PAGE_WORDS = PAGE_BYTES / 4,
    WORD_BITS = 32,
    PENDING_CHAINS = 256
};

/* What is known of 4 KiB of the code memory. */
struct code_page {
    _Atomic(struct block *) head[PAGE_HALVES]; /* by address; variants are chained */
    uint32_t needed[PAGE_HALVES / WORD_BITS];  /* a bit for each half-word: a block depends on it */
    /* A bit for each word.  Of shared code: cores need not have the same there, and no block
     * depends on it.  Of code of one's own that is to be shared again: it has been stored to. */
    _Atomic(uint32_t) varies[PAGE_WORDS / WORD_BITS];
    uint32_t offset;        /* of its first byte in the code memory */
    struct code_page *next; /* of those that there are */
};

struct pending_node {
    struct timing_pending pending;
    struct pending_node *next;
};

struct code {
    struct arm968_code_library *library; /* NULL: of its own */
    struct code *next;                   /* in the library */
    unsigned users;
    uint8_t *content;  /* when in a library: what all users have in words that do not vary */
    bool notes_stores; /* code of one's own that is to be shared again */

    struct arm968_timing timing;
    struct arm968_memory memory;
    bool itcm;
    unsigned literal_wait;
    struct code_stop *stops;
    unsigned stop_count;

    pthread_mutex_t mutex; /* building and dropping */
    uint32_t page_count;
    _Atomic(struct code_page *) *pages;
    struct code_page *first_page;
    struct block *blocks, *dropped; /* lists by `next` */
    size_t block_count, dropped_count;
    size_t stale; /* how often control has come to dropped blocks since they were last freed */
    struct pending_node *pendings[PENDING_CHAINS];
    _Atomic(size_t) bytes; /* of the host's memory, for blocks, pages and pending results */
    uint32_t end;
    unsigned generation; /* changes when dropped blocks are freed */
    struct native *natives, *withdrawn;
    struct native_roots *roots; /* of the natives that are not withdrawn */
    _Atomic(uint32_t) samples, sample_round;
    _Atomic(bool) looked_at;
};

/* The page of an offset into the code memory, NULL when there is none; and that page in any case,
 * for which the caller holds the lock. */
static inline struct code_page *code_page_at(const struct code *code, uint32_t offset)
{
    return atomic_load_explicit(&code->pages[offset / PAGE_BYTES], memory_order_acquire);
}
struct code_page *code_page_of(struct code *code, uint32_t offset);

/* Which of the 32 words from an offset on vary. */
static inline uint32_t code_varying(const struct code *code, uint32_t offset)
{
    const struct code_page *page = code_page_at(code, offset);
    return page == NULL ? 0
                        : atomic_load_explicit(&page->varies[offset % PAGE_BYTES / 4 / WORD_BITS],
                                               memory_order_relaxed);
}

/* The same of the one word of an offset; and from now on it does, for which the caller holds the
 * lock. */
static inline bool code_word_varies(const struct code *code, uint32_t offset)
{
    return (code_varying(code, offset) >> (offset / 4 % WORD_BITS) & 1) != 0;
}
void code_let_vary(struct code *code, uint32_t offset);

/* Whether blocks depend on the word of an offset. */
bool code_needs_word(const struct code *code, uint32_t offset);

/* Notes that a block depends on bytes of the code memory; the caller holds the lock. */
void code_need(struct code *code, uint32_t offset, uint32_t bytes);

/* Frees all blocks, pages and sets of pending results: nothing is known of the code any more.  The
 * caller holds the lock. */
void code_forget(struct code *code);
