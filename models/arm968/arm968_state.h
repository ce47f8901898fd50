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

/* The outcome of executing one operation. */
enum exec_result {
    EXEC_NEXT = 0,
    EXEC_CHECK, /* done, but with extra cycles or side effects: check before the next instruction */
    EXEC_BLOCKED,    /* not done: cpu->access must be performed first */
    EXEC_DATA_ABORT, /* not done: bad address, cpu->fault.address */
    EXEC_UNDEFINED,  /* not done: Undefined exception */
    EXEC_REFUSED     /* the same, at the cost of an absent coprocessor */
};

enum access_state {
    ACCESS_NONE,
    ACCESS_REQUESTED, /* the ports have not been asked yet */
    ACCESS_OUTSIDE,   /* the owner is to perform it */
    ACCESS_DONE       /* performed; the instruction is executed again and uses the result */
};

/* Banks of r13, r14 and SPSR; User and System share the first. */
enum bank { BANK_USER, BANK_FIQ, BANK_IRQ, BANK_SUPERVISOR, BANK_ABORT, BANK_UNDEFINED };

/* A memory window for fast accesses: offsets below `size` from `base`. */
struct window {
    uint8_t *bytes;
    uint32_t base, size;
    uint32_t words, halves; /* size / 4 and size / 2 */
};

enum { MAX_STOPS = 1024, SINGLES = 32 };

/* A block of one instruction that belongs to no code; block NULL: none. */
struct single {
    struct block *block;
    uint32_t insn;
};

struct watch {
    uint32_t address, bytes;
};

struct arm968 {
    /* hot: used by every operation */
    uint32_t r[ENGINE_REGISTERS];
    uint32_t flag_n; /* bit 31 is N */
    uint32_t flag_z; /* 0 means Z is set */
    uint32_t flag_c; /* 0 or 1 */
    uint32_t flag_v; /* bit 31 is V */
    uint32_t flag_q; /* 0 or 1 */
    struct window load, store;
    uint8_t *code_bytes; /* the code memory, for literals */
    uint32_t code_base;
    struct block_counts counts; /* since the last flush, of completed blocks */
    uint64_t native_runs;
    struct native_flags native_flags; /* kind EACH whenever the interpreter runs */
    uint64_t native_end;              /* cycle at which the current run of native code must end */
    int64_t native_cut; /* how much earlier that is than at entry to the native code */
    bool native_asked;  /* native code has accessed the ports */
    const struct native
        *native_left; /* translation that native code left, except when it left by a jump */
    const uint8_t
        *native_stack_end; /* limit of the host stack for calls of code that is not optimised */

    /* control */
    uint32_t pc; /* of the next instruction */
    bool thumb;
    bool irq_masked, fiq_masked;
    uint8_t mode; /* enum arm968_mode */
    bool waiting;
    bool user_access; /* the current access has User mode's rights, whatever the mode */
    bool mark_passed; /* the core has stopped at the mark at mark_pc and is to continue */
    uint32_t mark_pc;
    uint8_t access_state; /* enum access_state */
    uint64_t cycle;
    uint64_t horizon;       /* of the current run */
    uint64_t look_cycle;    /* the horizon, or the earlier time of a pending interrupt */
    uint64_t flushed_cycle; /* when the counts were last added to the counters */
    uint64_t sample_cycle;  /* next cycle at which the translator samples the core; none: never */
    bool running;           /* within arm968_run() */
    bool tells;             /* ports.accessed is told of all data accesses: the windows are empty */
    bool sees_stores;       /* all stores pass memory.c: for `tells`, or for watches */
    uint8_t told_kind;      /* enum arm968_access_kind of an access that the current instruction has
                               made, and that has not been told yet ... */
    uint8_t told_bytes;     /* ... its bytes; 0: there is none */
    uint32_t told_address;

    /* where to continue: in the middle of a block, or at pc with these results pending */
    struct block *resume_block; /* NULL: at pc */
    unsigned resume_insn;
    bool has_pending;
    struct timing_pending pending;
    uint32_t wait;     /* extra cycles of the current instruction */
    bool rotated_load; /* the word just loaded was rotated: it becomes ready later */
    uint8_t rotated_register;
    uint32_t swi_number;

    uint32_t lowest_sp; /* the lowest value that this mode's r13 has been moved to; UINT32_MAX:
                           never */
    uint32_t bank_lowest_sp[ARM968_BANKS];
    uint32_t bank_r13[ARM968_BANKS], bank_r14[ARM968_BANKS], bank_spsr[ARM968_BANKS];
    uint32_t bank_r8_to_r12[2][5]; /* the inactive set: [0] User's, [1] FIQ's */
    uint32_t cp15_control, cp15_trace_id, cp15_test;

    bool line_asserted[2]; /* indexed by enum arm968_line */
    uint64_t line_visible_cycle[2];
    uint64_t interrupt_cycle; /* cycle at which an interrupt is to be taken; none: never */

    unsigned stop_kind; /* of the mark or breakpoint reached */
    struct arm968_access access;
    bool fetch_valid;
    uint32_t fetch_address, fetch_word;
    struct arm968_fault fault;
    struct arm968_counters counters;
    struct window data; /* all of the data memory that is enabled: `load`, if nobody is told of
                           accesses */

    /* from here on: state that is not rolled back with the rest (ahead.c) */
    struct code *code;      /* NULL: to be acquired */
    struct code *left_code; /* the code it has left because it changed; released when none of its
                               blocks runs */
    struct single *single;  /* SINGLES of them, indexed by address; NULL: none has been needed */
    unsigned strangers;     /* how many of these have been built from varying words */
    bool code_private;      /* the core has left the code that it shared */
    uint64_t share_cycle;   /* cycle at which it looks for code to share again; none: never */
    uint64_t share_wait;    /* cycles without a change of code that this requires */
    bool code_changed; /* blocks have been dropped, or will be: the current block is the last one to
                          run */
    bool collects;     /* its code is not shared: dropped blocks are to be freed */
    bool flat;         /* code and data are one memory */
    bool ahead_ends;   /* the core has stopped before an instruction that cannot be rolled back */
    struct ahead_word *undo_log; /* where the next store is logged; NULL: the core is not ahead */
    struct ahead_word *undo_log_end;
    struct ahead_checkpoint *checkpoint;
    uint32_t own_last; /* the last address of its own memories */
    native_access *access_from_native;
    const void *const *labels; /* of the interpreter */
    bool has_loaded;           /* a loader has reported what it has put into the code memory ... */
    struct object_key loaded;  /* ... and this is its digest */
    struct arm968_config config;
    struct code_stop *stops; /* NULL: the core has had none */
    unsigned stop_count, stop_room;
    struct watch watch[ARM968_WATCHES]; /* bytes whose stores stop the core */
    unsigned watch_count;
    bool watch_hit;         /* an instruction has stored to watched bytes ... */
    uint32_t watch_address; /* ... the first of which are here */
};

/* Calls from a core to its translator; each struct arm968_translator begins with them. */
struct translator_ports {
    /* The core has a new code: installs its native code from earlier runs. */
    void (*begin)(struct arm968 *cpu);
    /* The core is at a block; also sets the cycle of the next sample. */
    void (*sample)(struct arm968 *cpu, struct block *block);
};
static inline const struct translator_ports *cpu_translator(const struct arm968 *cpu)
{
    return (const struct translator_ports *)cpu->config.translator;
}

/* lines.c */

/* The cycle from which the core can see a line; TIME_NEVER if it is not asserted. */
static inline uint64_t cpu_line_visible(const struct arm968 *cpu, enum arm968_line line)
{
    return cpu->line_asserted[line] ? cpu->line_visible_cycle[line] : UINT64_MAX;
}

/* Updates interrupt_cycle and look_cycle after a change of lines or masks. */
void cpu_find_interrupt(struct arm968 *cpu);

/* own_code.c */

/* cpu_own_block(): the block at pc in the code memory. cpu_fetched_block(): the block of the word
 * at pc that was fetched from outside. */
struct block *cpu_own_block(struct arm968 *cpu);
struct block *cpu_fetched_block(struct arm968 *cpu);

/* Drops the core's code; releases code that it has left and that nobody runs any more; looks for
 * code to share. */
void cpu_drop_code(struct arm968 *cpu);
void cpu_release_left_code(struct arm968 *cpu);
void cpu_share_code(struct arm968 *cpu);

/* The block at an address that the core is to run next, built if necessary; NULL if the address is
 * not in the code memory.  `pending` NULL: no results pending. */
struct block *cpu_build_block(struct arm968 *cpu, uint32_t pc, bool thumb,
                              const struct timing_pending *pending);
static inline struct block *cpu_block(struct arm968 *cpu, uint32_t pc, bool thumb,
                                      const struct timing_pending *pending)
{
    struct block *block = code_find(cpu->code, pc, thumb, pending);
    return LIKELY(block != NULL) ? block : cpu_build_block(cpu, pc, thumb, pending);
}

/* registers.c */
void cpu_switch_mode(struct arm968 *cpu, uint32_t mode);
extern const uint8_t CPU_BANKS[]; /* enum bank by mode; others: BANK_USER */
static inline enum bank cpu_bank(uint32_t mode)
{
    return (enum bank)CPU_BANKS[mode];
}
uint32_t cpu_read_cpsr(const struct arm968 *cpu);
/* Writes the parts of CPSR selected by the mask: N, Z, C and V together, Q, and the control byte;
 * the state bit T only if `with_state`. */
void cpu_write_cpsr(struct arm968 *cpu, uint32_t value, uint32_t mask, bool with_state);
static inline bool cpu_has_spsr(const struct arm968 *cpu)
{
    return cpu_bank(cpu->mode) != BANK_USER;
}
static inline bool cpu_privileged(const struct arm968 *cpu)
{
    return cpu->mode != ARM968_USER;
}

/* Leaves the middle of a block: the core is then at pc with pending results. */
void cpu_drop_resume(struct arm968 *cpu);

/* memory.c: accesses outside the windows.  size is 1, 2 or 4 bytes. */
enum exec_result memory_load(struct arm968 *cpu, uint32_t address, unsigned size, uint32_t *value);
enum exec_result memory_store(struct arm968 *cpu, uint32_t address, unsigned size, uint32_t value);
native_access memory_access_from_native;
enum exec_result memory_swap(struct arm968 *cpu, uint32_t address, unsigned size, uint32_t *value);
/* LDRD and STRD: two words; the address need not be a multiple of 8. */
enum exec_result memory_load_double(struct arm968 *cpu, uint32_t address, uint32_t *values);
enum exec_result memory_store_double(struct arm968 *cpu, uint32_t address, const uint32_t *values);
/* Transfers `count` words at a word address, to or from values. */
enum exec_result memory_load_words(struct arm968 *cpu, uint32_t address, unsigned count,
                                   uint32_t *values);
enum exec_result memory_store_words(struct arm968 *cpu, uint32_t address, unsigned count,
                                    const uint32_t *values);
/* For a core that runs ahead: the place to store `count` words, whose old values have been logged;
 * NULL: memory_store_words() must be used. */
uint8_t *memory_logged_words(struct arm968 *cpu, uint32_t address, unsigned count);
/* Passes the current access to the ports; its instruction begins at `cycle`. */
void cpu_ask_ports(struct arm968 *cpu, uint64_t cycle);

/* windows.c: recomputes the windows after a change of CP15 c1 or of the decoded code. */
void memory_set_windows(struct arm968 *cpu);
void memory_set_store_window(struct arm968 *cpu); /* after a change of what concerns stores only */

/* watch.c, for memory.c.  Before a store: whether a core that is ahead stops before it, since bytes
 * are watched.  Behind a store: its result; the run ends with the instruction if they are. */
bool cpu_watch_waits(struct arm968 *cpu, uint32_t address, uint32_t bytes);
enum exec_result cpu_watch_stored(struct arm968 *cpu, uint32_t address, uint32_t bytes,
                                  enum exec_result result);

/* tell.c: tells ports.accessed of the access that instruction `pc` has made; it began at `cycle`.
 */
void cpu_tell_access(struct arm968 *cpu, uint32_t pc, uint64_t cycle);

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
