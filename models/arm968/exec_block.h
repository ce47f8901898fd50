/* exec_block.h - entering, following and leaving blocks: what the labels of interpreter.c do
 * besides the operations themselves.  Only for interpreter.c, so that everything can be inlined. */
#pragma once
#include "models/arm968/exceptions.h"
#include "models/arm968/exec_data.h"
#include "models/arm968/interpreter.h"

static void set_pending(struct arm968 *cpu, const struct timing_pending *pending)
{
    cpu->has_pending = pending != NULL;
    if (pending != NULL) {
        cpu->pending = *pending;
    }
}

/* Leaves between two instructions of a block; execution continues there later. */
static void leave_inside(struct arm968 *cpu, struct block *block, unsigned insn)
{
    cpu->pc = block_insn_pc(block, insn);
    cpu->thumb = block->thumb;
    if (block->transient || cpu->code_changed) {
        block_counts_add(&cpu->counts, &block->boundary[insn].counts);
        set_pending(cpu, block->boundary[insn].pending);
    } else {
        cpu->resume_block = block;
        cpu->resume_insn = insn;
    }
}

static void leave_to(struct arm968 *cpu, uint32_t pc, bool thumb,
                     const struct timing_pending *pending)
{
    cpu->pc = pc;
    cpu->thumb = thumb;
    set_pending(cpu, pending);
}

/* The rotated word loaded by the current instruction is ready later than the block assumes:
 * continues in another block, built for that. */
static void leave_after_rotation(struct arm968 *cpu, struct block *block, unsigned insn,
                                 unsigned rd)
{
    const uint8_t ready = (uint8_t)cpu->config.timing.load_narrow_result;
    block_counts_add(&cpu->counts, &block->boundary[insn].counts);
    leave_to(cpu, block_insn_pc(block, insn), block->thumb, block->boundary[insn].pending);
    if (!cpu->has_pending) {
        memset(&cpu->pending, 0, sizeof cpu->pending);
    }
    cpu->pending.execute[rd] = ready;
    cpu->pending.store[rd] = ready;
    cpu->pending.accumulate[rd] = ready;
    cpu->has_pending = !timing_nothing_pending(&cpu->pending);
}

/* Leaves at an instruction that takes an exception instead of having an effect: it has cost
 * `cycles`, but leaves no result and is not counted as retired. */
static void leave_undone(struct arm968 *cpu, const struct block *block, unsigned insn,
                         uint32_t cycles)
{
    const struct block_boundary *before = &block->boundary[insn];
    cpu->counters.exception_cycles += cycles;
    cpu->wait = 0;
    cpu->rotated_load = false;
    block_counts_add(&cpu->counts, &before->counts);
    leave_to(cpu, block_insn_pc(block, insn), block->thumb, before->pending);
    if (cpu->has_pending) {
        timing_elapse(&cpu->pending, cycles);
        cpu->has_pending = !timing_nothing_pending(&cpu->pending);
    }
}

/* Cycles of instruction `insn`; one that CP15 refuses costs what an absent coprocessor does. */
static uint32_t undone_cycles(const struct arm968 *cpu, const struct block *block, unsigned insn,
                              enum exec_result result, const struct op *op)
{
    const uint32_t cycles = block->boundary[insn + 1].cycles - block->boundary[insn].cycles;
    if (result != EXEC_REFUSED) {
        return cycles;
    }
    const struct arm968_timing *timing = &cpu->config.timing;
    const bool flags = op->rd == REGISTER_TARGET;
    const uint32_t accepted = flags ? timing->coprocessor_pc : timing->coprocessor;
    return cycles - accepted + timing->coprocessor_absent;
}

/* A copy of the first operations of a block.  Each run of the interpreter has its own, on the
 * host's stack. */
struct shortened_ops {
    struct op op[BLOCK_OPS + 1];
    unsigned end; /* instruction at which it stops */
};

/* Copies a block's operations from number `from` up to the instruction `end`, followed by a STOP;
 * returns the copy of `from`.  `first` may itself be such a copy. */
static const struct op *first_of_copy(struct shortened_ops *copy, const struct block *block,
                                      const struct op *first, unsigned from, unsigned end)
{
    const unsigned end_op = block->boundary[end].op;
    memmove(&copy->op[from], &first[from], (end_op - from) * sizeof *copy->op);
    copy->op[end_op] = (struct op){.label = interpreter_labels()[OP_STOP]};
    copy->end = end;
    return &copy->op[from];
}

/* The operations from number `from`, at or before instruction `insn`, up to the boundary at which
 * the budget is spent. */
static const struct op *shortened_behind(struct shortened_ops *copy, const struct block *block,
                                         unsigned from, unsigned insn, int64_t budget)
{
    const struct block_boundary *at = &block->boundary[insn];
    const int64_t latest = budget - at->cycles + at->latest;
    unsigned end = insn;
    while (block->boundary[end].latest < latest) {
        end++;
    }
    return first_of_copy(copy, block, block->ops, from, end);
}

/* The operations from instruction `insn` up to the boundary at which the budget is spent. */
static const struct op *shortened(struct shortened_ops *copy, const struct block *block,
                                  unsigned insn, int64_t budget)
{
    return shortened_behind(copy, block, block->boundary[insn].op, insn, budget);
}

/* Passes an access that an instruction has just made to the ports; the instruction begins at
 * `cycle`.  True: the access has been performed. */
static bool asked_at_once(struct arm968 *cpu, struct block *block, unsigned insn, int64_t cycle)
{
    if (cpu->access_state != ACCESS_REQUESTED) {
        return false; /* the core stops here for another reason */
    }
    cpu_ask_ports(cpu, (uint64_t)cycle);
    if (cpu->access_state != ACCESS_DONE) {
        return false;
    }
    const uint32_t bit = 1u << insn;
    if ((atomic_load_explicit(&block->asks, memory_order_relaxed) & bit) == 0) {
        (void)atomic_fetch_or_explicit(&block->asks, bit, memory_order_relaxed);
    }
    return true;
}

/* Whether the interpreter may continue in the block after an access, at `cycle`. */
ALWAYS_INLINE bool goes_on(const struct arm968 *cpu, const struct block *block, int64_t cycle)
{
    const bool elsewhere = cpu->rotated_load | cpu->code_changed | block->transient;
    return !elsewhere && (uint64_t)cycle < cpu->look_cycle;
}

/* Whether the interpreter may continue after a change of modes, masks or system control, between
 * two blocks at `cycle`. */
static bool goes_on_behind(const struct arm968 *cpu, int64_t cycle)
{
    const bool code = cpu->flat || (cpu->cp15_control & CONTROL_ITCM) != 0;
    return code && !cpu->code_changed && !cpu->waiting && (uint64_t)cycle < cpu->look_cycle;
}

/* Whether an interrupt is taken between two blocks at `cycle`. */
static bool interrupt_is_due(const struct arm968 *cpu, int64_t cycle)
{
    return cpu->interrupt_cycle <= (uint64_t)cycle && (uint64_t)cycle < cpu->horizon &&
           !cpu->waiting && !cpu->code_changed && cpu->code != NULL;
}

/* Takes the interrupt that is due at `cycle`, before the instruction at pc.  Returns the first
 * block of its handler; NULL: the interpreter cannot go on there. */
static struct block *first_of_handler(struct arm968 *cpu, int64_t cycle)
{
    cpu->cycle = (uint64_t)cycle;
    exception_interrupt(cpu);
    const struct timing_pending *pending = cpu->has_pending ? &cpu->pending : NULL;
    return goes_on_behind(cpu, (int64_t)cpu->cycle) ? cpu_block(cpu, cpu->pc, cpu->thumb, pending)
                                                    : NULL;
}

/* The excess of a run with end `limit`, after a change of its horizon or of the interrupt lines. */
static int64_t excess_over(const struct arm968 *cpu, int64_t limit)
{
    return cpu->look_cycle < (uint64_t)limit ? limit - (int64_t)cpu->look_cycle : 0;
}

/* An ARM instruction that is not on a word boundary is UNPREDICTABLE as the target of a branch that
 * can change the state; bit 1 is ignored. */
ALWAYS_INLINE void note_target(struct arm968 *cpu, uint32_t target)
{
    if (UNLIKELY((target & 3) == 2)) {
        cpu->counters.unpredictable++;
    }
}

/* The number of rounds of the delay loop SUBS; BNE before its last round, within the budget. */
static uint32_t delay_rounds(uint32_t counter, int64_t budget, const struct block *block)
{
    const int64_t spare = budget - block->last_start - 1;
    const int64_t affordable = spare <= 0 ? 0 : spare / block->edge[1].cycles;
    const uint32_t wanted = counter - 1;
    return affordable < (int64_t)wanted ? (uint32_t)affordable : wanted;
}

static void add_rounds(struct block_counts *counts, const struct block_counts *more,
                       uint32_t rounds)
{
    for (unsigned i = 0; i < LANES; i++) {
        counts->lanes[i] = (uint16_t)(counts->lanes[i] + more->lanes[i] * rounds);
    }
    counts->literals += more->literals * rounds;
}

/* The successor block along an edge with a known target. */
static struct block *follow(struct arm968 *cpu, struct block *from, struct edge *edge)
{
    if (from->transient || cpu->code_changed || cpu->code == NULL) {
        return NULL;
    }
    struct block *to = cpu_block(cpu, edge->pc, edge->thumb, edge->pending);
    atomic_store_explicit(&edge->to, to, memory_order_release);
    return to;
}

/* The block at the target of an indirect jump, if that is not the edge's last target. */
static struct block *follow_elsewhere(struct arm968 *cpu, struct block *from, struct edge *edge,
                                      uint32_t pc, bool thumb)
{
    if (from->transient || cpu->code_changed || cpu->code == NULL) {
        return NULL;
    }
    struct block *to = cpu_block(cpu, pc, thumb, edge->pending);
    if (to != NULL) {
        atomic_store_explicit(&edge->to, to, memory_order_release);
    }
    return to;
}

/* The block at the target of an indirect jump; the edge remembers the last one. */
ALWAYS_INLINE struct block *follow_indirect(struct arm968 *cpu, struct block *from,
                                            struct edge *edge, uint32_t pc, bool thumb)
{
    struct block *last = atomic_load_explicit(&edge->to, memory_order_acquire);
    if (LIKELY(last != NULL && last->pc == pc && last->thumb == thumb)) {
        return last;
    }
    return follow_elsewhere(cpu, from, edge, pc, thumb);
}

/* The block that replaces a dropped one. */
static struct block *follow_dropped(struct arm968 *cpu, const struct block *dropped)
{
    code_note_stale(cpu->code);
    cpu->code_changed = cpu->code_changed || code_is_due(cpu->code);
    return cpu_block(cpu, dropped->pc, dropped->thumb, dropped->pending);
}

/* Whether the core's memories are those that native code was compiled for. */
static bool native_fits(const struct arm968 *cpu, const struct native *native)
{
    return cpu->load.base == native->load_base && cpu->load.size == native->load_size &&
           cpu->access_state == ACCESS_NONE && !cpu->user_access &&
           (cpu->cp15_control & CONTROL_NO_INTERWORKING) == 0 && cpu->code != NULL &&
           !cpu->code_changed && !cpu->sees_stores;
}

/* Records the length of a run of native code.  Gives up an entry whose runs are mostly no longer
 * than an instruction or two, for example before accesses to peripherals. */
static void judge_native(struct block *block, const struct native_entry *entry, int64_t cycles)
{
    _Atomic(uint32_t) *short_runs = (_Atomic(uint32_t) *)&entry->short_runs;
    if (LIKELY(cycles > NATIVE_SHORT_CYCLES)) {
        atomic_store_explicit(short_runs, 0, memory_order_relaxed);
        return;
    }
    const uint32_t runs = atomic_load_explicit(short_runs, memory_order_relaxed) + 1;
    atomic_store_explicit(short_runs, runs, memory_order_relaxed);
    if (runs >= NATIVE_SHORT_RUNS) {
        atomic_store_explicit(&block->entry, block->ops, memory_order_release);
    }
}

static void settle_native_flags(struct arm968 *cpu)
{
    const struct native_flags flags = cpu->native_flags;
    const unsigned made_of = flags.kind & NATIVE_FLAGS_MADE_OF;
    cpu->native_flags.kind = NATIVE_FLAGS_EACH;
    if (made_of == NATIVE_FLAGS_EACH) {
        return;
    }
    const uint32_t n = cpu->flag_n;
    const uint32_t z = cpu->flag_z;
    const uint32_t c = cpu->flag_c;
    if (made_of == NATIVE_FLAGS_SUBTRACTED) {
        (void)sub_with_flags(cpu, flags.a, flags.b);
    } else {
        (void)add_with_flags(cpu, flags.a, flags.b);
    }
    if ((flags.kind & NATIVE_FLAGS_NZ_APART) != 0) {
        cpu->flag_n = n;
        cpu->flag_z = z;
    }
    if ((flags.kind & NATIVE_FLAGS_C_APART) != 0) {
        cpu->flag_c = c;
    }
}
