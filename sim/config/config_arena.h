/* config_arena.h - arena allocator of one configuration: allocations are freed all at once.
 * A configuration is read before any output is written, so an allocation that fails then ends the
 * process (models/common/memory.h).  The dump is written among results and therefore uses
 * config_arena_try(). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"
#include "sim/steps.h"
#include <stddef.h>
C_LINKAGE_BEGIN

struct config_arena;

struct config_arena *config_arena_create(void); /* NULL: out of memory */
void config_arena_destroy(struct config_arena *arena);

/* Begins the declaration of an arena that is destroyed when its block is left (sim/steps.h). */
#define ARENA RELEASED(config_arena_leave)
static inline void config_arena_leave(struct config_arena **arena)
{
    config_arena_destroy(*arena);
}

/* Zeroed, aligned for any type. */
void *config_arena_take(struct config_arena *arena, size_t bytes);
void *config_arena_try(struct config_arena *arena, size_t bytes); /* NULL: out of memory */

/* A copy of `length` bytes with a zero after them. */
char *config_arena_text(struct config_arena *arena, const char *text, size_t length);

/* A text in printf format; NULL: out of memory. */
char *config_arena_print(struct config_arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

C_LINKAGE_END
