/* exec_system.h - status registers, CP15, Undefined (ARM DDI 0100I A3.9, A3.12). */
#pragma once
#include "models/arm968/exec_memory.h"

OPERATION(mrs_cpsr)
{
    cpu->r[op->rd] = cpu_read_cpsr(cpu) & ~(1u << 5); /* MRS exists in ARM state only */
}

/* In User and System mode there is no SPSR; the CPSR is read, the write is ignored. */
OPERATION(mrs_spsr)
{
    if (cpu_has_spsr(cpu)) {
        cpu->r[op->rd] = cpu->bank_spsr[cpu_bank(cpu->mode)];
    } else {
        cpu->counters.unpredictable++;
        exec_mrs_cpsr(cpu, op);
    }
}

OPERATION(msr_cpsr)
{
    const uint32_t allowed = cpu_privileged(cpu) ? 0xffffffffu : 0xff000000u;
    cpu_write_cpsr(cpu, cpu->r[op->rm], op->imm & allowed, false);
}

OPERATION(msr_spsr)
{
    if (cpu_has_spsr(cpu)) {
        uint32_t *spsr = &cpu->bank_spsr[cpu_bank(cpu->mode)];
        const uint32_t mask = op->imm & 0xf80000ffu; /* the bits that exist in v5TE */
        *spsr = (*spsr & ~mask) | (cpu->r[op->rm] & mask);
    } else {
        cpu->counters.unpredictable++;
    }
}

OPERATION(user_access)
{
    cpu->user_access = op->imm != 0;
}

/* Counted once: an instruction that had to wait for its access is executed a second time. */
OPERATION(unpredictable)
{
    (void)op;
    cpu->counters.unpredictable += cpu->access_state != ACCESS_DONE;
}

OPERATION(note_stack)
{
    (void)op;
    if (UNLIKELY(cpu->r[REGISTER_SP] < cpu->lowest_sp)) {
        cpu->lowest_sp = cpu->r[REGISTER_SP];
    }
}

TRANSFER(cp15_read)
{
    return cp15_read(cpu, op->imm, &cpu->r[op->rd]);
}

TRANSFER(cp15_write)
{
    return cp15_write(cpu, op->imm, cpu->r[op->rd]);
}

TRANSFER(undefined)
{
    (void)cpu;
    (void)op;
    return EXEC_UNDEFINED;
}
