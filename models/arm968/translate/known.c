/* known.c - see known.h. */
#include "models/arm968/translate/known.h"

#include "models/arm968/translate/emitter.h"
#include "models/arm968/translate/keeper.h"
#include "models/common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TRANSLATIONS_MOST = 12 /* of one code */ };

_Static_assert(sizeof(struct known_block) == 76, "no gaps but the one that is named");

/* What blocks and native code are made by: sources.cmake. */
static const char SOURCES[] =
#include "sources_digest.inc"
    ;

/* The sources, and the layout of a core, which compilers choose. */
static void add_own_program(struct object_key *key)
{
    struct text prelude = {0};
    emit_prelude(&prelude);
    object_key_add(key, SOURCES, sizeof SOURCES);
    object_key_add(key, prelude.at, prelude.size);
    free(prelude.at);
}

bool known_key(const struct code *code, const struct emit_memory *memory,
               const struct object_key *loaded, struct object_key *key)
{
    const uint32_t facts[] = {memory->base, memory->size, memory->flat};
    *key = object_key_begin();
    object_key_add(key, facts, sizeof facts);
    if (!code_add_to_key(code, key)) {
        if (loaded == NULL) {
            return false;
        }
        object_key_add(key, loaded, sizeof *loaded);
    }
    add_own_program(key);
    return true;
}

struct object_key known_bytes(const struct region *region)
{
    const uint32_t base = code_memory(region->code).base;
    struct object_key digest = object_key_begin();
    for (int i = 0; i < region->block_count; i++) {
        const struct block *block = region->blocks[i].block;
        object_key_add(&digest, region->memory + (block->pc - base), block_bytes_read(block));
    }
    return digest;
}

bool known_fits(const struct known_translation *translation, const struct known_block *blocks,
                const struct arm968_memory *memory)
{
    struct object_key digest = object_key_begin();
    for (uint64_t i = 0; i < translation->blocks; i++) {
        const uint32_t bytes = blocks[i].insns_read * (blocks[i].thumb != 0 ? 2u : 4u);
        const uint32_t offset = blocks[i].pc - memory->base;
        if (offset >= memory->size || memory->size - offset < bytes) {
            return false;
        }
        object_key_add(&digest, memory->bytes + offset, bytes);
    }
    return object_key_same(&digest, &translation->bytes);
}

void known_read(struct object_key key, struct known_list *list)
{
    *list = (struct known_list){0};
    list->bytes = object_cache_read(key, OBJECT_LIST, &list->size);
    if (list->bytes != NULL) {
        list->size -= OBJECT_TAIL_BYTES;
    }
}

bool known_next(struct known_list *list, struct known_translation *translation,
                const struct known_block **blocks)
{
    if (list->bytes == NULL || list->size - list->at < sizeof *translation) {
        return false;
    }
    memcpy(translation, list->bytes + list->at, sizeof *translation);
    const size_t left = list->size - list->at - sizeof *translation;
    if (translation->blocks > left / sizeof **blocks) {
        return false;
    }
    list->at += sizeof *translation;
    *blocks = (const struct known_block *)(const void *)(list->bytes + list->at);
    list->at += translation->blocks * sizeof **blocks;
    return true;
}

static struct known_block block_of(const struct region_block *from)
{
    const struct block *block = from->block;
    struct known_block to = {.pc = block->pc,
                             .function = from->function,
                             .entry = from->entry,
                             .needs = (int32_t)from->needs,
                             .digest = block_digest(block),
                             .thumb = block->thumb,
                             .insns_read = (uint8_t)block->insns_read,
                             .waits = block->pending != NULL,
                             .copied = from->copied};
    if (block->pending != NULL) {
        to.pending = *block->pending;
    }
    return to;
}

/* ---- adding ---- */

/* Whether a region translates a block. */
static bool is_in(const struct known_block *block, const struct region *region)
{
    for (int i = 0; i < region->block_count; i++) {
        if (region->blocks[i].function == REGION_NONE || region->blocks[i].block->pc != block->pc) {
            continue;
        }
        const struct known_block other = block_of(&region->blocks[i]);
        if (other.thumb == block->thumb && other.waits == block->waits &&
            memcmp(&other.pending, &block->pending, sizeof other.pending) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a translation is of use beside one of a region. */
static bool is_of_use(const struct known_translation *translation, const struct known_block *blocks,
                      const struct region *region)
{
    uint64_t i = 0;
    while (i < translation->blocks &&
           (blocks[i].function == REGION_NONE || is_in(&blocks[i], region))) {
        i++;
    }
    return i < translation->blocks && keeper_awaits(translation->object);
}

static void append(struct known_list *list, const void *bytes, size_t size)
{
    list->bytes = realloc(list->bytes, list->size + size);
    memory_need(list->bytes);
    memcpy(list->bytes + list->size, bytes, size);
    list->size += size;
}

/* The last of an old list that are of use beside a region, as the beginning of a new one. */
static void append_useful(struct known_list *list, struct known_list *old,
                          const struct region *region)
{
    struct known_translation translation;
    const struct known_block *blocks;
    struct known_list useful = {0};
    unsigned count = 0;
    while (known_next(old, &translation, &blocks)) {
        if (is_of_use(&translation, blocks, region)) {
            append(&useful, &translation, sizeof translation);
            append(&useful, blocks, translation.blocks * sizeof *blocks);
            count++;
        }
    }
    while (count >= TRANSLATIONS_MOST && known_next(&useful, &translation, &blocks)) {
        count--;
    }
    if (useful.size != useful.at) {
        append(list, useful.bytes + useful.at, useful.size - useful.at);
    }
    free(useful.bytes);
}

void known_add(struct object_key key, const struct known_translation *translation,
               const struct region *region)
{
    struct known_list old;
    struct known_list list = {0};
    struct known_translation head = *translation;
    head.blocks = (uint64_t)region->block_count;
    known_read(key, &old);
    append_useful(&list, &old, region);
    append(&list, &head, sizeof head);
    for (int i = 0; i < region->block_count; i++) {
        const struct known_block block = block_of(&region->blocks[i]);
        append(&list, &block, sizeof block);
    }
    object_cache_store(key, OBJECT_LIST, list.bytes, list.size);
    free(old.bytes);
    free(list.bytes);
}

/* ---- words that vary ---- */

static struct object_key varying_key(struct object_key list)
{
    static const char WHAT[] = "words that vary";
    object_key_add(&list, WHAT, sizeof WHAT);
    return list;
}

void varying_keep(const struct code *code, struct object_key list)
{
    const size_t most = code_memory(code).size / sizeof(uint32_t);
    uint32_t *addresses = malloc((most + 1) * sizeof *addresses);
    memory_need(addresses);
    const size_t count = code_list_varying(code, addresses, most);
    if (count != 0) {
        object_cache_store(varying_key(list), OBJECT_LIST, (const uint8_t *)addresses,
                           count * sizeof *addresses);
    }
    free(addresses);
}

void varying_restore(struct code *code, struct object_key list)
{
    size_t size;
    uint8_t *bytes = object_cache_read(varying_key(list), OBJECT_LIST, &size);
    if (bytes == NULL) {
        return;
    }
    uint32_t address;
    for (size_t at = 0; at + sizeof address + OBJECT_TAIL_BYTES <= size; at += sizeof address) {
        memcpy(&address, bytes + at, sizeof address);
        code_vary(code, address);
    }
    free(bytes);
}
