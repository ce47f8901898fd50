/* object_cache.h - compiled objects on disk, by what they were compiled from, and lists of them
 * (known.h).  Private to models/arm968.
 *
 * They lie in spinnsim/native under XDG_CACHE_HOME or ~/.cache, a folder of mode 0700: whatever
 * there is not this user's, is a link, or can be written by others is ignored, and so is a file
 * whose bytes are not those that were written.  Files appear by renaming, so any number of
 * processes may share the folder. */
#ifndef MODELS_ARM968_TRANSLATE_OBJECT_CACHE_H
#define MODELS_ARM968_TRANSLATE_OBJECT_CACHE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A digest of 128 bits (FNV-1a). */
struct object_key {
    uint64_t high, low;
};

struct object_key object_key_begin(void);
void object_key_add(struct object_key *key, const void *bytes, size_t size);

/* What a program is, by its name or path: where it lies, how long it is and from when.  False:
 * there is none. */
bool object_key_add_program(struct object_key *key, const char *program);

enum object_kind { OBJECT_CODE, OBJECT_LIST };

/* The bytes of a key's object and, behind them, OBJECT_TAIL_BYTES of the folder's own; to be freed;
 * NULL when there is none.  The last bytes of an object may be anything to the host's loader. */
enum { OBJECT_TAIL_BYTES = sizeof(struct object_key) };
uint8_t *object_cache_read(struct object_key key, enum object_kind kind, size_t *size);

/* Keeps the bytes of an object; what fails leaves things as they were.  The files that have not
 * been read for the longest time go when there are too many. */
void object_cache_store(struct object_key key, enum object_kind kind, const uint8_t *bytes,
                        size_t size);

/* Forgets one. */
void object_cache_drop(struct object_key key, enum object_kind kind);

/* The same as storing with the bytes of a file. */
void object_cache_store_file(struct object_key key, enum object_kind kind, const char *path);

#ifdef __cplusplus
}
#endif
#endif
