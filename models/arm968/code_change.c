/* code_change.c - see code.h: changes of bytes of the code memory.
 * Shared code is never changed: its words vary, or the core that changes them leaves the code.  In
 * private code a block is dropped when a byte that it depends on changes: lookups no longer find
 * it, and an edge that still leads to it looks the address up again (interpreter.c).  So nothing
 * has to be updated at once.  Dropped blocks are freed when there are as many as others.  Until
 * then each costs its memory; then one pass over all edges serves many drops. */
#include "models/arm968/code_state.h"

#include "models/arm968/native.h"

#include <stdlib.h>
#include <string.h>

enum {
    READ_BEHIND = BLOCK_BYTES_READ - 2, /* from a block's first half-word to the last it may read */
    FEW = 64                            /* so few dropped blocks are not worth a pass */
};

/* Offsets into the code memory from `first` up to, but not including, `end`. */
struct span {
    uint32_t first, end;
};

/* ---- what depends on what ---- */

/* The next offset at or after `offset` in a page that has data. */
static uint32_t known_from(const struct code *code, uint32_t offset, uint32_t end)
{
    while (offset < end && code_page_at(code, offset) == NULL) {
        offset = (offset | (PAGE_BYTES - 1)) + 1;
    }
    return offset < end ? offset : end;
}

static bool is_needed(const struct code *code, struct span written)
{
    uint32_t offset = known_from(code, written.first & ~1u, written.end);
    while (offset < written.end) {
        const uint32_t half = offset % PAGE_BYTES / 2;
        const struct code_page *page = code_page_at(code, offset);
        if ((page->needed[half / WORD_BITS] >> (half % WORD_BITS) & 1) != 0) {
            return true;
        }
        offset = known_from(code, offset + 2, written.end);
    }
    return false;
}

/* The range of starts of blocks that may read any of these bytes. */
static struct span readers_of(struct span bytes)
{
    const uint32_t first = bytes.first & ~1u;
    return (struct span){first < READ_BEHIND ? 0 : first - READ_BEHIND, bytes.end};
}

static _Atomic(struct block *) *head_at(const struct code *code, uint32_t offset)
{
    return &code_page_at(code, offset)->head[offset % PAGE_BYTES / 2];
}

static uint32_t end_of(const struct code *code, const struct block *block)
{
    return block->pc - code->memory.base + block_bytes_read(block);
}

static void forget_needs(const struct code *code, struct span bytes)
{
    for (uint32_t at = bytes.first; at < bytes.end; at += 2) {
        const uint32_t half = at % PAGE_BYTES / 2;
        code_page_at(code, at)->needed[half / WORD_BITS] &= ~(1u << (half % WORD_BITS));
    }
}

/* Marks again what the remaining blocks need. */
static void need_again(struct code *code, struct span bytes)
{
    const struct span at = readers_of(bytes);
    for (uint32_t offset = known_from(code, at.first, at.end); offset < at.end;
         offset = known_from(code, offset + 2, at.end)) {
        const struct block *block =
            atomic_load_explicit(head_at(code, offset), memory_order_relaxed);
        for (; block != NULL; block = block->variant) {
            code_need(code, offset, block_bytes_read(block));
        }
    }
}

/* Recomputes the end of all bytes that blocks depend on. */
static void find_end(struct code *code)
{
    code->end = 0;
    for (const struct code_page *page = code->first_page; page != NULL; page = page->next) {
        unsigned word = PAGE_HALVES / WORD_BITS;
        while (word > 0 && page->needed[word - 1] == 0) {
            word--;
        }
        if (word > 0) {
            const unsigned half = word * WORD_BITS - bits_leading_zeros(page->needed[word - 1]);
            const uint32_t end = code->memory.base + page->offset + 2 * half;
            code->end = end > code->end ? end : code->end;
        }
    }
}

/* ---- dropping ---- */

static void drop(struct code *code, struct block *block)
{
    *block->link = block->next;
    if (block->next != NULL) {
        block->next->link = block->link;
    }
    block->next = code->dropped;
    code->dropped = block;
    code->block_count--;
    code->dropped_count++;
    block->dropped = true;
    block->last_start = INT64_MAX; /* cannot be entered in full again */
}

/* Drops the blocks at an offset that read beyond `first`.  Extends the span needed by all dropped
 * blocks; true if a translation contains one of them. */
static bool drop_at(struct code *code, uint32_t offset, uint32_t first, struct span *needed)
{
    _Atomic(struct block *) *head = head_at(code, offset);
    struct block *left = NULL;
    bool in_native = false;
    struct block *block = atomic_load_explicit(head, memory_order_relaxed);
    while (block != NULL) {
        struct block *variant = block->variant;
        if (end_of(code, block) > first) {
            const uint32_t end = end_of(code, block);
            needed->first = offset < needed->first ? offset : needed->first;
            needed->end = end > needed->end ? end : needed->end;
            in_native = in_native || block->in_native;
            drop(code, block);
        } else {
            block->variant = left;
            left = block;
        }
        block = variant;
    }
    atomic_store_explicit(head, left, memory_order_release);
    return in_native;
}

/* ---- native code of dropped blocks ---- */

static bool has_dropped(const struct native *native)
{
    for (int i = 0; i < native->block_count; i++) {
        if (native->blocks[i] != NULL && native->blocks[i]->dropped) {
            return true;
        }
    }
    return false;
}

static void withdraw(const struct native *native)
{
    for (int i = 0; i < native->block_count; i++) {
        struct block *block = native->blocks[i];
        if (block == NULL) {
            continue;
        }
        if (atomic_load_explicit(&block->entry, memory_order_relaxed) == &native->entries[i].op) {
            atomic_store_explicit(&block->entry, block->ops, memory_order_release);
        }
        atomic_store_explicit(&block->translated, false, memory_order_relaxed);
    }
}

/* A translation goes from block to block by itself, so it is withdrawn as a whole. */
static void withdraw_natives(struct code *code)
{
    struct native **link = &code->natives;
    while (*link != NULL) {
        struct native *native = *link;
        if (!has_dropped(native)) {
            link = &native->next;
            continue;
        }
        withdraw(native);
        native_roots_remove(code->roots, native);
        *link = native->next;
        native->next = code->withdrawn;
        code->withdrawn = native;
    }
}

static void drop_readers(struct code *code, struct span written)
{
    const struct span at = readers_of(written);
    struct span needed = {UINT32_MAX, 0};
    bool in_native = false;
    for (uint32_t offset = known_from(code, at.first, at.end); offset < at.end;
         offset = known_from(code, offset + 2, at.end)) {
        in_native = drop_at(code, offset, written.first, &needed) || in_native;
    }
    if (in_native) {
        withdraw_natives(code);
    }
    if (needed.end != 0) {
        forget_needs(code, needed);
        need_again(code, needed);
        find_end(code);
    }
}

/* ---- words that vary ---- */

bool code_needs_word(const struct code *code, uint32_t offset)
{
    const struct code_page *page = code_page_at(code, offset);
    const uint32_t half = offset % PAGE_BYTES / 4 * 2;
    return page != NULL && (page->needed[half / WORD_BITS] >> (half % WORD_BITS) & 3) != 0;
}

void code_let_vary(struct code *code, uint32_t offset)
{
    struct code_page *page = code_page_of(code, offset);
    (void)atomic_fetch_or_explicit(&page->varies[offset % PAGE_BYTES / 4 / WORD_BITS],
                                   1u << (offset / 4 % WORD_BITS), memory_order_relaxed);
}

static bool all_vary(const struct code *code, struct span written)
{
    for (uint32_t at = written.first & ~3u; at < written.end; at += 4) {
        if (!code_word_varies(code, at)) {
            return false;
        }
    }
    return true;
}

/* Makes the words vary in which a core now differs; false: a block depends on one of them. */
static bool let_vary(struct code *code, const uint8_t *memory, struct span written)
{
    for (uint32_t at = written.first & ~3u; at < written.end; at += 4) {
        if (memcmp(memory + at, code->content + at, 4) == 0 || code_word_varies(code, at)) {
            continue;
        }
        if (code_needs_word(code, at)) {
            return false;
        }
        code_let_vary(code, at);
    }
    return true;
}

static enum code_change shared_code_written(struct code *code, const uint8_t *memory,
                                            struct span written)
{
    if (all_vary(code, written)) { /* they already vary: no lock is needed */
        return CODE_KEPT;
    }
    code_lock(code);
    const bool stays = let_vary(code, memory, written);
    code_unlock(code);
    return stays ? CODE_KEPT : CODE_LEFT;
}

/* ---- all ---- */

enum code_change code_written(struct code *code, const uint8_t *memory, uint32_t address,
                              uint32_t bytes)
{
    const uint32_t first = address - code->memory.base;
    const uint32_t size = code->memory.size;
    if (first >= size) {
        return CODE_KEPT;
    }
    const struct span written = {first, size - first < bytes ? size : first + bytes};
    if (code_is_shared(code)) {
        return shared_code_written(code, memory, written);
    }
    for (uint32_t at = first & ~3u; code->notes_stores && at < written.end; at += 4) {
        code_let_vary(code, at);
    }
    if (!is_needed(code, written)) {
        return CODE_KEPT;
    }
    code_lock(code);
    drop_readers(code, written);
    code_unlock(code);
    return CODE_CHANGED;
}

/* ---- freeing ---- */

static void free_blocks(struct code *code, struct block **list)
{
    while (*list != NULL) {
        struct block *next = (*list)->next;
        code->bytes -= (*list)->bytes;
        free(*list);
        *list = next;
    }
}

static void free_natives(struct native **list)
{
    while (*list != NULL) {
        struct native *next = (*list)->next;
        native_destroy(*list);
        *list = next;
    }
}

static void free_pendings(struct code *code)
{
    for (unsigned i = 0; i < PENDING_CHAINS; i++) {
        while (code->pendings[i] != NULL) {
            struct pending_node *next = code->pendings[i]->next;
            code->bytes -= sizeof *next;
            free(code->pendings[i]);
            code->pendings[i] = next;
        }
    }
}

void code_forget(struct code *code)
{
    while (code->first_page != NULL) {
        struct code_page *next = code->first_page->next;
        atomic_store_explicit(&code->pages[code->first_page->offset / PAGE_BYTES], NULL,
                              memory_order_relaxed);
        code->bytes -= sizeof *next;
        free(code->first_page);
        code->first_page = next;
    }
    free_natives(&code->natives);
    free_natives(&code->withdrawn);
    while (code->roots != NULL) {
        struct native_roots *next = code->roots->next;
        free(code->roots);
        code->roots = next;
    }
    free_blocks(code, &code->blocks);
    free_blocks(code, &code->dropped);
    free_pendings(code);
    code->block_count = code->dropped_count = code->stale = 0;
    code->end = 0;
    code->generation++;
}

/* Frees dropped blocks, after all edges to them have been removed. */
static void free_dropped(struct code *code)
{
    for (struct block *block = code->blocks; block != NULL; block = block->next) {
        for (unsigned which = 0; which < 2; which++) {
            const struct block *to =
                atomic_load_explicit(&block->edge[which].to, memory_order_relaxed);
            if (to != NULL && to->dropped) {
                atomic_store_explicit(&block->edge[which].to, NULL, memory_order_relaxed);
            }
        }
    }
    free_natives(&code->withdrawn);
    free_blocks(code, &code->dropped);
    code->dropped_count = code->stale = 0;
    code->generation++;
}

bool code_is_due(const struct code *code)
{
    const size_t many = code->block_count + FEW;
    return code->dropped_count > many || code->stale > many || code_is_full(code);
}

void code_collect(struct code *code)
{
    code_lock(code);
    if (code_is_full(code)) {
        code_forget(code);
    } else if (code_is_due(code)) {
        free_dropped(code);
    }
    code_unlock(code);
}

void code_note_stale(struct code *code)
{
    code->stale++;
}
