/* snapshot.c - the pointer-free state of a core. */
#include "models/arm968/arm968_state.h"

#include <string.h>

/* Results pending at the core's current position. */
static void save_pending(const struct arm968 *cpu, struct arm968_snapshot *snapshot)
{
    const struct timing_pending *pending = cpu->has_pending ? &cpu->pending : NULL;
    if (cpu->resume_block != NULL) {
        pending = cpu->resume_block->boundary[cpu->resume_insn].pending;
    }
    if (pending != NULL) {
        memcpy(snapshot->pending_execute, pending->execute, sizeof pending->execute);
        memcpy(snapshot->pending_store, pending->store, sizeof pending->store);
        memcpy(snapshot->pending_accumulate, pending->accumulate, sizeof pending->accumulate);
    }
}

void arm968_save(const struct arm968 *cpu, struct arm968_snapshot *snapshot)
{
    memset(snapshot, 0, sizeof *snapshot);
    snapshot->cycle = cpu->cycle;
    snapshot->counters = *arm968_counters(cpu);
    memcpy(snapshot->r, cpu->r, sizeof snapshot->r);
    snapshot->pc = cpu->pc;
    snapshot->cpsr = cpu_read_cpsr(cpu);
    snapshot->lowest_sp = cpu->lowest_sp;
    memcpy(snapshot->bank_lowest_sp, cpu->bank_lowest_sp, sizeof cpu->bank_lowest_sp);
    memcpy(snapshot->bank_r13, cpu->bank_r13, sizeof cpu->bank_r13);
    memcpy(snapshot->bank_r14, cpu->bank_r14, sizeof cpu->bank_r14);
    memcpy(snapshot->bank_spsr, cpu->bank_spsr, sizeof cpu->bank_spsr);
    memcpy(snapshot->bank_r8_to_r12, cpu->bank_r8_to_r12, sizeof cpu->bank_r8_to_r12);
    snapshot->cp15_control = cpu->cp15_control;
    snapshot->cp15_trace_id = cpu->cp15_trace_id;
    snapshot->cp15_test = cpu->cp15_test;
    save_pending(cpu, snapshot);
    memcpy(snapshot->line_asserted, cpu->line_asserted, sizeof cpu->line_asserted);
    memcpy(snapshot->line_visible_cycle, cpu->line_visible_cycle, sizeof cpu->line_visible_cycle);
    snapshot->waiting = cpu->waiting;
    snapshot->mark_passed = cpu->mark_passed;
    snapshot->mark_pc = cpu->mark_pc;
    snapshot->access_state = cpu->access_state;
    if (cpu->access_state != ACCESS_NONE) {
        snapshot->access = cpu->access;
    }
    snapshot->fetch_valid = cpu->fetch_valid;
    snapshot->fetch_address = cpu->fetch_address;
    snapshot->fetch_word = cpu->fetch_word;
    snapshot->fault = cpu->fault;
}

void arm968_load(struct arm968 *cpu, const struct arm968_snapshot *snapshot)
{
    arm968_reset(cpu);
    arm968_set_control(cpu, snapshot->cp15_control);
    cpu->cp15_trace_id = snapshot->cp15_trace_id;
    cpu->cp15_test = snapshot->cp15_test;
    cpu_write_cpsr(cpu, snapshot->cpsr, 0xffffffffu, true);
    memcpy(cpu->r, snapshot->r, sizeof snapshot->r);
    cpu->lowest_sp = snapshot->lowest_sp;
    memcpy(cpu->bank_lowest_sp, snapshot->bank_lowest_sp, sizeof cpu->bank_lowest_sp);
    memcpy(cpu->bank_r13, snapshot->bank_r13, sizeof cpu->bank_r13);
    memcpy(cpu->bank_r14, snapshot->bank_r14, sizeof cpu->bank_r14);
    memcpy(cpu->bank_spsr, snapshot->bank_spsr, sizeof cpu->bank_spsr);
    memcpy(cpu->bank_r8_to_r12, snapshot->bank_r8_to_r12, sizeof cpu->bank_r8_to_r12);
    cpu->pc = snapshot->pc;
    cpu->cycle = snapshot->cycle;
    memcpy(cpu->pending.execute, snapshot->pending_execute, sizeof cpu->pending.execute);
    memcpy(cpu->pending.store, snapshot->pending_store, sizeof cpu->pending.store);
    memcpy(cpu->pending.accumulate, snapshot->pending_accumulate, sizeof cpu->pending.accumulate);
    cpu->has_pending = !timing_nothing_pending(&cpu->pending);
    memcpy(cpu->line_asserted, snapshot->line_asserted, sizeof cpu->line_asserted);
    memcpy(cpu->line_visible_cycle, snapshot->line_visible_cycle, sizeof cpu->line_visible_cycle);
    cpu_find_interrupt(cpu);
    cpu->waiting = snapshot->waiting;
    cpu->mark_passed = snapshot->mark_passed;
    cpu->mark_pc = snapshot->mark_pc;
    cpu->access_state = snapshot->access_state;
    cpu->access = snapshot->access;
    cpu->fetch_valid = snapshot->fetch_valid;
    cpu->fetch_address = snapshot->fetch_address;
    cpu->fetch_word = snapshot->fetch_word;
    cpu->fault = snapshot->fault;
    cpu->counters = snapshot->counters;
    cpu->counts = (struct block_counts){0};
    cpu->flushed_cycle = snapshot->cycle;
}
