/* block.h - a straight run of guest instructions, translated: what the interpreter executes.
 *
 * A block is the code from one address, in one state (ARM or Thumb), with one set of results still
 * pending in the pipeline at its entry, so that all of its cycles are known when it is built.  It
 * ends where control or timing can go two ways; each way out is an edge with the cycles and counts
 * of the whole block. Blocks belong to a code cache, see code.h.  Private to models/arm968. */
#pragma once
#include "models/arm968/insn.h"
#include "models/arm968/timing.h"
#include "models/common/compiler.h"

#include <stdatomic.h>
#include <string.h>

/* The counts that are known when a block is built, added up as a vector at each edge. */
enum lane {
    LANE_INSTRUCTIONS,
    LANE_MULTIPLY,
    LANE_MEMORY,
    LANE_BRANCH,
    LANE_INTERLOCK,
    LANE_BRANCHES_TAKEN,
    LANE_WORDS_LOADED,
    LANE_WORDS_STORED,
    LANES
};

struct block_counts {
    _Alignas(16) uint16_t lanes[LANES]; /* modulo 65536: BLOCK_COUNTED_CYCLES */
    uint32_t literals;                  /* read from the code memory */
};

/* A lane adds at most two counts in a cycle, so the counts of this many cycles, and of the block
 * under way then, fit into 16 bits. */
enum { BLOCK_COUNTED_CYCLES = 28000, BLOCK_COUNTS_PER_CYCLE = 2 };

ALWAYS_INLINE void block_counts_add(struct block_counts *sum, const struct block_counts *more)
{
    *(vector8 *)sum->lanes += *(const vector8 *)more->lanes;
    sum->literals += more->literals;
}

ALWAYS_INLINE void block_counts_subtract(struct block_counts *sum, const struct block_counts *less)
{
    *(vector8 *)sum->lanes -= *(const vector8 *)less->lanes;
    sum->literals -= less->literals;
}

/* One operation, ready to run: `label` is the place in the interpreter that executes it. */
struct op {
    const void *label;
    uint8_t rd, rn, rm, rs;
    uint32_t imm;
};

struct block;

struct edge {
    _Atomic(struct block *) to; /* the block it leads to, once known */
    uint32_t pc;                /* unused by indirect jumps, as is thumb */
    uint32_t cycles;
    const struct timing_pending *pending; /* NULL: nothing */
    bool thumb;
    struct block_counts counts;
};

/* The state before instruction n; the last one stands for the end. */
struct block_boundary {
    uint32_t cycles; /* since the block's entry, all conditions having held */
    uint32_t latest; /* since the block's entry, whichever conditions have held, at most */
    const struct timing_pending *pending;
    struct block_counts counts;
    uint16_t op; /* first operation of the instruction */
};

/* What an instruction whose condition fails does not cost or count. */
struct block_credit {
    struct block_counts counts;
    int32_t cycles;
};

enum {
    BLOCK_INSNS = 32,
    BLOCK_LOOK_AHEAD = 8, /* instructions behind its end, to see who waits for whom */
    BLOCK_OPS = 192,
    BLOCK_BYTES_READ = 4 * (BLOCK_INSNS + BLOCK_LOOK_AHEAD) /* at most: block_bytes_read() */
};

struct block {
    /* Where running it begins: `ops`, or one operation that runs native code in their place. */
    _Atomic(const struct op *) entry;
    const struct op *ops;
    int64_t last_start; /* cycles from entry to the issue of the last instruction, at most; no
                         * budget is as much once the block has been dropped */
    struct edge edge[2];

    uint32_t pc;
    bool thumb;
    bool transient; /* not in a cache: its edges are not followed */
    uint16_t insn_count, op_count;
    uint16_t insns_read;                   /* of the block and behind it: they decide what it is */
    const struct timing_pending *pending;  /* at entry */
    const struct block_boundary *boundary; /* insn_count + 1 */
    const uint8_t *op_insn;                /* instruction of each operation */
    const uint8_t *op_code;                /* enum op_code of each operation */
    const struct block_credit *credit;
    struct block *variant; /* another block at the same address */
    struct block *next;    /* all blocks of a cache, or all that have been dropped */
    struct block **link;   /* what points to it in that list, unless it has been dropped */
    uint32_t bytes;        /* of the host's memory */
    bool dropped;          /* bytes that it depends on have changed */
    bool in_native;        /* a translation has it; under the cache's lock */
    bool begins_function;  /* as far as the translator knows; under the cache's lock */
    int region_index;      /* where the translator has it; under the cache's lock */
    _Atomic(bool) translated;
    _Atomic(uint32_t) asks;    /* bit n: instruction n has accessed what the ports answer at once */
    _Atomic(uint32_t) samples; /* how often the core was found here */
};

static inline bool block_has_edge(const struct block *block, unsigned which)
{
    return block->edge[which].cycles != 0;
}

/* Whether a block at its address is the one for a state and results pending (NULL: none). */
static inline bool block_is_for(const struct block *block, bool thumb,
                                const struct timing_pending *pending)
{
    const struct timing_pending *own = block->pending;
    return block->thumb == thumb &&
           (own == NULL || pending == NULL ? own == pending
                                           : memcmp(own, pending, sizeof *own) == 0);
}

/* Bytes of the guest instructions that the block depends on. */
static inline uint32_t block_bytes_read(const struct block *block)
{
    return block->insns_read * (block->thumb ? 2u : 4u);
}

static inline uint32_t block_insn_pc(const struct block *block, unsigned insn)
{
    return block->pc + insn * (block->thumb ? 2u : 4u);
}

/* What a block is built from. */
struct block_source {
    const struct arm968_timing *timing;
    const void *const *labels; /* by enum op_code */
    const uint8_t *bytes;      /* guest bytes from `base` */
    uint32_t base, size;
    bool literals;      /* pc-relative loads from these bytes are operations of their own */
    bool itcm_literals; /* and are accesses to ITCM */
    bool fixed;         /* bytes change only in words that vary: what other loads load is known */
    unsigned literal_wait; /* and stall this long */
    void *context;
    /* The one copy of a set of pending results, NULL for none; and whether a stop stands at an
     * address (0, 1 mark, 2 breakpoint, 3 both). */
    const struct timing_pending *(*intern)(void *context, const struct timing_pending *pending);
    unsigned (*stop_at)(void *context, uint32_t address);
    /* Of fixed bytes: whether the word of an address varies: no block reads it; and that a block
     * depends on the word at an address beside its instructions. */
    bool (*varies)(void *context, uint32_t address);
    void (*need)(void *context, uint32_t address);
};

/* The block at pc, in one allocation to be freed with free().  pc lies in the source, in no word
 * that varies. */
struct block *block_build(const struct block_source *source, uint32_t pc, bool thumb,
                          const struct timing_pending *pending);

/* Tells apart what blocks do and cost: equal for equal blocks. */
uint32_t block_digest(const struct block *block);
