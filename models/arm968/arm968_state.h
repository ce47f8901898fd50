/* arm968_state.h - the layout of a core.  Private to models/arm968. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/arm968/block.h"
#include "models/arm968/code.h"
#include "models/arm968/native.h"
#include "models/arm968/object_key.h"
#include "models/common/bits.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* What executing one operation came to. */
enum exec_result {
    EXEC_NEXT = 0,
    EXEC_CHECK,      /* done, but it took extra cycles or touched something: look before going on */
    EXEC_BLOCKED,    /* not done: cpu->access must be performed first */
    EXEC_DATA_ABORT, /* not done: bad address, cpu->fault.address */
    EXEC_UNDEFINED,  /* not done: Undefined exception */
    EXEC_REFUSED     /* the same, at the cost of an absent coprocessor */
};

enum access_state {
    ACCESS_NONE,
    ACCESS_REQUESTED, /* the ports have not seen it */
    ACCESS_OUTSIDE,   /* the owner is to perform it */
    ACCESS_DONE       /* performed; the instruction is to be executed again and takes the result */
};

/* Banks of r13, r14 and SPSR; User and System share the first. */
enum bank { BANK_USER, BANK_FIQ, BANK_IRQ, BANK_SUPERVISOR, BANK_ABORT, BANK_UNDEFINED };

/* A memory window for accesses without a detour: offsets below `size` from `base`. */
struct window {
    uint8_t *bytes;
    uint32_t base, size;
    uint32_t words, halves; /* size / 4 and size / 2 */
};

enum { MAX_STOPS = 1024, SINGLES = 32 };

struct arm968 {
    /* hot: what every operation touches */
    uint32_t r[ENGINE_REGISTERS];
    uint32_t flag_n; /* bit 31 is N */
    uint32_t flag_z; /* 0 means Z is set */
    uint32_t flag_c; /* 0 or 1 */
    uint32_t flag_v; /* bit 31 is V */
    uint32_t flag_q; /* 0 or 1 */
    struct window load, store;
    uint8_t *code_bytes; /* the code memory, for literals */
    uint32_t code_base;
    struct block_counts counts; /* since the last flush, of blocks that have been left */
    uint64_t native_runs;
    struct native_flags native_flags; /* kind EACH whenever the interpreter runs */
    uint64_t native_end;              /* the cycle at which the native code under way has to end */
    int64_t native_cut;               /* by how much that is earlier than when it was entered */
    bool native_asked;                /* it has asked the ports */
    const struct native *native_left; /* the translation that it was in when it ended, but for the
                                         end by a jump */
    const uint8_t *native_stack_end;  /* code that is not optimised calls no deeper than here */

    /* control */
    uint32_t pc; /* of the next instruction */
    bool thumb;
    bool irq_masked, fiq_masked;
    uint8_t mode; /* enum arm968_mode */
    bool waiting;
    bool user_access; /* the access in hand is User mode's whatever the mode */
    bool mark_passed; /* the core has stopped at the mark at mark_pc and is to go on */
    uint32_t mark_pc;
    uint8_t access_state; /* enum access_state */
    uint64_t cycle;
    uint64_t horizon;       /* of the run under way */
    uint64_t look_cycle;    /* the horizon or, if earlier, when an interrupt is to be taken */
    uint64_t flushed_cycle; /* when the counts were last added to the counters */
    uint64_t sample_cycle;  /* when the translator wants to know where the core is; none: never */
    bool running;           /* within arm968_run() */

    /* where to go on: in the middle of a block, or at pc with these results pending */
    struct block *resume_block; /* NULL: at pc */
    unsigned resume_insn;
    bool has_pending;
    struct timing_pending pending;
    uint32_t wait;     /* extra cycles of the instruction in hand */
    bool rotated_load; /* the word just loaded was rotated: it is ready later */
    uint8_t rotated_register;
    uint32_t swi_number;

    uint32_t bank_r13[ARM968_BANKS], bank_r14[ARM968_BANKS], bank_spsr[ARM968_BANKS];
    uint32_t bank_r8_to_r12[2][5]; /* the set not in use: [0] User's, [1] FIQ's */
    uint32_t cp15_control, cp15_trace_id, cp15_test;

    bool line_asserted[2]; /* by enum arm968_line */
    uint64_t line_visible_cycle[2];
    uint64_t interrupt_cycle; /* from which an interrupt is to be taken; none: never */

    unsigned scratch_end; /* instruction at which a shortened block stops */
    unsigned stop_kind;   /* of the mark or breakpoint reached */
    struct arm968_access access;
    bool fetch_valid;
    uint32_t fetch_address, fetch_word;
    struct arm968_fault fault;
    struct arm968_counters counters;

    /* what is not rolled back with the rest, from here on: ahead.c */
    struct code *code;      /* NULL: to be acquired */
    struct code *left_code; /* left because the code changed; released when no block of it runs */
    struct single {
        struct block *block; /* of one instruction that no code has; NULL: none */
        uint32_t insn;
    } single[SINGLES];    /* by address */
    unsigned strangers;   /* how many of these have been built of words that vary */
    bool code_private;    /* has left the code that it shared */
    uint64_t share_cycle; /* when it is to look for code to share again; none: never */
    uint64_t share_wait;  /* cycles for which it is not to have changed its code then */
    bool code_changed; /* blocks have been dropped, or are to be: the one under way is the last */
    bool collects;     /* its code is its own: blocks dropped from it are to be freed */
    bool flat;         /* code and data are one memory */
    bool ahead_ends;   /* it stands before what cannot be rolled back */
    struct ahead_word *undo_log; /* where its next store is logged; NULL: it is not ahead */
    struct ahead_word *undo_log_end;
    struct ahead_checkpoint *checkpoint;
    uint32_t own_last; /* the last address of its own memories */
    native_access *access_from_native;
    bool has_loaded;          /* a loader has said what it has put into the code memory ... */
    struct object_key loaded; /* ... and this is the digest of it */
    struct arm968_config config;
    struct op scratch[BLOCK_OPS + 1];
    struct code_stop stops[MAX_STOPS];
    unsigned stop_count;
};

/* What a core tells its translator; each struct arm968_translator begins with it. */
struct translator_ports {
    /* The core has come to its code: what earlier runs have had compiled of it is put in place. */
    void (*begin)(struct arm968 *cpu);
    /* The core stands at a block; also sets when it wants to know again. */
    void (*sample)(struct arm968 *cpu, struct block *block);
};
static inline const struct translator_ports *cpu_translator(const struct arm968 *cpu)
{
    return (const struct translator_ports *)cpu->config.translator;
}

/* run.c */

/* Shows the ports the access in hand, of an instruction that begins at `cycle`. */
void cpu_ask_ports(struct arm968 *cpu, uint64_t cycle);

/* Brings interrupt_cycle and look_cycle up to date after a change of lines or masks. */
void cpu_find_interrupt(struct arm968 *cpu);

/* own_code.c */

/* The block of pc in the code memory; the block of the word there that has been fetched from
 * outside. */
struct block *cpu_own_block(struct arm968 *cpu);
struct block *cpu_fetched_block(struct arm968 *cpu);

/* Forgets its code; releases code that it has left and that nobody runs any more; looks for code to
 * share. */
void cpu_drop_code(struct arm968 *cpu);
void cpu_release_left_code(struct arm968 *cpu);
void cpu_share_code(struct arm968 *cpu);

/* The block at an address, for the core to run next, built if need be; NULL when it is not in the
 * code memory.  `pending` NULL: nothing. */
struct block *cpu_build_block(struct arm968 *cpu, uint32_t pc, bool thumb,
                              const struct timing_pending *pending);
static inline struct block *cpu_block(struct arm968 *cpu, uint32_t pc, bool thumb,
                                      const struct timing_pending *pending)
{
    struct block *block = code_find(cpu->code, pc, thumb, pending);
    return LIKELY(block != NULL) ? block : cpu_build_block(cpu, pc, thumb, pending);
}

/* Leaves the code that it shares, for one of its own; and has just changed that. */
void cpu_leave_code(struct arm968 *cpu);
void cpu_share_later(struct arm968 *cpu);

/* registers.c */
void cpu_switch_mode(struct arm968 *cpu, uint32_t mode);
extern const uint8_t CPU_BANKS[]; /* enum bank by mode; others: BANK_USER */
static inline enum bank cpu_bank(uint32_t mode)
{
    return (enum bank)CPU_BANKS[mode];
}
uint32_t cpu_read_cpsr(const struct arm968 *cpu);
/* Writes what the mask names: N, Z, C and V together, Q, and the control byte, of which the state
 * bit T only when `with_state`. */
void cpu_write_cpsr(struct arm968 *cpu, uint32_t value, uint32_t mask, bool with_state);
static inline bool cpu_has_spsr(const struct arm968 *cpu)
{
    return cpu_bank(cpu->mode) != BANK_USER;
}
static inline bool cpu_privileged(const struct arm968 *cpu)
{
    return cpu->mode != ARM968_USER;
}

/* Leaves the middle of a block: from now on the core is at pc with pending results. */
void cpu_drop_resume(struct arm968 *cpu);

/* memory.c: what the windows do not serve.  size is 1, 2 or 4 bytes. */
enum exec_result memory_load(struct arm968 *cpu, uint32_t address, unsigned size, uint32_t *value);
enum exec_result memory_store(struct arm968 *cpu, uint32_t address, unsigned size, uint32_t value);
native_access memory_access_from_native;
enum exec_result memory_swap(struct arm968 *cpu, uint32_t address, unsigned size, uint32_t *value);
/* LDRD and STRD: two words, an address that is not a multiple of 8 included. */
enum exec_result memory_load_double(struct arm968 *cpu, uint32_t address, uint32_t *values);
enum exec_result memory_store_double(struct arm968 *cpu, uint32_t address, const uint32_t *values);
/* `count` words at a word address, into or from values. */
enum exec_result memory_load_words(struct arm968 *cpu, uint32_t address, unsigned count,
                                   uint32_t *values);
enum exec_result memory_store_words(struct arm968 *cpu, uint32_t address, unsigned count,
                                    const uint32_t *values);
/* Of a core that is ahead of itself: where to store that many words, whose old values are kept;
 * NULL when memory_store_words() has to do it. */
uint8_t *memory_logged_words(struct arm968 *cpu, uint32_t address, unsigned count);
/* Recomputes the windows after a change of CP15 c1 or of the code that has been decoded. */
void memory_set_windows(struct arm968 *cpu);

/* cp15.c */
enum exec_result cp15_read(struct arm968 *cpu, uint32_t name, uint32_t *value);
enum exec_result cp15_write(struct arm968 *cpu, uint32_t name, uint32_t value);
enum {
    CONTROL_ALIGNMENT = 1u << 1,
    CONTROL_DTCM = 1u << 2,
    CONTROL_WRITE_BUFFER = 1u << 3,
    CONTROL_ITCM = 1u << 12,
    CONTROL_HIGH_VECTORS = 1u << 13,
    CONTROL_NO_INTERWORKING = 1u << 15
};

C_LINKAGE_END
