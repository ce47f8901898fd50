/* code_library.c - caches shared by cores, and their lifetime. */
#include "models/arm968/code_state.h"

#include "models/arm968/object_key.h"

#include <stdlib.h>
#include <string.h>

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

static void code_destroy(struct code *code)
{
    if (code == NULL) {
        return;
    }
    if (code->pages != NULL) {
        code_forget(code);
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
    code->labels = config->labels;
    code->memory = config->memory;
    code->memory.bytes = NULL; /* each user passes its own copy */
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

static bool same_facts(const struct code *code, const struct code_config *config)
{
    return code->memory.base == config->memory.base && code->memory.size == config->memory.size &&
           code->itcm == config->itcm && code->literal_wait == config->literal_wait &&
           code->stop_count == config->stop_count &&
           memcmp(&code->timing, config->timing, sizeof code->timing) == 0 &&
           (code->stop_count == 0 ||
            memcmp(code->stops, config->stops, code->stop_count * sizeof *code->stops) == 0);
}

/* ---- words in which cores differ ---- */

/* Words are compared 32 at a time, a bit for each.  A core that shares again may differ in as many
 * words as a program sets when it begins (its number, vectors, parameters); more are another
 * program. */
enum { CHUNK_BYTES = 4 * WORD_BITS, DIFFERING_MOST = 256 };

static uint32_t differing(const uint8_t *one, const uint8_t *other)
{
    uint32_t bits = 0;
    if (memcmp(one, other, CHUNK_BYTES) != 0) {
        for (unsigned i = 0; i < WORD_BITS; i++) {
            bits |= memcmp(one + 4ul * i, other + 4ul * i, 4) != 0 ? 1u << i : 0;
        }
    }
    return bits;
}

static uint32_t needed(const struct code *code, uint32_t offset)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < WORD_BITS; i++) {
        bits |= code_needs_word(code, offset + 4 * i) ? 1u << i : 0;
    }
    return bits;
}

static void let_vary(struct code *code, uint32_t offset, uint32_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        code_let_vary(code, offset + 4 * bits_lowest(bits));
    }
}

/* Whether a core with this memory can use a shared code: no block of the code may depend on a
 * differing word, and the core's own blocks (own NULL: it has run nothing) may depend on no varying
 * word.  The caller holds the shared code's lock. */
static bool can_join(const struct code *shared, const struct code *own, const uint8_t *memory)
{
    unsigned count = 0;
    for (uint32_t at = 0; at < shared->memory.size; at += CHUNK_BYTES) {
        const uint32_t varying = code_varying(shared, at);
        const uint32_t differs = differing(shared->content + at, memory + at) & ~varying;
        if (own == NULL && differs != 0) {
            return false;
        }
        if (differs != 0 && (differs & needed(shared, at)) != 0) {
            return false;
        }
        if (own != NULL && (differs | varying) != 0 &&
            ((differs | varying) & needed(own, at)) != 0) {
            return false;
        }
        count += bits_count(differs);
    }
    return count <= DIFFERING_MOST;
}

static bool joins(struct code *shared, const struct code *own, const uint8_t *memory)
{
    code_lock(shared);
    const bool fits = can_join(shared, own, memory);
    for (uint32_t at = 0; fits && own != NULL && at < shared->memory.size; at += CHUNK_BYTES) {
        let_vary(shared, at,
                 differing(shared->content + at, memory + at) & ~code_varying(shared, at));
    }
    code_unlock(shared);
    return fits;
}

/* Of the words that a core has stored to, those that its own blocks do not depend on vary for all
 * users, unless there are so many that they are a whole program. */
static void let_stored_vary(struct code *shared, const struct code *own)
{
    unsigned count = 0;
    for (uint32_t at = 0; at < own->memory.size; at += CHUNK_BYTES) {
        count += bits_count(code_varying(own, at));
    }
    for (uint32_t at = 0; count <= DIFFERING_MOST && at < own->memory.size; at += CHUNK_BYTES) {
        let_vary(shared, at, code_varying(own, at) & ~needed(own, at));
    }
}

/* A key is made of the content, without words that vary from the beginning. */
static void blank_varying(const struct code *code)
{
    for (uint32_t at = 0; at < code->memory.size; at += 4) {
        if (code_word_varies(code, at)) {
            memset(code->content + at, 0, 4);
        }
    }
}

size_t code_list_varying(const struct code *code, uint32_t *addresses, size_t most)
{
    size_t count = 0;
    for (uint32_t at = 0; at < code->memory.size; at += CHUNK_BYTES) {
        for (uint32_t bits = code_varying(code, at); bits != 0; bits &= bits - 1, count++) {
            if (count < most) {
                addresses[count] = code->memory.base + at + 4 * bits_lowest(bits);
            }
        }
    }
    return count;
}

void code_vary(struct code *code, uint32_t address)
{
    const uint32_t offset = address - code->memory.base;
    code_lock(code);
    if (offset < code->memory.size && !code_needs_word(code, offset)) {
        code_let_vary(code, offset);
    }
    code_unlock(code);
}

/* ---- sharing ---- */

static struct code *add_to_library(struct arm968_code_library *library,
                                   const struct code_config *config, const struct code *own)
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
    if (own != NULL) {
        let_stored_vary(code, own);
        blank_varying(code);
    }
    code->library = library;
    code->next = library->first;
    library->first = code;
    return code;
}

static struct code *find_or_add(struct arm968_code_library *library,
                                const struct code_config *config, const struct code *own)
{
    (void)pthread_mutex_lock(&library->mutex);
    struct code *code = library->first;
    while (code != NULL && !(same_facts(code, config) && joins(code, own, config->memory.bytes))) {
        code = code->next;
    }
    if (code != NULL) {
        code->users++;
    } else {
        code = add_to_library(library, config, own);
    }
    (void)pthread_mutex_unlock(&library->mutex);
    return code;
}

struct code *code_acquire(struct arm968_code_library *library, const struct code_config *config)
{
    return library == NULL ? code_create(config) : find_or_add(library, config, NULL);
}

/* The configuration with which a code was acquired, or an equal one. */
static struct code_config config_of(const struct code *code, uint8_t *memory)
{
    return (struct code_config){.timing = &code->timing,
                                .labels = code->labels,
                                .memory = {code->memory.base, code->memory.size, memory},
                                .itcm = code->itcm,
                                .literal_wait = code->literal_wait,
                                .stops = code->stops,
                                .stop_count = code->stop_count};
}

struct code *code_leave(const struct code *shared)
{
    const struct code_config config = config_of(shared, NULL);
    struct code *own = code_create(&config);
    if (own == NULL) {
        return NULL;
    }
    own->notes_stores = true;
    for (uint32_t at = 0; at < own->memory.size; at += CHUNK_BYTES) {
        let_vary(own, at, code_varying(shared, at));
    }
    return own;
}

struct code *code_share(struct arm968_code_library *library, const struct code *own,
                        uint8_t *memory)
{
    const struct code_config config = config_of(own, memory);
    return find_or_add(library, &config, own);
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
