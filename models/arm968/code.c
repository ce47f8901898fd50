/* code.c - see code.h: looking blocks up, and building them. */
#include "models/arm968/code_state.h"

#include "models/arm968/interpreter.h"
#include "models/arm968/native.h"
#include "models/common/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

struct code_page *code_page_of(struct code *code, uint32_t offset)
{
    struct code_page *page = code_page_at(code, offset);
    if (page == NULL) {
        page = calloc(1, sizeof *page);
        memory_need(page);
        page->offset = offset / PAGE_BYTES * PAGE_BYTES;
        page->next = code->first_page;
        code->first_page = page;
        code->bytes += sizeof *page;
        atomic_store_explicit(&code->pages[offset / PAGE_BYTES], page, memory_order_release);
    }
    return page;
}

/* The list to which a set of pending results belongs: FNV-1a over its bytes. */
static unsigned chain_of(const struct timing_pending *pending)
{
    const uint8_t *bytes = (const uint8_t *)pending;
    uint32_t hash = 0x811c9dc5u;
    for (size_t i = 0; i < sizeof *pending; i++) {
        hash = (hash ^ bytes[i]) * 0x01000193u;
    }
    return hash % PENDING_CHAINS;
}

static const struct timing_pending *intern(void *context, const struct timing_pending *pending)
{
    struct code *code = context;
    struct pending_node **chain = &code->pendings[chain_of(pending)];
    for (struct pending_node *node = *chain; node != NULL; node = node->next) {
        if (memcmp(&node->pending, pending, sizeof *pending) == 0) {
            return &node->pending;
        }
    }
    struct pending_node *node = malloc(sizeof *node);
    memory_need(node);
    node->pending = *pending;
    node->next = *chain;
    *chain = node;
    code->bytes += sizeof *node;
    return &node->pending;
}

static unsigned stop_at(void *context, uint32_t address)
{
    const struct code *code = context;
    for (unsigned i = 0; i < code->stop_count; i++) {
        if (code->stops[i].address == address) {
            return code->stops[i].kind;
        }
    }
    return 0;
}

static bool varies(void *context, uint32_t address)
{
    const struct code *code = context;
    return code_word_varies(code, address - code->memory.base);
}

static void need(void *context, uint32_t address)
{
    struct code *code = context;
    code_need(code, address - code->memory.base, 4);
}

bool code_is_shared(const struct code *code)
{
    return code->library != NULL;
}

static struct block_source source_of(struct code *code, const uint8_t *memory)
{
    return (struct block_source){
        .timing = &code->timing,
        .labels = code->labels,
        .bytes = memory,
        .base = code->memory.base,
        .size = code->memory.size,
        .literals = true,
        .itcm_literals = code->itcm,
        .fixed = code_is_shared(code), /* a core that changes other words leaves the code */
        .literal_wait = code->literal_wait,
        .context = code,
        .intern = intern,
        .stop_at = stop_at,
        .varies = varies,
        .need = need};
}

void code_need(struct code *code, uint32_t offset, uint32_t bytes)
{
    for (uint32_t at = offset; at < offset + bytes; at += 2) {
        struct code_page *page = code_page_of(code, at);
        const uint32_t half = at % PAGE_BYTES / 2;
        page->needed[half / WORD_BITS] |= 1u << (half % WORD_BITS);
    }
    const uint32_t end = code->memory.base + offset + bytes;
    code->end = end > code->end ? end : code->end;
}

static struct block *find_variant(struct block *block, bool thumb,
                                  const struct timing_pending *pending)
{
    while (block != NULL && !block_is_for(block, thumb, pending)) {
        block = block->variant;
    }
    return block;
}

static void add_to_list(struct code *code, struct block *block)
{
    block->next = code->blocks;
    block->link = &code->blocks;
    if (block->next != NULL) {
        block->next->link = &block->next;
    }
    code->blocks = block;
    code->block_count++;
    code->bytes += block->bytes;
}

static struct block *build_locked(struct code *code, const uint8_t *memory, uint32_t pc, bool thumb,
                                  const struct timing_pending *pending)
{
    const uint32_t offset = pc - code->memory.base;
    struct code_page *page = code_page_of(code, offset);
    _Atomic(struct block *) *head = &page->head[offset % PAGE_BYTES / 2];
    struct block *first = atomic_load_explicit(head, memory_order_relaxed);
    struct block *block = find_variant(
        first, thumb,
        pending); /* another thread may have built it while this one waited for the lock */
    if (block != NULL) {
        return block;
    }
    if (code_is_shared(code) && (code_word_varies(code, offset) || code_is_full(code))) {
        return NULL;
    }
    const struct block_source source = source_of(code, memory);
    block = block_build(&source, pc, thumb, pending == NULL ? NULL : intern(code, pending));
    code_need(code, offset, block_bytes_read(block));
    add_to_list(code, block);
    block->variant = first;
    atomic_store_explicit(head, block, memory_order_release);
    return block;
}

void code_lock(struct code *code)
{
    (void)pthread_mutex_lock(&code->mutex);
}

void code_unlock(struct code *code)
{
    (void)pthread_mutex_unlock(&code->mutex);
}

static NOINLINE struct block *build(struct code *code, const uint8_t *memory, uint32_t pc,
                                    bool thumb, const struct timing_pending *pending)
{
    code_lock(code);
    struct block *block = build_locked(code, memory, pc, thumb, pending);
    code_unlock(code);
    return block;
}

struct block *code_single(struct code *code, uint32_t pc, bool thumb, uint32_t insn,
                          const struct timing_pending *pending)
{
    uint8_t bytes[4];
    memcpy(bytes, &insn, sizeof bytes);
    code_lock(code);
    struct block_source source = source_of(code, bytes);
    source.base = pc;
    source.size = thumb ? 2 : 4;
    source.literals = false;
    source.fixed = false;
    struct block *block =
        block_build(&source, pc, thumb, pending == NULL ? NULL : intern(code, pending));
    code_unlock(code);
    block->transient = true;
    return block;
}

/* ---- looking up ---- */

ALWAYS_INLINE struct block *find(struct code *code, uint32_t pc, bool thumb,
                                 const struct timing_pending *pending)
{
    const uint32_t offset = pc - code->memory.base;
    if (offset >= code->memory.size) {
        return NULL;
    }
    struct code_page *page = code_page_at(code, offset);
    if (page == NULL) {
        return NULL;
    }
    return find_variant(
        atomic_load_explicit(&page->head[offset % PAGE_BYTES / 2], memory_order_acquire), thumb,
        pending);
}

struct block *code_find(struct code *code, uint32_t pc, bool thumb,
                        const struct timing_pending *pending)
{
    return find(code, pc, thumb, pending);
}

struct block *code_block(struct code *code, const uint8_t *memory, uint32_t pc, bool thumb,
                         const struct timing_pending *pending)
{
    struct block *block = find(code, pc, thumb, pending);
    if (LIKELY(block != NULL)) {
        return block;
    }
    return pc - code->memory.base < code->memory.size ? build(code, memory, pc, thumb, pending)
                                                      : NULL;
}

struct block *code_first_block(struct code *code)
{
    return code->blocks;
}

struct arm968_memory code_memory(const struct code *code)
{
    return code->memory;
}

size_t code_bytes(const struct code *code)
{
    return atomic_load_explicit(&code->bytes, memory_order_relaxed);
}

bool code_is_full(const struct code *code)
{
    return code_bytes(code) >= CODE_BYTES;
}

uint32_t code_end(const struct code *code)
{
    return code->end;
}

/* ---- for the translator ---- */

unsigned code_generation(const struct code *code)
{
    return code->generation;
}

/* The function table for this memory: cores that share a code may have different memories. */
static struct native_roots *roots_for(struct code *code, const struct native *native)
{
    struct native_roots *roots = code->roots;
    while (roots != NULL &&
           !(roots->load_base == native->load_base && roots->load_size == native->load_size)) {
        roots = roots->next;
    }
    if (roots == NULL) {
        roots = native_roots_create(native->load_base, native->load_size);
        memory_need(roots);
        roots->next = code->roots;
        code->roots = roots;
    }
    return roots;
}

struct native_roots *code_add_native(struct code *code, struct native *native)
{
    native->next = code->natives;
    code->natives = native;
    for (int i = 0; i < native->block_count; i++) {
        if (native->blocks[i] != NULL) {
            native->blocks[i]->in_native = true;
        }
    }
    return roots_for(code, native);
}

uint32_t code_sampled(struct code *code)
{
    return atomic_fetch_add_explicit(&code->samples, 1, memory_order_relaxed) + 1;
}

uint32_t code_sample_round(const struct code *code)
{
    return atomic_load_explicit(&code->sample_round, memory_order_relaxed);
}

void code_sample_again(struct code *code)
{
    (void)atomic_fetch_add_explicit(&code->sample_round, 1, memory_order_relaxed);
    atomic_store_explicit(&code->samples, 0, memory_order_relaxed);
}
