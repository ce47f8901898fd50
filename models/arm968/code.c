/* code.c - see code.h. */
#include "models/arm968/code.h"

#include "models/arm968/interpreter.h"
#include "models/arm968/translate/native.h"
#include "models/arm968/translate/object_cache.h"
#include "models/common/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, PAGE_HALVES = PAGE_BYTES / 2, WORD_BITS = 32 };

struct code_page {
    _Atomic(struct block *) head[PAGE_HALVES]; /* by address; variants are chained */
    uint32_t decoded[PAGE_HALVES / WORD_BITS]; /* a bit for each half-word */
};

struct pending_node {
    struct timing_pending pending;
    struct pending_node *next;
};

struct code {
    struct arm968_code_library *library; /* NULL: of its own */
    struct code *next;                   /* in the library */
    unsigned users;
    uint64_t hash;
    uint8_t *content; /* the bytes it was acquired for, when in a library */

    struct arm968_timing timing;
    struct arm968_memory memory;
    bool itcm;
    unsigned literal_wait;
    struct code_stop *stops;
    unsigned stop_count;

    pthread_mutex_t mutex; /* building */
    uint32_t page_count;
    _Atomic(struct code_page *) *pages;
    struct block *blocks, *retired;
    struct pending_node *pendings;
    uint32_t end;
    unsigned generation; /* of the blocks: changes when they are dropped */
    struct native *natives;
    struct native_roots *roots;
    _Atomic(uint32_t) samples;
    _Atomic(bool) has_native, looked_at;
};

struct arm968_code_library {
    pthread_mutex_t mutex;
    struct code *first;
};

struct arm968_code_library *arm968_code_library_create(void)
{
    struct arm968_code_library *library = calloc(1, sizeof *library);
    if (library != NULL && pthread_mutex_init(&library->mutex, NULL) != 0) {
        free(library);
        return NULL;
    }
    return library;
}

void arm968_code_library_destroy(struct arm968_code_library *library)
{
    if (library != NULL) {
        (void)pthread_mutex_destroy(&library->mutex);
        free(library);
    }
}

static void free_blocks(struct block *block)
{
    while (block != NULL) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
}

static void code_destroy(struct code *code)
{
    if (code == NULL) {
        return;
    }
    while (code->natives != NULL) {
        struct native *next = code->natives->next;
        native_destroy(code->natives);
        code->natives = next;
    }
    while (code->roots != NULL) {
        struct native_roots *next = code->roots->next;
        free(code->roots);
        code->roots = next;
    }
    free_blocks(code->blocks);
    free_blocks(code->retired);
    for (uint32_t i = 0; code->pages != NULL && i < code->page_count; i++) {
        free(atomic_load_explicit(&code->pages[i], memory_order_relaxed));
    }
    while (code->pendings != NULL) {
        struct pending_node *next = code->pendings->next;
        free(code->pendings);
        code->pendings = next;
    }
    free((void *)code->pages);
    free(code->stops);
    free(code->content);
    (void)pthread_mutex_destroy(&code->mutex);
    free(code);
}

static struct code *code_create(const struct code_config *config)
{
    struct code *code = calloc(1, sizeof *code);
    if (code == NULL) {
        return NULL;
    }
    if (pthread_mutex_init(&code->mutex, NULL) != 0) {
        free(code);
        return NULL;
    }
    code->users = 1;
    code->timing = *config->timing;
    code->memory = config->memory;
    code->memory.bytes = NULL; /* each user brings its own copy */
    code->itcm = config->itcm;
    code->literal_wait = config->literal_wait;
    code->page_count = config->memory.size / PAGE_BYTES;
    code->pages = calloc(code->page_count == 0 ? 1 : code->page_count, sizeof *code->pages);
    code->stops = calloc(config->stop_count + 1, sizeof *code->stops);
    if (code->pages == NULL || code->stops == NULL) {
        code_destroy(code);
        return NULL;
    }
    code->stop_count = config->stop_count;
    if (config->stop_count != 0) {
        memcpy(code->stops, config->stops, config->stop_count * sizeof *code->stops);
    }
    return code;
}

/* FNV-1a over 64-bit words; only a filter, equality is checked byte by byte. */
static uint64_t content_hash(const uint8_t *bytes, uint32_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i + sizeof hash <= size; i += sizeof hash) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static bool same_content(const struct code *code, const struct code_config *config, uint64_t hash)
{
    return code->hash == hash && code->memory.base == config->memory.base &&
           code->memory.size == config->memory.size && code->itcm == config->itcm &&
           code->literal_wait == config->literal_wait && code->stop_count == config->stop_count &&
           memcmp(&code->timing, config->timing, sizeof code->timing) == 0 &&
           (code->stop_count == 0 ||
            memcmp(code->stops, config->stops, code->stop_count * sizeof *code->stops) == 0) &&
           memcmp(code->content, config->memory.bytes, config->memory.size) == 0;
}

static struct code *add_to_library(struct arm968_code_library *library,
                                   const struct code_config *config, uint64_t hash)
{
    struct code *code = code_create(config);
    if (code == NULL) {
        return NULL;
    }
    code->content = malloc(config->memory.size);
    if (code->content == NULL) {
        code_destroy(code);
        return NULL;
    }
    memcpy(code->content, config->memory.bytes, config->memory.size);
    code->hash = hash;
    code->library = library;
    code->next = library->first;
    library->first = code;
    return code;
}

struct code *code_acquire(struct arm968_code_library *library, const struct code_config *config)
{
    if (library == NULL) {
        return code_create(config);
    }
    const uint64_t hash = content_hash(config->memory.bytes, config->memory.size);
    (void)pthread_mutex_lock(&library->mutex);
    struct code *code = library->first;
    while (code != NULL && !same_content(code, config, hash)) {
        code = code->next;
    }
    if (code != NULL) {
        code->users++;
    } else {
        code = add_to_library(library, config, hash);
    }
    (void)pthread_mutex_unlock(&library->mutex);
    return code;
}

static pthread_mutex_t *users_mutex(struct code *code)
{
    return code->library != NULL ? &code->library->mutex : &code->mutex;
}

void code_retain(struct code *code)
{
    (void)pthread_mutex_lock(users_mutex(code));
    code->users++;
    (void)pthread_mutex_unlock(users_mutex(code));
}

void code_release(struct code *code)
{
    if (code == NULL) {
        return;
    }
    struct arm968_code_library *library = code->library;
    pthread_mutex_t *mutex = users_mutex(code);
    (void)pthread_mutex_lock(mutex);
    const bool last = --code->users == 0;
    if (last && library != NULL) {
        struct code **link = &library->first;
        while (*link != code) {
            link = &(*link)->next;
        }
        *link = code->next;
    }
    (void)pthread_mutex_unlock(mutex);
    if (last) {
        code_destroy(code);
    }
}

bool code_is_shared(const struct code *code)
{
    return code->library != NULL;
}

bool code_add_to_key(const struct code *code, struct object_key *key)
{
    if (code->content == NULL) {
        return false;
    }
    const uint32_t facts[] = {code->memory.base, code->memory.size, code->itcm, code->literal_wait,
                              code->stop_count};
    object_key_add(key, facts, sizeof facts);
    object_key_add(key, &code->timing, sizeof code->timing);
    object_key_add(key, code->stops, code->stop_count * sizeof *code->stops);
    object_key_add(key, code->content, code->memory.size);
    return true;
}

bool code_first_look(struct code *code)
{
    return !atomic_exchange_explicit(&code->looked_at, true, memory_order_relaxed);
}

/* ---- building ---- */

static const struct timing_pending *intern(void *context, const struct timing_pending *pending)
{
    struct code *code = context;
    for (struct pending_node *node = code->pendings; node != NULL; node = node->next) {
        if (memcmp(&node->pending, pending, sizeof *pending) == 0) {
            return &node->pending;
        }
    }
    struct pending_node *node = malloc(sizeof *node);
    CHECK(node != NULL, "out of memory");
    node->pending = *pending;
    node->next = code->pendings;
    code->pendings = node;
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

static struct block_source source_of(struct code *code, const uint8_t *memory)
{
    return (struct block_source){.timing = &code->timing,
                                 .labels = interpreter_labels(),
                                 .bytes = memory,
                                 .base = code->memory.base,
                                 .size = code->memory.size,
                                 .literals = true,
                                 .itcm_literals = code->itcm,
                                 .fixed = code_is_shared(code), /* who changes it leaves it */
                                 .literal_wait = code->literal_wait,
                                 .context = code,
                                 .intern = intern,
                                 .stop_at = stop_at};
}

static struct code_page *page_of(struct code *code, uint32_t offset)
{
    struct code_page *page =
        atomic_load_explicit(&code->pages[offset / PAGE_BYTES], memory_order_acquire);
    if (page == NULL) {
        page = calloc(1, sizeof *page);
        CHECK(page != NULL, "out of memory");
        atomic_store_explicit(&code->pages[offset / PAGE_BYTES], page, memory_order_release);
    }
    return page;
}

static void mark_decoded(struct code *code, const struct block *block)
{
    const uint32_t first = block->pc - code->memory.base;
    for (uint32_t offset = first; offset < first + block_bytes_read(block); offset += 2) {
        struct code_page *page = page_of(code, offset);
        const uint32_t half = offset % PAGE_BYTES / 2;
        page->decoded[half / WORD_BITS] |= 1u << (half % WORD_BITS);
    }
    const uint32_t end = block->pc + block_bytes_read(block);
    code->end = end > code->end ? end : code->end;
}

static bool same_pending(const struct timing_pending *a, const struct timing_pending *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    return memcmp(a, b, sizeof *a) == 0;
}

static struct block *find_variant(struct block *block, bool thumb,
                                  const struct timing_pending *pending)
{
    while (block != NULL && !(block->thumb == thumb && same_pending(block->pending, pending))) {
        block = block->variant;
    }
    return block;
}

static struct block *build_locked(struct code *code, const uint8_t *memory, uint32_t pc, bool thumb,
                                  const struct timing_pending *pending)
{
    struct code_page *page = page_of(code, pc - code->memory.base);
    _Atomic(struct block *) *head = &page->head[(pc - code->memory.base) % PAGE_BYTES / 2];
    struct block *first = atomic_load_explicit(head, memory_order_relaxed);
    struct block *block =
        find_variant(first, thumb, pending); /* built while the lock was awaited */
    if (block != NULL) {
        return block;
    }
    const struct block_source source = source_of(code, memory);
    block = block_build(&source, pc, thumb, pending == NULL ? NULL : intern(code, pending));
    mark_decoded(code, block);
    block->next = code->blocks;
    code->blocks = block;
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

struct block *code_first_block(struct code *code)
{
    return code->blocks;
}

unsigned code_generation(const struct code *code)
{
    return code->generation;
}

/* The table for this memory: cores that share a code may have others. */
static struct native_roots *roots_for(struct code *code, const struct native *native)
{
    struct native_roots *roots = code->roots;
    while (roots != NULL &&
           !(roots->load_base == native->load_base && roots->load_size == native->load_size)) {
        roots = roots->next;
    }
    if (roots == NULL) {
        roots = native_roots_create(native->load_base, native->load_size);
        CHECK(roots != NULL, "out of memory");
        roots->next = code->roots;
        code->roots = roots;
    }
    return roots;
}

struct native_roots *code_add_native(struct code *code, struct native *native)
{
    native->next = code->natives;
    code->natives = native;
    atomic_store_explicit(&code->has_native, true, memory_order_relaxed);
    return roots_for(code, native);
}

bool code_sampled(struct code *code, uint32_t enough)
{
    return atomic_fetch_add_explicit(&code->samples, 1, memory_order_relaxed) + 1 == enough;
}

bool code_has_native(struct code *code)
{
    return atomic_load_explicit(&code->has_native, memory_order_relaxed);
}

void code_sample_again(struct code *code)
{
    atomic_store_explicit(&code->samples, 0, memory_order_relaxed);
}

struct arm968_memory code_memory(const struct code *code)
{
    return code->memory;
}

ALWAYS_INLINE struct block *find(struct code *code, uint32_t pc, bool thumb,
                                 const struct timing_pending *pending)
{
    const uint32_t offset = pc - code->memory.base;
    if (offset >= code->memory.size) {
        return NULL;
    }
    struct code_page *page =
        atomic_load_explicit(&code->pages[offset / PAGE_BYTES], memory_order_acquire);
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

struct block *code_single(struct code *code, uint32_t pc, bool thumb, uint32_t insn,
                          const struct timing_pending *pending)
{
    uint8_t bytes[4];
    memcpy(bytes, &insn, sizeof bytes);
    (void)pthread_mutex_lock(&code->mutex);
    struct block_source source = source_of(code, bytes);
    source.base = pc;
    source.size = thumb ? 2 : 4;
    source.literals = false;
    struct block *block =
        block_build(&source, pc, thumb, pending == NULL ? NULL : intern(code, pending));
    (void)pthread_mutex_unlock(&code->mutex);
    block->transient = true;
    return block;
}

/* ---- changed code ---- */

bool code_covers(const struct code *code, uint32_t address, uint32_t bytes)
{
    const uint32_t first = address - code->memory.base;
    for (uint32_t offset = first & ~1u; offset < first + bytes && offset < code->memory.size;
         offset += 2) {
        struct code_page *page =
            atomic_load_explicit(&code->pages[offset / PAGE_BYTES], memory_order_relaxed);
        if (page == NULL) {
            offset |= PAGE_BYTES - 2; /* on to the next page */
            continue;
        }
        const uint32_t half = offset % PAGE_BYTES / 2;
        if ((page->decoded[half / WORD_BITS] >> (half % WORD_BITS) & 1) != 0) {
            return true;
        }
    }
    return false;
}

uint32_t code_end(const struct code *code)
{
    return code->end;
}

void code_flush(struct code *code)
{
    code_lock(code);
    for (uint32_t i = 0; i < code->page_count; i++) {
        struct code_page *page = atomic_load_explicit(&code->pages[i], memory_order_relaxed);
        if (page != NULL) {
            memset((void *)page, 0, sizeof *page);
        }
    }
    while (code->blocks != NULL) {
        struct block *block = code->blocks;
        code->blocks = block->next;
        block->next = code->retired;
        code->retired = block;
    }
    for (struct native_roots *it = code->roots; it != NULL; it = it->next) {
        native_roots_clear(it);
    }
    code->end = 0;
    code->generation++;
    atomic_store_explicit(&code->has_native, false, memory_order_relaxed);
    code_unlock(code);
}

void code_collect(struct code *code)
{
    if (code->retired != NULL) {
        free_blocks(code->retired);
        code->retired = NULL;
    }
}
