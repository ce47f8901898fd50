/* config_arena.c - see config_arena.h. */
#include "sim/config/config_arena.h"

#include "models/common/memory.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16384 };

struct block {
    struct block *next;
    alignas(max_align_t) unsigned char bytes[];
};

struct config_arena {
    struct block *blocks; /* all of them; the first is the one in use */
    size_t used, size;    /* of that one */
};

struct config_arena *config_arena_create(void)
{
    return calloc(1, sizeof(struct config_arena));
}

void config_arena_destroy(struct config_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    for (struct block *block = arena->blocks; block != NULL;) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
    free(arena);
}

void *config_arena_try(struct config_arena *arena, size_t bytes)
{
    const size_t grain = alignof(max_align_t);
    const size_t rounded = (bytes + grain - 1) / grain * grain;
    if (rounded < bytes) {
        return NULL;
    }
    if (arena->blocks == NULL || arena->size - arena->used < rounded) {
        const size_t size = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
        struct block *block = calloc(1, sizeof *block + size);
        if (block == NULL) {
            return NULL;
        }
        block->next = arena->blocks;
        arena->blocks = block;
        arena->size = size;
        arena->used = 0;
    }
    void *piece = arena->blocks->bytes + arena->used;
    arena->used += rounded;
    return piece;
}

void *config_arena_take(struct config_arena *arena, size_t bytes)
{
    void *piece = config_arena_try(arena, bytes);
    memory_need(piece);
    return piece;
}

char *config_arena_text(struct config_arena *arena, const char *text, size_t length)
{
    return memcpy(config_arena_take(arena, length + 1), text, length);
}

char *config_arena_print(struct config_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = config_arena_try(arena, (size_t)length + 1);
    if (text != NULL) {
        va_start(arguments, format);
        (void)vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}
