/* code.h - the cache of blocks for one content of the code memory.
 *
 * Cores whose code memory holds the same bytes share a cache through a library: looking up is free
 * of locks, building takes the cache's mutex.  Words that cores store to while no block depends on
 * them vary: each core has its own there, and blocks end in front of them.  A core that changes
 * what blocks depend on leaves the shared cache for one of its own, and looks for one to share
 * later.  Private to models/arm968. */
#pragma once
#include "models/arm968/block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

struct code;

/* An address where cores stop: 1 mark, 2 breakpoint, 3 both. */
struct code_stop {
    uint32_t address;
    unsigned kind;
};

struct code_config {
    const struct arm968_timing *timing;
    struct arm968_memory memory;
    bool itcm;             /* its literals are counted as accesses to ITCM ... */
    unsigned literal_wait; /* ... and stall this long */
    const struct code_stop *stops;
    unsigned stop_count;
};

/* A cache for this content: from the library if one is given, otherwise of its own.  NULL: out of
 * memory. */
struct code *code_acquire(struct arm968_code_library *library, const struct code_config *config);
void code_release(struct code *code);

/* Whether other cores may be using it. */
bool code_is_shared(const struct code *code);

/* The block at an address of the code memory, built if need be; NULL when pc is not in it, or when
 * the instruction there is each core's own: it lies in a word that varies, or shared code is full.
 * `memory` is the caller's own copy of the bytes.  `pending` NULL: nothing. */
struct block *code_block(struct code *code, const uint8_t *memory, uint32_t pc, bool thumb,
                         const struct timing_pending *pending);

/* The same if it has been built, otherwise NULL. */
struct block *code_find(struct code *code, uint32_t pc, bool thumb,
                        const struct timing_pending *pending);

/* The memory that the code is of, without its bytes. */
struct arm968_memory code_memory(const struct code *code);

/* Adds to a digest all that the blocks of a shared code depend on; false: it is not shared. */
struct object_key;
bool code_add_to_key(const struct code *code, struct object_key *key);

/* True once, for the one who is to look for what is known of the code from earlier. */
bool code_first_look(struct code *code);

/* One more user, who is to call code_release(). */
void code_retain(struct code *code);

/* For the translator: the lock that building takes, all blocks (linked by `next`), and a number
 * that changes when blocks are dropped. */
void code_lock(struct code *code);
void code_unlock(struct code *code);
struct block *code_first_block(struct code *code);
unsigned code_generation(const struct code *code);

/* Owns a translation, with its blocks, from now on, and says where its functions are to be found;
 * the caller holds the lock. */
struct native;
struct native_roots;
struct native_roots *code_add_native(struct code *code, struct native *native);

/* Counts how often cores have been found at a block (struct block, `samples`) altogether, from the
 * beginning of this round of sampling on, and returns it; each number is returned once.  Rounds are
 * counted from 0. */
uint32_t code_sampled(struct code *code);
uint32_t code_sample_round(const struct code *code);
void code_sample_again(struct code *code);

/* First address behind all that blocks depend on, 0 when there are none. */
uint32_t code_end(const struct code *code);

/* What it comes to that bytes of a core's code memory, which is now `memory`, have been written.
 * Words of shared code that no block depends on vary from then on. */
enum code_change {
    CODE_KEPT,    /* no block depends on them */
    CODE_CHANGED, /* blocks have been dropped, perhaps the one under way: the core is to leave it */
    CODE_LEFT     /* the core is to leave the code, which others share: code_leave() */
};
enum code_change code_written(struct code *code, const uint8_t *memory, uint32_t address,
                              uint32_t bytes);

/* An empty code of one's own in place of a shared one, which the caller is still to release; and a
 * shared one again, to be released, in place of that: one whose blocks depend on nothing that
 * `memory` has otherwise, or a new one.  NULL: out of memory. */
struct code *code_leave(const struct code *shared);
struct code *code_share(struct arm968_code_library *library, const struct code *own,
                        uint8_t *memory);

/* The addresses of words that vary, at most `most` of them; their number altogether.  And that one
 * does, unless a block depends on it. */
size_t code_list_varying(const struct code *code, uint32_t *addresses, size_t most);
void code_vary(struct code *code, uint32_t address);

/* Control has come to a block that has been dropped, by an edge that still leads there. */
void code_note_stale(struct code *code);

/* What a code may take of the host's memory before it is full: some 600,000 guest instructions.
 * Then no more blocks are to be built. */
#define CODE_BYTES ((size_t)64 << 20)
size_t code_bytes(const struct code *code);
bool code_is_full(const struct code *code);

/* Whether it is time to call code_collect(), which frees the blocks that have been dropped from a
 * code of one's own, all of its blocks when it is full; none of them may be running. */
bool code_is_due(const struct code *code);
void code_collect(struct code *code);

/* A block of one instruction that lies nowhere in the code memory; free() it. */
struct block *code_single(struct code *code, uint32_t pc, bool thumb, uint32_t insn,
                          const struct timing_pending *pending);

C_LINKAGE_END
