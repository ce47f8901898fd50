/* exceptions.h - entry of exceptions (ARM DDI 0100I A2.6).  Private to models/arm968. */
#pragma once
#include "models/arm968/arm968_state.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum exception {
    EXCEPTION_RESET,
    EXCEPTION_UNDEFINED,
    EXCEPTION_SOFTWARE_INTERRUPT,
    EXCEPTION_PREFETCH_ABORT,
    EXCEPTION_DATA_ABORT,
    EXCEPTION_IRQ,
    EXCEPTION_FIQ
};

/* exception_take(): the core is then at the vector, in the exception's mode.  exception_enter():
 * the same for an exception whose cycles are not part of an instruction; they pass.
 * exception_interrupt(): enters FIQ or else IRQ, one of which is due, before the instruction at pc.
 */
void exception_take(struct arm968 *cpu, enum exception kind, uint32_t return_address);
void exception_enter(struct arm968 *cpu, enum exception kind, uint32_t return_address);
void exception_interrupt(struct arm968 *cpu);

/* Lets cycles pass in which no instruction is executed. */
void exception_spend(struct arm968 *cpu, uint64_t cycles);

C_LINKAGE_END
