/* run.c - execution between instructions: life cycle, sleep, reasons to stop. */
#include "models/arm968/ahead.h"
#include "models/arm968/arm968_state.h"

#include "models/arm968/exceptions.h"
#include "models/arm968/interpreter.h"
#include "models/common/units.h"

#include <stdlib.h>
#include <string.h>

enum { SEMIHOSTING_ARM = 0x123456, SEMIHOSTING_THUMB = 0xab };

/* An odd number of cache lines, so that the same fields of many cores do not compete for the same
 * sets of the host's caches. */
#define CPU_BYTES (((sizeof(struct arm968) / CACHE_LINE_BYTES | 1) + 2) * CACHE_LINE_BYTES)

/* Cache lines that a run uses first: registers and control. */
enum { PREFETCH_LINES = 9 };

/* ---- life cycle ---- */

/* The last address of two memories. */
static uint32_t later_end(const struct arm968_memory *a, const struct arm968_memory *b)
{
    const uint32_t end_a = a->size == 0 ? 0 : a->base + (a->size - 1);
    const uint32_t end_b = b->size == 0 ? 0 : b->base + (b->size - 1);
    return end_a > end_b ? end_a : end_b;
}

struct arm968 *arm968_create(const struct arm968_config *config)
{
    struct arm968 *cpu = aligned_alloc(CACHE_LINE_BYTES, CPU_BYTES);
    if (cpu == NULL) {
        return NULL;
    }
    memset(cpu, 0, sizeof *cpu);
    cpu->config = *config;
    cpu->tells = config->ports.accessed != NULL;
    if (cpu->tells) {
        cpu->config.translator = NULL;
    }
    cpu->labels = interpreter_labels();
    cpu->flat = config->code.bytes == config->data.bytes;
    cpu->code_bytes = config->code.bytes;
    cpu->code_base = config->code.base;
    cpu->own_last = later_end(&config->code, &config->data);
    cpu->access_from_native = memory_access_from_native;
    cpu->lowest_sp = UINT32_MAX;
    memset(cpu->bank_lowest_sp, 0xff, sizeof cpu->bank_lowest_sp);
    cpu->sample_cycle = cpu->config.translator == NULL ? UINT64_MAX : 0;
    cpu->mode = ARM968_SUPERVISOR;
    arm968_reset(cpu);
    return cpu;
}

void arm968_destroy(struct arm968 *cpu)
{
    if (cpu != NULL) {
        cpu_drop_code(cpu);
        free(cpu->single);
        free(cpu->stops);
        free(cpu->checkpoint);
        free(cpu);
    }
}

void arm968_reset(struct arm968 *cpu)
{
    cpu_drop_code(cpu);
    cpu->code_private = false;
    cpu->share_cycle = UINT64_MAX;
    cpu->share_wait = 0;
    cpu->has_pending = false;
    cpu->waiting = false;
    cpu->user_access = false;
    cpu->mark_passed = false;
    cpu->access_state = ACCESS_NONE;
    cpu->wait = 0;
    cpu->rotated_load = false;
    cpu->cp15_trace_id = 0;
    cpu->cp15_test = 0;
    cpu->flag_z = 1;
    cpu->flag_n = cpu->flag_c = cpu->flag_v = cpu->flag_q = 0;
    arm968_set_control(cpu, cpu->config.reset_control);
    exception_take(cpu, EXCEPTION_RESET, cpu->r[REGISTER_LR]);
}

/* ---- time ---- */

static void sleep_until(struct arm968 *cpu, uint64_t cycle)
{
    if (cycle > cpu->cycle) {
        cpu->counters.sleep_cycles += cycle - cpu->cycle;
        exception_spend(cpu, cycle - cpu->cycle);
    }
}

static void flush_counts(struct arm968 *cpu)
{
    cpu->flushed_cycle = cpu->cycle;
    struct block_counts counts = cpu->counts;
    cpu->counts = (struct block_counts){0};
    if (cpu->resume_block != NULL) { /* its counts are added when the core finally leaves it */
        const struct block_boundary *boundary = &cpu->resume_block->boundary[cpu->resume_insn];
        block_counts_add(&counts, &boundary->counts);
        block_counts_subtract(&cpu->counts, &boundary->counts);
    }
    struct arm968_counters *counters = &cpu->counters;
    counters->instructions += counts.lanes[LANE_INSTRUCTIONS];
    counters->multiply_cycles += counts.lanes[LANE_MULTIPLY];
    counters->memory_cycles += counts.lanes[LANE_MEMORY];
    counters->branch_cycles += counts.lanes[LANE_BRANCH];
    counters->interlock_cycles += counts.lanes[LANE_INTERLOCK];
    counters->branches_taken += counts.lanes[LANE_BRANCHES_TAKEN];
    counters->words_loaded += counts.lanes[LANE_WORDS_LOADED];
    counters->words_stored += counts.lanes[LANE_WORDS_STORED];
    counters->itcm_data_accesses += counts.literals;
    counters->itcm_wait_cycles += (uint64_t)counts.literals * cpu->config.timing.itcm_data;
}

/* ---- faults ---- */

static enum arm968_stop fault(struct arm968 *cpu, enum arm968_fault_kind kind)
{
    cpu->fault.kind = kind;
    cpu->fault.pc = cpu->pc;
    const uint32_t pc = cpu->pc;
    switch (kind) {
    case ARM968_FAULT_UNDEFINED: /* the entry is part of the instruction's cycles */
        cpu->counters.undefined++;
        exception_take(cpu, EXCEPTION_UNDEFINED, pc + (cpu->thumb ? 2 : 4));
        break;
    case ARM968_FAULT_BREAKPOINT: /* likewise */
        cpu->counters.prefetch_aborts++;
        exception_take(cpu, EXCEPTION_PREFETCH_ABORT, pc + 4);
        break;
    case ARM968_FAULT_PREFETCH:
        cpu->counters.prefetch_aborts++;
        cpu->fault.address = pc;
        exception_enter(cpu, EXCEPTION_PREFETCH_ABORT, pc + 4);
        break;
    case ARM968_FAULT_DATA:
    case ARM968_FAULT_NONE:
    default:
        cpu->counters.data_aborts++;
        exception_enter(cpu, EXCEPTION_DATA_ABORT, pc + 8);
        break;
    }
    return ARM968_STOP_FAULT;
}

/* ---- code ---- */

static bool in_code_memory(const struct arm968 *cpu)
{
    const bool enabled = cpu->flat || (cpu->cp15_control & CONTROL_ITCM) != 0;
    return enabled && cpu->pc - cpu->config.code.base < cpu->config.code.size;
}

/* Instructions cannot be fetched from the data memory; such a fetch does not go outside either. */
static bool in_data_memory(const struct arm968 *cpu)
{
    const bool enabled = !cpu->flat && (cpu->cp15_control & CONTROL_DTCM) != 0;
    return enabled && cpu->pc - cpu->config.data.base < cpu->config.data.size;
}

/* The instruction word at pc outside the code memory; EXEC_NEXT when cpu->fetch_word holds it. */
static enum exec_result fetch(struct arm968 *cpu)
{
    const uint32_t address = cpu->pc & ~3u;
    if (cpu->access_state == ACCESS_DONE && cpu->access.kind == ARM968_FETCH) {
        cpu->access_state = ACCESS_NONE;
        cpu->cycle += cpu->access.wait_cycles;
        cpu->counters.bus_wait_cycles += cpu->access.wait_cycles;
        cpu->counters.bus_fetches++;
        if (cpu->access.abort) {
            return EXEC_DATA_ABORT;
        }
        cpu->fetch_valid = true;
        cpu->fetch_address = address;
        cpu->fetch_word = cpu->access.data[0];
    }
    if (cpu->fetch_valid && cpu->fetch_address == address) {
        return EXEC_NEXT;
    }
    cpu->access =
        (struct arm968_access){.kind = ARM968_FETCH,
                               .address = address,
                               .size = 4,
                               .words = 1,
                               .privileged = cpu_privileged(cpu),
                               .sequential = cpu->fetch_valid && cpu->fetch_address + 4 == address};
    cpu->access_state = ACCESS_REQUESTED;
    return EXEC_BLOCKED;
}

/* ---- running ---- */

/* The block at pc, to be run next; *block NULL: see the return value. */
static enum exec_result next_block(struct arm968 *cpu, struct block **block)
{
    if (in_data_memory(cpu)) {
        return EXEC_DATA_ABORT;
    }
    if (!in_code_memory(cpu)) {
        const enum exec_result result = fetch(cpu);
        *block = result == EXEC_NEXT ? cpu_fetched_block(cpu) : NULL;
        return result;
    }
    cpu->fetch_valid = false;
    *block = cpu_own_block(cpu);
    return EXEC_NEXT;
}

/* Translates the interpreter's reason for leaving, or a waiting core, into a stop; true if the core
 * stops. */
static bool left(struct arm968 *cpu, enum leave_reason reason, enum arm968_stop *stop)
{
    switch (reason) {
    case LEAVE_MARK:
        cpu->mark_passed = true;
        cpu->mark_pc = cpu->pc;
        *stop = (cpu->stop_kind & 2) != 0 ? ARM968_STOP_BREAKPOINT : ARM968_STOP_MARK;
        return true;
    case LEAVE_DATA_ABORT:
        *stop = fault(cpu, ARM968_FAULT_DATA);
        return true;
    case LEAVE_UNDEFINED:
        *stop = fault(cpu, ARM968_FAULT_UNDEFINED);
        return true;
    case LEAVE_BREAKPOINT:
        *stop = fault(cpu, ARM968_FAULT_BREAKPOINT);
        return true;
    case LEAVE_SWI:
        if (cpu->config.semihosting &&
            cpu->swi_number == (cpu->thumb ? SEMIHOSTING_THUMB : SEMIHOSTING_ARM)) {
            *stop = ARM968_STOP_REQUEST;
            return true;
        }
        cpu->counters.software_interrupts++;
        exception_take(cpu, EXCEPTION_SOFTWARE_INTERRUPT, cpu->pc);
        return false;
    case LEAVE_BOUNDARY:
    case LEAVE_BLOCKED:
    case LEAVE_FETCH:
    default:
        *stop = ARM968_STOP_WAIT;
        return arm968_wake_cycle(cpu) > cpu->cycle;
    }
}

/* Passes a new pending access to the ports; true if the owner has to perform it. */
static bool needs_outside(struct arm968 *cpu)
{
    if (cpu->access_state == ACCESS_REQUESTED) {
        cpu_ask_ports(cpu, cpu->cycle);
    }
    return cpu->access_state == ACCESS_OUTSIDE;
}

/* Between two instructions: sleeping, waking, interrupts.  True when the core stops here. */
static bool between(struct arm968 *cpu, enum arm968_stop *stop)
{
    const uint64_t horizon = cpu->horizon;
    if (cpu->waiting) { /* woken by a line, masked or not */
        const uint64_t wake = arm968_wake_cycle(cpu);
        if (wake > horizon && wake > cpu->cycle) {
            sleep_until(cpu, horizon);
            *stop = ARM968_STOP_WAIT;
            return true;
        }
        sleep_until(cpu, wake);
        cpu->waiting = false;
    }
    while (cpu->cycle < horizon) {
        if (cpu->interrupt_cycle > cpu->cycle) {
            return false;
        }
        exception_interrupt(cpu);
    }
    *stop = ARM968_STOP_HORIZON;
    return true;
}

/* The next cycle that needs attention: the horizon, an interrupt, a flush of the counts, or a
 * sample for the translator. */
static uint64_t run_limit(const struct arm968 *cpu)
{
    const uint64_t limit = earlier_of(cpu->look_cycle, cpu->sample_cycle);
    return later_of(earlier_of(limit, cpu->flushed_cycle + BLOCK_COUNTED_CYCLES), cpu->cycle + 1);
}

/* Whether the core stops before its next instruction.  An instruction whose access has been made is
 * executed first, whatever else is pending. */
ALWAYS_INLINE bool stops_here(struct arm968 *cpu, enum arm968_stop *stop)
{
    if (cpu->access_state != ACCESS_NONE) {
        *stop = ARM968_STOP_OUTSIDE;
        return needs_outside(cpu);
    }
    return (cpu->waiting || cpu->cycle >= cpu->look_cycle) && between(cpu, stop);
}

static enum arm968_stop run(struct arm968 *cpu)
{
    for (;;) {
        enum arm968_stop stop = ARM968_STOP_HORIZON;
        if (UNLIKELY(cpu->code_changed)) {
            cpu_release_left_code(cpu);
            cpu->code_changed = false;
        }
        if (stops_here(cpu, &stop)) {
            return stop;
        }
        if (cpu->cycle - cpu->flushed_cycle >= BLOCK_COUNTED_CYCLES) {
            flush_counts(cpu);
        }
        const uint64_t limit = run_limit(cpu);
        struct block *block = cpu->resume_block;
        const unsigned insn = block != NULL ? cpu->resume_insn : 0;
        const enum exec_result result = block != NULL ? EXEC_NEXT : next_block(cpu, &block);
        if (result == EXEC_BLOCKED) {
            continue;
        }
        if (result == EXEC_DATA_ABORT) {
            return fault(cpu, ARM968_FAULT_PREFETCH);
        }
        const uint64_t now = cpu->cycle; /* a fetch may have taken time */
        if (now >= cpu->sample_cycle) {
            cpu_translator(cpu)->sample(cpu, block);
        }
        const int64_t budget = limit > now ? (int64_t)(limit - now) : 1;
        const enum leave_reason reason = interpreter_run(cpu, block, insn, budget);
        if (cpu->ahead_ends) {
            cpu->ahead_ends = false;
            return ARM968_STOP_AHEAD;
        }
        if ((cpu->waiting || reason > LEAVE_FETCH) && left(cpu, reason, &stop)) {
            return stop;
        }
    }
}

enum arm968_stop arm968_run(struct arm968 *cpu, uint64_t horizon_cycle)
{
    const uint64_t start = cpu->cycle;
    const uint64_t slept = cpu->counters.sleep_cycles;
    if (UNLIKELY(cpu->cycle >= cpu->share_cycle) && !ahead_is(cpu)) {
        cpu_share_code(cpu);
    }
    cpu->horizon = horizon_cycle;
    cpu->look_cycle = earlier_of(horizon_cycle, cpu->interrupt_cycle);
    cpu->running = true;
    const enum arm968_stop stop = run(cpu);
    cpu->running = false;
    cpu->counters.active_cycles += cpu->cycle - start - (cpu->counters.sleep_cycles - slept);
    return stop;
}

void arm968_prefetch(const struct arm968 *cpu)
{
    for (unsigned line = 0; line < PREFETCH_LINES; line++) {
        PREFETCH((const char *)cpu + (size_t)line * CACHE_LINE_BYTES);
    }
    PREFETCH(&cpu->counters);
}

void arm968_limit_horizon(struct arm968 *cpu, uint64_t cycle)
{
    cpu->horizon = earlier_of(cpu->horizon, cycle);
    cpu->look_cycle = earlier_of(cpu->look_cycle, cycle);
}

void arm968_stall(struct arm968 *cpu, uint32_t cycles)
{
    cpu->cycle += cycles; /* the whole pipeline waits: pending results are unchanged */
    cpu->counters.active_cycles += cycles;
    cpu->counters.contention_cycles += cycles;
}

void arm968_hold(struct arm968 *cpu, uint64_t cycle)
{
    if (cycle > cpu->cycle) {
        cpu->cycle = cycle;
    }
}

uint64_t arm968_cycle(const struct arm968 *cpu)
{
    return cpu->cycle;
}

bool arm968_waiting(const struct arm968 *cpu)
{
    return cpu->waiting;
}

const struct arm968_counters *arm968_counters(const struct arm968 *cpu)
{
    if (!cpu->running) { /* inside a block the counts are not up to date */
        flush_counts((struct arm968 *)cpu);
    }
    return &cpu->counters;
}

struct arm968_access *arm968_access(struct arm968 *cpu)
{
    return &cpu->access;
}

void arm968_access_done(struct arm968 *cpu)
{
    cpu->access_state = ACCESS_DONE;
}

struct arm968_fault arm968_fault(const struct arm968 *cpu)
{
    return cpu->fault;
}

/* ---- counters and state ---- */

#define COUNTER_PART arm968
#define COUNTER_ROWS "models/arm968/counters.def"
#include "models/common/counter_table.inc"
