/* known.h - which translations of a code lie on disk: what one run has had compiled the next run of
 * the same program begins with.  Private to models/arm968.
 *
 * A list belongs to one content of the code memory, with everything else that decides how its
 * blocks look, and to one build of this program.  It names the compiled objects and the blocks
 * whose operations they replace.  Lists are kept like objects (object_cache.h). */
#ifndef MODELS_ARM968_TRANSLATE_KNOWN_H
#define MODELS_ARM968_TRANSLATE_KNOWN_H
#include "models/arm968/translate/emit.h"
#include "models/arm968/translate/object_cache.h"
#include "models/arm968/translate/region.h"
#ifdef __cplusplus
extern "C" {
#endif

/* As it lies on disk. */
struct known_block {
    uint32_t pc;
    int32_t function, entry, needs; /* as in struct region_block */
    uint32_t digest;                /* block_digest() */
    uint8_t thumb, waits, copied;   /* booleans; waits: results are pending at its entry */
    struct timing_pending pending;
    uint8_t gap[2]; /* named, so that files are the same bytes with every compiler */
};

struct known_translation {
    struct object_key object; /* what object_cache.h has it by */
    struct object_key digest; /* of its text: stands in the object, too */
    uint64_t blocks;          /* that follow */
};

/* The key of a code's list; false: it has none, as the code is not shared or the program cannot
 * tell its builds apart. */
bool known_key(const struct code *code, const struct emit_memory *memory, struct object_key *key);

/* A list as it has been read; NULL bytes: there is none.  free(bytes) when done. */
struct known_list {
    uint8_t *bytes;
    size_t size, at;
};
void known_read(struct object_key key, struct known_list *list);

/* The next of it; false: that was the last, or the rest makes no sense. */
bool known_next(struct known_list *list, struct known_translation *translation,
                const struct known_block **blocks);

/* Adds one, with the blocks of its region; a list that is full, or that cannot be written, stays as
 * it is. */
void known_add(struct object_key key, const struct known_translation *translation,
               const struct region *region);

#ifdef __cplusplus
}
#endif
#endif
