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

/* Data about 4 KiB of the code memory. */
struct code_page {
    _Atomic(struct block *) head[PAGE_HALVES]; /* indexed by address; variants are chained */
    uint32_t needed[PAGE_HALVES / WORD_BITS]; /* a bit for each half-word that a block depends on */
    /* A bit for each word.  In shared code: the value may differ between cores, and no block
     * depends on it.  In private code that may be shared again: the word has been stored to. */
    _Atomic(uint32_t) varies[PAGE_WORDS / WORD_BITS];
    uint32_t offset;        /* offset of its first byte in the code memory */
    struct code_page *next; /* in the list of existing pages */
};

struct pending_node {
    struct timing_pending pending;
    struct pending_node *next;
};

struct code {
    struct arm968_code_library *library; /* NULL: not shared */
    struct code *next;                   /* in the library */
    unsigned users;
    uint8_t
        *content; /* in a library: the bytes that all users have in common outside varying words */
    bool notes_stores; /* private code that may be shared again */

    struct arm968_timing timing;
    const void *const *labels;
    struct arm968_memory memory;
    bool itcm;
    unsigned literal_wait;
    struct code_stop *stops;
    unsigned stop_count;

    pthread_mutex_t mutex; /* for building and dropping */
    uint32_t page_count;
    _Atomic(struct code_page *) *pages;
    struct code_page *first_page;
    struct block *blocks, *dropped; /* lists by `next` */
    size_t block_count, dropped_count;
    size_t stale; /* entries of dropped blocks since dropped blocks were last freed */
    struct pending_node *pendings[PENDING_CHAINS];
    _Atomic(size_t) bytes; /* host memory used by blocks, pages and pending results */
    uint32_t end;
    unsigned generation; /* incremented when dropped blocks are freed */
    struct native *natives, *withdrawn;
    struct native_roots *roots; /* of the translations still in use */
    _Atomic(uint32_t) samples, sample_round;
    _Atomic(bool) looked_at;
};

/* The page of an offset into the code memory; NULL if it does not exist. code_page_of() creates it
 * if necessary; the caller holds the lock. */
static inline struct code_page *code_page_at(const struct code *code, uint32_t offset)
{
    return atomic_load_explicit(&code->pages[offset / PAGE_BYTES], memory_order_acquire);
}
struct code_page *code_page_of(struct code *code, uint32_t offset);

/* Which of the 32 words from an offset on vary, as bits. */
static inline uint32_t code_varying(const struct code *code, uint32_t offset)
{
    const struct code_page *page = code_page_at(code, offset);
    return page == NULL ? 0
                        : atomic_load_explicit(&page->varies[offset % PAGE_BYTES / 4 / WORD_BITS],
                                               memory_order_relaxed);
}

/* Whether the word at an offset varies. code_let_vary() makes it vary; the caller holds the
 * lock. */
static inline bool code_word_varies(const struct code *code, uint32_t offset)
{
    return (code_varying(code, offset) >> (offset / 4 % WORD_BITS) & 1) != 0;
}
void code_let_vary(struct code *code, uint32_t offset);

/* Whether blocks depend on the word at an offset. */
bool code_needs_word(const struct code *code, uint32_t offset);

/* Records that a block depends on bytes of the code memory; the caller holds the lock. */
void code_need(struct code *code, uint32_t offset, uint32_t bytes);

/* Frees all blocks, pages and sets of pending results.  The caller holds the lock. */
void code_forget(struct code *code);
