/* code.h - the cache of blocks for one content of the code memory.
 *
 * Cores whose code memory holds the same bytes share a cache through a library: lookups take no
 * locks, building takes the cache's mutex.  Words that cores store to before any block depends on
 * them vary: each core has its own value there, and blocks end in front of them.  A core that
 * changes bytes that blocks depend on leaves the shared cache for one of its own, and looks for one
 * to share later.  Private to models/arm968. */
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
    const void *const *labels; /* where the interpreter performs an operation, by enum op_code */
    struct arm968_memory memory;
    bool itcm;             /* its literals count as accesses to ITCM ... */
    unsigned literal_wait; /* ... and stall for this many cycles */
    const struct code_stop *stops;
    unsigned stop_count;
};

/* A cache for this content: from the library if one is given, otherwise not shared.  NULL: out of
 * memory. */
struct code *code_acquire(struct arm968_code_library *library, const struct code_config *config);
void code_release(struct code *code);

/* Whether other cores may be using the cache. */
bool code_is_shared(const struct code *code);

/* The block at an address of the code memory, built if necessary; NULL if pc is outside it, lies in
 * a varying word, or if shared code is full.  `memory` is the caller's own copy of the bytes.
 * `pending` NULL: no results pending. */
struct block *code_block(struct code *code, const uint8_t *memory, uint32_t pc, bool thumb,
                         const struct timing_pending *pending);

/* As code_block(), but NULL if the block has not been built. */
struct block *code_find(struct code *code, uint32_t pc, bool thumb,
                        const struct timing_pending *pending);

/* The memory that holds the code, without its bytes. */
struct arm968_memory code_memory(const struct code *code);

/* Adds everything that the blocks of a shared code depend on to a digest; false: the code is not
 * shared. */
struct object_key;
bool code_add_to_key(const struct code *code, struct object_key *key);

/* Returns true only once: that caller is to look for earlier translations of the code. */
bool code_first_look(struct code *code);

/* Adds a user, who must call code_release(). */
void code_retain(struct code *code);

/* For the translator: the lock taken for building, all blocks (linked by `next`), and a number that
 * changes when blocks are dropped. */
void code_lock(struct code *code);
void code_unlock(struct code *code);
struct block *code_first_block(struct code *code);
unsigned code_generation(const struct code *code);

/* Takes ownership of a translation, with its blocks, and publishes its functions; the caller holds
 * the lock. */
struct native;
struct native_roots;
struct native_roots *code_add_native(struct code *code, struct native *native);

/* Counts one sample in this code (struct block, `samples`) and returns the number of samples since
 * this round began; each number is returned once.  Rounds are counted from 0. */
uint32_t code_sampled(struct code *code);
uint32_t code_sample_round(const struct code *code);
void code_sample_again(struct code *code);

/* The first address beyond all bytes that blocks depend on; 0: there are no blocks. */
uint32_t code_end(const struct code *code);

/* The consequence of a write to a core's code memory, whose bytes are now `memory`.  Words of
 * shared code that no block depends on vary from then on. */
enum code_change {
    CODE_KEPT,    /* no block depends on the bytes */
    CODE_CHANGED, /* blocks have been dropped, perhaps the current one: the core must leave it */
    CODE_LEFT     /* the code is shared and the core must leave it: code_leave() */
};
enum code_change code_written(struct code *code, const uint8_t *memory, uint32_t address,
                              uint32_t bytes);

/* code_leave(): an empty private code in place of a shared one, which the caller must still
 * release. code_share(): a shared code in place of a private one, to be released: one whose blocks
 * depend on no byte that differs in `memory`, or a new one.  NULL: out of memory. */
struct code *code_leave(const struct code *shared);
struct code *code_share(struct arm968_code_library *library, const struct code *own,
                        uint8_t *memory);

/* The addresses of varying words, at most `most` of them; returns their total number. code_vary()
 * declares that a word varies, unless a block depends on it. */
size_t code_list_varying(const struct code *code, uint32_t *addresses, size_t most);
void code_vary(struct code *code, uint32_t address);

/* Control has reached a dropped block through an edge that still leads there. */
void code_note_stale(struct code *code);

/* The host memory that a code may use: some 600,000 guest instructions.  When it is full no more
 * blocks are built. */
#define CODE_BYTES ((size_t)64 << 20)
size_t code_bytes(const struct code *code);
bool code_is_full(const struct code *code);

/* Whether to call code_collect().  That frees the dropped blocks of a private code, or all its
 * blocks when it is full; none of them may be running. */
bool code_is_due(const struct code *code);
void code_collect(struct code *code);

/* Builds a block of one instruction outside the code memory; to be freed with free(). */
struct block *code_single(struct code *code, uint32_t pc, bool thumb, uint32_t insn,
                          const struct timing_pending *pending);

C_LINKAGE_END
