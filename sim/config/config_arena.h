/* config_arena.h - memory of one configuration: handed out piece by piece, given back all at once.
 */
#ifndef SIM_CONFIG_CONFIG_ARENA_H
#define SIM_CONFIG_CONFIG_ARENA_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

struct config_arena;

struct config_arena *config_arena_create(void); /* NULL: out of memory */
void config_arena_destroy(struct config_arena *arena);

/* Zeroed, aligned for any type; NULL: out of memory. */
void *config_arena_take(struct config_arena *arena, size_t bytes);

/* A copy of `length` bytes with a zero after them. */
char *config_arena_text(struct config_arena *arena, const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
