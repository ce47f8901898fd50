/* known.h - which translations of a code lie on disk: what one run has had compiled the next run of
 * the same program begins with.  Private to models/arm968.
 *
 * A list belongs to one content of the code memory or, where the code is a core's own, to what a
 * loader has put there; with everything else that decides how its blocks look, and to one build of
 * this program.  It names the compiled objects, the blocks whose operations they replace, and a
 * digest of the instructions in these blocks: the program may have changed them before they run.
 * Lists are kept like objects (object_cache.h). */
#pragma once
#include "models/arm968/translate/emit.h"
#include "models/arm968/translate/object_cache.h"
#include "models/arm968/translate/region.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* As it lies on disk. */
struct known_block {
    uint32_t pc;
    int32_t function, entry, needs; /* as in struct region_block */
    uint32_t digest;                /* block_digest() */
    uint8_t thumb, waits, copied;   /* booleans; waits: results are pending at its entry */
    struct timing_pending pending;
    uint8_t insns_read; /* as in struct block */
    uint8_t gap[1];     /* named, so that files are the same bytes with every compiler */
};

struct known_translation {
    struct object_key object; /* what object_cache.h has it by */
    struct object_key digest; /* of its text: stands in the object, too */
    struct object_key bytes;  /* of the instructions that its blocks are made of */
    uint64_t blocks;          /* that follow */
};

/* The key of a code's list.  What a loader has put there: NULL, nobody knows.  False: it has no
 * list, as the code is not shared and nobody knows, or this program cannot tell its builds apart.
 */
bool known_key(const struct code *code, const struct emit_memory *memory,
               const struct object_key *loaded, struct object_key *key);

/* The digest of the instructions of a region's blocks. */
struct object_key known_bytes(const struct region *region);

/* Whether a code memory holds the instructions that a translation has been made of. */
bool known_fits(const struct known_translation *translation, const struct known_block *blocks,
                const struct arm968_memory *memory);

/* A list as it has been read; NULL bytes: there is none.  free(bytes) when done. */
struct known_list {
    uint8_t *bytes;
    size_t size, at;
};
void known_read(struct object_key key, struct known_list *list);

/* The next of it; false: that was the last, or the rest makes no sense. */
bool known_next(struct known_list *list, struct known_translation *translation,
                const struct known_block **blocks);

/* Adds one, with the blocks of its region.  Those that it makes superfluous, or whose objects have
 * gone, leave the list, and so does the oldest of too many. */
void known_add(struct object_key key, const struct known_translation *translation,
               const struct region *region);

/* ---- words that vary (../code.h), from one run to the next ----
 *
 * A program sets words of its code memory when it begins: its number, vectors.  The blocks of a
 * known translation end in front of them and load them, and are to be built like that again before
 * the program has set any.  Kept beside the code's list, and like it. */

/* Keeps which words of a code vary now; `list` is the key of its list. */
void varying_keep(const struct code *code, struct object_key list);

/* Lets them vary from now on. */
void varying_restore(struct code *code, struct object_key list);

C_LINKAGE_END
