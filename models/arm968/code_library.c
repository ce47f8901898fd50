/* code_library.c - whose code is whose: caches that cores share, and how long they live. */
#include "models/arm968/code_state.h"

#include "models/arm968/translate/object_cache.h"

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
