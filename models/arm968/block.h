/* block.h - a straight run of guest instructions, translated: the unit that the interpreter
 * executes.
 *
 * A block is the code from one address, in one state (ARM or Thumb), with one set of results still
 * pending in the pipeline at its entry, so all of its cycles are known when it is built.  It ends
 * where control or timing can go two ways; each exit is an edge with the cycles and counts of the
 * whole block.  Blocks belong to a code cache, see code.h.  Private to models/arm968. */
#pragma once
#include "models/arm968/insn.h"
#include "models/arm968/timing.h"
#include "models/common/compiler.h"

#include <stdatomic.h>
#include <string.h>

/* Counts that are known when a block is built; each edge adds them as a vector. */
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

/* A lane counts at most two per cycle, so the counts of this many cycles plus the current block fit
 * into 16 bits. */
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

/* One operation, ready to run: `label` is the address of its code in the interpreter. */
struct op {
    const void *label;
    uint8_t rd, rn, rm, rs;
    uint32_t imm;
};

struct block;

struct edge {
    _Atomic(struct block *) to; /* the successor block, once known */
    uint32_t pc;                /* not used by indirect jumps; nor is thumb */
    uint32_t cycles;
    const struct timing_pending *pending; /* at the entry of the successor; NULL: none */
    bool thumb;
    struct block_counts counts;
};

/* The state before instruction n; the last boundary is the end of the block. */
struct block_boundary {
    uint32_t cycles; /* since the block's entry if all conditions held */
    uint32_t latest; /* maximum since the block's entry, whichever conditions held */
    const struct timing_pending *pending;
    struct block_counts counts;
    uint16_t op; /* first operation of the instruction */
};

/* Cycles and counts that an instruction saves if its condition fails. */
struct block_credit {
    struct block_counts counts;
    int32_t cycles;
};

enum {
    BLOCK_INSNS = 32,
    BLOCK_LOOK_AHEAD = 8, /* instructions after its end, inspected for pending results */
    BLOCK_OPS = 192,
    BLOCK_BYTES_READ = 4 * (BLOCK_INSNS + BLOCK_LOOK_AHEAD) /* maximum of block_bytes_read() */
};

struct block {
    /* The first operation to execute: `ops`, or one operation that runs native code instead. */
    _Atomic(const struct op *) entry;
    const struct op *ops;
    int64_t last_start; /* maximum cycles from entry to the issue of the last instruction; beyond
                           every budget once the block has been dropped */
    struct edge edge[2];

    uint32_t pc;
    bool thumb;
    bool transient; /* not in a cache: its edges are not followed */
    uint16_t insn_count, op_count;
    uint16_t insns_read; /* instructions, of the block and after it, that determine the block */
    const struct timing_pending *pending;  /* results pending at entry */
    const struct block_boundary *boundary; /* insn_count + 1 elements */
    const uint8_t *op_insn;                /* instruction of each operation */
    const uint8_t *op_code;                /* enum op_code of each operation */
    const struct block_credit *credit;
    struct block *variant; /* another block at the same address */
    struct block *next;    /* in the list of a cache's blocks, or of its dropped blocks */
    struct block **link;   /* the pointer to this block in that list, unless dropped */
    uint32_t bytes;        /* host memory used */
    bool dropped;          /* bytes that it depends on have changed */
    bool in_native;        /* belongs to a translation; protected by the cache's lock */
    bool begins_function;  /* a guess of the translator; protected by the cache's lock */
    int region_index;      /* the block's number in the translator; protected by the cache's lock */
    _Atomic(bool) translated;
    _Atomic(uint32_t)
        asks; /* bit n: instruction n has made accesses that the ports answered at once */
    _Atomic(uint32_t) samples; /* how often the core was sampled in this block */
};

static inline bool block_has_edge(const struct block *block, unsigned which)
{
    return block->edge[which].cycles != 0;
}

/* Whether a block at its address matches a state and pending results (NULL: none). */
static inline bool block_is_for(const struct block *block, bool thumb,
                                const struct timing_pending *pending)
{
    const struct timing_pending *own = block->pending;
    return block->thumb == thumb &&
           (own == NULL || pending == NULL ? own == pending
                                           : memcmp(own, pending, sizeof *own) == 0);
}

/* Number of bytes of guest instructions that the block depends on. */
static inline uint32_t block_bytes_read(const struct block *block)
{
    return block->insns_read * (block->thumb ? 2u : 4u);
}

static inline uint32_t block_insn_pc(const struct block *block, unsigned insn)
{
    return block->pc + insn * (block->thumb ? 2u : 4u);
}

/* The inputs of block_build(). */
struct block_source {
    const struct arm968_timing *timing;
    const void *const *labels; /* by enum op_code */
    const uint8_t *bytes;      /* guest bytes from `base` */
    uint32_t base, size;
    bool literals;      /* loads from these bytes relative to pc become separate operations */
    bool itcm_literals; /* ... and count as accesses to ITCM */
    bool fixed;         /* bytes change only in varying words: loads of other words are constants */
    unsigned literal_wait; /* stall of such a load */
    void *context;
    /* intern(): the unique copy of a set of pending results; NULL for none. stop_at(): the stops at
     * an address (0 none, 1 mark, 2 breakpoint, 3 both). */
    const struct timing_pending *(*intern)(void *context, const struct timing_pending *pending);
    unsigned (*stop_at)(void *context, uint32_t address);
    /* For fixed bytes. varies(): whether the word at an address varies, so that no block may depend
     * on it. need(): reports that a block depends on the word at an address in addition to its
     * instructions. */
    bool (*varies)(void *context, uint32_t address);
    void (*need)(void *context, uint32_t address);
};

/* Builds the block at pc, in one allocation to be freed with free(). pc must lie in the source and
 * not in a varying word. */
struct block *block_build(const struct block_source *source, uint32_t pc, bool thumb,
                          const struct timing_pending *pending);

/* A digest of what a block does and costs: equal for equal blocks. */
uint32_t block_digest(const struct block *block);
