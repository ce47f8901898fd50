/* arm968.h - an ARM968E-S core: all of ARMv5TE in ARM and Thumb state, with the cycle counts of the
 * real pipeline.  The core has two memories (code: ITCM, data: DTCM) and reaches everything else
 * through ports; it knows nothing of SpiNNaker.
 *
 * Time is the core's own clock cycle, counted from 0 at creation; it never goes back.  A core runs
 * until arm968_run() returns, with the reason for the stop; results do not depend on how often it
 * stops.  A core belongs to one host thread at a time; cores that share a code library may run on
 * different threads.
 *
 * Behaviour: ARM DDI 0100I (architecture, v5TE), ARM DDI 0311D (ARM968E-S).  Cycles:
 * isa/timing.def. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/counters.h"
#include "models/common/status.h"
#include "models/common/tier.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
API_BEGIN

/* ---- timing ---- */

/* Every row of isa/timing.def, in core cycles. */
struct arm968_timing {
#define TIMING(row, default_value, minimum, maximum, help, source) uint16_t row;
#define CLASS(...)
#include "models/arm968/isa/timing.def"
#undef TIMING
#undef CLASS
};

struct arm968_timing_row {
    const char *name;
    uint16_t default_value, minimum, maximum;
    const char *help;
    const char *source;
    size_t offset; /* offset of the uint16_t in struct arm968_timing */
};

/* The rows in table order; sets *count to their number. */
const struct arm968_timing_row *arm968_timing_rows(size_t *count);

/* The defaults of all rows. */
struct arm968_timing arm968_timing_default(void);

/* ---- counters ---- */

struct arm968_counters {
#define COUNTER COUNTER_FIELD
#include "models/arm968/counters.def"
#undef COUNTER
};

/* Names, units and help in the order of the struct; sets *count to their number. */
const struct counter_info *arm968_counter_info(size_t *count);

/* ---- accesses outside the core's own memories ---- */

enum arm968_access_kind {
    ARM968_READ,
    ARM968_WRITE,
    ARM968_SWAP, /* read, then write, with the bus locked: data[0] is used for both */
    ARM968_FETCH
};

enum { ARM968_ACCESS_WORDS = 16 };

/* One access.  The core fills in the first part; the port fills in data (of reads) and the second
 * part.  A burst (words > 1) is of consecutive words.  Addresses are aligned to size. */
struct arm968_access {
    enum arm968_access_kind kind;
    uint32_t address;
    uint8_t size;  /* size of one datum in bytes: 1, 2 or 4 */
    uint8_t words; /* number of data, 1 to 16; more than 1 only for size 4 */
    bool privileged;
    bool buffered;   /* a write that may be posted: write buffer on and address bit 28 clear */
    bool sequential; /* a fetch that follows the previous one */
    uint8_t gap[3];  /* named, so that saved states are the same bytes with every compiler */
    uint32_t data[ARM968_ACCESS_WORDS];

    uint32_t wait_cycles; /* stall in addition to the instruction's own cycles */
    bool abort;           /* bus error: data abort, or prefetch abort of a fetch */
    uint8_t gap_behind[3];
};

enum arm968_reply {
    ARM968_REPLY_DONE,   /* performed at once */
    ARM968_REPLY_OUTSIDE /* cannot be performed yet: the core stops before the instruction */
};

struct arm968_ports {
    void *context;
    /* Called for each access outside the core's memories, at core cycle `cycle` (the boundary
     * before the instruction).  NULL: every such access aborts. */
    enum arm968_reply (*access)(void *context, struct arm968_access *access, uint64_t cycle);
};

/* ---- construction ---- */

/* Translations of code, shared by all cores whose code memory holds the same bytes. */
struct arm968_code_library;
struct arm968_code_library *arm968_code_library_create(void);          /* NULL: out of memory */
void arm968_code_library_destroy(struct arm968_code_library *library); /* destroy its cores first */

/* Compiles native code for the code that cores run most, using the host's compiler; see README.md.
 * Without a translator, cores are interpreted: same results, lower speed. */
struct arm968_translator;
struct arm968_translator_options {
    const char *compiler; /* NULL: cc; must outlive the translator */
    uint32_t
        samples; /* number of samples in a piece of code before it is translated; 0: the default */
    uint32_t few_samples; /* number of samples before a quick first translation of the busiest part;
                             0: none */
    bool everything;      /* translate all code that has run, not only what is hot (tests) */
    bool wait;            /* stop the core until the code is translated */
    bool quick;           /* compile without optimisation (tests) */
    bool cached;          /* keep compiled objects on disk: translate/object_cache.h */
};
struct arm968_translator_counts {
    uint64_t translations, failures;
    uint64_t from_cache; /* translations taken from the cache */
    double cpu_seconds;  /* processor time of the compiler */
};
struct arm968_translator *
arm968_translator_create(const struct arm968_translator_options *options); /* NULL: out of memory */
/* The translator for a tier; NULL for the interpreter. */
struct arm968_translator *arm968_translator_for(enum tier tier);
/* To be called before the cores are destroyed.  Unfinished compilations are abandoned; if objects
 * are kept on disk, they are left to a process that outlives this one (translate/keeper.h), so the
 * next run of the program finds them. */
void arm968_translator_destroy(struct arm968_translator *translator);
struct arm968_translator_counts arm968_translator_counts(struct arm968_translator *translator);

/* A memory of the core.  The bytes, little-endian, belong to the owner and must outlive the
 * core. */
struct arm968_memory {
    uint32_t base; /* multiple of 4096 */
    uint32_t size; /* in bytes, a multiple of 4096; 0: absent */
    uint8_t *bytes;
};

struct arm968_config {
    struct arm968_timing timing;
    struct arm968_memory code; /* for instruction fetches and, with a stall, data */
    struct arm968_memory
        data;    /* data only; if it has the same bytes as `code`, the core has one flat memory */
    uint32_t id; /* CP15 c0,0: main ID */
    uint32_t reset_control; /* CP15 c1 after reset */
    bool semihosting;       /* SWI 0x123456 (ARM), 0xab (Thumb) stop with ARM968_STOP_REQUEST */
    struct arm968_ports ports;
    struct arm968_code_library *library;  /* NULL: the core does not share blocks */
    struct arm968_translator *translator; /* NULL: interpret only */
};

struct arm968;

/* Returns NULL only if out of memory.  The core is in its reset state at cycle 0. */
struct arm968 *arm968_create(const struct arm968_config *config);
void arm968_destroy(struct arm968 *cpu);

/* Reset exception: SVC mode, ARM state, interrupts masked, CP15 at its reset value, pc at the reset
 * vector.  Memories, counters and the cycle are kept. */
void arm968_reset(struct arm968 *cpu);

/* ---- running ---- */

enum arm968_stop {
    ARM968_STOP_HORIZON,    /* at the first instruction boundary at or after the horizon */
    ARM968_STOP_OUTSIDE,    /* before an access that the owner must perform: see below */
    ARM968_STOP_WAIT,       /* in wait-for-interrupt */
    ARM968_STOP_FAULT,      /* an Undefined instruction or abort was taken: arm968_fault() */
    ARM968_STOP_MARK,       /* pc has reached a mark; the instruction there has not been executed */
    ARM968_STOP_BREAKPOINT, /* likewise for a breakpoint */
    ARM968_STOP_REQUEST,    /* a semihosting SWI has been executed */
    ARM968_STOP_AHEAD       /* before an instruction that cannot be rolled back: see below */
};

/* Runs until the horizon (a cycle count) or an earlier reason to stop.  In wait-for-interrupt, time
 * passes up to the horizon. */
enum arm968_stop arm968_run(struct arm968 *cpu, uint64_t horizon_cycle);

/* Translates all code that the core has run so far, before it returns.  False: it has no
 * translator, there is nothing to translate, or the compiler has failed. */
bool arm968_translate(struct arm968 *cpu);

/* How often the core has entered native code; a count of the host, independent of guest results. */
uint64_t arm968_native_runs(const struct arm968 *cpu);

/* Hint that this core will run soon: may prefetch its state. */
void arm968_prefetch(const struct arm968 *cpu);

/* For calls from inside ports.access: the run is to end at `cycle`, or at the next instruction
 * boundary if that has passed. */
void arm968_limit_horizon(struct arm968 *cpu, uint64_t cycle);

/* Between runs: stalls the pipeline for some cycles, because a DMA engine uses the core's
 * memories. */
void arm968_stall(struct arm968 *cpu, uint32_t cycles);

/* Between runs: the core has been held in reset up to `cycle`; this time counts neither as active
 * nor as asleep. */
void arm968_hold(struct arm968 *cpu, uint64_t cycle);

/* Running ahead: from arm968_ahead_begin() on, registers, counters and stores to the data memory
 * can be rolled back, until they are settled.  Meanwhile the core stops before a store into code,
 * and when the undo log is full.  The owner must roll back effects of accesses through the ports.
 * Between runs; not for a core whose code and data are one memory. */
void arm968_ahead_begin(struct arm968 *cpu);
void arm968_ahead_settle(struct arm968 *cpu);
void arm968_ahead_roll_back(struct arm968 *cpu); /* also ends running ahead */

uint64_t arm968_cycle(const struct arm968 *cpu);
bool arm968_waiting(const struct arm968 *cpu);

/* Counters up to the last stop. */
const struct arm968_counters *arm968_counters(const struct arm968 *cpu);

/* After ARM968_STOP_OUTSIDE: the access to perform, and the report that it has been performed. */
struct arm968_access *arm968_access(struct arm968 *cpu);
void arm968_access_done(struct arm968 *cpu);

/* Interrupt pins: levels, sampled timing.interrupt_sync cycles after `cycle`. */
enum arm968_line { ARM968_IRQ, ARM968_FIQ };
void arm968_set_line(struct arm968 *cpu, enum arm968_line line, bool asserted, uint64_t cycle);

/* The cycle from which the core can see an asserted line, masked or not: it ends
 * wait-for-interrupt.  UINT64_MAX: neither line is asserted. */
uint64_t arm968_wake_cycle(const struct arm968 *cpu);

enum arm968_fault_kind {
    ARM968_FAULT_NONE,
    ARM968_FAULT_UNDEFINED,
    ARM968_FAULT_PREFETCH,
    ARM968_FAULT_BREAKPOINT, /* BKPT instruction */
    ARM968_FAULT_DATA
};

struct arm968_fault {
    enum arm968_fault_kind kind;
    uint32_t pc;      /* of the faulting instruction */
    uint32_t address; /* of the access, for aborts */

    /* for data aborts */
    uint8_t access; /* enum arm968_access_kind */
    uint8_t bytes;  /* size of the datum, or of the words of a burst that could not be accessed */
    bool misaligned;
    uint8_t gap; /* named, so that saved states are the same bytes with every compiler */
};

/* The last fault taken. */
struct arm968_fault arm968_fault(const struct arm968 *cpu);

/* "read", "write", "swap" or "fetch". */
const char *arm968_access_name(enum arm968_access_kind kind);

/* ---- registers: for loaders, debuggers and tests; only between runs ---- */

enum arm968_mode {
    ARM968_USER = 0x10,
    ARM968_FIQ_MODE = 0x11,
    ARM968_IRQ_MODE = 0x12,
    ARM968_SUPERVISOR = 0x13,
    ARM968_ABORT = 0x17,
    ARM968_UNDEFINED = 0x1b,
    ARM968_SYSTEM = 0x1f
};

/* Register 0..15 of the current mode; 15 is the address of the next instruction.  Setting pc
 * abandons a pending access. */
uint32_t arm968_register(const struct arm968 *cpu, unsigned index);
void arm968_set_register(struct arm968 *cpu, unsigned index, uint32_t value);

/* Register 8..14 as mode `mode` sees it, and its SPSR (0 in User and System mode). */
uint32_t arm968_banked_register(const struct arm968 *cpu, enum arm968_mode mode, unsigned index);
void arm968_set_banked_register(struct arm968 *cpu, enum arm968_mode mode, unsigned index,
                                uint32_t value);
uint32_t arm968_spsr(const struct arm968 *cpu, enum arm968_mode mode);
void arm968_set_spsr(struct arm968 *cpu, enum arm968_mode mode, uint32_t value);

/* The lowest stack pointer of User, System and Supervisor mode so far, resets included: the lowest
 * value that an instruction has put into r13 by arithmetic, a move, or writing back a base.  Values
 * loaded into r13 do not count.  (Handlers use the r13 of other modes for other purposes.)
 * UINT32_MAX: there is none. */
uint32_t arm968_lowest_sp(const struct arm968 *cpu);

/* CPSR, bit 5 (Thumb state) included.  Setting an unused mode number keeps the mode. */
uint32_t arm968_cpsr(const struct arm968 *cpu);
void arm968_set_cpsr(struct arm968 *cpu, uint32_t value);

/* CP15 control register c1. */
uint32_t arm968_control(const struct arm968 *cpu);
void arm968_set_control(struct arm968 *cpu, uint32_t value);

/* ---- code ---- */

/* Reports, before the core runs, what a loader has put into the code memory.  A core that does not
 * share its code needs the call: it recognises a program and finds earlier compilations.  Cores
 * that share code do not need the call.  A range outside the code memory is ignored. */
void arm968_code_loaded(struct arm968 *cpu, uint32_t address, uint32_t bytes);

/* To be called after anyone but the core itself has changed bytes of the code memory. */
void arm968_code_written(struct arm968 *cpu, uint32_t address, uint32_t bytes);

/* Addresses that stop the core each time pc reaches them.  Marks and breakpoints change no cycle.
 * STATUS_INTERNAL: out of memory. */
enum status arm968_add_mark(struct arm968 *cpu, uint32_t address);
enum status arm968_add_breakpoint(struct arm968 *cpu, uint32_t address);
void arm968_clear_stops(struct arm968 *cpu);

/* Watched bytes: a run ends behind each instruction that stores to any of them; it changes no
 * cycle.  Stores by others (DMA, the owner) are not seen.  STATUS_CONFIGURATION: no byte, one more
 * than ARM968_WATCHES ranges, or no such range. */
enum { ARM968_WATCHES = 8 };
enum status arm968_add_watch(struct arm968 *cpu, uint32_t address, uint32_t bytes);
enum status arm968_remove_watch(struct arm968 *cpu, uint32_t address, uint32_t bytes);
void arm968_clear_watches(struct arm968 *cpu);
/* Whether a store to this byte would be seen. */
bool arm968_is_watched(const struct arm968 *cpu, uint32_t address);
/* Whether the run has ended behind such an instruction, and the first watched byte that it has
 * stored to; asked once. */
bool arm968_watch_hit(struct arm968 *cpu, uint32_t *address);

/* ---- state ---- */

/* All state that decides the core's future, without pointers; the owner saves the memories. */
enum { ARM968_BANKS = 6, ARM968_REGISTERS = 15 };
struct arm968_snapshot {
    uint64_t cycle;
    struct arm968_counters counters;
    uint32_t r[ARM968_REGISTERS];
    uint32_t pc;
    uint32_t cpsr;
    uint32_t lowest_sp, bank_lowest_sp[ARM968_BANKS];
    uint32_t bank_r13[ARM968_BANKS], bank_r14[ARM968_BANKS], bank_spsr[ARM968_BANKS];
    uint32_t bank_r8_to_r12[2][5]; /* User, FIQ */
    uint32_t cp15_control, cp15_trace_id, cp15_test;
    uint8_t pending_execute[ARM968_REGISTERS + 1]; /* cycles until a result is ready, by consumer */
    uint8_t pending_store[ARM968_REGISTERS + 1];
    uint8_t pending_accumulate[ARM968_REGISTERS + 1];
    bool line_asserted[2];
    uint64_t line_visible_cycle[2];
    bool waiting;
    bool mark_passed;
    uint32_t mark_pc;
    uint8_t access_state;
    struct arm968_access access;
    bool fetch_valid; /* the word last fetched from outside the code memory, and its address */
    uint32_t fetch_address, fetch_word;
    struct arm968_fault fault;
};

void arm968_save(const struct arm968 *cpu, struct arm968_snapshot *snapshot);
void arm968_load(struct arm968 *cpu, const struct arm968_snapshot *snapshot);

API_END
