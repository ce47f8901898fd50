/* known.c - see known.h. */
#include "models/arm968/translate/known.h"

#include "models/common/check.h"

#include <stdlib.h>
#include <string.h>

enum { TRANSLATIONS_MOST = 12 }; /* of one code */

_Static_assert(sizeof(struct known_block) == 76, "no gaps but the one that is named");

bool known_key(const struct code *code, const struct emit_memory *memory, struct object_key *key)
{
    static const char OWN_PROGRAM[] = "/proc/self/exe";
    const uint32_t facts[] = {memory->base, memory->size, memory->flat};
    *key = object_key_begin();
    object_key_add(key, facts, sizeof facts);
    return code_add_to_key(code, key) && object_key_add_program(key, OWN_PROGRAM);
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
                             .waits = block->pending != NULL,
                             .copied = from->copied};
    if (block->pending != NULL) {
        to.pending = *block->pending;
    }
    return to;
}

static bool has_room(struct known_list *list)
{
    struct known_translation translation;
    const struct known_block *blocks;
    unsigned count = 0;
    while (known_next(list, &translation, &blocks)) {
        count++;
    }
    return count < TRANSLATIONS_MOST;
}

void known_add(struct object_key key, const struct known_translation *translation,
               const struct region *region)
{
    struct known_list list;
    known_read(key, &list);
    if (has_room(&list)) {
        const size_t count = (size_t)region->block_count;
        const size_t size = list.at + sizeof *translation + count * sizeof(struct known_block);
        uint8_t *bytes = realloc(list.bytes, size);
        CHECK(bytes != NULL, "out of memory");
        uint8_t *to = bytes + list.at;
        struct known_translation head = *translation;
        head.blocks = count;
        memcpy(to, &head, sizeof head);
        to += sizeof head;
        for (size_t i = 0; i < count; i++, to += sizeof(struct known_block)) {
            const struct known_block block = block_of(&region->blocks[i]);
            memcpy(to, &block, sizeof block);
        }
        object_cache_store(key, OBJECT_LIST, bytes, size);
        list.bytes = bytes;
    }
    free(list.bytes);
}
