/* object_cache.h - compiled objects on disk, by what they were compiled from.  Private to
 * models/arm968.
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

/* What the compiler is: where it lies, how long it is and from when.  False: there is none. */
bool object_key_add_compiler(struct object_key *key, const char *compiler);

/* The bytes of a key's object, to be freed; NULL when there is none. */
uint8_t *object_cache_read(struct object_key key, size_t *size);

/* Keeps a copy of an object file; what fails leaves things as they were.  The oldest files go when
 * there are too many. */
void object_cache_store(struct object_key key, const char *object);

#ifdef __cplusplus
}
#endif
#endif
