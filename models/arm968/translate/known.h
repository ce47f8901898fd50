/* known.h - lists of translations on disk: what one run has compiled is available to the next run
 * of the same program from its start.  Private to models/arm968.
 *
 * A list belongs to one content of the code memory or, if the code is not shared, to what a loader
 * has put there; also to everything else that determines the blocks: a core's configuration, the
 * sources of models/arm968 and the layout of a core.  So each build of the same sources, at
 * whatever place, has the same lists.  A list names the compiled objects, the blocks whose
 * operations they replace, and a digest of the instructions in these blocks, which the program may
 * have changed before they run.  Lists are kept like objects (object_cache.h). */
#pragma once
#include "models/arm968/translate/emit.h"
#include "models/arm968/translate/object_cache.h"
#include "models/arm968/translate/region.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* The format on disk. */
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
    struct object_key object; /* its key in object_cache.h */
    struct object_key digest; /* of its text; also stored in the object */
    struct object_key bytes;  /* of the instructions of its blocks */
    uint64_t blocks;          /* number of blocks that follow */
};

/* The key of a code's list. loaded: digest of what a loader has put there; NULL: unknown.  False:
 * there is no list, since the code is neither shared nor its loaded content known. */
bool known_key(const struct code *code, const struct emit_memory *memory,
               const struct object_key *loaded, struct object_key *key);

/* The digest of the instructions of a region's blocks. */
struct object_key known_bytes(const struct region *region);

/* Whether a code memory holds the instructions from which a translation was made. */
bool known_fits(const struct known_translation *translation, const struct known_block *blocks,
                const struct arm968_memory *memory);

/* A list read from disk; bytes NULL: there is none.  free(bytes) when done. */
struct known_list {
    uint8_t *bytes;
    size_t size, at;
};
void known_read(struct object_key key, struct known_list *list);

/* The next translation of the list; false: there are no more, or the rest is invalid. */
bool known_next(struct known_list *list, struct known_translation *translation,
                const struct known_block **blocks);

/* Adds a translation, with the blocks of its region.  Removes translations that it makes
 * superfluous, those whose objects no longer exist, and the oldest if there are too many. */
void known_add(struct object_key key, const struct known_translation *translation,
               const struct region *region);

/* ---- varying words (../code.h), from one run to the next ----
 *
 * A program sets words of its code memory when it begins, such as its number and vectors.  The
 * blocks of a known translation end in front of these words and load them; the next run must build
 * the blocks likewise before the program has set any such word.  Stored beside the code's list, in
 * the same way. */

/* Saves the addresses of a code's varying words; `list` is the key of the code's list. */
void varying_keep(const struct code *code, struct object_key list);

/* Marks the saved words as varying. */
void varying_restore(struct code *code, struct object_key list);

C_LINKAGE_END
